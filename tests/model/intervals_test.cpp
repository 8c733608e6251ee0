// Prediction intervals: the quantiles against sorted errors, coverage on rows that nobody has seen, and the file.

#include "sconet/intervals.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "model/container.hpp"
#include "sconet/errors.hpp"
#include "sconet/generators.hpp"
#include "sconet/model.hpp"
#include "sconet/train.hpp"
#include "support/message.hpp"
#include "support/problems.hpp"
#include "support/tables.hpp"

namespace sconet {
namespace {

using nlohmann::json;
using testing::message;
using testing::random_matrix;

constexpr IntervalKind kConstant = IntervalKind::constant, kLocal = IntervalKind::local;

double constant_width(const Intervals& intervals, double level) {
  return intervals.half_width(Eigen::MatrixXd(1, 1), level, kConstant)(0, 0);
}

// Errors whose size grows with the first input: 0.1 at 0, 2 at 1.
struct Errors {
  Eigen::MatrixXd inputs, residuals;
};
Errors growing_errors(Index n, std::uint64_t seed, Index targets = 1) {
  Errors e{random_matrix(n, 3, seed, 0, 1), Eigen::MatrixXd(n, targets)};
  std::mt19937_64 bits(seed + 1);
  std::normal_distribution<double> normal;
  for (Index i = 0; i < n; ++i)
    for (Index q = 0; q < targets; ++q)
      e.residuals(i, q) = std::pow(1000.0, static_cast<double>(q)) * (0.1 + 1.9 * e.inputs(i, 0)) * normal(bits);
  return e;
}

double coverage(const Intervals& intervals, const Errors& fresh, double level, IntervalKind kind) {
  const Eigen::MatrixXd width = intervals.half_width(fresh.inputs, level, kind);
  double inside = 0;
  for (Index i = 0; i < width.rows(); ++i) inside += std::abs(fresh.residuals(i, 0)) <= width(i, 0) ? 1 : 0;
  return inside / static_cast<double>(width.rows());
}

TEST(Intervals, TheQuantileOfASortedList) {
  for (const Index n : {1, 2, 9, 10, 19, 99, 100, 120, 255, 256}) {
    const Eigen::MatrixXd residuals = random_matrix(n, 1, static_cast<std::uint64_t>(n), -1, 1);
    const Intervals intervals = Intervals::calibrate(residuals, random_matrix(n, 2, 5));
    Eigen::VectorXd sorted = residuals.cwiseAbs();
    std::sort(sorted.begin(), sorted.end());
    for (Index percent = 1; percent < 100; ++percent) {
      const Index rank = ((n + 1) * percent + 99) / 100;  // whole numbers: no rounding
      const double level = static_cast<double>(percent) / 100;
      if (rank <= n)
        EXPECT_EQ(constant_width(intervals, level), sorted[rank - 1]) << n << ' ' << percent;
      else
        EXPECT_THROW(constant_width(intervals, level), std::invalid_argument) << n << ' ' << percent;
    }
  }
}

TEST(Intervals, ManyRowsAreThinnedOut) {
  for (const Index n : {257, 300, 1000, 5000, 200'000}) {
    // Errors 1, 2, ..., n: what a straight line between two of them gives is right to the last one.
    Eigen::MatrixXd residuals(n, 1);
    for (Index i = 0; i < n; ++i) residuals(i, 0) = static_cast<double>(i % 2 == 0 ? i + 1 : -i - 1);
    const Intervals intervals = Intervals::calibrate(residuals, Eigen::MatrixXd::Zero(n, 0));
    const std::vector<double>& ranks = intervals.ranks();
    EXPECT_LE(ranks.size(), 256U);
    EXPECT_GE(ranks.size(), 250U) << n;
    for (Index k = 0; k < 64; ++k) EXPECT_EQ(ranks[ranks.size() - 1 - static_cast<std::size_t>(k)], n - k);
    for (Index percent = 1; percent < 100; ++percent)
      EXPECT_NEAR(constant_width(intervals, static_cast<double>(percent) / 100),
                  static_cast<double>(((n + 1) * percent + 99) / 100), 1e-9 * static_cast<double>(n));
    // Neighbours are never further apart than a twelfth of what is above them.
    for (std::size_t k = 0; k + 65 < ranks.size(); ++k)
      EXPECT_LE(ranks[k + 1] - ranks[k], 1 + static_cast<double>(n - 1) / 12) << n << ' ' << k;
  }
}

TEST(Intervals, LevelsThatCannotBe) {
  const Intervals intervals = Intervals::calibrate(random_matrix(120, 1, 1), random_matrix(120, 2, 2));
  const auto said = [&](double level) {
    return message<std::invalid_argument>([&] { constant_width(intervals, level); });
  };
  EXPECT_EQ(said(0.999), "level 0.999 needs at least 999 rows; the model has 120 calibration rows");
  EXPECT_EQ(said(0.992), "level 0.992 needs at least 124 rows; the model has 120 calibration rows");
  EXPECT_EQ(said(120.0 / 121), "nothing was thrown");
  EXPECT_EQ(said(0), "level 0: expected 0 < level < 1");
  EXPECT_EQ(said(1), "level 1: expected 0 < level < 1");
  EXPECT_EQ(said(-0.5), "level -0.5: expected 0 < level < 1");
  EXPECT_EQ(said(std::nan("")), "level nan: expected 0 < level < 1");
  EXPECT_NE(said(std::nextafter(1.0, 0.0)), "nothing was thrown");
  EXPECT_EQ(said(std::numeric_limits<double>::min()), "nothing was thrown");
}

TEST(Intervals, FewRowsHaveNoLocalKind) {
  for (const Index n : {59, 60}) {
    const Intervals intervals = Intervals::calibrate(random_matrix(n, 1, 1), random_matrix(n, 2, 2));
    EXPECT_EQ(intervals.has_local(), n == 60);
    EXPECT_EQ(intervals.best_kind(), n == 60 ? kLocal : kConstant);
    if (n == 59) {
      EXPECT_EQ(
          message<std::invalid_argument>([&] { intervals.half_width(random_matrix(1, 2, 1), 0.5, kLocal); }),
          "local intervals need at least 60 calibration rows, and errors that are not zero; the model has 59 rows: ask "
          "for the constant kind");
    }
  }
  // No errors: nothing to learn a scale from, and intervals of no width.
  const Intervals exact = Intervals::calibrate(Eigen::MatrixXd::Zero(100, 1), random_matrix(100, 2, 2));
  EXPECT_FALSE(exact.has_local());
  EXPECT_EQ(constant_width(exact, 0.9), 0);
}

TEST(Intervals, RowsThatDoNotDo) {
  const Eigen::MatrixXd X = random_matrix(5, 2, 1);
  Eigen::MatrixXd residuals = random_matrix(5, 1, 2);
  EXPECT_THROW(Intervals::calibrate(Eigen::MatrixXd(0, 1), Eigen::MatrixXd(0, 2)), std::invalid_argument);
  EXPECT_EQ(message<std::invalid_argument>([&] { Intervals::calibrate(residuals, X.topRows(4)); }),
            "5 rows of residuals and 4 of inputs: expected as many");
  residuals(3, 0) = std::nan("");
  EXPECT_THROW(Intervals::calibrate(residuals, X), std::invalid_argument);
}

// Given n calibration rows the coverage is Beta((n + 1) level, (n + 1)(1 - level)): four of its deviations, and of the
// sample it is measured on.
TEST(Intervals, CoverNewRowsAsPromised) {
  const Index n = 2000;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Errors known = growing_errors(n, 10 * seed), fresh = growing_errors(20'000, 10 * seed + 5);
    const Intervals intervals = Intervals::calibrate(known.residuals, known.inputs, {.seed = seed});
    ASSERT_TRUE(intervals.has_local());
    for (const double level : {0.5, 0.8, 0.9, 0.99})
      for (const IntervalKind kind : {kConstant, kLocal}) {
        const double deviation = std::sqrt(level * (1 - level) * (1.0 / static_cast<double>(n) + 1.0 / 20'000));
        EXPECT_NEAR(coverage(intervals, fresh, level, kind), level, 4 * deviation)
            << level << ' ' << name(kind) << ' ' << seed;
      }
  }
}

TEST(Intervals, LocalOnesAreNarrowWhereErrorsAreSmall) {
  const Errors known = growing_errors(2000, 3);
  const Intervals intervals = Intervals::calibrate(known.residuals, known.inputs);
  Eigen::MatrixXd small = random_matrix(500, 3, 8, 0, 1), large = small;
  small.col(0) *= 0.1;
  large.col(0).setConstant(0.95);
  const double constant = constant_width(intervals, 0.9);
  EXPECT_LT(intervals.half_width(small, 0.9, kLocal).maxCoeff(), 0.7 * constant);
  EXPECT_GT(intervals.half_width(large, 0.9, kLocal).minCoeff(), 1.1 * constant);
  const Errors fresh = growing_errors(20'000, 4);
  EXPECT_LT(intervals.half_width(fresh.inputs, 0.9, kLocal).mean(), 0.95 * constant);
  // However far from what was seen.
  const Eigen::MatrixXd far = random_matrix(1000, 3, 9, -1e6, 1e6);
  const Eigen::MatrixXd widths = intervals.half_width(far, 0.9, kLocal);
  EXPECT_LE(widths.maxCoeff() / widths.minCoeff(), 25 * (1 + 1e-12));
}

// Each target has its own errors, in its own unit.
TEST(Intervals, TargetsAreApart) {
  const Errors known = growing_errors(500, 3, 2), alone{known.inputs, known.residuals.rightCols(1)};
  const Intervals both = Intervals::calibrate(known.residuals, known.inputs);
  const Intervals second = Intervals::calibrate(alone.residuals, alone.inputs);
  EXPECT_EQ(both.outputs(), 2);
  const Eigen::MatrixXd widths = both.half_width(known.inputs, 0.9, kConstant);
  EXPECT_EQ(widths(0, 1), constant_width(second, 0.9));
  EXPECT_NEAR(widths(0, 1) / widths(0, 0), 1000, 200);
  EXPECT_NEAR(coverage(both, growing_errors(20'000, 9, 2), 0.9, kLocal), 0.9, 0.05);
}

TEST(Intervals, TheSameBitsForAnyNumberOfThreads) {
  const Errors known = growing_errors(1500, 3, 2);
  const Intervals one = Intervals::calibrate(known.residuals, known.inputs, {.threads = 1});
  for (const int threads : {2, 3, 8}) {
    const Intervals other = Intervals::calibrate(known.residuals, known.inputs, {.threads = threads});
    EXPECT_EQ(one.local(), other.local());
    EXPECT_EQ(one.scale().output_weights(), other.scale().output_weights());
    EXPECT_EQ(one.half_width(known.inputs, 0.9, kLocal, 1), other.half_width(known.inputs, 0.9, kLocal, threads));
  }
}

TEST(Intervals, RowsWithNaNHaveNoWidth) {
  const Errors known = growing_errors(200, 3);
  const Intervals intervals = Intervals::calibrate(known.residuals, known.inputs);
  Eigen::MatrixXd X = known.inputs.topRows(3);
  X(1, 2) = std::nan("");
  const Eigen::MatrixXd widths = intervals.half_width(X, 0.9, kLocal);
  EXPECT_TRUE(std::isfinite(widths(0, 0)) && std::isnan(widths(1, 0)) && std::isfinite(widths(2, 0)));
}

// --- of models -----------------------------------------------------------------------------------------------------
Table friedman(Index rows, std::uint64_t seed, bool two_targets = false) {
  const Dataset data = generate_friedman(rows, seed);
  Eigen::MatrixXd all(rows, 6 + (two_targets ? 1 : 0));
  all.leftCols(6) << data.X, data.Y;
  if (two_targets) all.col(6) = 100 * data.X.col(0) + 3 * data.Y.col(0);
  std::vector<std::string> names = {"x1", "x2", "x3", "x4", "x5", "y"};
  if (two_targets) names.emplace_back("z");
  return make_table(all, names);
}

FitOptions with_intervals(std::vector<std::string> targets = {"y"}) {
  FitOptions o;
  o.train.method = Method::rmpi;
  o.columns.targets = std::move(targets);
  o.train.max_nodes = 15;
  o.train.candidates = 20;
  o.intervals = true;
  return o;
}

// RVFL's nodes are the same whatever the rows, so a row can really be left out.
TEST(ModelIntervals, LeaveOneOutIsWhatLeavingOneOutGives) {
  const Index n = 40;
  const Dataset data = generate_friedman(n, 4);
  FitOptions options = with_intervals();
  options.train.method = Method::rvfl;
  options.train.max_nodes = 6;
  options.train.intercept = true;
  options.encoder.scaling = Scaling::none;
  options.encoder.target_scaling = TargetScaling::none;
  const Model model = Model::fit(friedman(n, 4), options).model;
  ASSERT_TRUE(model.intervals());
  EXPECT_EQ(model.intervals()->source(), ResidualSource::leave_one_out);
  EXPECT_EQ(model.intervals()->rows(), n);
  std::vector<double> errors;
  errors.reserve(n);
  for (Index left_out = 0; left_out < n; ++left_out) {
    Eigen::MatrixXd X(n - 1, 5), Y(n - 1, 1);
    for (Index i = 0, at = 0; i < n; ++i) {
      if (i == left_out) continue;
      X.row(at) = data.X.row(i);
      Y.row(at++) = data.Y.row(i);
    }
    const Network network = train(X, Y, options.train).network;
    errors.push_back(std::abs(data.Y(left_out, 0) - network.predict(Eigen::MatrixXd(data.X.row(left_out)))(0, 0)));
  }
  std::sort(errors.begin(), errors.end());
  for (Index k = 0; k < n; ++k)
    EXPECT_NEAR(model.intervals()->constant()(0, k), errors[static_cast<std::size_t>(k)], 1e-7) << k;
}

// docs/method.md: choosing the best of T candidates costs degrees of freedom that leverages do not count.
TEST(ModelIntervals, LeaveOneOutOfChosenNodesIsEnlarged) {
  const Table table = friedman(200, 4);
  for (const Method method : {Method::rmpi, Method::scn3}) {
    FitOptions options = with_intervals();
    options.train.method = method;
    const Fitted fitted = Model::fit(table, options);
    const Eigen::VectorXd& h = fitted.report.leverages;
    const double factor = method == Method::rmpi ? std::pow(1 - h.sum() / 200, -0.55 * std::log(20.0)) : 1;
    const Eigen::MatrixXd Y = fitted.model.encoder().targets(table, all_rows(table));
    const Eigen::MatrixXd P = fitted.model.predict(table);
    std::vector<double> errors;
    errors.reserve(200);
    for (Index i = 0; i < 200; ++i) errors.push_back(std::abs(Y(i, 0) - P(i, 0)) / (1 - h[i]) * factor);
    std::sort(errors.begin(), errors.end());
    ASSERT_TRUE(fitted.model.intervals());
    for (Index k = 0; k < 200; ++k)
      EXPECT_NEAR(fitted.model.intervals()->constant()(0, k), errors[static_cast<std::size_t>(k)], 1e-9) << k;
  }
}

TEST(ModelIntervals, ValidationRowsComeFirst) {
  const Table table = friedman(500, 4);
  FitOptions options = with_intervals();
  options.valid_fraction = 0.2;
  const Model model = Model::fit(table, options).model;
  ASSERT_TRUE(model.intervals());
  EXPECT_EQ(model.intervals()->source(), ResidualSource::validation);
  EXPECT_EQ(model.intervals()->rows(), 100);
  EXPECT_EQ(model.no_intervals(), "");
  const Table fresh = friedman(5000, 5);
  for (const IntervalKind kind : {kConstant, kLocal}) {
    const IntervalPrediction p = model.predict_interval(fresh, 0.9, kind);
    EXPECT_EQ(p.mean, model.predict(fresh));
    const Eigen::MatrixXd Y = model.encoder().targets(fresh, all_rows(fresh));
    double inside = 0;
    for (Index i = 0; i < Y.rows(); ++i) inside += Y(i, 0) >= p.low(i, 0) && Y(i, 0) <= p.high(i, 0) ? 1 : 0;
    EXPECT_NEAR(inside / 5000, 0.9, 0.12) << name(kind);  // four deviations for 100 rows
  }
}

TEST(ModelIntervals, TablesMatricesThreadsAndChunksAgree) {
  const Model model = Model::fit(friedman(300, 4, true), with_intervals({"y", "z"})).model;
  const Eigen::MatrixXd X = random_matrix(5000, 5, 3, 0, 1);
  const Table table = make_table(X, {"x1", "x2", "x3", "x4", "x5"});
  const IntervalPrediction one = model.predict_interval(X, 0.8), three = model.predict_interval(table, 0.8, kLocal, 3);
  EXPECT_EQ(one.low, three.low);
  EXPECT_EQ(one.high, three.high);
  EXPECT_EQ(one.mean, model.predict(X));
  for (const Index row : {0, 2047, 2048, 4999}) {
    const IntervalPrediction alone = model.predict_interval(Eigen::MatrixXd(X.row(row)), 0.8);
    EXPECT_EQ(alone.low, one.low.row(row));
    EXPECT_EQ(alone.high, one.high.row(row));
  }
  EXPECT_TRUE((one.low.array() < one.mean.array()).all() && (one.high.array() > one.mean.array()).all());
}

TEST(ModelIntervals, APredictionThatIsNoNumberHasNoBounds) {
  FitOptions options = with_intervals();
  options.train.direct_links = true;
  options.encoder.target_scaling = TargetScaling::none;
  const Model model = Model::fit(friedman(300, 4), options).model;
  Eigen::MatrixXd X = Eigen::MatrixXd::Constant(1, 5, 0.5);
  X(0, 3) = 1.7e308;  // inputs whose shares of the prediction overflow, one upwards and one downwards
  X(0, 4) = -1.7e308;
  for (const IntervalKind kind : {kConstant, kLocal}) {
    const IntervalPrediction p = model.predict_interval(X, 0.9, kind);
    ASSERT_TRUE(std::isnan(p.mean(0, 0)));
    EXPECT_TRUE(std::isnan(p.low(0, 0)) && std::isnan(p.high(0, 0)));
  }
}

TEST(ModelIntervals, WhereThereAreNone) {
  const Table table = friedman(100, 4);
  FitOptions options = with_intervals();
  options.intervals = false;
  Model model = Model::fit(table, options).model;
  const auto said = [&] { return message<std::invalid_argument>([&] { model.predict_interval(table, 0.9); }); };
  EXPECT_EQ(said(),
            "the model has no prediction intervals: training was not asked for them; train again without "
            "--no-intervals, or in C++ with FitOptions::intervals");
  const std::string plain = model.to_bytes();
  EXPECT_EQ(plain.find("intervals"), std::string::npos);

  options.intervals = true;
  options.train.method = Method::scn1;
  model = Model::fit(table, options).model;
  EXPECT_EQ(said(),
            "the model has no prediction intervals: SCN-I has no leave-one-out residuals; train with validation rows "
            "(--valid-fraction 0.2)");
  EXPECT_EQ(Model::from_bytes(model.to_bytes()).no_intervals(), model.no_intervals());
  options.valid_fraction = 0.5;
  EXPECT_TRUE(Model::fit(table, options).model.intervals());

  options = with_intervals();
  options.train.max_nodes = 200;  // for 100 rows
  model = Model::fit(table, options).model;
  EXPECT_NE(said().find("there are so many nodes that rows predict themselves"), std::string::npos) << said();
}

TEST(ModelIntervals, CanBeSetFromElsewhere) {
  FitOptions options = with_intervals();
  options.intervals = false;
  Model model = Model::fit(friedman(100, 4), options).model;
  const Eigen::MatrixXd X = random_matrix(200, 5, 1, 0, 1);
  model.set_intervals(Intervals::calibrate(random_matrix(200, 1, 2), X));
  EXPECT_EQ(model.intervals()->source(), ResidualSource::out_of_fold);
  EXPECT_EQ(Model::from_bytes(model.to_bytes()).predict_interval(X, 0.9).low, model.predict_interval(X, 0.9).low);
  EXPECT_THROW(model.set_intervals(Intervals::calibrate(random_matrix(200, 2, 2), X)), std::invalid_argument);
  EXPECT_THROW(model.set_intervals(Intervals::calibrate(random_matrix(200, 1, 2), X.leftCols(4))),
               std::invalid_argument);
}

TEST(ModelIntervals, TheSameBitsAfterSavingAndForAnyNumberOfThreads) {
  const Table table = friedman(400, 4, true);
  FitOptions options = with_intervals({"y", "z"});
  std::string bytes;
  for (const int threads : {1, 2, 3}) {
    options.train.threads = threads;
    const std::string these = Model::fit(table, options).model.to_bytes();
    if (bytes.empty()) bytes = these;
    EXPECT_EQ(bytes, these);
  }
  const Model model = Model::fit(table, options).model, loaded = Model::from_bytes(bytes);
  EXPECT_EQ(loaded.to_bytes(), bytes);
  for (const IntervalKind kind : {kConstant, kLocal}) {
    const IntervalPrediction a = model.predict_interval(table, 0.9, kind),
                             b = loaded.predict_interval(table, 0.9, kind);
    EXPECT_EQ(a.low, b.low);
    EXPECT_EQ(a.high, b.high);
  }
  // Intervals change nothing else.
  options.intervals = false;
  const Model without = Model::fit(table, options).model;
  EXPECT_EQ(without.predict(table), model.predict(table));
}

// --- of model files ------------------------------------------------------------------------------------------------
std::string refusal(const Container& container) {
  return message<ModelFileError>([&] { Model::from_bytes(to_bytes(container), "m"); });
}

TEST(ModelIntervals, FilesAreChecked) {
  const Model model = Model::fit(friedman(300, 4, true), with_intervals({"y", "z"})).model;
  const Container good = parse_container(model.to_bytes(), "m");
  ASSERT_EQ(refusal(good), "nothing was thrown");
  int arrays = 0;
  for (const auto& [name, array] : good.arrays) {
    if (!name.starts_with("intervals.")) continue;
    ++arrays;
    Container other = good;
    other.arrays.erase(name);
    EXPECT_EQ(refusal(other), "m: the array '" + name + "' is missing");
    other = good;
    other.arrays[name].shape.push_back(1);
    EXPECT_EQ(refusal(other), "m: the array '" + name + "' does not have the shape it should have");
    other = good;
    other.arrays[name] = {{0}, {}};
    EXPECT_NE(refusal(other), "nothing was thrown") << name;
    for (const double bad : {std::nan(""), HUGE_VAL}) {
      other = good;
      other.arrays[name].values.back() = bad;
      EXPECT_TRUE(refusal(other).starts_with("m: the array '" + name + "' has ")) << name;
    }
  }
  EXPECT_EQ(arrays, 7);

  const auto with_value = [&](const char* name, std::size_t at, double value) {
    Container other = good;
    other.arrays[name].values[at] = value;
    return refusal(other);
  };
  EXPECT_EQ(with_value("intervals.ranks", 0, 0), "m: intervals: the ranks are not those of the rows");
  EXPECT_EQ(with_value("intervals.ranks", 5, 4.5), "m: intervals: the ranks do not rise");
  EXPECT_EQ(with_value("intervals.ranks", 5, 1), "m: intervals: the ranks do not rise");
  EXPECT_EQ(with_value("intervals.constant", 0, -1), "m: intervals: the errors do not rise from zero");
  EXPECT_EQ(with_value("intervals.local", 100, 1e300), "m: intervals: the errors do not rise from zero");

  const json description = json::parse(good.metadata.at("model"));
  const auto said = [&](const char* place, const json& value) {
    Container other = good;
    json changed = description;
    changed[json::json_pointer(place)] = value;
    other.metadata["model"] = changed.dump();
    return refusal(other);
  };
  EXPECT_EQ(said("/intervals", 1), "m: 'intervals' in the description is not what it should be");
  EXPECT_EQ(said("/intervals/rows", 299), "m: intervals: the ranks are not those of the rows");
  EXPECT_EQ(said("/intervals/rows", -1), "m: 'rows' in the description is not what it should be");
  EXPECT_EQ(said("/intervals/rows", std::uint64_t{1} << 60), "m: the intervals tell of 1152921504606846976 rows");
  EXPECT_EQ(said("/intervals/source", "hearsay"), "m: the source 'hearsay' of the intervals is not known");
  EXPECT_EQ(said("/intervals/local", "yes"), "m: 'local' in the description is not what it should be");
  EXPECT_EQ(said("/intervals/local", false), "nothing was thrown");
  EXPECT_EQ(said("/intervals/none", 3), "m: 'none' in the description is not what it should be");
}

// docs/model-format.md taken word for word, from inputs on.
TEST(ModelIntervals, TheSpecificationIsEnough) {
  const Table table = friedman(700, 4, true);
  const Model model = Model::fit(table, with_intervals({"y", "z"})).model;
  Container file = parse_container(model.to_bytes(), "m");
  const auto& ranks = file.arrays["intervals.ranks"].values;
  ASSERT_LT(ranks.size(), 700U);
  const Eigen::MatrixXd X = model.encoder().inputs(table, all_rows(table));
  for (const double level : {0.003, 0.31, 0.5, 0.9, 0.99})
    for (const IntervalKind kind : {kConstant, kLocal}) {
      const IntervalPrediction p = model.predict_interval(table, level, kind);
      const double k = std::ceil(701 * level);
      for (std::size_t q = 0; q < 2; ++q) {
        const double* errors =
            file.arrays[kind == kLocal ? "intervals.local" : "intervals.constant"].values.data() + q * ranks.size();
        double w = errors[0];
        for (std::size_t i = 1; i < ranks.size(); ++i)
          if (ranks[i - 1] < k && k <= ranks[i])
            w = errors[i - 1] + (errors[i] - errors[i - 1]) * (k - ranks[i - 1]) / (ranks[i] - ranks[i - 1]);
        for (const Index row : {0, 1, 699}) {
          double log_s = file.arrays["intervals.intercept"].values[q];
          const auto nodes = file.arrays["intervals.biases"].values.size();
          for (std::size_t j = 0; j < nodes; ++j) {
            double z = file.arrays["intervals.biases"].values[j];
            for (std::size_t c = 0; c < 5; ++c)
              z += file.arrays["intervals.weights"].values[5 * j + c] * X(row, static_cast<Index>(c));
            log_s += file.arrays["intervals.output_weights"].values[2 * j + q] / (1 + std::exp(-z));
          }
          const double s = kind == kLocal ? std::exp(std::min(std::log(5.0), std::max(-std::log(5.0), log_s))) : 1;
          const auto column = static_cast<Index>(q);
          EXPECT_NEAR(p.high(row, column) - p.mean(row, column), s * w, 1e-9 * w) << level << ' ' << name(kind);
          EXPECT_NEAR(p.mean(row, column) - p.low(row, column), s * w, 1e-9 * w) << level << ' ' << name(kind);
        }
      }
    }
}

}  // namespace
}  // namespace sconet
