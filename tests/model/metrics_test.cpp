#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sconet/metrics.hpp"

namespace sconet {
namespace {

TEST(Metrics, ByHand) {
  const Eigen::Vector4d y(1, 2, 3, 4), p(1, 2, 3, 6);
  const Metrics m = measure(y, p);
  EXPECT_EQ(m.rows, 4);
  EXPECT_DOUBLE_EQ(m.rmse, 1);
  EXPECT_DOUBLE_EQ(m.mae, 0.5);
  EXPECT_DOUBLE_EQ(m.r2, 1 - 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(m.r, 8 / std::sqrt(5 * 14.0));
}

TEST(Metrics, SeveralOutputs) {
  Eigen::MatrixXd Y(2, 2), P(2, 2);
  Y << 0, 0, 1, 2;
  P << 1, 0, 0, 2;
  const Metrics m = measure(Y, P);
  EXPECT_DOUBLE_EQ(m.rmse, 1);  // two squares of one over two rows (Eq. 65)
  EXPECT_DOUBLE_EQ(m.mae, 0.5);
  EXPECT_DOUBLE_EQ(m.r, 0);                   // -1 and 1
  EXPECT_DOUBLE_EQ(m.r2, (1 - 4.0 + 1) / 2);  // -3 and 1
}

TEST(Metrics, ConstantsHaveNoCorrelation) {
  const Eigen::Vector2d y(3, 3), p(1, 2);
  EXPECT_TRUE(std::isnan(measure(y, p).r));
  EXPECT_TRUE(std::isnan(measure(y, p).r2));
  EXPECT_TRUE(std::isnan(measure(p, y).r));
  EXPECT_FALSE(std::isnan(measure(p, y).r2));
}

TEST(Metrics, ShapesAndEmptiness) {
  EXPECT_THROW(measure(Eigen::VectorXd(3), Eigen::VectorXd(2)), std::invalid_argument);
  EXPECT_THROW(measure(Eigen::MatrixXd(3, 1), Eigen::MatrixXd(3, 2)), std::invalid_argument);
  EXPECT_THROW(measure(Eigen::VectorXd(0), Eigen::VectorXd(0)), std::invalid_argument);
}

// Scaled by a power of two, rmse and mae scale with it exactly and r, r2 stay, up to the ends of the range.
RC_GTEST_PROP(Metrics, ScaleExactly, ()) {
  const auto n = *rc::gen::inRange(2, 20);
  Eigen::VectorXd y(n), p(n);
  for (int i = 0; i < n; ++i) {
    y[i] = *rc::gen::inRange(-1000, 1000);
    p[i] = *rc::gen::inRange(-1000, 1000);
  }
  const int exponent = *rc::gen::inRange(-900, 1000);
  const Metrics a = measure(y, p);
  const auto by = [&](double v) { return std::ldexp(v, exponent); };
  const Eigen::VectorXd ys = y.unaryExpr(by), ps = p.unaryExpr(by);
  const Metrics b = measure(ys, ps);
  RC_ASSERT(b.rmse == by(a.rmse));
  RC_ASSERT(b.mae == by(a.mae));
  RC_ASSERT(b.r == a.r || (std::isnan(a.r) && std::isnan(b.r)));
  RC_ASSERT(b.r2 == a.r2 || (std::isnan(a.r2) && std::isnan(b.r2)));
}

}  // namespace
}  // namespace sconet
