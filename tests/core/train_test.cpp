// train(): what each option, and each thing beside the options, does.

#include "sconet/train.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sconet/generators.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TrainOptions small(std::int64_t nodes = 10) {
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = nodes;
  o.candidates = 30;
  o.scales = {1, 3, 10};
  o.threads = 1;
  return o;
}

double rmse(const MatrixXd& a, const MatrixXd& b) {
  return std::sqrt((a - b).squaredNorm() / static_cast<double>(a.rows()));
}

TEST(Train, ReportsWhatTheNetworkDoes) {
  const auto p = testing::smooth_problem(300, 3, 2, 1);
  for (const Method method : {Method::rmpi, Method::scn3, Method::scn1})
    for (const bool intercept : {false, true}) {
      TrainOptions o = small();
      o.method = method;
      o.intercept = intercept;
      const auto [network, report] = train(p.X, p.Y, o);
      EXPECT_EQ(network.nodes(), 10);
      EXPECT_EQ(report.history.size(), 10U);
      EXPECT_EQ(report.stop_reason, StopReason::max_nodes);
      EXPECT_EQ(report.rows, 300);
      EXPECT_EQ(report.outputs, 2);
      EXPECT_NEAR(report.train_rmse, rmse(network.predict(p.X), p.Y), 1e-9 * report.train_rmse);
      if (intercept) {
        const MatrixXd centred = p.Y.rowwise() - p.Y.colwise().mean();
        EXPECT_NEAR(report.initial_rmse, rmse(centred, MatrixXd::Zero(300, 2)), 1e-12);
      }
    }
}

TEST(Train, TheSeedDecidesAndNothingElse) {
  const auto p = testing::smooth_problem(100, 2, 1, 2);
  TrainOptions o = small();
  const MatrixXd first = train(p.X, p.Y, o).network.weights();
  EXPECT_EQ(train(p.X, p.Y, o).network.weights(), first);
  o.seed = 2;
  EXPECT_NE(train(p.X, p.Y, o).network.weights(), first);
}

TEST(Train, RowMajorAndStridedInputsAreTheSameData) {
  const auto p = testing::smooth_problem(120, 3, 1, 3);
  const MatrixXd expected = train(p.X, p.Y, small()).network.output_weights();
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = p.X;
  EXPECT_EQ(train(rows, p.Y, small()).network.output_weights(), expected);
  MatrixXd wide(240, 8);
  wide.setConstant(std::numeric_limits<double>::quiet_NaN());
  for (Index i = 0; i < 120; ++i) wide.row(2 * i).segment(2, 3) = p.X.row(i);
  const MatrixView strided(wide.data() + 2 * 240, 120, 3, 2, 240);
  EXPECT_EQ(train(strided, p.Y.col(0), small()).network.output_weights(), expected);
}

// Weights change sums of squares by the rounding of a square root, no more: 1e-9 of the residual after ten nodes.
TEST(Train, AWeightOfKIsTheRowKTimes) {
  const auto p = testing::smooth_problem(150, 2, 2, 4);
  const VectorXd k = (testing::random_matrix(150, 1, 5, 0, 4)).array().floor();  // 0, 1, 2, 3
  const Index total = static_cast<Index>(k.sum());
  MatrixXd X(total, 2), Y(total, 2);
  for (Index i = 0, at = 0; i < 150; ++i)
    for (double c = 0; c < k[i]; ++c, ++at) {
      X.row(at) = p.X.row(i);
      Y.row(at) = p.Y.row(i);
    }
  for (const Method method : {Method::rmpi, Method::scn3, Method::scn1})
    for (const double ridge : {0.0, 1e-4}) {
      TrainOptions o = small();
      o.method = method;
      o.ridge = ridge;
      o.intercept = true;
      const auto repeated = train(X, Y, o);
      const auto weighted = train(p.X, p.Y, o, {.weights = k});
      ASSERT_EQ(weighted.network.weights(), repeated.network.weights());
      for (std::size_t i = 0; i < 10; ++i)
        EXPECT_NEAR(weighted.report.history[i].train_rmse, repeated.report.history[i].train_rmse,
                    1e-9 * repeated.report.history[i].train_rmse);
      EXPECT_LE((weighted.network.predict(p.X) - repeated.network.predict(p.X)).norm(), 1e-6 * p.Y.norm());
      EXPECT_EQ(weighted.report.rows, (k.array() > 0).count());
    }
}

