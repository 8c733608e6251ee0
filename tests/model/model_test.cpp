// From a table to predictions, through a file and back.

#include "sconet/model.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "sconet/cross_validation.hpp"
#include "sconet/errors.hpp"
#include "sconet/generators.hpp"
#include "sconet/train.hpp"
#include "support/folder.hpp"
#include "support/message.hpp"
#include "support/tables.hpp"

namespace sconet {
namespace {

using testing::Folder;
using testing::message;
using testing::mixed_options;
using testing::mixed_table;

Table table_of(const Dataset& data) {
  Eigen::MatrixXd all(data.X.rows(), data.X.cols() + 1);
  all << data.X, data.Y;
  std::vector<std::string> names;
  for (Index k = 0; k < data.X.cols(); ++k) names.push_back(fmt::format("x{}", k + 1));
  names.emplace_back("y");
  return make_table(all, names);
}

FitOptions simple() {
  FitOptions o;
  o.train.method = Method::rmpi;
  o.columns.targets = {"y"};
  o.train.max_nodes = 20;
  o.train.candidates = 30;
  return o;
}

TEST(Model, LearnsInTheTargetsOwnUnit) {
  Dataset data = generate_friedman(400, 3, 0);
  data.Y = (data.Y.array() * 1e6 + 5e7).matrix();
  const Table table = table_of(data);
  const Fitted fitted = Model::fit(table, simple());
  const Metrics& train = fitted.model.summary().train;
  const Eigen::MatrixXd P = fitted.model.predict(table);
  EXPECT_NEAR(train.rmse, (P - data.Y).norm() / 20, 1e-6 * train.rmse);
  EXPECT_NEAR(fitted.model.summary().train_rmse.back(), train.rmse, 1e-6 * train.rmse);
  EXPECT_NEAR(fitted.report.train_rmse, train.rmse, 1e-6 * train.rmse);
  EXPECT_GT(train.r2, 0.9);
  EXPECT_GT(train.rmse, 1e4);
}

TEST(Model, ToleranceIsInTheTargetsOwnUnit) {
  Dataset data = generate_friedman(400, 3, 0);
  data.Y *= 1000;
  FitOptions options = simple();
  options.train.max_nodes = 200;
  options.train.tolerance = 2000;
  const Fitted fitted = Model::fit(table_of(data), options);
  EXPECT_EQ(fitted.report.stop_reason, StopReason::tolerance);
  EXPECT_LE(fitted.model.summary().train.rmse, 2000 * (1 + 1e-9));
  EXPECT_GT(fitted.model.summary().train.rmse, 500);
}

TEST(Model, RoundTripGivesTheSameBits) {
  const Folder folder;
  const Table table = mixed_table(300), later = mixed_table(100, 9);
  const Model model = Model::fit(table, mixed_options()).model;
  model.save(folder / "m.sconet");
  const Model loaded = Model::load(folder / "m.sconet");
  EXPECT_EQ(model.predict(later), loaded.predict(later));
  EXPECT_EQ(loaded.to_bytes(), model.to_bytes());
  EXPECT_EQ(loaded.to_bytes(), testing::bytes_of(folder / "m.sconet"));
  EXPECT_EQ(Model::from_bytes(model.to_bytes()).predict(later), model.predict(later));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"m.sconet"});
  EXPECT_EQ(loaded.summary().valid->rmse, model.summary().valid->rmse);
  EXPECT_EQ(loaded.summary().train_rmse, model.summary().train_rmse);
  EXPECT_EQ(option_text(loaded.options(), "max_nodes"), "12");
  EXPECT_EQ(loaded.encoder().input_names(), model.encoder().input_names());
}

TEST(Model, TheSameBytesForAnyNumberOfThreads) {
  const Table table = mixed_table(700);
  FitOptions options = mixed_options();
  std::string bytes;
  for (const std::int64_t threads : {1, 2, 5}) {
    options.train.threads = threads;
    const std::string these = Model::fit(table, options).model.to_bytes();
    if (bytes.empty()) bytes = these;
    EXPECT_EQ(bytes, these);
  }
}

TEST(Model, ARowPredictsTheSameAloneAndInAMillion) {
  const Table table = table_of(generate_friedman(200, 5));
  FitOptions options = simple();
  options.train.max_nodes = 7;
  options.encoder.scaling = Scaling::standard;
  const Model model = Model::fit(table, options).model;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor X = testing::random_matrix(1'000'000, 5, 77);
  const Eigen::MatrixXd all = model.predict(X, 2);
  for (const Index row : {0, 1, 127, 128, 2047, 2048, 500'001, 999'999}) {
    const Eigen::MatrixXd alone = model.predict(Eigen::MatrixXd(X.row(row)));
    EXPECT_EQ(alone(0, 0), all(row, 0)) << row;
  }
  EXPECT_EQ(model.predict(X.topRows(5000), 1), all.topRows(5000));
}

