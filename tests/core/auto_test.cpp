// method = auto through train() and Model::fit: what must hold whatever it chooses.

#include "core/auto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "sconet/errors.hpp"
#include "sconet/generators.hpp"
#include "sconet/model.hpp"
#include "sconet/train.hpp"
#include "support/message.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::random_matrix;

TrainOptions quick(std::int64_t max_nodes = -1) {
  TrainOptions o;
  o.effort = Effort::quick;
  o.max_nodes = max_nodes;
  o.threads = 1;
  return o;
}

double rmse(const MatrixXd& E) { return std::sqrt(E.squaredNorm() / static_cast<double>(E.rows())); }

void expect_same_network(const TrainResult& a, const TrainResult& b) {
  ASSERT_EQ(a.network.weights(), b.network.weights());
  ASSERT_EQ(a.network.biases(), b.network.biases());
  ASSERT_EQ(a.network.output_weights(), b.network.output_weights());
  ASSERT_EQ(a.network.intercept(), b.network.intercept());
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void expect_same_bits(const TrainResult& a, const TrainResult& b) {
  expect_same_network(a, b);
  ASSERT_TRUE(same_bits(a.report.held_out_rmse, b.report.held_out_rmse));
  ASSERT_EQ(a.report.held_out.rows(), b.report.held_out.rows());
  for (Index i = 0; i < a.report.held_out.size(); ++i)
    ASSERT_TRUE(same_bits(a.report.held_out.data()[i], b.report.held_out.data()[i]));
  ASSERT_EQ(a.report.history.size(), b.report.history.size());
  for (std::size_t i = 0; i < a.report.history.size(); ++i)
    ASSERT_EQ(a.report.history[i].train_rmse, b.report.history[i].train_rmse);
  ASSERT_EQ(a.report.trials.size(), b.report.trials.size());
  for (std::size_t i = 0; i < a.report.trials.size(); ++i) {
    ASSERT_TRUE(same_bits(a.report.trials[i].rmse, b.report.trials[i].rmse));
    ASSERT_EQ(a.report.trials[i].candidates, b.report.trials[i].candidates);
  }
}

// What every result owes its caller.
void expect_sound(const TrainResult& result, const MatrixXd& X, const MatrixXd& Y) {
  const TrainReport& report = result.report;
  EXPECT_EQ(report.method, "auto");
  EXPECT_EQ(result.network.inputs(), X.cols());
  EXPECT_EQ(result.network.outputs(), Y.cols());
  EXPECT_EQ(report.network_nodes, result.network.nodes());
  EXPECT_TRUE(result.network.predict(X).allFinite());
  EXPECT_TRUE(std::isfinite(report.train_rmse));
  EXPECT_LE(report.train_rmse, report.initial_rmse * (1 + 1e-12));
  ASSERT_EQ(report.held_out.rows(), X.rows());
  ASSERT_EQ(report.held_out.cols(), Y.cols());
  ASSERT_FALSE(report.trials.empty());
  Index nodes = 0;
  for (const NodeRecord& record : report.history) {
    EXPECT_EQ(record.nodes, ++nodes);
    EXPECT_GE(record.score, 0);  // of the error with the penalty; the error alone may rise
    EXPECT_LE(record.score, 1);
  }
  const double error = report.rows == X.rows() ? rmse(result.network.predict(X) - Y) : report.train_rmse;
  EXPECT_NEAR(report.train_rmse, error, 1e-6 * error + 1e-9 * report.initial_rmse);
}

// --- the same result, and another one -------------------------------------------------------------------------------

TEST(Auto, IsTheSameToTheBitForAnyNumberOfThreads) {
  const auto p = testing::smooth_problem(260, 3, 2, 1);
  const VectorXd w = random_matrix(260, 1, 3, 0.1, 2);
  const MatrixXd squares = p.X.cwiseAbs2();
  for (const std::int64_t ensemble : {1, 6}) {
    TrainOptions o = quick();
    o.ensemble = ensemble;
    const TrainExtras extras = {.weights = w, .encodings = {squares}};
    const TrainResult one = train(p.X, p.Y, o, extras);
    expect_same_bits(one, train(p.X, p.Y, o, extras));
    for (const int threads : {2, 3}) {
      o.threads = threads;
      expect_same_bits(one, train(p.X, p.Y, o, extras));
    }
  }
}

TEST(Auto, AnotherSeedGivesAnotherNetwork) {
  const auto p = testing::smooth_problem(150, 3, 1, 1);
  TrainOptions o = quick();
  const TrainResult one = train(p.X, p.Y, o);
  o.seed = 2;
  const TrainResult two = train(p.X, p.Y, o);
  EXPECT_FALSE(one.network.nodes() == two.network.nodes() && one.network.weights() == two.network.weights());
}

TEST(Auto, AUnitOfTheTargetChangesNothingElse) {
  const auto p = testing::smooth_problem(150, 2, 1, 1);
  const TrainResult one = train(p.X, p.Y, quick());
  for (const int exponent : {-900, -3, 40, 1000}) {
    const MatrixXd Y = p.Y.unaryExpr([&](double y) { return std::ldexp(y, exponent); });
    const TrainResult other = train(p.X, Y, quick());
    ASSERT_EQ(other.network.weights(), one.network.weights()) << exponent;
    ASSERT_EQ(other.network.output_weights(),
              one.network.output_weights().unaryExpr([&](double v) { return std::ldexp(v, exponent); }));
    EXPECT_EQ(other.report.held_out_rmse, std::ldexp(one.report.held_out_rmse, exponent));
  }
}

TEST(Auto, ALargeOffsetOfTheTargetCostsNothing) {
  const auto p = testing::smooth_problem(200, 2, 1, 1, 0);
  const MatrixXd Y = p.Y.array() + 1e6;
  const TrainResult plain = train(p.X, p.Y, quick()), far = train(p.X, Y, quick());
  EXPECT_LT(rmse(far.network.predict(p.X) - Y), 3 * rmse(plain.network.predict(p.X) - p.Y) + 1e-8);
}

TEST(Auto, TargetsNearTheLargestNumberGiveAFiniteNetwork) {
  const auto p = testing::smooth_problem(100, 2, 1, 1, 0);
  const MatrixXd Y = p.Y / p.Y.cwiseAbs().maxCoeff() * 1.7e308;
  const TrainResult result = train(p.X, Y, quick());
  EXPECT_TRUE(result.network.output_weights().allFinite());
  EXPECT_TRUE(result.network.predict(p.X).allFinite());
}

// --- weights --------------------------------------------------------------------------------------------------------

TEST(Auto, ARowOfWeightZeroIsAbsent) {
  auto p = testing::smooth_problem(200, 2, 1, 1);
  VectorXd w = VectorXd::Ones(200);
  for (Index i = 0; i < 200; i += 4) w[i] = 0;
  const TrainResult one = train(p.X, p.Y, quick(), {.weights = w});
  EXPECT_EQ(one.report.rows, 150);
  for (Index i = 0; i < 200; i += 4) {  // whatever it holds
    p.Y(i, 0) = 1e200;
    p.X.row(i).setConstant(-1e5);
    EXPECT_TRUE(std::isnan(one.report.held_out(i, 0)));
  }
  expect_same_bits(one, train(p.X, p.Y, quick(), {.weights = w}));
}

TEST(Auto, TheUnitOfTheWeightsDoesNotMatter) {
  const auto p = testing::smooth_problem(150, 2, 1, 1);
  const VectorXd w = random_matrix(150, 1, 3, 0.1, 9);
  const TrainResult one = train(p.X, p.Y, quick(), {.weights = w});
  for (const double unit : {0x1p-1000, 0x1p-3, 0x1p1000}) {
    const VectorXd scaled = w * unit;
    expect_same_bits(one, train(p.X, p.Y, quick(), {.weights = scaled}));
  }
}

TEST(Auto, FoldsWhoseWeightsDifferBelongTogether) {
  // One row of a large weight lies in one fold: the others' rows must not gain or lose by it.
  const auto both = testing::smooth_problem(400, 2, 1, 1, 0.02);
  const testing::Problem p{both.X.topRows(200), both.Y.topRows(200)},
      fresh{both.X.bottomRows(200), both.Y.bottomRows(200)};
  VectorXd w = VectorXd::Ones(200);
  w[7] = 70;
  const TrainResult even = train(p.X, p.Y, quick()), heavy = train(p.X, p.Y, quick(), {.weights = w});
  EXPECT_LT(rmse(heavy.network.predict(fresh.X) - fresh.Y), 3 * rmse(even.network.predict(fresh.X) - fresh.Y));
  // A row that has nearly all of the weight is met, and nothing breaks.
  w[7] = 1e25;
  const TrainResult all = train(p.X, p.Y, quick(), {.weights = w});
  EXPECT_TRUE(all.network.predict(p.X).allFinite());
  EXPECT_NEAR(all.network.predict(p.X.row(7))(0, 0), p.Y(7, 0), 1e-6);
}

// --- tables with little in them -------------------------------------------------------------------------------------

TEST(Auto, AConstantTargetNeedsNoNode) {
  const MatrixXd X = random_matrix(60, 3, 1);
  for (const double value : {0.0, 0.1, -12345.678, 1e300}) {
    const MatrixXd Y = MatrixXd::Constant(60, 1, value);
    const TrainResult result = train(X, Y, quick());
    EXPECT_EQ(result.network.nodes(), 0) << value;
    EXPECT_EQ(result.network.intercept()[0], value);
    EXPECT_EQ(result.report.train_rmse, 0);
    EXPECT_EQ(result.report.held_out_rmse, 0);
  }
}

TEST(Auto, ConstantInputsNeedNoNode) {
  const MatrixXd X = MatrixXd::Constant(50, 3, 0.3), Y = random_matrix(50, 1, 1);
  const TrainResult result = train(X, Y, quick());
  EXPECT_EQ(result.network.nodes(), 0);
  EXPECT_NEAR(result.network.intercept()[0], Y.mean(), 1e-14);
}

TEST(Auto, FewRowsOrManyColumns) {
  struct Shape {
    Index rows, inputs, outputs;
  };
  for (const Shape s : {Shape{1, 1, 1}, Shape{1, 4, 2}, Shape{2, 1, 1}, Shape{3, 2, 1}, Shape{5, 1, 1}, Shape{6, 1, 2},
                        Shape{30, 60, 1}, Shape{25, 3000, 1}}) {
    SCOPED_TRACE(::testing::Message() << s.rows << " x " << s.inputs);
    const auto p = testing::smooth_problem(s.rows, s.inputs, s.outputs, 1);
    for (const std::int64_t ensemble : {1, 3}) {
      if (s.inputs > 1000 && ensemble > 1) continue;
      TrainOptions o = quick();
      o.ensemble = ensemble;
      const TrainResult result = train(p.X, p.Y, o);
      if (ensemble == 1) expect_sound(result, p.X, p.Y);
      EXPECT_TRUE(result.network.predict(p.X).allFinite());
      if (s.rows == 1) {
        EXPECT_EQ(result.network.nodes(), 0);
        EXPECT_EQ(result.network.predict(p.X), p.Y);
        EXPECT_TRUE(std::isnan(result.report.held_out_rmse));
      }
    }
  }
}

TEST(Auto, DuplicatedRowsDoNoHarm) {
  const auto p = testing::smooth_problem(40, 2, 1, 1);
  MatrixXd X(160, 2), Y(160, 1);
  X << p.X, p.X, p.X, p.X;
  Y << p.Y, p.Y, p.Y, p.Y;
  expect_sound(train(X, Y, quick()), X, Y);
  const MatrixXd one = p.X.row(0).replicate(50, 1), other = random_matrix(50, 1, 2);  // and the same inputs throughout
  EXPECT_EQ(train(one, other, quick()).network.nodes(), 0);
}

TEST(Auto, InputsOfAnySizeGiveAFiniteNetwork) {
  const auto p = testing::smooth_problem(80, 2, 1, 1);
  for (const double unit : {1e-300, 1e-20, 1e20, 1e300}) {
    const MatrixXd X = p.X * unit;
    const TrainResult result = train(X, p.Y, quick());
    EXPECT_TRUE(result.network.weights().allFinite()) << unit;
    EXPECT_TRUE(result.network.predict(X).allFinite()) << unit;
  }
}

// --- limits ---------------------------------------------------------------------------------------------------------

TEST(Auto, HasNoMoreNodesThanAllowed) {
  const auto p = testing::smooth_problem(250, 2, 1, 1, 0);
  for (const std::int64_t most : {0, 1, 45}) {
    const TrainResult result = train(p.X, p.Y, quick(most));
    expect_sound(result, p.X, p.Y);
    EXPECT_LE(result.network.nodes(), most);
    EXPECT_EQ(result.report.stop_reason == StopReason::max_nodes, result.network.nodes() == most);
    TrainOptions o = quick(most);
    o.ensemble = 3;
    const TrainResult several = train(p.X, p.Y, o);
    for (const Index nodes : several.report.members) EXPECT_LE(nodes, most);
  }
}

TEST(Auto, ValidationRowsChooseAndTheirErrorsAreTold) {
  const auto p = testing::smooth_problem(300, 2, 2, 1, 0.3);
  const MatrixXd X = p.X.topRows(200), Y = p.Y.topRows(200), X_valid = p.X.bottomRows(100),
                 Y_valid = p.Y.bottomRows(100);
  const MatrixXd cubes = X.array().cube(), cubes_valid = X_valid.array().cube();
  for (const std::int64_t ensemble : {1, 5}) {
    TrainOptions o = quick();
    o.ensemble = ensemble;
    TrainExtras extras = {.X_valid = X_valid, .Y_valid = Y_valid, .encodings = {cubes}};
    extras.encodings_valid = {cubes_valid};
    const TrainResult result = train(X, Y, o, extras);
    const bool plain = result.report.encoding == 0;
    const double error = rmse(result.network.predict(plain ? X_valid : cubes_valid) - Y_valid);
    EXPECT_NEAR(result.report.valid_rmse, error, 1e-9 * error);
    const double train_error = rmse(result.network.predict(plain ? X : cubes) - Y);
    EXPECT_NEAR(result.report.train_rmse, train_error, 1e-9 * train_error);
    const double without = rmse(Y_valid.rowwise() - Y.colwise().mean());
    EXPECT_NEAR(result.report.initial_valid_rmse, without, 1e-9 * without);
    for (const NodeRecord& record : result.report.history) EXPECT_TRUE(std::isfinite(record.valid_rmse));
    EXPECT_LT(error, without);
  }
}

TEST(Auto, EncodingsThatDoNotFitAreRefused) {
  const auto p = testing::smooth_problem(20, 2, 1, 1);
  const MatrixXd shorter = p.X.topRows(19);
  MatrixXd hole = p.X;
  hole(3, 1) = std::nan("");
  const auto refusal = [&](const TrainExtras& extras) {
    return testing::message<std::invalid_argument>([&] { train(p.X, p.Y, quick(), extras); });
  };
  EXPECT_EQ(refusal({.encodings = {shorter}}), "encodings[0] has 19 rows and Y has 20: they must have as many");
  EXPECT_EQ(refusal({.encodings = {p.X, hole}}),
            "encodings[1] has nan in row 3, column 1 (counted from 0): remove the row or fill in a number");
  EXPECT_EQ(refusal({.X_valid = p.X, .Y_valid = p.Y, .encodings = {p.X}}),
            "there are 1 encodings and 0 encodings_valid: the validation rows need each of them");
}

TEST(Auto, ATinyTimeLimitStillGivesANetwork) {
  const auto p = testing::smooth_problem(3000, 4, 1, 1);
  for (const std::int64_t ensemble : {1, 8}) {
    TrainOptions o = quick();
    o.effort = Effort::normal;
    o.time_limit = 1e-3;
    o.ensemble = ensemble;
    const TrainResult result = train(p.X, p.Y, o);
    EXPECT_GT(result.network.nodes(), 0);
    EXPECT_LT(rmse(result.network.predict(p.X) - p.Y), 0.7 * result.report.initial_rmse);
    EXPECT_EQ(result.report.stop_reason, StopReason::time_limit);
    EXPECT_TRUE(std::any_of(result.report.trials.begin(), result.report.trials.end(),
                            [](const Trial& trial) { return std::isnan(trial.rmse); }));
  }
}

TEST(Auto, AStopBeforeAndDuringTrainingGivesANetwork) {
  const auto p = testing::smooth_problem(3000, 4, 1, 1);
  for (const int milliseconds : {0, 30, 200})
    for (const std::int64_t ensemble : {1, 8}) {
      std::stop_source source;
      TrainOptions o;
      o.threads = 2;
      o.ensemble = ensemble;
      if (milliseconds == 0) source.request_stop();
      const std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        source.request_stop();
      });
      const TrainResult result = train(p.X, p.Y, o, {.stop = source.get_token()});
      if (milliseconds == 0 || result.report.stop_reason != StopReason::chosen) {  // a fast machine may be done
        EXPECT_EQ(result.report.stop_reason, StopReason::interrupted);
      }
      EXPECT_GT(result.network.nodes(), 0);
      EXPECT_LT(rmse(result.network.predict(p.X) - p.Y), 0.7 * result.report.initial_rmse);
    }
}

