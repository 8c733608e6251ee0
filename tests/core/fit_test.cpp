// The fit of the output weights: what Gram-Schmidt keeps, what least squares means, ridge, intercept, leverages.

#include "core/fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/workbench.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Workbench;
constexpr double kEps = 0x1p-52;

// Appends random nodes of growing scale until `count` are in.
std::vector<Candidate> append_random(Fit& fit, Index inputs, Index count, std::uint64_t seed) {
  std::vector<Candidate> nodes;
  for (Index t = 0; fit.nodes() < count && t < 50 * count; ++t) {
    Candidate c = draw_candidate(seed, 1, 0, t, inputs, {.scale = 0.5 * static_cast<double>(1 + t % 20)});
    if (fit.append(c, {})) nodes.push_back(std::move(c));
  }
  return nodes;
}

MatrixXd outputs_of(const MatrixXd& X, const std::vector<Candidate>& nodes) {
  MatrixXd H(X.rows(), static_cast<Index>(nodes.size()));
  for (Index j = 0; j < H.cols(); ++j) H.col(j) = testing::output_of(X, nodes[static_cast<std::size_t>(j)]);
  return H;
}

// Hundreds of sigmoids are nearly dependent; the basis is orthonormal all the same.
TEST(Refit, BasisIsOrthonormalAndResidualOrthogonalAfterHundredsOfNodes) {
  const auto p = testing::smooth_problem(1500, 6, 2, 1);
  Workbench s(p.X, p.Y);
  Refit fit(s.engine, s.tiles, 1e-10, 0, {});
  append_random(fit, 6, 300, 3);
  ASSERT_EQ(fit.nodes(), 300);
  const MatrixXd Q = s.Q();
  const MatrixXd defect = Q.transpose() * Q - MatrixXd::Identity(300, 300);
  EXPECT_LE(defect.cwiseAbs().maxCoeff(), 64 * kEps);
  EXPECT_LE((Q.transpose() * s.E()).cwiseAbs().maxCoeff(), 64 * kEps * p.Y.norm());
}

TEST(Refit, RidgeKeepsTheAugmentedBasisOrthonormal) {
  const auto p = testing::smooth_problem(700, 4, 2, 5);
  for (const bool intercept : {false, true}) {
    Workbench s(p.X, p.Y);
    Refit fit(s.engine, s.tiles, 1e-10, 1e-6, {intercept, false});
    append_random(fit, 4, 120, 7);
    ASSERT_EQ(fit.nodes(), 120);
    const MatrixXd Q = s.Q(), lower = fit.lower_basis();
    const MatrixXd product = Q.transpose() * Q + lower.transpose() * lower;
    EXPECT_LE((product - MatrixXd::Identity(product.rows(), product.cols())).cwiseAbs().maxCoeff(), 64 * kEps);
    EXPECT_LE((Q.transpose() * s.E() + lower.transpose() * fit.lower_residual()).cwiseAbs().maxCoeff(),
              64 * kEps * p.Y.norm());
  }
}

TEST(Refit, EqualsLeastSquaresByQr) {
  const auto p = testing::smooth_problem(200, 3, 2, 11);
  Workbench s(p.X, p.Y);
  Refit fit(s.engine, s.tiles, 1e-8, 0, {});
  const auto nodes = append_random(fit, 3, 20, 13);
  const MatrixXd H = outputs_of(p.X, nodes);
  EXPECT_NEAR(fit.residual2().sum(), testing::least_squares_residual2(H, p.Y), 1e-12 * p.Y.squaredNorm());
  EXPECT_LE((p.Y - H * fit.output_layer(20).weights - s.E()).norm(), 1e-9 * p.Y.norm());
  // A shorter network's weights are its own least squares, not the long one's cut off.
  const MatrixXd H5 = H.leftCols(5);
  EXPECT_NEAR((p.Y - H5 * fit.output_layer(5).weights).squaredNorm(), testing::least_squares_residual2(H5, p.Y),
              1e-10 * p.Y.squaredNorm());
}