TEST(Model, TablesAndMatricesPredictTheSame) {
  const Dataset data = generate_friedman(300, 5);
  const Table table = table_of(data);
  const Model model = Model::fit(table, simple()).model;
  EXPECT_EQ(model.predict(table), model.predict(data.X));
  EXPECT_EQ(message<std::invalid_argument>([&] { model.predict(data.Y); }), "X has 1 columns and the model takes 5");
  Eigen::MatrixXd bad = data.X;
  bad(3, 2) = INFINITY;
  EXPECT_EQ(message<std::invalid_argument>([&] { model.predict(bad); }),
            "X in row 3, column 2 (counted from 0) is infinite here: remove the row or fill in a number");
  const Model mixed = Model::fit(mixed_table(100), mixed_options()).model;
  EXPECT_EQ(message<std::invalid_argument>([&] { mixed.predict(Eigen::MatrixXd(1, 4)); }),
            "column 'grade' of the model is text: give a table instead of a matrix");
}

TEST(Model, AnEmptyTablePredictsNothing) {
  const Model model = Model::fit(table_of(generate_friedman(100, 5)), simple()).model;
  EXPECT_EQ(model.predict(Eigen::MatrixXd(0, 5)).rows(), 0);
}

TEST(Model, ValidationRowsDoNotTeach) {
  // The encoder's range must come from the training rows alone: the extreme row is a validation row for some seeds.
  Dataset data = generate_friedman(60, 5);
  data.X(7, 0) = 1e6;
  FitOptions options = simple();
  options.valid_fraction = 0.5;
  bool seen_both[2] = {false, false};
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    options.train.seed = seed;
    const Fitted fitted = Model::fit(table_of(data), options);
    EXPECT_EQ(fitted.model.summary().train.rows, 30);
    EXPECT_EQ(fitted.model.summary().valid->rows, 30);
    seen_both[fitted.model.encoder().columns()[0].scale > 2 ? 0 : 1] = true;
  }
  EXPECT_TRUE(seen_both[0] && seen_both[1]);
}

TEST(Model, ValidationRowsOfTheirOwn) {
  const Table table = table_of(generate_friedman(300, 5)), valid = table_of(generate_friedman(100, 6));
  FitExtras extras;
  extras.valid = &valid;
  const Fitted fitted = Model::fit(table, simple(), extras);
  EXPECT_EQ(fitted.model.summary().train.rows, 300);
  EXPECT_EQ(fitted.model.summary().valid->rows, 100);
  const Metrics again = measure(fitted.model.encoder().targets(valid, all_rows(valid)), fitted.model.predict(valid));
  EXPECT_EQ(fitted.model.summary().valid->rmse, again.rmse);
  FitOptions both = simple();
  both.valid_fraction = 0.2;
  EXPECT_THROW(Model::fit(table, both, extras), std::invalid_argument);
}

TEST(Model, ValidationRowsMayBeNamed) {
  const Dataset all = generate_friedman(400, 5);
  const Table table = table_of(all), first = table_of({all.X.topRows(300), all.Y.topRows(300)}),
              last = table_of({all.X.bottomRows(100), all.Y.bottomRows(100)});
  FitExtras named, apart;
  named.rows.emplace();
  for (Index i = 0; i < 400; ++i) (i < 300 ? *named.rows : named.valid_rows).push_back(i);
  apart.valid = &last;
  EXPECT_EQ(Model::fit(table, simple(), named).model.to_bytes(), Model::fit(first, simple(), apart).model.to_bytes());
  named.valid = &last;
  EXPECT_EQ(message<std::invalid_argument>([&] { Model::fit(table, simple(), named); }),
            "validation rows come from one place: a table of their own, a share of the rows, or rows that are named");
}

// A column that is text in training is text in the validation table too, whatever it looks like there.
TEST(Model, ValidationTablesHaveTheTypesOfTraining) {
  const Table table = parse_table("c,y\n01,1\nA,2\n02,3\nB,4\nA,2\nB,4\n", "train.csv");
  const Table valid = parse_table("c,y\n01,1\n02,3\n", "valid.csv", table.same_types({}));
  EXPECT_EQ(valid.columns[0].type, ColumnType::text);
  FitExtras extras;
  extras.valid = &valid;
  FitOptions options = simple();
  options.train.max_nodes = 4;
  const Fitted fitted = Model::fit(table, options, extras);
  EXPECT_TRUE(fitted.warnings.empty()) << fitted.warnings[0];
}

