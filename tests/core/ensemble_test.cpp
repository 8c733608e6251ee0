// Ensembles: the mean of networks is a network, rows are left out in turn, and what is told of them is true.

#include "core/ensemble.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "sconet/generators.hpp"
#include "sconet/model.hpp"
#include "support/message.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::random_matrix;

double rmse(const MatrixXd& E) { return std::sqrt(E.squaredNorm() / static_cast<double>(E.rows())); }

TrainOptions options_of(Method method, std::int64_t members, std::int64_t threads = 1) {
  TrainOptions o;
  o.method = method;
  o.ensemble = members;
  o.threads = threads;
  if (method == Method::automatic) {
    o.effort = Effort::quick;
  } else {
    o.max_nodes = 15;
    o.candidates = 20;
  }
  return o;
}

Network random_network(Index inputs, Index nodes, Index outputs, std::uint64_t seed, bool direct) {
  return {random_matrix(inputs, nodes, seed),
          random_matrix(nodes, 1, seed + 1),
          random_matrix(nodes, outputs, seed + 2),
          random_matrix(1, outputs, seed + 3),
          Activation::tanh,
          direct ? random_matrix(inputs, outputs, seed + 4) : MatrixXd()};
}

TEST(MeanOf, PredictsTheMeanOfItsMembers) {
  const MatrixXd X = random_matrix(50, 3, 1);
  for (const bool direct : {false, true}) {
    std::vector<Network> members;
    members.reserve(3);
    for (const Index nodes : {4, 0, 7})
      members.push_back(random_network(3, nodes, 2, static_cast<std::uint64_t>(nodes) + 10, direct));
    MatrixXd mean = MatrixXd::Zero(50, 2);
    for (const Network& member : members) mean += member.predict(X) / 3;
    const Network network = mean_of(members);
    EXPECT_EQ(network.nodes(), 11);
    EXPECT_LE((network.predict(X) - mean).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(LeftOut, FiveMembersLeaveOutEachRowOnce) {
  for (const Index n : {2, 3, 5, 6, 103})
    for (const Index round : {0, 1}) {
      const Index parts = std::min<Index>(5, n);
      std::vector<int> times(static_cast<std::size_t>(n), 0);
      for (Index member = round * parts; member < (round + 1) * parts; ++member) {
        const std::vector<Index> rows = left_out(n, member, 7);
        EXPECT_LE(static_cast<Index>(rows.size()), n / parts + 1);
        EXPECT_GE(static_cast<Index>(rows.size()), n / parts);
        for (const Index row : rows) ++times[static_cast<std::size_t>(row)];
      }
      EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(n), 1)) << n;
    }
  EXPECT_TRUE(left_out(1, 0, 7).empty());
  EXPECT_NE(left_out(103, 0, 7), left_out(103, 5, 7));  // other parts the second time
  EXPECT_NE(left_out(103, 0, 7), left_out(103, 0, 8));
}

TEST(MemberSeed, IsAnotherForEachMemberAndTheSameForTheFirst) {
  std::set<std::uint64_t> seeds;
  for (Index member = 0; member < 1000; ++member) seeds.insert(member_seed(3, member));
  EXPECT_EQ(seeds.size(), 1000U);
  EXPECT_EQ(member_seed(3, 0), 3U);
}

TEST(HeldOut, IsTheMeanOfThoseThatHaveNotSeenTheRow) {
  const MatrixXd Y = random_matrix(4, 2, 1), a = random_matrix(2, 2, 2), b = random_matrix(2, 2, 3);
  HeldOut held_out(4, 2);
  held_out.add({0, 2}, a);
  held_out.add({1, 3}, b);
  const MatrixXd E = held_out.residuals(Y, 2);
  EXPECT_EQ(E.row(2), Y.row(2) - a.row(1));
  EXPECT_EQ(E.row(3), Y.row(3) - b.row(1));

  HeldOut one(4, 2);  // rows nobody left out have none
  one.add({1}, a.topRows(1));
  const MatrixXd some = one.residuals(Y, 1);
  EXPECT_TRUE(some.row(0).array().isNaN().all());
  EXPECT_EQ(some.row(1), Y.row(1) - a.row(0));
  EXPECT_DOUBLE_EQ(rmse_of(some, {}), some.row(1).norm());
  EXPECT_TRUE(std::isnan(rmse_of(HeldOut(3, 1).residuals(random_matrix(3, 1, 1), 5), {})));
}

TEST(HeldOut, ShrinksByWhatMoreMembersBring) {
  // Members' errors are a common part and one of their own, both normal of about the same size: two of ten members
  // have not seen a row, and the mean of ten has a square of 1 + 1/10.
  const Index n = 4000;
  const MatrixXd Y = MatrixXd::Zero(n, 1);
  const auto noise = [&](std::uint64_t seed) -> MatrixXd { return std::sqrt(3.0) * random_matrix(n, 1, seed); };
  const MatrixXd common = noise(1);
  std::vector<Index> all(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  HeldOut held_out(n, 1);
  held_out.add(all, common + noise(2));
  held_out.add(all, common + noise(3));
  EXPECT_NEAR(rmse_of(held_out.residuals(Y, 10), {}), std::sqrt(1.1), 0.04);
  EXPECT_NEAR(rmse_of(held_out.residuals(Y, 2), {}), std::sqrt(1.5), 0.04);
}

TEST(RmseOf, WeighsRows) {
  MatrixXd E(3, 2);
  E << 1, 2, 3, 4, 5, 6;
  const VectorXd w = (VectorXd(3) << 1, 0, 3).finished();
  EXPECT_DOUBLE_EQ(rmse_of(E, w), std::sqrt((5.0 + 3 * 61) / 4));
  EXPECT_DOUBLE_EQ(rmse_of(E, {}), std::sqrt((5.0 + 25 + 61) / 3));
}

TEST(Ensemble, IsTheSameToTheBitForAnyNumberOfThreads) {
  const auto p = testing::smooth_problem(200, 3, 2, 1);
  const VectorXd w = random_matrix(200, 1, 3, 0.1, 2);
  for (const Method method : {Method::rmpi, Method::automatic}) {
    const TrainResult one = train(p.X, p.Y, options_of(method, 7), {.weights = w});
    for (const int threads : {2, 3}) {
      const TrainResult many = train(p.X, p.Y, options_of(method, 7, threads), {.weights = w});
      EXPECT_EQ(many.network.weights(), one.network.weights());
      EXPECT_EQ(many.network.output_weights(), one.network.output_weights());
      EXPECT_EQ(many.network.intercept(), one.network.intercept());
      EXPECT_EQ(many.report.held_out, one.report.held_out);
      EXPECT_EQ(many.report.held_out_rmse, one.report.held_out_rmse);
      EXPECT_EQ(many.report.members, one.report.members);
    }
  }
}

TEST(Ensemble, SumsUpWhatItsMembersAre) {
  const auto p = testing::smooth_problem(200, 3, 1, 1), v = testing::smooth_problem(60, 3, 1, 1);
  for (const Method method : {Method::rmpi, Method::scn3, Method::rvfl, Method::automatic})
    for (const Index members : {2, 5, 11}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(method) << ", " << members << " members");
      Index calls = 0;
      const TrainResult result =
          train(p.X, p.Y, options_of(method, members),
                {.X_valid = v.X, .Y_valid = v.Y, .on_node = [&](const NodeRecord&) { ++calls; }});
      const TrainReport& report = result.report;
      ASSERT_EQ(static_cast<Index>(report.members.size()), members);
      EXPECT_EQ(static_cast<Index>(report.history.size()), members);
      EXPECT_EQ(calls, members);
      Index nodes = 0;
      for (std::size_t k = 0; k < report.members.size(); ++k) {
        nodes += report.members[k];
        EXPECT_EQ(report.history[k].nodes, nodes);
      }
      EXPECT_EQ(result.network.nodes(), nodes);
      EXPECT_EQ(report.network_nodes, nodes);
      EXPECT_EQ(report.rows, 200);
      const double error = rmse(result.network.predict(p.X) - p.Y);
      EXPECT_NEAR(report.train_rmse, error, 1e-9 * error);
      const double valid = rmse(result.network.predict(v.X) - v.Y);
      EXPECT_NEAR(report.valid_rmse, valid, 1e-9 * valid);
      Index finite = 0;
      for (Index i = 0; i < 200; ++i) finite += std::isfinite(report.held_out(i, 0)) ? 1 : 0;
      EXPECT_EQ(finite, members >= 5 ? 200 : 80);
      EXPECT_TRUE(std::isfinite(report.held_out_rmse));
    }
}

TEST(Ensemble, ErrsNoMoreThanItsMembersDoInTheMean) {
  const Dataset data = generate_friedman(250, 1), fresh = generate_friedman(1000, 2);
  for (const Method method : {Method::rmpi, Method::automatic}) {
    TrainOptions o = options_of(method, 6);
    if (method == Method::rmpi) o.intercept = true;
    const TrainResult result = train(data.X, data.Y, o);
    // The members again: their nodes lie one after the other, with a sixth of their output weights. The share of the
    // intercept is not known, so each gets the one that makes its mean that of the whole.
    const Network& all = result.network;
    const MatrixXd whole = all.predict(fresh.X);
    double mean = 0;
    Index at = 0;
    for (const Index nodes : result.report.members) {
      const Network member(all.weights().middleCols(at, nodes), all.biases().segment(at, nodes),
                           6 * all.output_weights().middleRows(at, nodes), Eigen::RowVectorXd::Zero(1),
                           all.activation());
      MatrixXd P = member.predict(fresh.X);
      P.array() += whole.mean() - P.mean();
      mean += rmse(P - fresh.Y) / 6;
      at += nodes;
    }
    const double error = rmse(whole - fresh.Y);
    EXPECT_LT(error, mean);
    EXPECT_NEAR(result.report.held_out_rmse, error, 0.25 * error);
  }
}

TEST(Ensemble, ARowOfWeightZeroTeachesNobody) {
  auto p = testing::smooth_problem(80, 2, 1, 1);
  VectorXd w = VectorXd::Ones(80);
  w.head(20).setZero();
  const TrainResult one = train(p.X, p.Y, options_of(Method::rmpi, 5), {.weights = w});
  EXPECT_EQ(one.report.rows, 60);
  p.Y.topRows(20).setConstant(5);
  const TrainResult two = train(p.X, p.Y, options_of(Method::rmpi, 5), {.weights = w});
  EXPECT_EQ(one.network.output_weights(), two.network.output_weights());
  EXPECT_EQ(one.report.train_rmse, two.report.train_rmse);
  // A single row has weight: the member that would leave it out learns from it, and tells nothing of it.
  w.setZero();
  w[3] = 1;
  const TrainResult alone = train(p.X, p.Y, options_of(Method::rmpi, 5), {.weights = w});
  EXPECT_NEAR(alone.network.predict(p.X.row(3))(0, 0), p.Y(3, 0), 1e-9);
  EXPECT_TRUE(std::isnan(alone.report.held_out(3, 0)));
}

TEST(Ensemble, FewRows) {
  for (const Index n : {1, 2, 3, 4, 6})
    for (const Method method : {Method::rmpi, Method::automatic}) {
      const auto p = testing::smooth_problem(n, 2, 1, 1);
      const TrainResult result = train(p.X, p.Y, options_of(method, 6));
      EXPECT_TRUE(result.network.predict(p.X).allFinite()) << n;
      EXPECT_EQ(result.report.members.size(), 6U);
    }
}

TEST(Ensemble, InterruptedIsTheMeanOfWhatIsComplete) {
  const auto p = testing::smooth_problem(400, 3, 1, 1);
  for (const Method method : {Method::rmpi, Method::automatic}) {
    std::stop_source before;
    before.request_stop();
    const TrainResult none = train(p.X, p.Y, options_of(method, 9), {.stop = before.get_token()});
    EXPECT_EQ(none.report.stop_reason, StopReason::interrupted);
    EXPECT_TRUE(none.network.predict(p.X).allFinite());
  }
  // Members that were not trained must not pull the mean to zero: by then some are complete.
  TrainOptions o = options_of(Method::rmpi, 1);
  o.max_nodes = 40;
  o.candidates = 50;
  const MatrixXd Y = p.Y.array() + 10;
  const double error = rmse(train(p.X, Y, options_of(Method::rmpi, 2)).network.predict(p.X) - Y);
  const double one = train(p.X, Y, o).report.seconds;  // of one member
  o.ensemble = 1000;
  std::stop_source during;
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(12 * one));
    during.request_stop();
  });
  const TrainResult some = train(p.X, Y, o, {.stop = during.get_token()});
  EXPECT_LT(some.report.members.size(), 1000U);
  EXPECT_EQ(some.report.history.size(), some.report.members.size());
  EXPECT_EQ(some.report.stop_reason, StopReason::interrupted);
  EXPECT_LT(rmse(some.network.predict(p.X) - Y), 2 * error);
}

