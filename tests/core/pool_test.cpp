// Sums over a pool of candidates, growth from them, and the output weights they give.

#include "core/pool.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/dispatch.hpp"
#include "support/problems.hpp"
#include "support/ridge.hpp"
#include "support/workbench.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::random_matrix;

// The sums as plain matrices give them.
PoolSums dense_sums(const MatrixXd& H, const MatrixXd& Y, const VectorXd& w) {
  const MatrixXd wH = w.asDiagonal() * H;
  return {H.transpose() * wH,
          wH.transpose() * Y,
          wH.colwise().sum().transpose(),
          w.transpose() * Y,
          w.transpose() * Y.cwiseAbs2(),
          w.sum()};
}

void expect_near(const MatrixXd& a, const MatrixXd& b, double relative, const char* what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), relative * b.cwiseAbs().maxCoeff()) << what;
}

void expect_near(const PoolSums& a, const PoolSums& b, double relative = 1e-12) {
  expect_near(a.HtH, b.HtH, relative, "H'H");
  expect_near(a.HtY, b.HtY, relative, "H'Y");
  expect_near(a.Ht1, b.Ht1, relative, "H'1");
  expect_near(a.Y1, b.Y1, relative, "1'Y");
  expect_near(a.Y2, b.Y2, relative, "Y^2");
  EXPECT_NEAR(a.weight, b.weight, relative * b.weight);
}

void expect_same_bits(const PoolSums& a, const PoolSums& b) {
  ASSERT_EQ(a.HtH, b.HtH);
  ASSERT_EQ(a.HtY, b.HtY);
  ASSERT_EQ(a.Ht1, b.Ht1);
  ASSERT_EQ(a.Y1, b.Y1);
  ASSERT_EQ(a.Y2, b.Y2);
  ASSERT_EQ(a.weight, b.weight);
}

std::vector<Candidate> draw_pool(Index count, Index inputs, double scale = 3, std::uint64_t seed = 1) {
  std::vector<Candidate> pool;
  pool.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    pool.push_back(draw_candidate(seed, 1, 0, i, inputs, {Family::uniform, scale, Bias::uniform, 4}));
  return pool;
}

MatrixXd outputs_of(const MatrixXd& X, const std::vector<Candidate>& pool) {
  MatrixXd H(X.rows(), static_cast<Index>(pool.size()));
  for (std::size_t i = 0; i < pool.size(); ++i) H.col(static_cast<Index>(i)) = testing::output_of(X, pool[i]);
  return H;
}

PoolSums sums_of(const MatrixXd& X, const MatrixXd& Y, MatrixView w, const std::vector<Candidate>& pool,
                 int threads = 1, Isa isa = Isa::automatic) {
  ThreadPool team(threads);
  Engine engine(select_kernels(isa), kernel_activation(Activation::sigmoid), team);
  return sum_pool(engine, pool_tiles(X, Y, w), pool);
}

TEST(SumPool, GivesTheObviousSumsForAnyShape) {
  struct Shape {
    Index rows, inputs, outputs, pool;
  };
  // Pools that fill no panel, one, several slices and no multiple of anything; rows of a part of a tile, of more than
  // one block.
  for (const Shape s : {Shape{1, 1, 1, 1}, Shape{7, 2, 1, 5}, Shape{128, 3, 2, 24}, Shape{129, 1, 9, 97},
                        Shape{500, 4, 1, 203}, Shape{2500, 2, 2, 61}, Shape{4097, 3, 1, 130}}) {
    SCOPED_TRACE(::testing::Message() << s.rows << " rows, " << s.pool << " candidates");
    const auto p = testing::smooth_problem(s.rows, s.inputs, s.outputs, 1);
    const auto pool = draw_pool(s.pool, s.inputs);
    const MatrixXd H = outputs_of(p.X, pool);
    expect_near(sums_of(p.X, p.Y, {}, pool), dense_sums(H, p.Y, VectorXd::Ones(s.rows)));
    const VectorXd w = random_matrix(s.rows, 1, 3, 0.1, 5);
    expect_near(sums_of(p.X, p.Y, w, pool), dense_sums(H, p.Y, w));
  }
}

