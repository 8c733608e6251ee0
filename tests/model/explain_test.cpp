// What an explanation says of models whose columns' parts are known, and that it is what the obvious way gives.

#include "sconet/explain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernels/philox.hpp"
#include "model/container.hpp"
#include "sconet/errors.hpp"
#include "sconet/model.hpp"
#include "support/message.hpp"
#include "support/tables.hpp"

namespace sconet {
namespace {

using testing::message;

Explanation explained(const Model& model, const Table& table, std::uint64_t seed = 1, std::int64_t threads = 1) {
  ExplainOptions options;
  options.seed = seed;
  options.threads = threads;
  return explain(model, table, options);
}

const Importance& importance(const Explanation& explanation, const std::string& column) {
  for (const Importance& i : explanation.importance)
    if (i.column == column) return i;
  throw std::out_of_range(column);
}

const Effect& effect(const Explanation& explanation, const std::string& column) {
  for (const Effect& e : explanation.effects)
    if (e.column == column) return e;
  throw std::out_of_range(column);
}

// y = 5 - 3 a + b, as a table and as the model that knows it; c plays no part and d is constant.
Table linear_table(Index rows, std::uint64_t seed = 1) {
  Eigen::MatrixXd values = testing::random_matrix(rows, 5, seed);
  values.col(3).setConstant(7);
  values.col(4) = 5 - 3 * values.col(0).array() + values.col(1).array();
  return make_table(values, {"a", "b", "c", "d", "y"});
}

Model linear_model(const Table& table) {
  std::vector<std::string> warnings;
  Encoder encoder = Encoder::fit(table, {.targets = {"y"}}, {.scaling = Scaling::none}, all_rows(table), warnings);
  const TargetColumn target = encoder.targets().front();
  const Eigen::Vector3d slopes = Eigen::Vector3d(-3, 1, 0) / target.scale;
  const Eigen::RowVectorXd intercept = Eigen::RowVectorXd::Constant(1, (5 - target.offset) / target.scale);
  Network network(Eigen::MatrixXd(3, 0), Eigen::VectorXd(0), Eigen::MatrixXd(0, 1), intercept, Activation::sigmoid,
                  slopes);
  return {std::move(encoder), std::move(network), TrainOptions{}, 0, ModelSummary{}};
}

TEST(Explain, ImportanceIsInTheOrderOfTheCoefficients) {
  const Table table = linear_table(1500);
  const Explanation e = explained(linear_model(table), table);
  EXPECT_EQ(e.rows, 1500);
  EXPECT_NEAR(e.rmse, 0, 1e-12);
  ASSERT_EQ(e.importance.size(), 4U);
  // A model without error is off by slope * (x - another row's x), of variance 2 / 3.
  EXPECT_NEAR(importance(e, "a").mean, 3 * std::sqrt(2.0 / 3), 0.1);
  EXPECT_NEAR(importance(e, "b").mean, std::sqrt(2.0 / 3), 0.05);
  EXPECT_GT(importance(e, "a").std, 0);
  EXPECT_LT(importance(e, "a").std, 0.1);
  for (const char* idle : {"c", "d"}) {
    EXPECT_EQ(importance(e, idle).mean, 0) << idle;
    EXPECT_EQ(importance(e, idle).std, 0) << idle;
  }
}

TEST(Explain, TheEffectOfALinearModelIsALineWithItsSlope) {
  const Table table = linear_table(700);
  const Explanation e = explained(linear_model(table), table);
  ASSERT_EQ(e.effects.size(), 3U);  // the constant column has none
  for (const auto& [column, slope] : {std::pair{"a", -3.0}, std::pair{"b", 1.0}, std::pair{"c", 0.0}}) {
    const Effect& line = effect(e, column);
    ASSERT_EQ(line.at.size(), 20U);
    EXPECT_TRUE(line.levels.empty());
    for (std::size_t k = 1; k < line.at.size(); ++k) {
      EXPECT_GT(line.at[k], line.at[k - 1]);
      EXPECT_NEAR(line.mean(static_cast<Index>(k), 0) - line.mean(0, 0), slope * (line.at[k] - line.at[0]), 1e-12);
    }
  }
  // From the least to the largest cell.
  const std::vector<double>& a = table.columns[0].numbers;
  EXPECT_EQ(effect(e, "a").at.front(), *std::min_element(a.begin(), a.end()));
  EXPECT_EQ(effect(e, "a").at.back(), *std::max_element(a.begin(), a.end()));
}

// --- the obvious way: change the cells of a table and predict it
std::vector<std::size_t> shuffle(std::size_t n, std::uint64_t seed, std::size_t column, std::size_t repeat) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n - 1; i > 0; --i) {
    const auto u = philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(column),
                               static_cast<std::uint32_t>(repeat), 0x80000000U},
                              {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    std::swap(order[i], order[(std::uint64_t{u[1]} << 32 | u[0]) % (i + 1)]);
  }
  return order;
}

