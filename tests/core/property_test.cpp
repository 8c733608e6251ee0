// The paper's statements as properties of random problems.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "core/schedule.hpp"
#include "core/supervisor.hpp"
#include "sconet/train.hpp"
#include "support/workbench.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Workbench;

struct RandomCase {
  Index n, d, m;
  std::uint64_t seed;
  testing::Problem problem;
};

RandomCase random_case() {
  RandomCase c;
  c.n = *rc::gen::inRange<Index>(20, 400);
  c.d = *rc::gen::inRange<Index>(1, 6);
  c.m = *rc::gen::inRange<Index>(1, 4);
  c.seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  c.problem = testing::smooth_problem(c.n, c.d, c.m, c.seed);
  return c;
}

TrainOptions small_options(std::uint64_t seed, Method method) {
  TrainOptions o;
  o.method = method;
  o.max_nodes = 12;
  o.candidates = 20;
  o.scales = {0.5, 2, 8};
  o.seed = seed;
  o.threads = 1;
  return o;
}

// Share of |e|^2 that each node removed, from the RMSE column.
std::vector<double> drops(const TrainReport& report) {
  std::vector<double> out;
  double before = report.initial_rmse;
  for (const NodeRecord& n : report.history) {
    out.push_back(1 - (n.train_rmse * n.train_rmse) / (before * before));
    before = n.train_rmse;
  }
  return out;
}

RC_GTEST_PROP(Training, ResidualNeverGrows, ()) {
  const RandomCase c = random_case();
  TrainOptions o = small_options(c.seed, *rc::gen::element(Method::rmpi, Method::scn3, Method::scn1));
  o.intercept = *rc::gen::arbitrary<bool>();
  o.criterion = *rc::gen::element(Criterion::total, Criterion::per_output);
  o.nodes_per_step = *rc::gen::inRange(1, 4);
  const auto report = train(c.problem.X, c.problem.Y, o).report;
  double before = report.initial_rmse;
  for (const NodeRecord& n : report.history) {
    RC_ASSERT(n.train_rmse <= before * (1 + 1e-13));
    before = n.train_rmse;
  }
}

// Q'Q = I and Q'E = 0 to 64 eps after hundreds of nodes, with the lower parts that a ridge adds.
RC_GTEST_PROP(Training, BasisStaysOrthonormalAndResidualOrthogonal, ()) {
  const Index n = *rc::gen::inRange<Index>(250, 400);
  const Index d = *rc::gen::inRange<Index>(4, 9);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const auto p = testing::smooth_problem(n, d, 2, seed);
  Workbench bench(p.X, p.Y);
  Refit fit(bench.engine, bench.tiles, 1e-10, *rc::gen::element(0.0, 1e-9, 1e-3),
            {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()});
  for (Index t = 0; fit.nodes() < 200 && t < 1000; ++t)
    fit.append(draw_candidate(seed, 1, 0, t, d, {.scale = 0.5 * static_cast<double>(1 + t % 10)}), {});
  RC_ASSERT(fit.nodes() == 200);
  const MatrixXd Q = bench.Q(), lower = fit.lower_basis();
  const MatrixXd QtQ = Q.transpose() * Q + lower.transpose() * lower;
  const MatrixXd QtE = Q.transpose() * bench.E() + lower.transpose() * fit.lower_residual();
  RC_ASSERT((QtQ - MatrixXd::Identity(Q.cols(), Q.cols())).cwiseAbs().maxCoeff() <= 64 * 0x1p-52);
  RC_ASSERT(QtE.cwiseAbs().maxCoeff() <= 64 * 0x1p-52 * p.Y.norm());
}

// Eq. 30 and Eq. 16: what RMPI-SCN and SCN-I promise is what happens.
RC_GTEST_PROP(Training, DropEqualsTheChosenScore, ()) {
  const RandomCase c = random_case();
  TrainOptions o = small_options(c.seed, *rc::gen::element(Method::rmpi, Method::scn1));
  o.rank_tolerance = 1e-8;
  const auto report = train(c.problem.X, c.problem.Y, o).report;
  const auto drop = drops(report);
  // |p|^2 comes from a subtraction in which as little as rank_tolerance of |h|^2 may be left: the score's relative
  // error is at most a few eps / rank_tolerance.
  for (std::size_t i = 0; i < drop.size(); ++i)
    RC_ASSERT(std::abs(drop[i] - report.history[i].score) <= 32 * 0x1p-52 / o.rank_tolerance * drop[i] + 1e-12);
}