TEST(Train, AWeightOfZeroIsNoRowToTheLastBit) {
  const auto p = testing::smooth_problem(90, 2, 1, 6);
  MatrixXd X = p.X, Y = p.Y;
  VectorXd w = VectorXd::Ones(90);
  for (const Index i : {0, 44, 89}) {
    w[i] = 0;
    X.row(i).setConstant(1e6);
    Y(i, 0) = -1e3;
  }
  MatrixXd X1(87, 2), Y1(87, 1);
  for (Index i = 0, at = 0; i < 90; ++i)
    if (w[i] > 0) {
      X1.row(at) = p.X.row(i);
      Y1.row(at++) = p.Y.row(i);
    }
  const auto with = train(X, Y, small(), {.weights = w});
  const auto without = train(X1, Y1, small());
  EXPECT_EQ(with.network.weights(), without.network.weights());
  // Weights of one pass through sqrt(1) = 1: the scale of Y is all that may differ, and it is a power of two.
  EXPECT_EQ(with.network.output_weights(), without.network.output_weights());
  Y(44, 0) = 1e300;  // nor does it set the scale
  EXPECT_EQ(train(X, Y, small(), {.weights = w}).network.output_weights(), without.network.output_weights());
  EXPECT_EQ(with.report.leverages.size(), 90);
  EXPECT_EQ(with.report.leverages[44], 0.0);
  EXPECT_GT(with.report.leverages[45], 0.0);
}

TEST(Train, ScalingAllWeightsChangesNothing) {
  const auto p = testing::smooth_problem(80, 2, 1, 7);
  const VectorXd w = testing::random_matrix(80, 1, 8, 0.5, 3);
  TrainOptions o = small();
  o.ridge = 1e-5;
  const auto a = train(p.X, p.Y, o, {.weights = w});
  for (const double factor : {0x1p-40, 0x1p100, 0x1p1000}) {
    const VectorXd scaled = w * factor;
    const auto b = train(p.X, p.Y, o, {.weights = scaled});
    EXPECT_EQ(a.network.output_weights(), b.network.output_weights());
    EXPECT_EQ(a.report.train_rmse, b.report.train_rmse);
  }
}

TEST(Train, ValidationReturnsTheBestSize) {
  const auto p = testing::smooth_problem(60, 3, 1, 9, 0.6);
  const MatrixXd Xv = testing::random_matrix(200, 3, 99);  // another sample of the same function, without noise
  const MatrixXd direction = testing::random_matrix(3, 1, 10, -3, 3);
  const MatrixXd z = Xv * direction;
  const MatrixXd Yv = z.array().sin().matrix() + (0.3 * z.array().square()).matrix();
  TrainOptions o = small(50);
  o.patience = 8;
  o.intercept = true;
  const auto [network, report] = train(p.X, p.Y, o, {.X_valid = Xv, .Y_valid = Yv});
  EXPECT_EQ(report.stop_reason, StopReason::validation);
  EXPECT_EQ(network.nodes(), report.network_nodes);
  EXPECT_EQ(static_cast<Index>(report.history.size()), report.network_nodes + 8);
  for (const NodeRecord& n : report.history) EXPECT_GE(n.valid_rmse, report.valid_rmse);
  EXPECT_NEAR(rmse(network.predict(Xv), Yv), report.valid_rmse, 1e-9 * report.valid_rmse);
  EXPECT_NEAR(rmse(network.predict(p.X), p.Y), report.train_rmse, 1e-9 * report.train_rmse);
  EXPECT_EQ(report.leverages.size(), 60);
  EXPECT_NEAR(report.leverages.sum(), static_cast<double>(network.nodes() + 1), 1e-9);

  o.patience = 0;  // never stop early, still return the best
  const auto full = train(p.X, p.Y, o, {.X_valid = Xv, .Y_valid = Yv});
  EXPECT_EQ(full.report.history.size(), 50U);
  EXPECT_LE(full.report.valid_rmse, report.valid_rmse);
}

TEST(Train, ValidationWorksForEveryMethod) {
  const auto p = testing::smooth_problem(100, 2, 2, 11), v = testing::smooth_problem(2000, 2, 2, 11);
  for (const Method method : {Method::rmpi, Method::scn3, Method::scn1}) {
    TrainOptions o = small(12);
    o.method = method;
    const auto [network, report] = train(p.X, p.Y, o, {.X_valid = v.X, .Y_valid = v.Y});
    EXPECT_NEAR(rmse(network.predict(v.X), v.Y), report.valid_rmse, 1e-9 * report.valid_rmse);
  }
}

