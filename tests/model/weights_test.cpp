// Weights of rows: k is as good as k copies, 0 as no row, to the bit, for every method and all that is learnt.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "data/row_choice.hpp"
#include "sconet/generators.hpp"
#include "sconet/metrics.hpp"
#include "sconet/model.hpp"
#include "support/message.hpp"
#include "support/tables.hpp"

namespace sconet {
namespace {

using testing::message;
using testing::mixed_options;
using testing::mixed_table;

// 0 for some rows, 1 to 3 for others.
std::vector<double> weights_for(Index rows) {
  std::vector<double> weights;
  for (Index i = 0; i < rows; ++i) weights.push_back(static_cast<double>(i * 7 % 4));
  return weights;
}

// Each row as often as its weight says, copies beside each other or all rows again and again.
std::vector<Index> copied_rows(const std::vector<double>& weights, bool beside) {
  std::vector<Index> rows;
  const auto n = static_cast<Index>(weights.size());
  if (beside) {
    for (Index i = 0; i < n; ++i)
      for (double k = 0; k < weights[static_cast<std::size_t>(i)]; ++k) rows.push_back(i);
    return rows;
  }
  for (Index i = 0; i < n; ++i)
    if (weights[static_cast<std::size_t>(i)] > 0) rows.push_back(i);
  for (double k = 1; k < 3; ++k)
    for (Index i = 0; i < n; ++i)
      if (weights[static_cast<std::size_t>(i)] > k) rows.push_back(i);
  return rows;
}

Table rows_of(const Table& table, const std::vector<Index>& rows) {
  Table picked = table;
  picked.rows = static_cast<Index>(rows.size());
  picked.lines.clear();
  for (Column& column : picked.columns) {
    Column source = column;
    column.numbers.clear();
    column.codes.clear();
    for (const Index row : rows)
      if (column.type == ColumnType::number)
        column.numbers.push_back(source.numbers[static_cast<std::size_t>(row)]);
      else
        column.codes.push_back(source.codes[static_cast<std::size_t>(row)]);
  }
  return picked;
}

std::vector<FitOptions> ways_to_fit() {
  std::vector<FitOptions> ways;
  const auto add = [&](auto&& change) {
    FitOptions o = mixed_options();
    o.columns.targets = {"y"};
    o.columns.ignore = {"z"};
    o.valid_fraction = 0;
    o.intervals = o.explain = true;
    change(o);
    ways.push_back(o);
  };
  add([](FitOptions&) {});
  add([](FitOptions& o) { o.valid_fraction = 0.3; });
  add([](FitOptions& o) { o.encoder.scaling = Scaling::both, o.encoder.missing = Missing::median; });
  add([](FitOptions& o) { o.train.method = Method::scn3, o.train.family = Family::cauchy, o.train.bias = Bias::row; });
  add([](FitOptions& o) { o.train.method = Method::scn1; });
  add([](FitOptions& o) { o.train.method = Method::rvfl; });
  add([](FitOptions& o) { o.train.ensemble = 5; });
  for (const std::int64_t ensemble : {1, 5})
    add([ensemble](FitOptions& o) {
      o.train = {};
      o.encoder = {};
      o.train.effort = Effort::quick;
      o.train.ensemble = ensemble;
    });
  return ways;
}

TEST(Weights, EqualCopiesToTheBit) {
  const Table table = mixed_table(90);
  const std::vector<double> weights = weights_for(table.rows);
  for (const FitOptions& options : ways_to_fit()) {
    FitExtras extras;
    extras.weights = weights;
    const Fitted weighted = Model::fit(table, options, extras);
    for (const bool beside : {true, false}) {
      const Table copied = rows_of(table, copied_rows(weights, beside));
      const Fitted copies = Model::fit(copied, options);
      EXPECT_EQ(weighted.model.predict(table), copies.model.predict(table)) << weighted.report.method;
      ASSERT_EQ(weighted.model.intervals().has_value(), copies.model.intervals().has_value());
      if (weighted.model.intervals()) {
        EXPECT_EQ(weighted.model.predict_interval(table, 0.5).low, copies.model.predict_interval(table, 0.5).low);
      }
      const Metrics &a = weighted.model.summary().train, &b = copies.model.summary().train;
      EXPECT_EQ(a.rmse, b.rmse);
      EXPECT_EQ(a.r, b.r);
      if (options.valid_fraction == 0) {
        EXPECT_EQ(b.rows, copied.rows);
        const Metrics plain = measure(copies.model.encoder().targets(copied, all_rows(copied)),
                                      copies.model.predict(copied));  // each copy counted
        EXPECT_NEAR(b.rmse, plain.rmse, 1e-12 * plain.rmse);
        EXPECT_NEAR(b.mae, plain.mae, 1e-12 * plain.mae);
        EXPECT_NEAR(b.r2, plain.r2, 1e-12);
      }
    }
  }
}

TEST(Weights, ZeroIsAsIfTheRowWereNotThere) {
  const Table table = mixed_table(90);
  std::vector<double> weights(90, 1);
  std::vector<Index> left;
  for (Index i = 0; i < 90; ++i) (i % 3 == 1 ? void(weights[static_cast<std::size_t>(i)] = 0) : left.push_back(i));
  for (const FitOptions& options : ways_to_fit()) {
    FitExtras extras;
    extras.weights = weights;
    const std::string bytes = Model::fit(table, options, extras).model.to_bytes();
    EXPECT_EQ(bytes, Model::fit(rows_of(table, left), options).model.to_bytes());
  }
}

TEST(Weights, OfOneSizeAreNoWeights) {
  const Table table = mixed_table(60);
  const auto bytes = [&](double weight) {
    FitExtras extras;
    extras.weights.assign(60, weight);
    return Model::fit(table, mixed_options(), extras).model.to_bytes();
  };
  EXPECT_EQ(bytes(1), Model::fit(table, mixed_options()).model.to_bytes());
  EXPECT_EQ(bytes(0.3), bytes(1e300));  // as of rows in the order of their cells
  EXPECT_EQ(bytes(0.3), bytes(2));
}

// Members of an ensemble and folds leave out rows by their place.
TEST(Weights, DoNotDependOnWhereTheRowsAre) {
  const Table table = mixed_table(60);
  Table shuffled = table;
  FitExtras in_order, in_disorder;
  for (Index i = 0; i < 60; ++i) in_order.weights.push_back(static_cast<double>(i % 4));
  in_disorder.weights.resize(60);
  for (Index i = 0; i < 60; ++i) {
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(i * 7 % 60);
    in_disorder.weights[to] = in_order.weights[from];
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].type == ColumnType::number)
        shuffled.columns[c].numbers[to] = table.columns[c].numbers[from];
      else
        shuffled.columns[c].codes[to] = table.columns[c].codes[from];
    }
  }
  for (const FitOptions& options : ways_to_fit())
    EXPECT_EQ(Model::fit(table, options, in_order).model.to_bytes(),
              Model::fit(shuffled, options, in_disorder).model.to_bytes());
}