TEST(SumPool, IsSymmetricToTheBit) {
  const auto p = testing::smooth_problem(300, 3, 1, 1);
  const PoolSums sums = sums_of(p.X, p.Y, {}, draw_pool(150, 3));
  EXPECT_EQ(sums.HtH, sums.HtH.transpose());
}

TEST(SumPool, WeightsKeepTheirUnit) {
  // Tiles scale weights each in their own way; sums of different rows must still add up.
  const auto p = testing::smooth_problem(90, 2, 1, 1);
  const auto pool = draw_pool(30, 2);
  for (const double unit : {1e-9, 1.0, 3e5}) {
    const VectorXd w = unit * random_matrix(90, 1, 3, 0.1, 5);
    expect_near(sums_of(p.X, p.Y, w, pool), dense_sums(outputs_of(p.X, pool), p.Y, w));
  }
}

TEST(SumPool, ARowOfWeightZeroIsAbsentAndOneOfWeightTwoIsThereTwice) {
  const auto p = testing::smooth_problem(50, 2, 1, 1);
  const auto pool = draw_pool(30, 2);
  VectorXd w = VectorXd::Ones(50);
  w.tail(10).setZero();
  expect_near(sums_of(p.X, p.Y, w, pool), sums_of(p.X.topRows(40), p.Y.topRows(40), {}, pool));
  w.tail(10).setConstant(2);
  MatrixXd X(60, 2), Y(60, 1);
  X << p.X, p.X.bottomRows(10);
  Y << p.Y, p.Y.bottomRows(10);
  expect_near(sums_of(p.X, p.Y, w, pool), sums_of(X, Y, {}, pool));
}

TEST(SumPool, IsTheSameToTheBitForAnyNumberOfThreads) {
  const auto p = testing::smooth_problem(2300, 3, 2, 1);
  const auto pool = draw_pool(217, 3);
  const VectorXd w = random_matrix(2300, 1, 3, 0, 2);
  const PoolSums one = sums_of(p.X, p.Y, w, pool, 1);
  for (const int threads : {2, 3}) expect_same_bits(one, sums_of(p.X, p.Y, w, pool, threads));
}

TEST(SumPool, IsCloseOnEveryInstructionLevel) {
  const auto p = testing::smooth_problem(300, 3, 2, 1);
  const auto pool = draw_pool(77, 3);
  const PoolSums obvious = dense_sums(outputs_of(p.X, pool), p.Y, VectorXd::Ones(300));
  for (const Isa isa : available_levels()) expect_near(sums_of(p.X, p.Y, {}, pool, 1, isa), obvious);
}

TEST(SumPool, SumsOfFoldsAddUpAndCanBeTakenAway) {
  const auto p = testing::smooth_problem(150, 2, 2, 1);
  const auto pool = draw_pool(40, 2);
  VectorXd w = random_matrix(150, 1, 3, 0.1, 1);
  w.middleRows(60, 20) *= 100;  // the largest weight of one fold alone
  const auto part = [&](Index first, Index count) {
    const VectorXd some = w.middleRows(first, count);
    return sums_of(p.X.middleRows(first, count), p.Y.middleRows(first, count), some, pool);
  };
  PoolSums all;
  for (Index fold = 0; fold < 3; ++fold) all.add(part(50 * fold, 50), 1);
  expect_near(all, sums_of(p.X, p.Y, w, pool));
  all.add(part(50, 50), -1);
  PoolSums others = part(0, 50);
  others.add(part(100, 50), 1);
  expect_near(all, others, 1e-11);
}

TEST(EvaluateNodes, GivesOutputsWithoutWeights) {
  const auto p = testing::smooth_problem(300, 3, 1, 1);
  const auto nodes = draw_pool(29, 3);
  const VectorXd w = random_matrix(300, 1, 3, 0.1, 5);
  ThreadPool team(2);
  Engine engine(select_kernels(Isa::automatic), kernel_activation(Activation::sigmoid), team);
  expect_near(evaluate_nodes(engine, pool_tiles(p.X, p.Y, w), nodes), outputs_of(p.X, nodes), 1e-14, "H");
  EXPECT_EQ(evaluate_nodes(engine, pool_tiles(p.X, p.Y, w), {}).cols(), 0);
}

