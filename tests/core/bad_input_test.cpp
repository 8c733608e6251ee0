// Every bad input has a sentence that names it; every odd one a result with a reason.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sconet/generators.hpp"
#include "sconet/train.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

// The message of the std::invalid_argument that f throws.
template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no exception";
}

TrainOptions quick() {
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = 5;
  o.candidates = 10;
  o.threads = 1;
  return o;
}

struct Rows {
  MatrixXd X = testing::random_matrix(12, 3, 1), Y = testing::random_matrix(12, 2, 2);
};

TEST(BadData, NamesTheCellThatIsNotANumber) {
  for (const auto& [value, text] : {std::pair{kNan, "nan"}, {kInf, "inf"}, {-kInf, "-inf"}}) {
    Rows a;
    a.X(4, 1) = value;
    EXPECT_EQ(
        message([&] { train(a.X, a.Y, quick()); }),
        "X has " + std::string(text) + " in row 4, column 1 (counted from 0): remove the row or fill in a number");
    Rows b;
    b.Y(11, 1) = value;
    EXPECT_EQ(
        message([&] { train(b.X, b.Y, quick()); }),
        "Y has " + std::string(text) + " in row 11, column 1 (counted from 0): remove the row or fill in a number");
    Rows c;
    VectorXd w = VectorXd::Ones(12);
    w[7] = value;
    EXPECT_EQ(message([&] { train(c.X, c.Y, quick(), {.weights = w}); }),
              "weights has " + std::string(text) +
                  " in row 7, column 0 (counted from 0): remove the row or fill in a number");
    MatrixXd Xv = c.X;
    Xv(0, 2) = value;
    EXPECT_NE(message([&] { train(c.X, c.Y, quick(), {.X_valid = Xv, .Y_valid = c.Y}); }).find("X_valid has"),
              std::string::npos);
  }
}

TEST(BadData, NamesShapesThatDoNotMatch) {
  const Rows r;
  const auto rows = [](const MatrixXd& m, Index n) { return MatrixXd(m.topRows(n)); };
  EXPECT_EQ(message([&] { train(r.X, rows(r.Y, 11), quick()); }), "X has 12 rows and Y has 11: they must have as many");
  const VectorXd w = VectorXd::Ones(11);
  EXPECT_EQ(message([&] { train(r.X, r.Y, quick(), {.weights = w}); }),
            "weights is 11 x 1, expected 12 x 1: one weight for each row of X");
  const MatrixXd wide = MatrixXd::Ones(12, 2);
  EXPECT_EQ(message([&] { train(r.X, r.Y, quick(), {.weights = wide}); }),
            "weights is 12 x 2, expected 12 x 1: one weight for each row of X");
  const MatrixXd narrow = r.X.leftCols(2);
  EXPECT_EQ(message([&] { train(r.X, r.Y, quick(), {.X_valid = narrow, .Y_valid = r.Y}); }),
            "X_valid has 2 columns and X has 3: they must have the same inputs");
  const MatrixXd one = r.Y.leftCols(1);
  EXPECT_EQ(message([&] { train(r.X, r.Y, quick(), {.X_valid = r.X, .Y_valid = one}); }),
            "Y_valid has 1 columns and Y has 2: they must have the same outputs");
  const MatrixXd few = rows(r.Y, 3);
  EXPECT_EQ(message([&] { train(r.X, r.Y, quick(), {.X_valid = r.X, .Y_valid = few}); }),
            "X_valid has 12 rows and Y_valid has 3: they must have as many");
}

TEST(BadData, NamesWhatIsEmpty) {
  const Rows r;
  EXPECT_EQ(message([&] { train(MatrixXd(0, 3), MatrixXd(0, 2), quick()); }),
            "X has no rows: there is nothing to learn from");
  EXPECT_EQ(message([&] { train(MatrixXd(12, 0), r.Y, quick()); }), "X has no columns: give at least one input");
  EXPECT_EQ(message([&] { train(r.X, MatrixXd(12, 0), quick()); }), "Y has no columns: give at least one output");
}

TEST(BadData, RefusesWeightsThatCannotBe) {
  const Rows r;
  VectorXd w = VectorXd::Zero(12);
  EXPECT_EQ(message([&] { train(r.X, r.Y, quick(), {.weights = w}); }),
            "weights are all zero: no row is left to learn from");
  w[3] = -0.5;
  EXPECT_EQ(message([&] { train(r.X, r.Y, quick(), {.weights = w}); }),
            "weights has -0.5 in row 3 (counted from 0): a weight is zero or more");
}

// --- odd, but fine -------------------------------------------------------------------------------------------------
TEST(OddData, ConstantYIsFittedExactlyByTheIntercept) {
  const Rows r;
  const MatrixXd Y = MatrixXd::Constant(12, 1, 7.25);
  TrainOptions o = quick();
  o.intercept = true;
  const auto [network, report] = train(r.X, Y, o);
  EXPECT_EQ(report.stop_reason, StopReason::exact_fit);
  EXPECT_EQ(network.nodes(), 0);
  EXPECT_LE((network.predict(r.X) - Y).norm(), 1e-13 * Y.norm());
}