TEST(Train, StopsAtTheTolerance) {
  const Dataset db1 = generate_db1(200);
  TrainOptions o = small(100);
  o.scales = {10, 50, 100};
  o.tolerance = 0.02;
  const auto [network, report] = train(db1.X, db1.Y, o);
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  EXPECT_LE(report.train_rmse, 0.02);
  EXPECT_GT(report.history[report.history.size() - 2].train_rmse, 0.02);
}

TEST(Train, AToleranceAlreadyMetNeedsNoNode) {
  const auto p = testing::smooth_problem(50, 2, 1, 13);
  TrainOptions o = small();
  o.tolerance = 1e6;
  const auto [network, report] = train(p.X, p.Y, o);
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  EXPECT_EQ(network.nodes(), 0);
  EXPECT_EQ(network.predict(p.X), MatrixXd::Zero(50, 1));
}

TEST(Train, CallbackSeesEveryNodeAndAStopTokenEndsAfterTheNodeInHand) {
  const auto p = testing::smooth_problem(100, 2, 1, 14);
  std::stop_source source;
  std::vector<NodeRecord> seen;
  TrainExtras extras;
  extras.on_node = [&](const NodeRecord& n) {
    seen.push_back(n);
    if (n.nodes == 4) source.request_stop();
  };
  extras.stop = source.get_token();
  const auto [network, report] = train(p.X, p.Y, small(), extras);
  EXPECT_EQ(report.stop_reason, StopReason::interrupted);
  EXPECT_EQ(network.nodes(), 4);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen.back().train_rmse, report.train_rmse);
  EXPECT_EQ(train(p.X, p.Y, small(4)).network.output_weights(), network.output_weights());
}

TEST(Train, AnExceptionOfTheCallbackReachesTheCaller) {
  const auto p = testing::smooth_problem(100, 2, 1, 14);
  TrainExtras extras;
  extras.on_node = [](const NodeRecord&) { throw std::runtime_error("mine"); };
  EXPECT_THROW(train(p.X, p.Y, small(), extras), std::runtime_error);
}

TEST(Train, TimeLimitEndsWithTheNetworkSoFar) {
  const auto p = testing::smooth_problem(100, 2, 1, 15);
  TrainOptions o = small(1000000);
  o.method = Method::scn1;  // never runs out of rank
  o.time_limit = 0.05;
  const auto [network, report] = train(p.X, p.Y, o);
  EXPECT_EQ(report.stop_reason, StopReason::time_limit);
  EXPECT_EQ(network.nodes(), static_cast<Index>(report.history.size()));
  o.max_nodes = network.nodes();
  o.time_limit = 0;
  EXPECT_EQ(train(p.X, p.Y, o).network.output_weights(), network.output_weights());
}

TEST(Train, StopsBetweenTheNodesOfAStep) {
  const auto p = testing::smooth_problem(300, 3, 1, 17);
  TrainOptions o = small(60);
  o.nodes_per_step = 20;
  o.r = 0.999999;
  std::stop_source source;
  TrainExtras extras;
  extras.stop = source.get_token();
  extras.on_node = [&](const NodeRecord& n) {
    if (n.nodes == 2) source.request_stop();
  };
  const auto interrupted = train(p.X, p.Y, o, extras);
  EXPECT_EQ(interrupted.network.nodes(), 2);
  EXPECT_EQ(interrupted.report.stop_reason, StopReason::interrupted);
  const double reached = train(p.X, p.Y, o).report.history[4].train_rmse;
  o.tolerance = reached;
  EXPECT_EQ(train(p.X, p.Y, o).network.nodes(), 5);
}