TEST(SubtractRows, IsOneAfterTheOtherToTheBitOnEveryLevel) {
  for (const Index count : {0, 1, 7, 8, 9, 21})
    for (const Index n : {1, 5, 64, 203}) {
      const MatrixXd rows = random_matrix(n, count, 1);
      const VectorXd factors = random_matrix(count, 1, 2), start = random_matrix(n, 1, 3);
      std::vector<const double*> pointers;
      pointers.reserve(static_cast<std::size_t>(count));
      for (Index k = 0; k < count; ++k) pointers.push_back(rows.col(k).data());
      VectorXd obvious = start;
      for (Index k = 0; k < count; ++k)
        for (Index i = 0; i < n; ++i) obvious[i] -= factors[k] * rows(i, k);
      for (const Isa isa : available_levels()) {
        VectorXd y = start;
        select_kernels(isa).subtract_rows(count, factors.data(), pointers.data(), y.data(), n);
        ASSERT_EQ(y, obvious) << select_kernels(isa).name << ", " << count << " rows of " << n;
      }
    }
}

// --- growth ---------------------------------------------------------------------------------------------------------

TEST(GrowPath, TakesWhatLeavesLeastAsIfEveryCandidateWereTried) {
  for (const std::uint64_t seed : {1U, 2U, 3U})
    for (const Index outputs : {1, 3})
      for (const double penalty : {0.0, 1e-3, 1.0}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << outputs << " outputs, penalty " << penalty);
        const auto p = testing::smooth_problem(60, 3, outputs, seed);
        const MatrixXd H = outputs_of(p.X, draw_pool(25, 3, 4, seed));
        const VectorXd w = random_matrix(60, 1, seed + 9, 0.2, 3);
        const auto slow = testing::slow_path(H, p.Y, w, penalty, 8);
        const Path path = grow_path(dense_sums(H, p.Y, w), penalty, 8, 1e-12);
        EXPECT_EQ(path.order, slow.order);
        ASSERT_EQ(path.score.size(), 8U);
        for (std::size_t k = 0; k < 8; ++k) {
          EXPECT_NEAR(path.score[k], 1 - slow.objectives[k + 1] / slow.objectives[k], 1e-7);
          EXPECT_GT(path.score[k], 0);
          EXPECT_LE(path.score[k], 1);
        }
      }
}

TEST(GrowPath, EndsWhenNothingIsLeftToAdd) {
  // Ten candidates that span three dimensions beside the constant.
  const MatrixXd basis = random_matrix(40, 3, 1), H = basis * random_matrix(3, 10, 2);
  const MatrixXd Y = random_matrix(40, 1, 3);
  const Path path = grow_path(dense_sums(H, Y, VectorXd::Ones(40)), 0, 10, 1e-9);
  EXPECT_EQ(path.order.size(), 3U);
  EXPECT_TRUE(grow_path(dense_sums(H, Y, VectorXd::Ones(40)), 0, 0, 1e-9).order.empty());
}

TEST(GrowPath, NeverTakesAConstantOrWhatIsNotFinite) {
  MatrixXd H = random_matrix(40, 6, 1);
  H.col(0).setConstant(0.7);
  H.col(2).setZero();
  H.col(4) = VectorXd::Constant(40, 1 / 3.0) + 1e-9 * random_matrix(40, 1, 2);
  PoolSums sums = dense_sums(H, random_matrix(40, 1, 3), VectorXd::Ones(40));
  sums.HtH.row(5).setConstant(std::numeric_limits<double>::infinity());
  sums.HtH.col(5).setConstant(std::numeric_limits<double>::infinity());
  const Path path = grow_path(sums, 0, 6, 1e-9);
  EXPECT_EQ(path.order.size(), 2U);
  for (const Index i : path.order) EXPECT_TRUE(i == 1 || i == 3) << i;
}

TEST(GrowPath, ATargetOfZerosNeedsNoNode) {
  const MatrixXd H = random_matrix(40, 6, 1);
  EXPECT_TRUE(grow_path(dense_sums(H, MatrixXd::Zero(40, 1), VectorXd::Ones(40)), 0, 6, 1e-9).order.empty());
}