TEST(OddData, ConstantYWithoutInterceptIsApproached) {
  const Rows r;
  const MatrixXd Y = MatrixXd::Constant(12, 1, -3);
  for (const Method method : {Method::rmpi, Method::scn3, Method::scn1}) {
    TrainOptions o = quick();
    o.method = method;
    const auto [network, report] = train(r.X, Y, o);
    EXPECT_LT(report.train_rmse, 0.5);
    EXPECT_TRUE(network.predict(r.X).allFinite());
  }
}

TEST(OddData, ZeroYNeedsNothing) {
  const Rows r;
  const auto [network, report] = train(r.X, MatrixXd(MatrixXd::Zero(12, 2)), quick());
  EXPECT_EQ(report.stop_reason, StopReason::exact_fit);
  EXPECT_EQ(network.predict(r.X), MatrixXd::Zero(12, 2));
}

TEST(OddData, ConstantAndDuplicateColumnsDoNoHarm) {
  const auto p = testing::smooth_problem(100, 2, 1, 5);
  MatrixXd X(100, 4);
  X << p.X, p.X.col(0), VectorXd::Constant(100, 3.5);
  TrainOptions o = quick();
  o.max_nodes = 30;
  const auto [network, report] = train(X, p.Y, o);
  EXPECT_LT(report.train_rmse, 0.3 * report.initial_rmse);
  EXPECT_TRUE(network.predict(X).allFinite());
}

TEST(OddData, OnlyConstantColumnsEndForLackOfRank) {
  const MatrixXd X = MatrixXd::Constant(20, 2, 1.5), Y = testing::random_matrix(20, 1, 6);
  for (const Method method : {Method::rmpi, Method::scn3}) {
    TrainOptions o = quick();
    o.method = method;
    const auto [network, report] = train(X, Y, o);
    EXPECT_EQ(report.stop_reason, StopReason::rank);
    EXPECT_EQ(network.nodes(), 1);  // every node is a constant
    EXPECT_NEAR(network.predict(X)(0, 0), Y.mean(), 1e-12);
  }
}

TEST(OddData, DuplicateRowsAreRows) {
  const auto p = testing::smooth_problem(30, 2, 1, 7);
  MatrixXd X(60, 2), Y(60, 1);
  X << p.X, p.X;
  Y << p.Y, p.Y;
  TrainOptions o = quick();
  o.max_nodes = 80;
  const auto [network, report] = train(X, Y, o);
  EXPECT_LE(network.nodes(), 30);
  EXPECT_TRUE(report.stop_reason == StopReason::rank || report.stop_reason == StopReason::exact_fit)
      << name(report.stop_reason);
  EXPECT_TRUE(network.predict(X).allFinite());
}

TEST(OddData, FewerRowsThanNodesEndsForLackOfRankOrExactly) {
  const Rows r;
  TrainOptions o = quick();
  o.max_nodes = 50;
  for (const Method method : {Method::rmpi, Method::scn3}) {
    o.method = method;
    const auto [network, report] = train(r.X, r.Y, o);
    EXPECT_LE(network.nodes(), 12);
    EXPECT_TRUE(report.stop_reason == StopReason::rank || report.stop_reason == StopReason::exact_fit)
        << name(report.stop_reason);
    EXPECT_TRUE(network.predict(r.X).allFinite());
  }
  o.method = Method::scn1;
  const auto greedy = train(r.X, r.Y, o);
  EXPECT_TRUE(greedy.network.predict(r.X).allFinite());
}

TEST(OddData, ASingleRowIsFittedByOneNode) {
  const MatrixXd X = MatrixXd::Constant(1, 2, 0.3), Y = MatrixXd::Constant(1, 1, 5.0);
  for (const Method method : {Method::rmpi, Method::scn3, Method::scn1}) {
    TrainOptions o = quick();
    o.method = method;
    const auto [network, report] = train(X, Y, o);
    EXPECT_EQ(report.stop_reason, StopReason::exact_fit);
    EXPECT_NEAR(network.predict(X)(0, 0), 5.0, 1e-12);
    EXPECT_EQ(network.nodes(), 1);
  }
}

// Y is scaled by a power of two inside, so its size changes nothing but the size of the answer.
TEST(OddData, HugeAndTinyTargetsTrainAlike) {
  const auto p = testing::smooth_problem(80, 2, 1, 8);
  const auto plain = train(p.X, p.Y, quick());
  for (const double factor : {0x1p990, 0x1p-990}) {
    const MatrixXd Y = p.Y * factor;
    const auto [network, report] = train(p.X, Y, quick());
    EXPECT_EQ(network.weights(), plain.network.weights());
    EXPECT_EQ(network.output_weights(), plain.network.output_weights() * factor);
    EXPECT_EQ(report.train_rmse, plain.report.train_rmse * factor);
  }
  const MatrixXd huge = p.Y * 1e300, tiny = p.Y * 1e-300;
  EXPECT_TRUE(train(p.X, huge, quick()).network.predict(p.X).allFinite());
  EXPECT_GT(train(p.X, tiny, quick()).network.output_weights().cwiseAbs().maxCoeff(), 0.0);
}