double scaled_rmse(const Model& model, const Table& table, const Eigen::MatrixXd& Y) {
  const Encoder& encoder = model.encoder();
  return measure(encoder.scale_targets(Y), encoder.scale_targets(model.predict(table))).rmse;
}

TEST(Explain, IsWhatShufflingTheCellsOfATableGives) {
  const Table table = testing::mixed_table(120);
  for (const char* scaling : {"unit", "quantile", "both"}) {
    FitOptions fit = testing::mixed_options();
    set_option(fit.encoder, "scaling", scaling);
    const Model model = Model::fit(table, fit).model;
    const Explanation e = explained(model, table, 42);
    const Eigen::MatrixXd Y = model.encoder().targets(table, all_rows(table));
    const double base = scaled_rmse(model, table, Y);
    EXPECT_NEAR(e.rmse, base, 1e-12 * base);
    const auto& columns = model.encoder().columns();
    ASSERT_EQ(e.importance.size(), columns.size());
    ASSERT_EQ(e.effects.size(), 3U);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      EXPECT_EQ(e.importance[c].column, columns[c].name);
      const Column& cells = table.columns[static_cast<std::size_t>(table.column(columns[c].name))];
      Table changed = table;
      Column& there = changed.columns[static_cast<std::size_t>(table.column(columns[c].name))];
      std::vector<double> rises;
      for (std::size_t repeat = 0; repeat < 5; ++repeat) {
        const auto order = shuffle(120, 42, c, repeat);
        for (std::size_t i = 0; i < 120; ++i) {
          if (cells.type == ColumnType::number) there.numbers[i] = cells.numbers[order[i]];
          if (cells.type == ColumnType::text) there.codes[i] = cells.codes[order[i]];
        }
        rises.push_back(scaled_rmse(model, changed, Y) - base);
      }
      const double mean = std::accumulate(rises.begin(), rises.end(), 0.0) / 5;
      double squares = 0;
      for (const double rise : rises) squares += (rise - mean) * (rise - mean);
      EXPECT_NEAR(e.importance[c].mean, mean, 1e-11) << columns[c].name;
      EXPECT_NEAR(e.importance[c].std, std::sqrt(squares / 5), 1e-11) << columns[c].name;
      if (!columns[c].used) continue;

      const Effect& of = effect(e, columns[c].name);
      const std::size_t points = of.at.size() + of.levels.size();
      ASSERT_EQ(static_cast<std::size_t>(of.mean.rows()), points);
      for (std::size_t k = 0; k < points; ++k) {
        if (cells.type == ColumnType::number) {
          std::fill(there.numbers.begin(), there.numbers.end(), of.at[k]);
        } else {
          const auto level = std::find(cells.levels.begin(), cells.levels.end(), of.levels[k]) - cells.levels.begin();
          std::fill(there.codes.begin(), there.codes.end(), static_cast<std::int32_t>(level));
        }
        const Eigen::RowVectorXd wanted = model.predict(changed).colwise().mean();
        for (Index q = 0; q < 2; ++q)
          EXPECT_NEAR(of.mean(static_cast<Index>(k), q), wanted[q], 1e-11 * (1 + std::abs(wanted[q])));
      }
    }
    EXPECT_EQ(effect(e, "grade").levels, (std::vector<std::string>{"high", "low", "mid"}));
    EXPECT_EQ(importance(e, "site").mean, 0);  // constant
  }
}