TEST(GrowPath, DroppingCandidatesTakesNoneTwiceAndAsManyAsAsked) {
  const auto p = testing::smooth_problem(600, 5, 1, 1, 0.5);
  const MatrixXd H = outputs_of(p.X, draw_pool(500, 5));
  const PoolSums sums = dense_sums(H, p.Y, VectorXd::Ones(600));
  const Path path = grow_path(sums, 0.06, 120, 1e-9);  // 120 nodes of 500: drops after 32, 64 and 96
  ASSERT_EQ(path.order.size(), 120U);
  std::vector<Index> sorted = path.order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  // Up to the first time candidates are dropped a path is the beginning of any longer one; from then on it still does
  // as it says.
  const Path shorter = grow_path(sums, 0.06, 32, 1e-9);
  EXPECT_TRUE(std::equal(shorter.order.begin(), shorter.order.end(), path.order.begin()));
  double left = testing::solve_ridge(MatrixXd(600, 0), p.Y, VectorXd::Ones(600), 0.06).objective;
  for (const double score : path.score) left *= 1 - score;
  const MatrixXd taken = H(Eigen::all, path.order);
  const double slow = testing::solve_ridge(taken, p.Y, VectorXd::Ones(600), 0.06).objective;
  EXPECT_NEAR(left, slow, 1e-6 * slow);
}

// --- output weights -------------------------------------------------------------------------------------------------

TEST(PathFit, IsRidgeLeastSquaresForEverySizeAndPenalty) {
  const auto p = testing::smooth_problem(80, 3, 2, 1);
  const MatrixXd H = outputs_of(p.X, draw_pool(30, 3));
  const VectorXd w = random_matrix(80, 1, 3, 0.2, 3);
  const PoolSums sums = dense_sums(H, p.Y, w);
  const Path path = grow_path(sums, 1e-4, 12, 1e-9);
  ASSERT_EQ(path.order.size(), 12U);
  for (const double penalty : {1e-4, 1e-2, 1.0, 100.0}) {
    const PathFit fit(sums, path.order, penalty);
    ASSERT_EQ(fit.nodes(), 12);
    for (Index size = 0; size <= 12; ++size) {
      const std::vector<Index> some(path.order.begin(), path.order.begin() + size);
      const testing::Ridge slow = testing::solve_ridge(H(Eigen::all, some), p.Y, w, penalty);
      const PathFit::Layer layer = fit.layer(size);
      ASSERT_EQ(layer.weights.rows(), size);
      const double largest = 1 + (size > 0 ? slow.weights.cwiseAbs().maxCoeff() : 0.0);
      if (size > 0) {
        EXPECT_LE((layer.weights - slow.weights).cwiseAbs().maxCoeff(), 1e-7 * largest);
      }
      EXPECT_LE((layer.intercept - slow.intercept).cwiseAbs().maxCoeff(), 1e-7 * largest);
      const MatrixXd E = p.Y - H(Eigen::all, some) * slow.weights - slow.intercept.replicate(80, 1);
      const double squares = (w.asDiagonal() * E.cwiseAbs2()).sum();
      EXPECT_NEAR(fit.squares(size), squares, 1e-7 * squares);
    }
  }
}

TEST(PathFit, HasFewerNodesWhereTheRankIsLost) {
  MatrixXd H = random_matrix(40, 5, 1);
  H.col(3) = H.col(0) - 2 * H.col(1);
  const MatrixXd Y = random_matrix(40, 1, 3);
  std::vector<Index> order(5);
  std::iota(order.begin(), order.end(), Index{0});
  const PoolSums sums = dense_sums(H, Y, VectorXd::Ones(40));
  const PathFit lost(sums, order, 0);
  EXPECT_GE(lost.nodes(), 3);
  for (Index size = 0; size <= lost.nodes(); ++size) EXPECT_TRUE(lost.layer(size).weights.allFinite());
  const PathFit kept(sums, order, 1e-6);  // a penalty keeps the rank
  EXPECT_EQ(kept.nodes(), 5);
  EXPECT_LT(kept.layer(5).weights.cwiseAbs().maxCoeff(), 10);
  const PathFit constant(dense_sums(MatrixXd::Ones(40, 1), Y, VectorXd::Ones(40)), std::vector<Index>{0}, 0);
  EXPECT_EQ(constant.nodes(), 0);
  EXPECT_NEAR(constant.layer(0).intercept[0], Y.mean(), 1e-15);
}

}  // namespace
}  // namespace sconet
