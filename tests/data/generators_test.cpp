// Generated data: values of the formula, and the split.

#include "sconet/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sconet {
namespace {

TEST(Db1, FollowsItsFormulaOnARegularGrid) {
  const Dataset d = generate_db1();
  ASSERT_EQ(d.X.rows(), 1500);
  EXPECT_EQ(d.X(0, 0), 0.0);
  EXPECT_EQ(d.X(1499, 0), 1.0);
  EXPECT_NEAR(d.X(700, 0) - d.X(699, 0), 1.0 / 1499, 1e-15);
  // At x = 0.5 the second bump stands at its top: 0.2 exp(-1) + 0.5 + 0.3 exp(-400).
  const Dataset odd = generate_db1(3);
  EXPECT_NEAR(odd.Y(1, 0), 0.2 * std::exp(-1.0) + 0.5, 1e-15);
  EXPECT_EQ(generate_db1(1).X(0, 0), 0.0);
  EXPECT_EQ(generate_db1(0).X.rows(), 0);
}

// Every row is a step of the plant from the row before it.
void expect_plant(const Dataset& d) {
  for (Index k = 0; k < d.X.rows(); ++k) {
    const double x1 = d.X(k, 0), x2 = d.X(k, 1), x3 = d.X(k, 2), x4 = d.X(k, 3), x5 = d.X(k, 4);
    EXPECT_NEAR(d.Y(k, 0), (x1 * x2 * x3 * x5 * (x3 - 1) + x4) / (1 + x2 * x2 + x3 * x3), 1e-15);
    if (k == 0) continue;
    EXPECT_EQ(x1, d.Y(k - 1, 0));
    EXPECT_EQ(x2, d.X(k - 1, 0));
    EXPECT_EQ(x3, d.X(k - 1, 1));
    EXPECT_EQ(x5, d.X(k - 1, 3));
  }
}

TEST(Db2, IsThePlantUnderARandomInput) {
  const Dataset d = generate_db2();
  ASSERT_EQ(d.X.rows(), 2400);
  expect_plant(d);
  EXPECT_EQ(d.X.row(0).head(3).squaredNorm() + d.X(0, 4) * d.X(0, 4), 0.0);  // from rest
  EXPECT_EQ(d.Y(0, 0), d.X(0, 3));
  const auto u = d.X.col(3);
  EXPECT_GE(u.minCoeff(), -1);
  EXPECT_LE(u.maxCoeff(), 1);
  EXPECT_NEAR(u.mean(), 0, 4 / std::sqrt(3.0 * 2400));  // four standard errors
  EXPECT_NEAR(u.squaredNorm() / 2400, 1.0 / 3, 4 * 0.298 / std::sqrt(2400));
  EXPECT_NE(generate_db2(10, 2).X, d.X.topRows(10));
  EXPECT_EQ(generate_db2(10, 1).X, d.X.topRows(10));
}

TEST(Db2, TheTestSignalIsThatOfThePaper) {
  const Dataset d = generate_db2_test();
  ASSERT_EQ(d.X.rows(), 600);
  expect_plant(d);
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(d.X(0, 3), std::sin(2 * pi / 250), 1e-15);
  EXPECT_NEAR(d.X(61, 3), std::sin(2 * pi * 62 / 250), 1e-14);
  EXPECT_NEAR(d.X(249, 3), 0, 1e-14);                                                           // k = 250: a whole turn
  EXPECT_NEAR(d.X(250, 3), 0.8 * std::sin(2 * pi / 250) + 0.2 * std::sin(2 * pi / 25), 1e-13);  // k = 251
  EXPECT_NEAR(d.X(499, 3), 0, 1e-13);
}

TEST(Friedman, IsItsFunctionAndNoise) {
  const Dataset exact = generate_friedman(2000, 3, 0), noisy = generate_friedman(2000, 3, 2);
  EXPECT_EQ(exact.X, noisy.X);
  const double pi = std::acos(-1.0);
  for (Index i = 0; i < 2000; ++i) {
    const auto x = exact.X.row(i);
    EXPECT_NEAR(exact.Y(i, 0),
                10 * std::sin(pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4], 1e-12);
  }
  const Eigen::VectorXd noise = (noisy.Y - exact.Y) / 2;  // normal: mean 0, variance 1, fourth moment 3
  EXPECT_NEAR(noise.mean(), 0, 4 / std::sqrt(2000.0));
  EXPECT_NEAR(noise.squaredNorm() / 2000, 1, 4 * std::sqrt(2.0 / 2000));
  EXPECT_NEAR(noise.array().pow(4).mean(), 3, 4 * std::sqrt(96.0 / 2000));
}

TEST(Split622, DealsEveryRowOnce) {
  const Dataset d = generate_db1(1500);
  const Split s = split_622(d, 3);
  EXPECT_EQ(s.train.X.rows(), 900);
  EXPECT_EQ(s.valid.X.rows(), 300);
  EXPECT_EQ(s.test.X.rows(), 300);
  std::vector<double> all;
  for (const Dataset* part : {&s.train, &s.valid, &s.test})
    for (Index i = 0; i < part->X.rows(); ++i) all.push_back(part->X(i, 0));
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
  std::sort(all.begin(), all.end());
  for (Index i = 0; i < 1500; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], d.X(i, 0));
}

TEST(Split622, DependsOnItsSeed) {
  const Dataset d = generate_db1(100);
  EXPECT_EQ(split_622(d, 3).train.X, split_622(d, 3).train.X);
  EXPECT_NE(split_622(d, 3).train.X, split_622(d, 4).train.X);
}

}  // namespace
}  // namespace sconet