bool same(const Explanation& a, const Explanation& b) {
  bool same = a.rmse == b.rmse && a.rows == b.rows && a.importance.size() == b.importance.size() &&
              a.effects.size() == b.effects.size();
  for (std::size_t i = 0; same && i < a.importance.size(); ++i)
    same = a.importance[i].column == b.importance[i].column && a.importance[i].mean == b.importance[i].mean &&
           a.importance[i].std == b.importance[i].std;
  for (std::size_t i = 0; same && i < a.effects.size(); ++i)
    same = a.effects[i].column == b.effects[i].column && a.effects[i].at == b.effects[i].at &&
           a.effects[i].levels == b.effects[i].levels && a.effects[i].mean == b.effects[i].mean;
  return same;
}

TEST(Explain, DoesNotDependOnThreadsButOnTheSeed) {
  const Table table = testing::mixed_table(2500);
  const Model model = Model::fit(table, testing::mixed_options()).model;
  const Explanation one = explained(model, table);
  EXPECT_EQ(one.rows, 2000);
  for (const std::int64_t threads : {2, 3, 8}) EXPECT_TRUE(same(one, explained(model, table, 1, threads))) << threads;
  EXPECT_FALSE(same(one, explained(model, table, 2)));
}

TEST(Explain, RowsWithoutATargetAreLeftOut) {
  const Table table = linear_table(60);
  const Model model = linear_model(table);
  Table more = table;
  more.rows = 61;
  for (Column& column : more.columns) column.numbers.push_back(0.5);
  more.columns[4].numbers.back() = std::nan("");
  EXPECT_TRUE(same(explained(model, table), explained(model, more)));
  std::fill(more.columns[4].numbers.begin(), more.columns[4].numbers.end(), std::nan(""));
  EXPECT_EQ(message<DataError>([&] { explained(model, more); }), "the table: no row has a target to compare with");
}

TEST(Explain, BadInput) {
  const Table table = linear_table(60);
  const Model model = linear_model(table);
  const auto said = [&](auto&& change) {
    ExplainOptions options;
    change(options);
    return message<std::invalid_argument>([&] { explain(model, table, options); });
  };
  EXPECT_EQ(said([](auto& o) { o.repeats = 0; }), "repeats = 0: expected 1 <= repeats <= 10000");
  EXPECT_EQ(said([](auto& o) { o.threads = -1; }), "threads = -1: expected 0 <= threads <= 4096");
  EXPECT_EQ(said([](auto& o) { o.points = 1; }), "points = 1: expected 2 <= points <= 10000");
  EXPECT_NE(said([](auto& o) { o.max_rows = 0; }).find("max_rows = 0: expected 1 <= max_rows"), std::string::npos);
  Table poor = table;
  poor.columns.erase(poor.columns.begin());
  EXPECT_EQ(message<DataError>([&] { explained(model, poor); }), "the table lacks 1 column that the model needs: 'a'");
  poor = table;
  poor.columns.pop_back();
  EXPECT_THROW(explained(model, poor), DataError);
}

TEST(Explain, FewRowsAndRepeatedValues) {
  const Table table = parse_table("a,c,y\n1,u,1\n1,v,2\n2,u,3\n,v,4\n", "data.csv");
  FitOptions options;
  options.train.method = Method::rmpi;
  options.columns.targets = {"y"};
  options.train.max_nodes = 2;
  const Model model = Model::fit(table, options).model;
  const Explanation e = explained(model, table);
  EXPECT_EQ(effect(e, "a").at, (std::vector<double>{1, 2}));
  EXPECT_EQ(effect(e, "c").levels, (std::vector<std::string>{"u", "v"}));
  ExplainOptions none;
  none.effects = false;
  EXPECT_TRUE(explain(model, table, none).effects.empty());
  EXPECT_EQ(explain(model, table, none).importance[0].mean, e.importance[0].mean);
}

// --- in a model
FitOptions wide_options() {
  FitOptions options;
  options.train.method = Method::rmpi;
  options.columns.targets = {"last"};
  options.train.max_nodes = 8;
  options.train.candidates = 20;
  options.explain = true;
  return options;
}