TEST(Auto, CallsOnNodeForEveryNodeInTheCallingThread) {
  const auto p = testing::smooth_problem(150, 2, 1, 1);
  Index calls = 0;
  const auto caller = std::this_thread::get_id();
  TrainOptions o = quick();
  o.threads = 2;
  const TrainResult result = train(p.X, p.Y, o, {.on_node = [&](const NodeRecord& record) {
                                     EXPECT_EQ(record.nodes, ++calls);
                                     EXPECT_EQ(std::this_thread::get_id(), caller);
                                   }});
  EXPECT_EQ(calls, result.network.nodes());
}

TEST(Auto, RefusesWhatItSettlesItself) {
  const auto p = testing::smooth_problem(20, 2, 1, 1);
  const auto refusal = [&](auto&& set) {
    TrainOptions o = quick();
    set(o);
    return testing::message<std::invalid_argument>([&] { train(p.X, p.Y, o); });
  };
  EXPECT_EQ(refusal([](TrainOptions& o) { o.ridge = 1e-3; }),
            "option ridge = 0.001: the method auto settles this itself; name a method (rmpi, say) to set it");
  EXPECT_EQ(refusal([](TrainOptions& o) { o.candidates = 50; }),
            "option candidates = 50: the method auto settles this itself; name a method (rmpi, say) to set it");
  EXPECT_EQ(refusal([](TrainOptions& o) {
              o.scales = {1, 2};
            }),
            "option scales = 1,2: the method auto settles this itself; name a method (rmpi, say) to set it");
  EXPECT_EQ(testing::message<std::invalid_argument>(
                [&] { train(p.X, p.Y, quick(), {.on_step = [](const std::vector<NodeRecord>&) {}}); }),
            "the method auto cannot be resumed: train it without a checkpoint, or name a method (rmpi, say)");
}