TEST(Train, WhenExhaustedDoesWhatItSays) {
  const auto p = testing::smooth_problem(200, 3, 1, 16, 1.0);  // noise: no node removes half of what is left for long
  TrainOptions o = small(10);
  o.r = 0.5;
  const auto best = train(p.X, p.Y, o).report;
  EXPECT_EQ(best.history.size(), 10U);
  const NodeRecord& last = best.history.back();
  EXPECT_TRUE(last.fallback);
  EXPECT_EQ(last.batches, 3);
  EXPECT_LT(last.score, 1 - last.r);

  o.when_exhausted = WhenExhausted::stop;
  const auto stop = train(p.X, p.Y, o).report;
  EXPECT_EQ(stop.stop_reason, StopReason::no_admissible);
  EXPECT_LT(stop.history.size(), 10U);
  for (const NodeRecord& n : stop.history) EXPECT_FALSE(n.fallback);

  o.when_exhausted = WhenExhausted::relax;
  const auto relax = train(p.X, p.Y, o).report;
  EXPECT_EQ(relax.history.size(), 10U);
  const NodeRecord& relaxed = relax.history.back();
  EXPECT_FALSE(relaxed.fallback);
  EXPECT_GT(relaxed.batches, 3);
  EXPECT_GE(relaxed.score, 1 - relaxed.r);
  EXPECT_GT(relaxed.r, last.r);
}

TEST(Train, RelaxingGivesUpWhenNothingHelps) {
  // All but constant inputs against a target without a mean: a node removes some 1e-17 of |e|^2, and r ends at 1 -
  // 1e-11.
  const MatrixXd X = 1e-8 * testing::random_matrix(50, 1, 3);
  MatrixXd Y(50, 1);
  for (Index i = 0; i < 50; ++i) Y(i, 0) = i % 2 == 0 ? 1 : -1;
  TrainOptions o = small(3);
  o.when_exhausted = WhenExhausted::relax;
  o.method = Method::scn1;
  o.r_ladder = {0.9};
  const auto [network, report] = train(X, Y, o);
  EXPECT_EQ(report.stop_reason, StopReason::no_admissible);
  EXPECT_EQ(network.nodes(), 0);
  EXPECT_EQ(report.train_rmse, 1.0);
}

TEST(Train, NodesThatRemoveNothingAreNotTaken) {
  const MatrixXd X = MatrixXd::Ones(50, 1);
  MatrixXd Y(50, 1);
  for (Index i = 0; i < 50; ++i) Y(i, 0) = i % 2 == 0 ? 3 : -1;  // mean 1, which one constant node takes
  for (const Method method : {Method::rmpi, Method::scn3, Method::scn1}) {
    TrainOptions o = small(30);
    o.method = method;
    const auto [network, report] = train(X, Y, o);
    EXPECT_EQ(report.stop_reason, StopReason::rank);
    EXPECT_LE(network.nodes(), 2);
    EXPECT_NEAR(report.train_rmse, 2.0, 1e-12);
  }
}

TEST(Train, NodesPerStepTakesSeveralDistinctNodesOfABatch) {
  const auto p = testing::smooth_problem(300, 3, 1, 17);
  for (const Method method : {Method::rmpi, Method::scn3, Method::scn1}) {
    TrainOptions o = small(11);
    o.method = method;
    o.nodes_per_step = 4;
    o.r = 0.9999;
    const auto [network, report] = train(p.X, p.Y, o);
    EXPECT_EQ(network.nodes(), 11);  // 4 + 4 + 3
    for (Index i = 0; i < 11; ++i)
      for (Index j = 0; j < i; ++j) EXPECT_NE(network.weights().col(i), network.weights().col(j));
    EXPECT_EQ(report.history[0].scale, report.history[3].scale);
    for (std::size_t i = 0; i < 11; ++i) EXPECT_FALSE(report.history[i].fallback);
    EXPECT_NEAR(rmse(network.predict(p.X), p.Y), report.train_rmse, 1e-9 * report.train_rmse);
  }
}

// |e_q|^2 after each node, from the networks of every size; a shorter run is the beginning of a longer one.
MatrixXd output_residuals(const testing::Problem& p, TrainOptions o) {
  const Index nodes = o.max_nodes;
  MatrixXd e2(nodes + 1, p.Y.cols());
  for (o.max_nodes = 0; o.max_nodes <= nodes; ++o.max_nodes)
    e2.row(o.max_nodes) = (p.Y - train(p.X, p.Y, o).network.predict(p.X)).colwise().squaredNorm();
  return e2;
}