TEST(Explain, FitKeepsItWhenAskedTo) {
  Eigen::MatrixXd values = testing::random_matrix(300, 31, 5);
  values.col(30) = (2 * values.col(20)).array() + values.col(3).array();
  const Table table = make_table(values);
  FitOptions options = wide_options();
  options.train.threads = 1;
  const Model model = Model::fit(table, options).model;
  ASSERT_TRUE(model.summary().explanation);
  const Explanation& e = *model.summary().explanation;
  EXPECT_EQ(e.rows, 300);
  EXPECT_NEAR(e.rmse, model.summary().train.rmse, 1e-12);
  EXPECT_EQ(e.importance.size(), 30U);
  EXPECT_EQ(e.effects.size(), 16U);
  for (const Effect& of : e.effects) EXPECT_EQ(of.at.size(), 12U);
  // The most important is among the kept.
  const auto most = std::max_element(e.importance.begin(), e.importance.end(),
                                     [](const auto& a, const auto& b) { return a.mean < b.mean; });
  EXPECT_EQ(most->column, "x21");
  EXPECT_EQ(effect(e, "x21").column, "x21");

  options.train.threads = 3;
  EXPECT_EQ(Model::fit(table, options).model.to_bytes(), model.to_bytes());
  options.explain = false;
  const Model plain = Model::fit(table, options).model;
  EXPECT_FALSE(plain.summary().explanation);
  EXPECT_EQ(plain.predict(table), model.predict(table));
  EXPECT_EQ(plain.to_bytes().find("explanation"), std::string::npos);
}

TEST(Explain, SavedAndLoaded) {
  FitOptions options = testing::mixed_options();
  options.explain = true;
  const Model model = Model::fit(testing::mixed_table(150), options).model;
  const std::string bytes = model.to_bytes();
  const Model loaded = Model::from_bytes(bytes, "m");
  ASSERT_TRUE(loaded.summary().explanation);
  EXPECT_TRUE(same(*loaded.summary().explanation, *model.summary().explanation));
  EXPECT_EQ(loaded.to_bytes(), bytes);

  const auto said = [&](const std::string& name, auto&& change) {
    Container container = parse_container(bytes, "m");
    change(container.arrays.at(name));
    return message<ModelFileError>([&] { Model::from_bytes(to_bytes(container), "m"); });
  };
  EXPECT_EQ(said("explanation.importance",
                 [](Array& a) {
                   a = {{2, 2}, {1, 2, 3, 4}};
                 }),
            "m: the array 'explanation.importance' does not have the shape it should have");
  EXPECT_EQ(said("explanation.effects", [](Array& a) { a.values[0] = 17; }),
            "m: effect 0 of the explanation has 12 values of column 17");
  EXPECT_EQ(said("explanation.effects", [](Array& a) { a.values[1] = 1e9; }),
            "m: effect 0 of the explanation has 1000000000 values of column 0");
  EXPECT_EQ(said("explanation.effects", [](Array& a) { a.values[1] = -1; }),
            "m: effect 0 of the explanation has -1 values of column 0");
  EXPECT_EQ(said("explanation.effects", [](Array& a) { a.values.back() -= 1; }),
            "m: the explanation has 1 values too many");
  EXPECT_EQ(said("explanation.effects", [](Array& a) { a.values[2] = 0; }),
            "m: effect 1 of the explanation has 12 values of column 0");
  EXPECT_EQ(said("explanation.at", [](Array& a) { a.values[1] = a.values[0]; }),
            "m: the explanation's values of column 'temp' do not rise");
  EXPECT_EQ(said("explanation.at", [](Array& a) { a.values.back() = 3; }),
            "m: the explanation tells of level 3 of column 'grade'");
  for (const char* name : {"explanation.importance", "explanation.effects", "explanation.at", "explanation.mean"}) {
    Container container = parse_container(bytes, "m");
    container.arrays.erase(name);
    EXPECT_EQ(message<ModelFileError>([&] { Model::from_bytes(to_bytes(container), "m"); }),
              std::string("m: the array '") + name + "' is missing");
  }
  // The explanation of another model is not saved with this one.
  ModelSummary other = model.summary();
  const auto refused = [&] {
    return message<std::invalid_argument>(
        [&] { Model(model.encoder(), model.network(), model.options(), 0, other).to_bytes(); });
  };
  other.explanation->importance.pop_back();
  EXPECT_EQ(refused(), "the model cannot be saved: its explanation is of other columns");
  other = model.summary();
  other.explanation->effects.back().levels.back() = "none";
  EXPECT_EQ(refused(), "the model cannot be saved: its explanation is of other columns");
}

}  // namespace
}  // namespace sconet