TEST(Refit, RidgeSolvesThePenalisedNormalEquations) {
  const auto p = testing::smooth_problem(150, 2, 1, 17);
  const double ridge = 1e-3;
  for (const bool intercept : {false, true}) {
    Workbench s(p.X, p.Y);
    Refit fit(s.engine, s.tiles, 1e-10, ridge, {intercept, false});
    const auto nodes = append_random(fit, 2, 12, 19);
    MatrixXd H = outputs_of(p.X, nodes);
    MatrixXd penalty = MatrixXd::Identity(12, 12) * ridge * 150;
    if (intercept) {
      H.conservativeResize(Eigen::NoChange, 13);
      H.col(12).setOnes();
      penalty.conservativeResizeLike(MatrixXd::Zero(13, 13));
    }
    const VectorXd beta = (H.transpose() * H + penalty).ldlt().solve(H.transpose() * p.Y);
    EXPECT_LE((fit.output_layer(12).weights - beta.head(12)).norm(), 1e-8 * beta.norm());
    if (intercept) {
      EXPECT_NEAR(fit.output_layer(12).intercept[0], beta[12], 1e-8 * beta.norm());
    }
    const double objective = (p.Y - H * beta).squaredNorm() + ridge * 150 * beta.head(12).squaredNorm();
    EXPECT_NEAR(fit.objective2().sum(), objective, 1e-10 * objective);
  }
}

TEST(Refit, RefusesANodeInsideTheSpanAndStaysAsItWas) {
  const auto p = testing::smooth_problem(80, 2, 1, 23);
  Workbench s(p.X, p.Y);
  Refit fit(s.engine, s.tiles, 1e-10, 0, {});
  const Candidate c = draw_candidate(1, 1, 0, 0, 2, {.scale = 1.0});
  ASSERT_TRUE(fit.append(c, {}));
  const MatrixXd before = s.E();
  EXPECT_FALSE(fit.append(c, {}));
  EXPECT_EQ(fit.nodes(), 1);
  EXPECT_EQ(s.tiles.columns(), 1);
  EXPECT_EQ(s.E(), before);
}

TEST(Refit, NeverHasMoreNodesThanRows) {
  const auto p = testing::smooth_problem(7, 2, 1, 29);
  Workbench s(p.X, p.Y);
  Refit fit(s.engine, s.tiles, 1e-10, 0, {});
  append_random(fit, 2, 20, 31);
  EXPECT_LE(fit.nodes(), 7);
  EXPECT_GE(fit.nodes(), 5);
}

TEST(Refit, LeveragesGiveLeaveOneOutResiduals) {
  const auto p = testing::smooth_problem(60, 2, 1, 37);
  Workbench s(p.X, p.Y);
  Refit fit(s.engine, s.tiles, 1e-6, 0, {});
  const auto nodes = append_random(fit, 2, 6, 41);
  const MatrixXd H = outputs_of(p.X, nodes);
  const VectorXd leverage = fit.leverages(6);
  EXPECT_NEAR(leverage.sum(), 6.0, 1e-12);  // the trace of the hat matrix
  const MatrixXd E = s.E();
  for (const Index left_out : {0, 13, 59}) {
    MatrixXd H1(59, 6), Y1(59, 1);
    for (Index i = 0, at = 0; i < 60; ++i)
      if (i != left_out) {
        H1.row(at) = H.row(i);
        Y1.row(at++) = p.Y.row(i);
      }
    const MatrixXd beta = H1.colPivHouseholderQr().solve(Y1);
    const double loo = p.Y(left_out, 0) - (H.row(left_out) * beta)(0, 0);
    EXPECT_NEAR(E(left_out, 0) / (1 - leverage[left_out]), loo, 1e-8);
  }
}

TEST(Greedy, SetsTheNewWeightAlone) {
  const auto p = testing::smooth_problem(100, 3, 2, 43);
  Workbench s(p.X, p.Y);
  Greedy fit(s.engine, s.tiles, 0, false);
  MatrixXd E = p.Y;
  for (Index t = 0; t < 8; ++t) {
    const Candidate c = draw_candidate(2, 1, 0, t, 3, {.scale = 2.0});
    const VectorXd h = testing::output_of(p.X, c);
    const Eigen::RowVectorXd beta = h.transpose() * E / h.squaredNorm();  // Eq. 7
    E -= h * beta;                                                        // Eq. 8
    ASSERT_TRUE(fit.append(c, {}));
    EXPECT_LE((fit.output_layer(t + 1).weights.row(t) - beta).norm(), 1e-12 * (1 + beta.norm()));
    EXPECT_LE((s.E() - E).norm(), 1e-12 * p.Y.norm());
  }
}

}  // namespace
}  // namespace sconet