// --- what it is good for --------------------------------------------------------------------------------------------

TEST(Auto, ErrorsOnRowsHeldOutTellTheErrorOnFreshRows) {
  const Dataset data = generate_friedman(500, 1), fresh = generate_friedman(2000, 2);
  TrainOptions o = quick();
  for (const std::int64_t ensemble : {1, 5}) {
    o.ensemble = ensemble;
    const TrainResult result = train(data.X, data.Y, o);
    const double error = rmse(result.network.predict(fresh.X) - fresh.Y);
    EXPECT_GT(error, 0.95);  // the noise has a deviation of one
    EXPECT_LT(error, 1.6);
    EXPECT_NEAR(result.report.held_out_rmse, error, 0.2 * error);
    Index rows = 0;
    double square = 0;
    for (Index i = 0; i < 500; ++i)
      if (const double e = result.report.held_out(i, 0); !std::isnan(e)) {
        EXPECT_TRUE(std::isfinite(e));
        square += e * e;
        ++rows;
      }
    EXPECT_EQ(rows, ensemble == 1 ? 200 : 500);  // quick holds out two folds of five
    EXPECT_NEAR(std::sqrt(square / static_cast<double>(rows)), result.report.held_out_rmse, 1e-9);
  }
}

TEST(Auto, LearnsNoNoise) {
  const MatrixXd X = random_matrix(400, 4, 1), Y = random_matrix(400, 1, 2), fresh = random_matrix(1000, 4, 3);
  const TrainResult result = train(X, Y, quick());
  EXPECT_LE(result.network.nodes(), 15);
  EXPECT_NEAR(result.report.held_out_rmse, 1 / std::sqrt(3), 0.06);
  EXPECT_LT(rmse(result.network.predict(fresh)), 0.25);
}

