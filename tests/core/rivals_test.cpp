// RVFL and IRVFL against their definitions, and direct links against linear regression.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <thread>

#include "core/candidates.hpp"
#include "sconet/train.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using testing::Problem;
using testing::smooth_problem;

Eigen::MatrixXd sigmoid(const Eigen::MatrixXd& Z) { return (1 / (1 + (-Z.array()).exp())).matrix(); }

// Outputs of the nodes that a seed draws.
Eigen::MatrixXd drawn_outputs(const Eigen::MatrixXd& X, Index nodes, std::uint64_t seed, double range) {
  Eigen::MatrixXd Z(X.rows(), nodes);
  for (Index j = 0; j < nodes; ++j) {
    const Candidate c = draw_candidate(seed, j + 1, 0, 0, X.cols(), {.scale = range});
    EXPECT_LE(c.w.cwiseAbs().maxCoeff(), range);
    Z.col(j) = ((X * c.w).array() + c.b).matrix();
  }
  return sigmoid(Z);
}

// Least squares with a penalty on all columns but the first, by a QR of the stacked problem.
Eigen::MatrixXd ridge_fit(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Y, double penalty, Index free) {
  Eigen::MatrixXd stacked = Eigen::MatrixXd::Zero(A.rows() + A.cols(), A.cols());
  stacked.topRows(A.rows()) = A;
  for (Index k = free; k < A.cols(); ++k) stacked(A.rows() + k, k) = std::sqrt(penalty);
  Eigen::MatrixXd target = Eigen::MatrixXd::Zero(stacked.rows(), Y.cols());
  target.topRows(Y.rows()) = Y;
  return A * stacked.colPivHouseholderQr().solve(target);
}

TEST(Rvfl, IsLeastSquaresOnTheNodesDrawn) {
  const Problem p = smooth_problem(300, 3, 2, 4);
  for (const bool intercept : {false, true})
    for (const bool links : {false, true})
      for (const double ridge : {0.0, 1e-3}) {
        TrainOptions o;
        o.method = Method::rvfl;
        o.max_nodes = 15;
        o.range = 4;
        o.ridge = ridge;
        o.intercept = intercept;
        o.direct_links = links;
        const TrainResult result = train(p.X, p.Y, o);
        EXPECT_EQ(result.report.method, "RVFL");
        EXPECT_EQ(result.report.stop_reason, StopReason::max_nodes);
        EXPECT_EQ(result.network.nodes(), 15);
        const Eigen::MatrixXd H = drawn_outputs(p.X, 15, o.seed, 4);
        const Index beside = (intercept ? 1 : 0) + (links ? 3 : 0);
        Eigen::MatrixXd A(300, beside + 15);
        if (intercept) A.col(0).setOnes();
        if (links) A.middleCols(intercept ? 1 : 0, 3) = p.X;
        A.rightCols(15) = H;
        const Eigen::MatrixXd wanted = ridge_fit(A, p.Y, ridge * 300, intercept ? 1 : 0);
        EXPECT_LE((result.network.predict(p.X) - wanted).norm(), 1e-8 * wanted.norm());
        EXPECT_NEAR(result.report.train_rmse, (p.Y - wanted).norm() / std::sqrt(300.0), 1e-8);
      }
}

TEST(Rvfl, LeavesOutNodesInTheSpanOfTheOthers) {
  // With weights this small all nodes are straight lines: a constant and a slope.
  const Problem p = smooth_problem(100, 1, 1, 4);
  TrainOptions o;
  o.method = Method::rvfl;
  o.max_nodes = 30;
  o.range = 1e-4;
  const TrainResult result = train(p.X, p.Y, o);
  EXPECT_EQ(result.report.stop_reason, StopReason::rank);
  EXPECT_LE(result.network.nodes(), 4);
  EXPECT_GE(result.network.nodes(), 2);
}

TEST(Rvfl, CanBeStoppedWhileNothingIsFound) {
  const Problem p = smooth_problem(50, 1, 1, 4);
  TrainOptions o;
  o.method = Method::rvfl;
  o.max_nodes = 1'000'000;
  o.range = 1e-4;
  o.time_limit = 0.05;
  EXPECT_EQ(train(p.X, p.Y, o).report.stop_reason, StopReason::time_limit);
  o.time_limit = 0;
  std::stop_source source;
  std::jthread later([&] { source.request_stop(); });
  EXPECT_EQ(train(p.X, p.Y, o, {.stop = source.get_token()}).report.stop_reason, StopReason::interrupted);
}