TEST(Weights, PullTheFitTowardsHeavyRows) {
  const Table table = parse_table("x,y\n0,0\n0,1\n1,5\n1,7\n2,1\n2,0\n");
  FitOptions options;
  options.columns.targets = {"y"};
  options.train.method = Method::rmpi;
  options.train.max_nodes = 3;
  options.train.intercept = true;
  FitExtras extras;
  extras.weights = {1, 3, 1, 1, 0.25, 0.75};
  const Eigen::MatrixXd P = Model::fit(table, options, extras).model.predict(table);
  EXPECT_NEAR(P(0, 0), 0.75, 1e-9);  // the weighted means of rows with one x
  EXPECT_NEAR(P(2, 0), 6, 1e-9);
  EXPECT_NEAR(P(4, 0), 0.25, 1e-9);
}

TEST(Weights, ThatMakeNoSenseAreRefused) {
  const Table table = mixed_table(30);
  const auto problem = [&](std::vector<double> weights) {
    FitExtras extras;
    extras.weights = std::move(weights);
    return message<std::invalid_argument>([&] { Model::fit(table, mixed_options(), extras); });
  };
  EXPECT_EQ(problem({1, 2}), "there are 2 weights for 30 rows: expected one for each");
  EXPECT_EQ(problem(std::vector<double>(30, 0)), "weights are all zero: no row is left to learn from");
  std::vector<double> weights(30, 1);
  weights[4] = -1;
  EXPECT_EQ(problem(weights), "weight -1 of row 4 (counted from 0): a weight is a finite number, zero or more");
  weights[4] = std::nan("");
  EXPECT_NE(problem(weights).find("weight nan of row 4"), std::string::npos);
}