TEST(Auto, FitsASmoothFunctionWithoutNoise) {
  const auto p = testing::smooth_problem(600, 2, 1, 1, 0);
  const MatrixXd X = p.X.topRows(400), Y = p.Y.topRows(400);
  const TrainResult result = train(X, Y, quick());
  const double error = rmse(result.network.predict(p.X.bottomRows(200)) - p.Y.bottomRows(200));
  EXPECT_LT(error, 1e-3 * result.report.initial_rmse);
}

TEST(Auto, FitsDb1With45Nodes) {
  const Split split = split_622(generate_db1(), 1);
  TrainOptions o;
  o.max_nodes = 45;
  o.threads = 2;
  const TrainResult result =
      train(split.train.X, split.train.Y, o, {.X_valid = split.valid.X, .Y_valid = split.valid.Y});
  EXPECT_LE(result.network.nodes(), 45);
  EXPECT_LT(rmse(result.network.predict(split.test.X) - split.test.Y), 2e-4);
}

// --- tables ---------------------------------------------------------------------------------------------------------

FitOptions quick_fit(std::uint64_t seed = 1) {
  FitOptions o;
  o.columns.targets = {"last"};
  o.train = quick();
  o.train.seed = seed;
  return o;
}

Table table_of(const Dataset& data) {
  MatrixXd all(data.X.rows(), data.X.cols() + data.Y.cols());
  all << data.X, data.Y;
  return make_table(all);
}