TEST(Irvfl, SetsEachOutputWeightOnce) {
  const Problem p = smooth_problem(200, 2, 2, 4);
  TrainOptions o;
  o.method = Method::irvfl;
  o.max_nodes = 25;
  o.range = 3;
  const TrainResult result = train(p.X, p.Y, o);
  EXPECT_EQ(result.report.method, "IRVFL");
  const Eigen::MatrixXd H = drawn_outputs(p.X, 25, o.seed, 3);
  Eigen::MatrixXd E = p.Y;
  for (Index j = 0; j < 25; ++j) {
    const Eigen::RowVectorXd beta = H.col(j).transpose() * E / H.col(j).squaredNorm();
    EXPECT_LE((result.network.output_weights().row(j) - beta).norm(), 1e-10 * (1 + beta.norm()));
    const double before = E.squaredNorm();
    E -= H.col(j) * beta;
    const NodeRecord& record = result.report.history[static_cast<std::size_t>(j)];
    EXPECT_NEAR(record.train_rmse, E.norm() / std::sqrt(200.0), 1e-10);
    EXPECT_NEAR(record.score, 1 - E.squaredNorm() / before, 1e-10);
  }
}

TEST(Irvfl, TakesNoDirectLinks) {
  const Problem p = smooth_problem(20, 2, 1, 4);
  TrainOptions o;
  o.method = Method::irvfl;
  o.direct_links = true;
  EXPECT_THROW(train(p.X, p.Y, o), std::invalid_argument);
}

TEST(DirectLinks, WithoutNodesAreLinearRegression) {
  const Problem p = smooth_problem(150, 4, 2, 6), v = smooth_problem(60, 4, 2, 6);
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = 0;
  o.intercept = true;
  o.direct_links = true;
  const TrainResult result = train(p.X, p.Y, o, {.X_valid = v.X, .Y_valid = v.Y});
  Eigen::MatrixXd A(150, 5);
  A << Eigen::VectorXd::Ones(150), p.X;
  const Eigen::MatrixXd B = A.colPivHouseholderQr().solve(p.Y);
  EXPECT_LE((result.network.direct() - B.bottomRows(4)).norm(), 1e-10);
  EXPECT_LE((result.network.intercept() - B.row(0)).norm(), 1e-10);
  EXPECT_NEAR(result.report.valid_rmse, (v.Y - result.network.predict(v.X)).norm() / std::sqrt(60.0), 1e-12);
}

TEST(DirectLinks, ThatExplainEverythingNeedNoNodes) {
  Problem p = smooth_problem(150, 2, 1, 6);
  p.Y = 2 * p.X.col(0) + 3 * p.X.col(1);
  TrainOptions o;
  o.method = Method::rmpi;
  o.direct_links = true;
  const TrainResult result = train(p.X, p.Y, o);
  EXPECT_EQ(result.report.stop_reason, StopReason::exact_fit);
  EXPECT_EQ(result.network.nodes(), 0);
  TrainOptions without = o;
  without.direct_links = false;
  EXPECT_GT(training_memory(1000, 300, 1, 0, o), training_memory(1000, 300, 1, 0, without) + 1000 * 300 * 8);
}

TEST(DirectLinks, WithWeightsAndACopiedInput) {
  Problem p = smooth_problem(90, 3, 1, 6);
  p.X.col(2) = 2 * p.X.col(0);  // in the span of the first: its link is zero
  Eigen::VectorXd w(90);
  for (Index i = 0; i < 90; ++i) w[i] = static_cast<double>(i % 3);
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = 6;
  o.direct_links = true;
  const TrainResult weighted = train(p.X, p.Y, o, {.weights = w});
  EXPECT_EQ(weighted.network.direct()(2, 0), 0);
  // A weight of k counts as k copies of the row.
  Problem copies{Eigen::MatrixXd(90, 3), Eigen::MatrixXd(90, 1)};
  Index at = 0;
  for (Index i = 0; i < 90; ++i)
    for (Index k = 0; k < i % 3; ++k, ++at) {
      copies.X.row(at) = p.X.row(i);
      copies.Y.row(at) = p.Y.row(i);
    }
  ASSERT_EQ(at, 90);
  const TrainResult repeated = train(copies.X, copies.Y, o);
  EXPECT_LE((weighted.network.predict(p.X) - repeated.network.predict(p.X)).norm(), 1e-7);
  EXPECT_EQ(weighted.network.predict(p.X, 2), weighted.network.predict(p.X, 1));
}

TEST(DirectLinks, AreJudgedAsPartOfTheFit) {  // what the candidates must explain is what the links leave
  Problem p = smooth_problem(200, 2, 1, 9, 0);
  p.Y = (100 * p.X.col(0) + p.Y).eval();
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = 20;
  const double without = train(p.X, p.Y, o).report.train_rmse;
  o.direct_links = true;
  EXPECT_LT(train(p.X, p.Y, o).report.train_rmse, 0.5 * without);
}

}  // namespace
}  // namespace sconet