TEST(OddData, TargetsNearTheLargestDoubleGiveFiniteNetworks) {
  const Dataset db1 = generate_db1(300);
  TrainOptions o;  // as many nodes as make output weights large
  o.method = Method::rmpi;
  o.max_nodes = 80;
  for (const double factor : {1e300, 3e307}) {
    const MatrixXd Y = db1.Y * factor;
    const auto [network, report] = train(db1.X, Y, o);
    EXPECT_TRUE(network.output_weights().allFinite());
    EXPECT_TRUE(network.predict(db1.X).allFinite());
    EXPECT_TRUE(report.stop_reason == StopReason::overflow || report.stop_reason == StopReason::max_nodes);
    EXPECT_GE(network.nodes(), factor > 1e305 ? 1 : 20);
    EXPECT_EQ(report.train_rmse, report.history[static_cast<std::size_t>(network.nodes() - 1)].train_rmse);
  }
}

TEST(OddData, ValidationTargetsOfAnotherSizeAreCompared) {
  const auto p = testing::smooth_problem(60, 2, 1, 9);
  const MatrixXd tiny = p.Y * 1e-200;
  const auto report = train(p.X, tiny, quick(), {.X_valid = p.X, .Y_valid = p.Y}).report;
  EXPECT_NEAR(report.valid_rmse, std::sqrt(p.Y.squaredNorm() / 60), 1e-12);
}

// One output fitted to rounding must not end the training of another.
TEST(OddData, OutputsOfVeryDifferentSizeAreBothLearnt) {
  const auto p = testing::smooth_problem(60, 2, 1, 9);
  MatrixXd Y(60, 2);
  Y << MatrixXd::Constant(60, 1, 1e9), 1e-6 * p.Y;
  TrainOptions o = quick();
  o.intercept = true;
  EXPECT_GT(train(p.X, Y, o).network.nodes(), 0);
}

// Inputs far from zero saturate nodes to outputs like 1e-160, whose squares are not doubles any more.
TEST(OddData, NearlyDeadNodesNeverMakeTheErrorGrow) {
  const MatrixXd X = testing::random_matrix(500, 1, 4, 990, 1010);
  const MatrixXd Y = (X.array() - 1000).sin().matrix();
  for (const Activation a : {Activation::sigmoid, Activation::gaussian})
    for (const Method method : {Method::rmpi, Method::scn3, Method::scn1})
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        TrainOptions o;
        o.activation = a;
        o.method = method;
        o.max_nodes = 12;
        o.seed = seed;
        o.threads = 1;
        const auto report = train(X, Y, o).report;
        double before = report.initial_rmse;
        for (const NodeRecord& n : report.history) {
          ASSERT_LE(n.train_rmse, before * (1 + 1e-12)) << report.full();
          before = n.train_rmse;
        }
      }
}

TEST(OddData, HugeInputsSaturateAndEndWithAReason) {
  auto p = testing::smooth_problem(60, 2, 1, 9);
  for (const double factor : {1e300, 1e308}) {
    const MatrixXd X = p.X * factor;
    for (const Activation a :
         {Activation::sigmoid, Activation::tanh, Activation::sin, Activation::gaussian, Activation::relu}) {
      TrainOptions o = quick();
      o.activation = a;
      o.max_nodes = 20;
      const auto [network, report] = train(X, p.Y, o);
      EXPECT_NE(report.stop_reason, StopReason::not_run);
      EXPECT_TRUE(std::isfinite(report.train_rmse));
      EXPECT_LE(report.train_rmse, report.initial_rmse);
      EXPECT_TRUE(network.predict(X).allFinite());
    }
  }
}

TEST(OddData, TinyInputsAreConstantsAndEndForLackOfRank) {
  const auto p = testing::smooth_problem(60, 2, 1, 10);
  const MatrixXd X = p.X * 1e-300;
  const auto [network, report] = train(X, p.Y, quick());
  EXPECT_EQ(report.stop_reason, StopReason::rank);
  EXPECT_EQ(network.nodes(), 1);
}

TEST(OddData, NoNodesAllowedIsAnEmptyNetwork) {
  const Rows r;
  TrainOptions o = quick();
  o.max_nodes = 0;
  o.intercept = true;
  const auto [network, report] = train(r.X, r.Y, o);
  EXPECT_EQ(report.stop_reason, StopReason::max_nodes);
  EXPECT_LE((network.predict(r.X).row(3) - r.Y.colwise().mean()).norm(), 1e-12);
}

TEST(OddData, MoreInputsThanRows) {
  const MatrixXd X = testing::random_matrix(5, 300, 11), Y = testing::random_matrix(5, 1, 12);
  const auto [network, report] = train(X, Y, quick());
  EXPECT_LE(network.nodes(), 5);
  EXPECT_TRUE(network.predict(X).allFinite());
}

}  // namespace
}  // namespace sconet