TEST(AutoModel, NeverExplodes) {
  const Dataset data = generate_friedman(300, 1), fresh = generate_friedman(1000, 2);
  const Table table = table_of(data);
  const double least = data.Y.minCoeff(), largest = data.Y.maxCoeff(), margin = 0.1 * (largest - least);
  const MatrixXd outside = 1000 * random_matrix(300, data.X.cols(), 5);
  std::vector<double> errors;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = Model::fit(table, quick_fit(seed)).model;
    errors.push_back(rmse(model.predict(fresh.X) - fresh.Y));
    const MatrixXd far = model.predict(outside);
    EXPECT_GE(far.minCoeff(), least - margin - 1e-9) << "seed " << seed;
    EXPECT_LE(far.maxCoeff(), largest + margin + 1e-9) << "seed " << seed;
  }
  std::vector<double> sorted = errors;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_LT(sorted.back(), 3 * sorted[10]);
  EXPECT_LT(sorted[10], 2);
}

TEST(AutoModel, StaysInRangeWithEveryScaling) {
  const Dataset data = generate_friedman(200, 1);
  const Table table = table_of(data);
  const double least = data.Y.minCoeff(), largest = data.Y.maxCoeff(), margin = 0.1 * (largest - least);
  for (const Scaling scaling : {Scaling::unit, Scaling::standard, Scaling::quantile, Scaling::both, Scaling::none}) {
    FitOptions o = quick_fit();
    o.encoder.scaling = scaling;
    const Model model = Model::fit(table, o).model;
    for (const double far : {-1000.0, -3.0, 3.0, 1000.0, 1e300}) {
      const MatrixXd y = model.predict(MatrixXd(far * random_matrix(100, data.X.cols(), 5, 0, 1)));
      EXPECT_GE(y.minCoeff(), least - margin - 1e-9);
      EXPECT_LE(y.maxCoeff(), largest + margin + 1e-9);
    }
  }
}