// Eq. 23: for SCN-III the score is a lower bound.
RC_GTEST_PROP(Training, Scn3RemovesAtLeastItsScore, ()) {
  const RandomCase c = random_case();
  const auto report = train(c.problem.X, c.problem.Y, small_options(c.seed, Method::scn3)).report;
  const auto drop = drops(report);
  for (std::size_t i = 0; i < drop.size(); ++i) RC_ASSERT(drop[i] >= report.history[i].score - 1e-12);
}

// A node that met its demand met it: |e_L|^2 <= r_L |e_{L-1}|^2.
RC_GTEST_PROP(Training, AcceptedNodesContractByR, ()) {
  const RandomCase c = random_case();
  TrainOptions o = small_options(c.seed, *rc::gen::element(Method::rmpi, Method::scn3, Method::scn1));
  o.r = 0.99;
  const auto report = train(c.problem.X, c.problem.Y, o).report;
  const auto drop = drops(report);
  for (std::size_t i = 0; i < drop.size(); ++i)
    if (!report.history[i].fallback) RC_ASSERT(drop[i] >= 1 - report.history[i].r - 1e-12);
}

// Without noise, far down: the scores stay exact while the residual falls to 1e-12 of Y.
RC_GTEST_PROP(Training, AcceptedNodesContractByRWithoutNoiseToo, ()) {
  const MatrixXd X = testing::random_matrix(200, 1, *rc::gen::inRange<std::uint64_t>(0, 100000));
  const MatrixXd Y = (3 * X.array()).sin() + 0.5;
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = 40;
  o.candidates = 50;
  o.seed = *rc::gen::inRange<std::uint64_t>(0, 100000);
  o.threads = 1;
  const auto report = train(X, Y, o).report;
  const auto drop = drops(report);
  for (std::size_t i = 0; i < drop.size() && report.history[i].train_rmse > 1e-12; ++i) {
    if (!report.history[i].fallback) RC_ASSERT(drop[i] >= (1 - report.history[i].r) * (1 - 1e-3));
    RC_ASSERT(std::abs(drop[i] - report.history[i].score) <= 1e-3 * drop[i] + 1e-9);
  }
}

// Theorem 2, both ways, and the remark that Eq. 29 always holds: after some nodes, a candidate's score is at least 1 -
// r exactly when the least-squares residual with the candidate is at most r |e|^2.
RC_GTEST_PROP(Theorem2, ScoreMeetsTheDemandExactlyWhenTheRefitContracts, ()) {
  const RandomCase c = random_case();
  Workbench s(c.problem.X, c.problem.Y);
  Refit fit(s.engine, s.tiles, 1e-8, 0, {});
  MatrixXd H(c.n, 0);
  const Index L = *rc::gen::inRange<Index>(0, 8);
  for (Index t = 0; t < 40 && fit.nodes() < L; ++t) {
    const Candidate node = draw_candidate(c.seed, 1, 0, t, c.d, {.scale = 3.0});
    if (!fit.append(node, {})) continue;
    H.conservativeResize(Eigen::NoChange, H.cols() + 1);
    H.rightCols(1) = testing::output_of(c.problem.X, node);
  }
  const auto supervisor = make_supervisor(small_options(1, Method::rmpi));
  CandidateBatch batch(s.engine.kernels);
  batch.resize(10, c.d);
  std::vector<Candidate> candidates;
  for (Index t = 0; t < 10; ++t) {
    candidates.push_back(draw_candidate(c.seed, 2, 0, t, c.d, {.scale = 4.0}));
    batch.set(t, candidates.back());
  }
  Scorer scorer(s.engine);
  const BatchSums& sums = scorer.score(s.tiles, batch, s.tiles.columns());
  const double e2 = fit.residual2().sum();
  const MatrixXd E = s.E();
  for (Index t = 0; t < 10; ++t) {
    const double denominator = supervisor->denominator(sums, t, 0);
    if (denominator <= 0) continue;
    const VectorXd h = testing::output_of(c.problem.X, candidates[static_cast<std::size_t>(t)]);
    if (denominator < 1e-7 * h.squaredNorm()) continue;  // where the subtraction in |p|^2 has lost half its digits
    double removed = 0;
    for (Index q = 0; q < c.m; ++q) removed += sums.eg(q, t) * sums.eg(q, t) / denominator;
    MatrixXd with(c.n, H.cols() + 1);
    with << H, h;
    const double after = testing::least_squares_residual2(with, c.problem.Y);
    RC_ASSERT(std::abs((e2 - removed) - after) <= 1e-8 * e2);
    // Both ways: for r just above and just below the share that stays.
    const double stays = after / e2;
    for (const double r : {stays * (1 + 1e-6), stays * (1 - 1e-6)})
      if (r > 0 && r < 1) RC_ASSERT((removed >= (1 - r) * e2) == (after <= r * e2));
    // Eq. 29: <Y - e, p> = 0.
    VectorXd p = h;
    if (H.cols() > 0) p -= H * H.colPivHouseholderQr().solve(h);
    RC_ASSERT(((c.problem.Y - E).transpose() * p).norm() <= 1e-10 * c.problem.Y.norm() * h.norm());
  }
}