TEST(Train, PerOutputCriterionContractsEveryOutput) {
  const auto p = testing::smooth_problem(200, 3, 3, 18);
  TrainOptions o = small(8);
  o.r = 0.99;
  Index violations[2] = {0, 0}, met = 0;
  for (const Criterion criterion : {Criterion::total, Criterion::per_output}) {
    o.criterion = criterion;
    const auto report = train(p.X, p.Y, o).report;
    const MatrixXd e2 = output_residuals(p, o);
    for (std::size_t i = 1; i < 8; ++i) {
      if (report.history[i].fallback) continue;
      const auto L = static_cast<Index>(i + 1);
      met += criterion == Criterion::per_output ? 1 : 0;
      for (Index q = 0; q < 3; ++q)
        if (e2(L, q) > report.history[i].r * e2(L - 1, q) * (1 + 1e-9)) ++violations[static_cast<int>(criterion)];
    }
  }
  EXPECT_GT(met, 0);                                                  // the criterion was met by some nodes ...
  EXPECT_EQ(violations[static_cast<int>(Criterion::per_output)], 0);  // ... and held for each of their outputs,
  EXPECT_GT(violations[static_cast<int>(Criterion::total)], 0);       // which the total does not promise.
}

TEST(Train, RidgeShrinksTheOutputWeights) {
  const auto p = testing::smooth_problem(100, 2, 1, 19);
  double before = std::numeric_limits<double>::infinity();
  for (const double ridge : {0.0, 1e-6, 1e-3, 1.0}) {
    TrainOptions o = small(15);
    o.ridge = ridge;
    const auto [network, report] = train(p.X, p.Y, o);
    EXPECT_LT(network.output_weights().norm(), before);
    before = network.output_weights().norm();
    EXPECT_NEAR(rmse(network.predict(p.X), p.Y), report.train_rmse, 1e-8 * report.train_rmse);
  }
}

TEST(Train, RidgeCountsForScn1Too) {
  const auto p = testing::smooth_problem(100, 2, 1, 19);
  TrainOptions o = small(5);
  o.method = Method::scn1;
  o.ridge = 0.1;
  const Network network = train(p.X, p.Y, o).network;
  const VectorXd h = network.hidden(p.X).col(0);
  EXPECT_NEAR(network.output_weights()(0, 0), h.dot(p.Y.col(0)) / (h.squaredNorm() + 0.1 * 100), 1e-12);
}

TEST(Train, EveryActivationLearns) {
  const auto p = testing::smooth_problem(200, 2, 1, 20);
  for (const Activation a :
       {Activation::sigmoid, Activation::tanh, Activation::sin, Activation::gaussian, Activation::relu}) {
    TrainOptions o = small(20);
    o.activation = a;
    const auto [network, report] = train(p.X, p.Y, o);
    EXPECT_LT(report.train_rmse, 0.3 * report.initial_rmse) << static_cast<int>(a);
    EXPECT_NEAR(rmse(network.predict(p.X), p.Y), report.train_rmse, 1e-8 * report.train_rmse);
  }
}

TEST(Validation, MayWatchWithoutChoosing) {
  const auto p = testing::smooth_problem(40, 3, 1, 5, 0.5), v = testing::smooth_problem(40, 3, 1, 6, 0.5);
  TrainOptions o = small(25);
  o.patience = 0;
  const TrainExtras watched = {.X_valid = v.X, .Y_valid = v.Y};
  const TrainResult chosen = train(p.X, p.Y, o, watched);
  ASSERT_LT(chosen.network.nodes(), 25);  // noise: the best size is smaller
  o.keep_all = true;
  const TrainResult all = train(p.X, p.Y, o, watched);
  EXPECT_EQ(all.network.nodes(), 25);
  EXPECT_EQ(all.report.valid_rmse, chosen.report.history.back().valid_rmse);
  EXPECT_EQ(all.network.output_weights(), train(p.X, p.Y, o).network.output_weights());
}

TEST(Report, PrintsShortAndLong) {
  const auto p = testing::smooth_problem(100, 2, 1, 21);
  const auto report = train(p.X, p.Y, small(3), {.X_valid = p.X, .Y_valid = p.Y}).report;
  const std::string brief = report.brief(), full = report.full();
  EXPECT_EQ(brief.find('\n'), std::string::npos);
  EXPECT_NE(brief.find("RMPI-SCN: 3 nodes, training RMSE "), std::string::npos) << brief;
  EXPECT_NE(brief.find("stopped because the network has as many nodes as were allowed"), std::string::npos) << brief;
  EXPECT_EQ(full.substr(0, brief.size()), brief);
  EXPECT_NE(full.find("<- returned"), std::string::npos) << full;
  EXPECT_EQ(std::count(full.begin(), full.end(), '\n'), 3 + 1 + 1 + 3);  // head, columns, start, nodes
  EXPECT_EQ(TrainReport{}.brief(), "not trained");
}

}  // namespace
}  // namespace sconet