TEST(AutoModel, FitsTablesWithLittleInThem) {
  const Table five = parse_table("x,y\n1,2\n2,4\n3,6.1\n4,8\n5,10\n", "five.csv");
  const Fitted fitted = Model::fit(five, quick_fit());
  EXPECT_TRUE(fitted.model.predict(five).allFinite());
  EXPECT_EQ(Model::from_bytes(fitted.model.to_bytes()).predict(five), fitted.model.predict(five));

  const Table constant = parse_table("x,y\n1,0.1\n2,0.1\n3,0.1\n4,0.1\n", "constant.csv");
  const Model model = Model::fit(constant, quick_fit()).model;
  EXPECT_EQ(model.network().nodes(), 0);
  EXPECT_EQ(model.predict(constant), MatrixXd::Constant(4, 1, 0.1));

  const Table one = parse_table("x,y\n1,3\n", "one.csv");
  EXPECT_EQ(testing::message<DataError>([&] { Model::fit(one, quick_fit()); }),
            "one.csv: no input column is left beside the target (constant columns do not count)");
}

TEST(AutoModel, FitsTextMissingCellsAndEmptyColumns) {
  std::string text = "colour,size,nothing,y\n";
  const MatrixXd u = random_matrix(120, 2, 1);
  for (Index i = 0; i < 120; ++i) {
    const bool red = u(i, 0) > 0;
    text += std::string(red ? "red" : "blue") + "," + (i % 9 == 4 ? "" : std::to_string(u(i, 1))) + ",," +
            std::to_string((red ? 3 : -3) + u(i, 1)) + "\n";
  }
  const Table table = parse_table(text, "text.csv");
  const Fitted fitted = Model::fit(table, quick_fit());
  EXPECT_LT(rmse(fitted.model.predict(table) - fitted.model.encoder().targets(table, all_rows(table))), 0.6);
  EXPECT_NE(
      std::find(fitted.warnings.begin(), fitted.warnings.end(), "column 'nothing' has no values and was left out"),
      fitted.warnings.end());
}