// Corollary 1, both ways: <e,h>^2 >= (1 - r) |h|^2 |e|^2 exactly when |e - beta h|^2 <= r |e|^2.
RC_GTEST_PROP(Corollary1, Scn1ScoreMeetsTheDemandExactlyWhenTheStepContracts, ()) {
  const RandomCase c = random_case();
  Workbench s(c.problem.X, c.problem.Y);
  Greedy fit(s.engine, s.tiles, 0, false);
  for (Index t = 0; t < 5; ++t) fit.append(draw_candidate(c.seed, 1, 0, t, c.d, {.scale = 3.0}), {});
  const auto supervisor = make_supervisor(small_options(1, Method::scn1));
  CandidateBatch batch(s.engine.kernels);
  batch.resize(1, c.d);
  const Candidate candidate = draw_candidate(c.seed, 2, 0, 0, c.d, {.scale = 4.0});
  batch.set(0, candidate);
  Scorer scorer(s.engine);
  const BatchSums& sums = scorer.score(s.tiles, batch, 0);
  const double denominator = supervisor->denominator(sums, 0, 0);
  const MatrixXd E = s.E();
  const VectorXd h = testing::output_of(c.problem.X, candidate);
  double removed = 0;
  for (Index q = 0; q < c.m; ++q) removed += sums.eg(q, 0) * sums.eg(q, 0) / denominator;
  const Eigen::RowVectorXd beta = h.transpose() * E / h.squaredNorm();
  const double after = (E - h * beta).squaredNorm(), e2 = E.squaredNorm();
  RC_ASSERT(std::abs((e2 - removed) - after) <= 1e-12 * e2);
  for (const double r : {after / e2 * (1 + 1e-9), after / e2 * (1 - 1e-9)})
    if (r > 0 && r < 1) RC_ASSERT((removed >= (1 - r) * e2) == (after <= r * e2));
}

// Eq. 22: with the same nodes, refitting all weights is never worse than setting each once.
RC_GTEST_PROP(Eq22, Scn3IsNeverWorseThanScn1OnTheSameNodes, ()) {
  const RandomCase c = random_case();
  Workbench all(c.problem.X, c.problem.Y), one(c.problem.X, c.problem.Y);
  Refit refit(all.engine, all.tiles, 1e-10, 0, {});
  Greedy greedy(one.engine, one.tiles, 0, false);
  for (Index t = 0; t < 15; ++t) {
    const Candidate node = draw_candidate(c.seed, 1, 0, t, c.d, {.scale = 5.0});
    if (!refit.append(node, {})) continue;
    greedy.append(node, {});
    RC_ASSERT(refit.residual2().sum() <= greedy.residual2().sum() * (1 + 1e-12));
  }
}

RC_GTEST_PROP(Schedules, RiseWithLAndStayBelowTheirLimit, ()) {
  const double r = *rc::gen::inRange(1, 1000) / 1000.0;
  const double alpha = *rc::gen::inRange(1, 300) / 100.0;
  for (const Schedule schedule : {Schedule::power, Schedule::product}) {
    const double limit = schedule == Schedule::power ? r : std::pow(r, alpha);
    double before = 0;
    for (double L = 1; L < 2000; L *= 1.3) {
      const double value = demanded_r(schedule, r, alpha, std::floor(L));
      RC_ASSERT(value >= before && value <= limit * (1 + 1e-15) && value > 0);
      before = value;
    }
    RC_ASSERT(std::abs(demanded_r(schedule, r, alpha, 1e12) - limit) <= 1e-9);
  }
}

TEST(Schedules, HaveThePrintedValues) {
  EXPECT_DOUBLE_EQ(demanded_r(Schedule::power, 0.9, 0.5, 1), std::pow(0.9, std::sqrt(2.0)));
  EXPECT_DOUBLE_EQ(demanded_r(Schedule::product, 0.9, 0.5, 1), 0.9);
  EXPECT_DOUBLE_EQ(relaxed_r(0.9, 0), 0.9);
  EXPECT_DOUBLE_EQ(relaxed_r(0.9, 2), 0.999);
}

}  // namespace
}  // namespace sconet