TEST(Model, RowsThatAreLeftOutMayHaveAnything) {
  FitOptions options = simple();
  options.encoder.missing = Missing::refuse;
  const Table table = parse_table("a,y\n1,1\ninf,\n3,3\n,NA\n5,5\n6,6\n", "data.csv");
  EXPECT_EQ(Model::fit(table, options).model.summary().train.rows, 4);
}

TEST(Model, BadCellsAreNamedTheSameForAnyNumberOfThreads) {
  const Model model = Model::fit(table_of(generate_friedman(100, 2)), simple()).model;
  Eigen::MatrixXd X = testing::random_matrix(20'000, 5, 3);
  for (const Index row : {19'999, 7'000, 3}) X(row, 2) = INFINITY;
  X(12'000, 1) = -INFINITY;
  for (const std::int64_t threads : {1, 2, 3})
    EXPECT_EQ(message<std::invalid_argument>([&] { model.predict(X, threads); }),
              "X in row 12000, column 1 (counted from 0) is infinite here: remove the row or fill in a number");
}

TEST(Model, RowsWithoutATargetAreLeftOut) {
  const Table table = parse_table("a,y\n1,1\n2,\n3,3\n4,NA\n5,5\n6,6\n", "data.csv");
  const Fitted fitted = Model::fit(table, simple());
  EXPECT_EQ(fitted.model.summary().train.rows, 4);
  EXPECT_EQ(fitted.warnings, std::vector<std::string>{"2 rows without a target left out"});
}

TEST(Model, AConstantTargetIsLearntExactly) {
  const Fitted fitted = Model::fit(parse_table("a,y\n1,7\n2,7\n3,7\n"), simple());
  EXPECT_EQ(fitted.report.stop_reason, StopReason::exact_fit);
  EXPECT_EQ(fitted.model.network().nodes(), 0);
  EXPECT_EQ(fitted.model.predict(Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, 99)))(0, 0), 7);
}

TEST(Model, SmallestTables) {
  EXPECT_EQ(Model::fit(parse_table("a,y\n1,7\n2,8\n"), simple()).model.summary().train.rows, 2);
  EXPECT_EQ(message<DataError>([] { Model::fit(parse_table("a,y\n1,7\n", "t.csv"), simple()); }),
            "t.csv: no input column is left beside the target (constant columns do not count)");
  FitOptions options = simple();
  options.valid_fraction = 0.1;
  EXPECT_EQ(message<DataError>([&] { Model::fit(parse_table("a,y\n1,7\n2,8\n", "t.csv"), options); }),
            "t.csv: 2 rows are too few to keep 0.1 of them for validation");
}

// --- checkpoints
// -------------------------------------------------------------------------------------------------------

TEST(Checkpoint, AnInterruptedFitGoesOnToTheSameBytes) {
  const Folder folder;
  const Table table = mixed_table(300);
  const std::string whole = Model::fit(table, mixed_options()).model.to_bytes();
  for (const Index stop_at : {1, 5, 11}) {
    std::stop_source source;
    FitExtras extras;
    extras.checkpoint = folder / "c";
    extras.checkpoint_every = 0;
    extras.stop = source.get_token();
    extras.on_node = [&](const NodeRecord& node) {
      if (node.nodes == stop_at) source.request_stop();
    };
    const Fitted stopped = Model::fit(table, mixed_options(), extras);
    EXPECT_EQ(stopped.report.stop_reason, StopReason::interrupted);
    EXPECT_EQ(static_cast<Index>(stopped.report.history.size()), stop_at);
    FitExtras again;
    again.checkpoint = folder / "c";
    again.resume = true;
    Index fresh = 0;
    again.on_node = [&](const NodeRecord&) { ++fresh; };
    const Fitted resumed = Model::fit(table, mixed_options(), again);
    EXPECT_EQ(resumed.model.to_bytes(), whole);
    EXPECT_EQ(fresh, static_cast<Index>(resumed.report.history.size()) - stop_at);
  }
}