TEST(AutoModel, MoreColumnsThanRows) {
  for (const Index columns : {100, 1500}) {
    MatrixXd values = random_matrix(40, columns, 1);
    values.col(columns - 1) = values.col(0) + 0.1 * values.col(1);
    const Table table = make_table(values);
    const Fitted fitted = Model::fit(table, quick_fit());
    EXPECT_TRUE(fitted.model.predict(table).allFinite());
    EXPECT_LE(fitted.report.held_out_rmse, 1.3 * fitted.report.initial_rmse);
  }
}

TEST(AutoModel, StoppedEarlyIsSavedAndSaysWhyItHasNoIntervals) {
  const Table table = table_of(generate_friedman(200, 1));
  std::stop_source source;
  source.request_stop();
  FitOptions o = quick_fit();
  o.intervals = true;
  const Fitted fitted = Model::fit(table, o, {.stop = source.get_token()});
  EXPECT_EQ(fitted.model.summary().stop_reason, StopReason::interrupted);
  ASSERT_EQ(fitted.model.summary().trials.size(), 1U);  // it had time for one
  EXPECT_TRUE(fitted.model.summary().trials[0].chosen);
  EXPECT_EQ(fitted.model.no_intervals(), "no row was held out: there are too few, or training was stopped early");
  const Model again = Model::from_bytes(fitted.model.to_bytes());
  EXPECT_EQ(again.predict(table), fitted.model.predict(table));
  EXPECT_EQ(again.to_bytes(), fitted.model.to_bytes());
}