TEST(Weights, EncodersCountThem) {
  const Table table = parse_table("x,y\n0,1\n1,2\n5,4\n9,3\nNA,2\n"),
              copied = parse_table("x,y\n0,1\n0,1\n0,1\n1,2\n5,4\n5,4\n9,3\nNA,2\n");
  const std::vector<double> weights = {3, 1, 2, 1, 1};
  for (const Scaling scaling : {Scaling::unit, Scaling::standard, Scaling::quantile, Scaling::both})
    for (const Missing missing : {Missing::mean, Missing::median}) {
      EncoderOptions options;
      options.scaling = scaling;
      options.missing = missing;
      options.quantiles = 5;
      std::vector<std::string> warnings;
      const ColumnChoice choice{.targets = {"y"}, .ignore = {}, .ids = {}};
      const Encoder a = Encoder::fit(table, choice, options, all_rows(table), warnings, weights),
                    b = Encoder::fit(copied, choice, options, all_rows(copied), warnings);
      const Eigen::MatrixXd Xa = a.inputs(table, all_rows(table)), Xb = b.inputs(table, all_rows(table));
      EXPECT_LT((Xa - Xb).cwiseAbs().maxCoeff(), 1e-14) << static_cast<int>(scaling);
      EXPECT_NEAR(a.targets()[0].offset, b.targets()[0].offset, 1e-15);
      EXPECT_NEAR(a.targets()[0].scale, b.targets()[0].scale, 1e-15);
    }
}

TEST(DistinctRows, AreTheFirstOfEachKind) {
  const Table table = parse_table("id,a,t,y\n1,0,u,1\n2,-0,u,1\n3,NA,u,1\n4,0,v,1\n5,NA,u,1\n6,0,u,2\n7,0,u,1\n");
  const ColumnChoice choice{.targets = {"y"}, .ignore = {}, .ids = {"id"}};
  const DistinctRows rows = distinct_rows(table, choice, all_rows(table), {});
  // In the order of their cells, a then t then y, what is missing last.
  EXPECT_EQ(rows.rows, (std::vector<Index>{0, 5, 3, 2}));
  EXPECT_EQ(rows.weights, (std::vector<double>{3, 1, 1, 2}));
  EXPECT_EQ(rows.copies, (std::vector<Index>{3, 1, 1, 2}));
  // With its identifier every row is another.
  const DistinctRows all = distinct_rows(table, {.targets = {"y"}, .ignore = {}, .ids = {}}, all_rows(table), {});
  EXPECT_EQ(all.rows, all_rows(table));
  EXPECT_TRUE(all.weights.empty());
  EXPECT_TRUE(all.copies.empty());
}

// --- the network of every size
// ------------------------------------------------------------------------------------------
TEST(Stages, LeaveTheErrorsOfTheHistory) {
  const Table table = mixed_table(120);
  for (FitOptions options : ways_to_fit()) {
    options.intervals = options.explain = false;
    FitExtras extras;
    extras.keep_stages = true;
    const Fitted fitted = Model::fit(table, options, extras);
    const TrainReport& report = fitted.report;
    ASSERT_EQ(report.stages.size(), static_cast<std::size_t>(report.network_step)) << report.method;
    if (options.valid_fraction > 0) continue;  // the rows that taught are not known here
    const Encoder& encoder = fitted.model.encoder();
    const Eigen::MatrixXd X = encoder.inputs(table, all_rows(table)), H = fitted.model.network().hidden(X);
    const Eigen::MatrixXd Y = encoder.scale_targets(encoder.targets(table, all_rows(table)));
    for (std::size_t k = 0; k < report.stages.size(); ++k) {
      const Stage& stage = report.stages[k];
      const Index nodes = report.history[k].nodes;
      ASSERT_EQ(stage.output_weights.rows(), nodes);
      const Eigen::MatrixXd P = (H.leftCols(nodes) * stage.output_weights).rowwise() + stage.intercept;
      const double rmse = std::sqrt((Y - P).squaredNorm() / 120) * encoder.targets()[0].scale;
      EXPECT_NEAR(rmse, report.history[k].train_rmse, 1e-6 * report.initial_rmse) << report.method << " stage " << k;
    }
    EXPECT_EQ(report.stages.back().output_weights, fitted.model.network().output_weights());
    EXPECT_EQ(report.stages.back().intercept, fitted.model.network().intercept());
  }
}

TEST(Stages, AreNotKeptUnlessAskedFor) {
  EXPECT_TRUE(Model::fit(mixed_table(60), mixed_options()).report.stages.empty());
}

TEST(Trials, AreToldOneByOne) {
  FitOptions options;
  options.columns.targets = {"y"};
  options.columns.ids = {"name"};
  options.train.effort = Effort::quick;
  std::vector<std::pair<int, Index>> told;  // round and how many so far
  Index trials = 0;
  FitExtras extras;
  extras.on_trial = [&](const TrialProgress& progress) {
    told.emplace_back(progress.trial.round, progress.tried);
    trials = progress.trials;
    EXPECT_EQ(progress.rounds, 2);
    EXPECT_LE(progress.tried, progress.trials);
    EXPECT_GT(progress.trial.rmse, 0);
    EXPECT_FALSE(progress.trial.scaling.empty());
  };
  const Fitted fitted = Model::fit(mixed_table(150), options, extras);
  ASSERT_EQ(told.size(), fitted.report.trials.size());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back().second, trials);
}

}  // namespace
}  // namespace sconet