#if defined(SCONET_WITH_LBFGSPP)
TEST(Model, OfAnMlpIsSavedLoadedAndNotResumed) {
  const Folder folder;
  const Table table = mixed_table(300);
  FitOptions options = mixed_options();
  options.train.method = Method::mlp;
  options.train.max_nodes = 6;
  options.train.iterations = 30;
  const Fitted fitted = Model::fit(table, options);
  EXPECT_EQ(fitted.model.network().nodes(), 6);
  EXPECT_EQ(fitted.model.summary().method, "MLP-BP");
  EXPECT_EQ(fitted.model.summary().train_rmse.size(), fitted.report.history.size() + 1);
  fitted.model.save(folder / "m");
  const Model loaded = Model::load(folder / "m");
  EXPECT_EQ(loaded.to_bytes(), fitted.model.to_bytes());
  EXPECT_EQ(loaded.summary().stop_reason, fitted.report.stop_reason);
  EXPECT_EQ(loaded.options().iterations, 30);
  EXPECT_EQ(loaded.predict(table), fitted.model.predict(table));
  FitExtras extras;
  extras.checkpoint = folder / "c";
  EXPECT_EQ(testing::message<std::invalid_argument>([&] { Model::fit(table, options, extras); }),
            "the MLP cannot be resumed: train it without a checkpoint");
}
#endif

TEST(Checkpoint, IsWrittenWhileTrainingRuns) {
  const Folder folder;
  FitExtras extras;
  extras.checkpoint = folder / "c";
  extras.checkpoint_every = 0;
  Index before = 0;
  extras.on_node = [&](const NodeRecord& node) {
    if (node.nodes > 1) before += std::filesystem::exists(folder / "c");
  };
  const Fitted fitted = Model::fit(table_of(generate_friedman(100, 2)), simple(), extras);
  EXPECT_EQ(before, static_cast<Index>(fitted.report.history.size()) - 1);
}

TEST(Checkpoint, RefusesOtherOptionsAndOtherData) {
  const Folder folder;
  const Table table = table_of(generate_friedman(100, 2)), other = table_of(generate_friedman(100, 3));
  FitExtras extras;
  extras.checkpoint = folder / "c";
  Model::fit(table, simple(), extras);
  extras.resume = true;
  FitOptions options = simple();
  options.train.candidates = 31;
  EXPECT_EQ(message<std::invalid_argument>([&] { Model::fit(table, options, extras); }),
            folder / "c" + " cannot be resumed: candidates was 30 then and is 31 now");
  EXPECT_NE(message<std::invalid_argument>([&] {
              Model::fit(other, simple(), extras);
            }).find("the data, the options or the instruction level are not the same"),
            std::string::npos);
  folder.write("c", "no checkpoint");
  EXPECT_THROW(Model::fit(table, simple(), extras), ModelFileError);
  Model::fit(table, simple()).model.save(folder / "c");
  EXPECT_EQ(message<ModelFileError>([&] { Model::fit(table, simple(), extras); }),
            folder / "c" + ": is a sconet file but no checkpoint");
}

TEST(Checkpoint, ALargerNetworkGrowsOnFromASmallerOne) {
  const Folder folder;
  const Table table = table_of(generate_friedman(100, 2));
  FitExtras extras;
  extras.checkpoint = folder / "c";
  Model::fit(table, simple(), extras);
  extras.resume = true;
  FitOptions larger = simple();
  larger.train.max_nodes = 30;
  EXPECT_EQ(Model::fit(table, larger, extras).model.to_bytes(), Model::fit(table, larger).model.to_bytes());
}

// A smaller network on the way does not cost the larger one.
TEST(Checkpoint, ASmallerNetworkLeavesTheCheckpointOfALargerOne) {
  const Folder folder;
  const Table table = table_of(generate_friedman(100, 2));
  FitExtras extras;
  extras.checkpoint = folder / "c";
  const std::string whole = Model::fit(table, simple(), extras).model.to_bytes();
  const std::string checkpoint = testing::bytes_of(folder / "c");
  extras.resume = true;
  FitOptions smaller = simple();
  smaller.train.max_nodes = 7;
  EXPECT_EQ(Model::fit(table, smaller, extras).model.to_bytes(), Model::fit(table, smaller).model.to_bytes());
  smaller.train.max_nodes = 20;
  smaller.train.tolerance = 3;
  Model::fit(table, smaller, extras);
  EXPECT_EQ(testing::bytes_of(folder / "c"), checkpoint);
  Index fresh = 0;
  extras.on_node = [&](const NodeRecord&) { ++fresh; };
  EXPECT_EQ(Model::fit(table, simple(), extras).model.to_bytes(), whole);
  EXPECT_EQ(fresh, 0);
}