TEST(AutoModel, AWideTableIsQuicklyDone) {
  // Whatever is chosen, even no node at all: nothing may be done again and again for each of the columns.
  MatrixXd values = random_matrix(20, 4000, 1);
  const Table table = make_table(values);
  FitOptions o = quick_fit();
  o.train.max_nodes = 0;
  o.explain = true;
  const Fitted fitted = Model::fit(table, o);
  EXPECT_FALSE(fitted.model.summary().explanation);
}

TEST(Auto, KeepsATimeLimitThatTheLastRoundWouldNot) {
  const auto p = testing::smooth_problem(20000, 5, 1, 1);
  TrainOptions o = quick();
  o.effort = Effort::thorough;
  o.time_limit = 1;
  const TrainResult result = train(p.X, p.Y, o);
  EXPECT_EQ(result.report.stop_reason, StopReason::time_limit);
  EXPECT_LT(rmse(result.network.predict(p.X) - p.Y), result.report.initial_rmse);
}

TEST(AutoMemory, GrowsWithRowsInputsAndMembers) {
  TrainOptions o;
  const std::uint64_t small = training_memory(1000, 5, 1, 0, o);
  EXPECT_GT(training_memory(100000, 5, 1, 0, o), small);
  EXPECT_GT(training_memory(1000, 500, 1, 0, o), small);
  o.ensemble = 20;
  EXPECT_GT(training_memory(1000, 5, 1, 0, o), small);
}

// A noise-free function: more nodes would only bring digits nobody needs.
TEST(Auto, StopsWhereTheErrorIsEnough) {
  const Dataset data = generate_db1();
  const double deviation = std::sqrt((data.Y.array() - data.Y.mean()).square().mean());
  TrainOptions o;
  o.threads = 1;
  const TrainResult usual = train(data.X, data.Y, o);
  EXPECT_EQ(usual.report.stop_reason, StopReason::tolerance);
  EXPECT_LE(usual.report.train_rmse, 4e-4 * deviation);
  EXPECT_LE(usual.report.held_out_rmse, 4e-4 * deviation);
  // One node less leaves more, or the size was the least of those that did on rows held out.
  const auto& history = usual.report.history;
  ASSERT_GE(history.size(), 2U);
  Index judged = 0;
  for (const Trial& trial : usual.report.trials)
    if (trial.chosen) judged = trial.nodes;
  if (usual.network.nodes() > judged * 8 / 9 + 1) {
    EXPECT_GT(history[history.size() - 2].train_rmse, 4e-4 * deviation);
  }

  o.tolerance = 1e-2 * deviation;
  const TrainResult rough = train(data.X, data.Y, o);
  EXPECT_EQ(rough.report.stop_reason, StopReason::tolerance);
  EXPECT_LE(rough.report.train_rmse, o.tolerance);
  EXPECT_LT(rough.network.nodes(), usual.network.nodes());
  o.tolerance = 1e-12 * deviation;
  const TrainResult fine = train(data.X, data.Y, o);
  EXPECT_EQ(fine.report.stop_reason, StopReason::chosen);
  EXPECT_LT(fine.report.train_rmse, usual.report.train_rmse / 3);
}

TEST(Auto, WhoHearsOfANodeMayEndGrowthThere) {
  for (const double noise : {0.0, 1.0}) {  // with a ridge and, on a function without noise, next to none
    const Dataset data = generate_friedman(300, 1, noise);
    std::stop_source source;
    TrainExtras extras;
    extras.stop = source.get_token();
    extras.on_node = [&](const NodeRecord& node) {
      if (node.nodes == 5) source.request_stop();
    };
    const TrainResult result = train(data.X, data.Y, quick(), extras);
    EXPECT_EQ(result.network.nodes(), 5);
    EXPECT_EQ(result.report.history.size(), 5U);
    EXPECT_EQ(result.report.stop_reason, StopReason::interrupted);
    EXPECT_NEAR(rmse(data.Y - result.network.predict(data.X)), result.report.train_rmse, 1e-9);
  }
}

}  // namespace
}  // namespace sconet