TEST(Ensemble, MembersShareTheTimeLimit) {
  const auto p = testing::smooth_problem(2000, 4, 1, 1);
  TrainOptions o = options_of(Method::rmpi, 10);
  o.max_nodes = 2000;
  o.candidates = 500;
  o.time_limit = 0.5;
  const TrainResult result = train(p.X, p.Y, o);
  EXPECT_EQ(result.report.stop_reason, StopReason::time_limit);
  for (const Index nodes : result.report.members) EXPECT_LT(nodes, 2000);
}

TEST(Ensemble, CannotBeResumed) {
  const auto p = testing::smooth_problem(20, 2, 1, 1);
  EXPECT_EQ(testing::message<std::invalid_argument>([&] {
              train(p.X, p.Y, options_of(Method::rmpi, 2), {.on_step = [](const std::vector<NodeRecord>&) {}});
            }),
            "an ensemble cannot be resumed: train it without a checkpoint");
}

TEST(Ensemble, IsSavedAndLoaded) {
  const Dataset data = generate_friedman(120, 1);
  MatrixXd all(120, data.X.cols() + 1);
  all << data.X, data.Y;
  const Table table = make_table(all);
  for (const Method method : {Method::rmpi, Method::automatic}) {
    FitOptions o;
    o.columns.targets = {"last"};
    o.train = options_of(method, 5);
    o.intervals = true;
    const Model model = Model::fit(table, o).model, again = Model::from_bytes(model.to_bytes());
    EXPECT_EQ(again.predict(table), model.predict(table));
    EXPECT_EQ(again.summary().members, model.summary().members);
    EXPECT_EQ(again.summary().members.size(), 5U);
    EXPECT_EQ(again.summary().held_out_rmse, model.summary().held_out_rmse);
    EXPECT_EQ(again.to_bytes(), model.to_bytes());
    ASSERT_TRUE(model.intervals()) << model.no_intervals();
    EXPECT_EQ(again.predict_interval(table, 0.9).low, model.predict_interval(table, 0.9).low);
  }
}

}  // namespace
}  // namespace sconet