TEST(Checkpoint, ThatCannotBeWrittenDoesNotCostTheModel) {
  FitExtras extras;
  extras.checkpoint = "/dev/full";
  extras.checkpoint_every = 0;
  const Fitted fitted = Model::fit(table_of(generate_friedman(100, 2)), simple(), extras);
  EXPECT_EQ(fitted.model.network().nodes(), 20);
  EXPECT_NE(fitted.checkpoint_error.find("/dev/full"), std::string::npos);
}

// --- memory
// ------------------------------------------------------------------------------------------------------------

TEST(Memory, LimitIsSaidBeforeTraining) {
  const Table table = table_of(generate_friedman(20'000, 2));
  FitExtras extras;
  extras.memory_limit = 20'000'000;
  FitOptions options = simple();
  options.train.max_nodes = 500;
  const std::string said = message<MemoryLimitError>([&] { Model::fit(table, options, extras); });
  EXPECT_NE(said.find("training 20000 rows with 5 inputs and up to 500 nodes would take about "), std::string::npos);
  EXPECT_NE(said.find("and the limit is 20 MB: allow fewer nodes (--max-nodes "), std::string::npos);
  // The advice is good.
  options.train.max_nodes = std::stoll(said.substr(said.find("--max-nodes ") + 12));
  EXPECT_GT(options.train.max_nodes, 8);
  options.train.candidates = 1;
  options.train.scales = {1};
  EXPECT_NO_THROW(Model::fit(table, options, extras));
}

// Not under sanitizers, which keep memory of their own beside the program's.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Memory, EstimateIsNearTheTruth) {
  for (const auto& [rows, valid_rows, d, nodes] :
       {std::tuple<Index, Index, Index, Index>{150'000, 0, 4, 64}, {60'000, 40'000, 12, 96}}) {
    const int child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const testing::Problem p = testing::smooth_problem(rows, d, 1, 1),
                             v = testing::smooth_problem(valid_rows, d, 1, 2);
      rusage before{}, after{};
      getrusage(RUSAGE_SELF, &before);
      TrainOptions options;
      options.method = Method::rmpi;
      options.max_nodes = nodes;
      options.candidates = 8;
      options.scales = {3};
      options.patience = 0;
      const auto result = train(p.X, p.Y, options, {.X_valid = v.X, .Y_valid = v.Y});
      getrusage(RUSAGE_SELF, &after);
      const auto taken = static_cast<double>(after.ru_maxrss - before.ru_maxrss) * 1024;
      const auto estimate = static_cast<double>(training_memory(rows, d, 1, valid_rows, options));
      fprintf(stderr, "estimate %.0f MB, taken %.0f MB\n", estimate / 1e6, taken / 1e6);
      _exit(static_cast<Index>(result.report.history.size()) == nodes && taken < 1.1 * estimate &&
                    taken > 0.6 * estimate
                ? 0
                : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}
#endif

// --- cross-validation
// --------------------------------------------------------------------------------------------------

TEST(CrossValidation, EveryRowIsHeldOutOnce) {
  const Table table = table_of(generate_friedman(103, 2));
  FitOptions options = simple();
  options.train.max_nodes = 5;
  Index rows = 0;
  for (Index fold = 0; fold < 5; ++fold) {
    const FoldResult result = cross_validate_fold(table, options, fold, 5);
    EXPECT_EQ(result.train.rows + result.test.rows, 103);
    EXPECT_EQ(result.nodes, 5);
    rows += result.test.rows;
  }
  EXPECT_EQ(rows, 103);
  EXPECT_THROW(cross_validate_fold(table, options, 5, 5), std::invalid_argument);
  EXPECT_THROW(cross_validate_fold(table, options, 0, 104), DataError);
}

// A fold's score is that of a model fitted to the other rows alone, encoder and all.
TEST(CrossValidation, HeldOutRowsTeachNothing) {
  Dataset data = generate_friedman(40, 2);
  const Table table = table_of(data);
  const FoldResult before = cross_validate_fold(table, simple(), 0, 4);
  // Changing held-out inputs wildly must leave the training error as it was, to the bit.
  bool changed_some = false;
  for (Index row = 0; row < 40; ++row) {
    Dataset other = data;
    other.X(row, 0) = 1e3;
    const FoldResult after = cross_validate_fold(table_of(other), simple(), 0, 4);
    if (after.train.rmse == before.train.rmse) {
      changed_some = true;
      EXPECT_NE(after.test.rmse, before.test.rmse);
    }
  }
  EXPECT_TRUE(changed_some);
}

}  // namespace
}  // namespace sconet
