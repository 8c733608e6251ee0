// The study: its sets, its methods, its runs, and that they can be interrupted, repeated and trusted.

#include "study/study.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>

#include "io/file.hpp"
#include "io/sha256.hpp"
#include "sconet/errors.hpp"
#include "sconet/generators.hpp"
#include "sconet/train.hpp"
#include "study/paper.hpp"
#include "study/tables.hpp"
#include "support/folder.hpp"
#include "support/message.hpp"

namespace sconet::study {
namespace {

using testing::Folder;
using testing::message;

std::string small_csv(Index rows = 60) {
  const Dataset data = generate_friedman(rows, 3, 0.1);
  std::string text = "a,b,c,d,e,y\n";
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < 5; ++k) text += std::to_string(data.X(i, k)) + ',';
    text += std::to_string(data.Y(i, 0)) + '\n';
  }
  return text;
}

StudySet small_set(const Folder& folder, const std::string& name = "small.csv", Index rows = 60) {
  SetSource source;
  source.target = "y";
  return load_set(folder.write(name, small_csv(rows)), source);
}

StudyOptions quick_options(int jobs = 1) {
  StudyOptions options;
  options.methods = {{parse_method("rmpi:max_nodes=4:candidates=8:ridge=0")},
                     {parse_method("rvfl:max_nodes=5:ridge=0")}};
  options.runs = 3;
  options.tuning = 2;
  options.jobs = jobs;
  return options;
}

// Everything of a run but the clock.
std::string without_clock(Run run) {
  run.seconds = 0;
  return to_line(run);
}

std::vector<std::string> all_runs(const Results& results) {
  std::vector<std::string> lines;
  for (const Cell& cell : results.cells)
    for (const Run& run : cell.runs) lines.push_back(without_clock(run));
  return lines;
}

// --- sets
TEST(Sets, ThePapersSizes) {
  const StudySet db1 = load_set("db1", {}), db2 = load_set("DB2", {}), friedman = load_set("friedman", {});
  EXPECT_EQ(db1.info.id, "DB1");
  EXPECT_EQ(db1.info.train_rows, 900);
  EXPECT_EQ(db1.info.valid_rows, 300);
  EXPECT_EQ(db1.info.test_rows, 300);
  EXPECT_EQ(db2.info.train_rows, 1800);
  EXPECT_EQ(db2.info.valid_rows, 600);
  EXPECT_EQ(db2.info.test_rows, 600);
  EXPECT_EQ(db2.info.inputs, 5);
  EXPECT_EQ(friedman.info.train_rows, 720);
}

TEST(Sets, EveryRowIsDealtOnceAndAnewBySeed) {
  for (const char* id : {"DB1", "DB2"}) {
    const StudySet set = load_set(id, {});
    const ThreeParts a = set.deal(1), again = set.deal(1), b = set.deal(2);
    EXPECT_EQ(a.train, again.train);
    EXPECT_NE(a.train, b.train);
    std::vector<Index> rows = a.train;
    rows.insert(rows.end(), a.valid.begin(), a.valid.end());
    rows.insert(rows.end(), a.test.begin(), a.test.end());
    std::sort(rows.begin(), rows.end());
    std::vector<Index> all(static_cast<std::size_t>(set.table.rows));
    std::iota(all.begin(), all.end(), Index{0});
    EXPECT_EQ(rows, all);
  }
}

TEST(Sets, TheTestRowsOfThePlantAreItsTestSignal) {
  const StudySet set = load_set("DB2", {});
  const Dataset signal = generate_db2_test();
  for (const std::uint64_t seed : {1, 7}) {
    const ThreeParts parts = set.deal(seed);
    ASSERT_EQ(parts.test.size(), 600U);
    for (std::size_t i = 0; i < 600; ++i)
      EXPECT_EQ(set.table.columns.back().numbers[static_cast<std::size_t>(parts.test[i])],
                signal.Y(static_cast<Index>(i), 0));
  }
}

TEST(Sets, AFileOfTheCatalogueThatIsMissingOrAltered) {
  const Folder folder;
  SetSource source;
  EXPECT_EQ(
      message<DataError>([&] { load_set("DB8", source); }),
      "DB8 (Concrete) is read from the file concrete.csv: name the folder it is in (--data DIR); docs/datasets.md "
      "says where to get it");
  source.folder = folder.path();
  EXPECT_EQ(message<IoError>([&] { load_set("DB8", source); }),
            (folder / "concrete.csv") +
                ": no such file, so there is no DB8 (Concrete); docs/datasets.md says where to get it");
  const std::string text = small_csv();
  const std::string path = folder.write("concrete.csv", text);
  const StudySet altered = load_set("DB8", source);
  ASSERT_EQ(altered.info.notes.size(), 1U);
  EXPECT_EQ(altered.info.notes.front(), path + " is not the file of the catalogue: its SHA-256 is " + sha256_hex(text) +
                                            ", expected " + std::string(known_set("DB8")->sha256));
  EXPECT_EQ(altered.data, sha256_hex(text));
  source.strict = true;
  EXPECT_EQ(message<DataError>([&] { load_set("DB8", source); }), altered.info.notes.front());
  EXPECT_EQ(available_sets(folder.path()), (std::vector<std::string>{"DB1", "DB2", "DB8"}));
  EXPECT_EQ(available_sets(""), (std::vector<std::string>{"DB1", "DB2"}));
}

TEST(Sets, TheFilesOfTheCatalogue) {
  const char* folder = std::getenv("SCONET_DATA");
  if (folder == nullptr) GTEST_SKIP() << "SCONET_DATA names no folder with the paper's data files";
  SetSource source;
  source.folder = folder;
  source.strict = true;
  struct Size {
    const char* id;
    Index rows, inputs;
  };
  for (const Size& size : {Size{"DB3", 9568, 4},
                           {"DB4", 21263, 81},
                           {"DB5", 7129, 5},
                           {"DB6", 1200, 5},
                           {"DB7", 22784, 16},
                           {"DB8", 1030, 8},
                           {"DB9", 950, 9},
                           {"DB10", 1461, 9}}) {
    const StudySet set = load_set(size.id, source);
    EXPECT_EQ(set.table.rows, size.rows) << size.id;
    EXPECT_EQ(set.info.inputs, size.inputs) << size.id;
    EXPECT_EQ(set.info.train_rows, size.rows * 6 / 10) << size.id;
  }
}

TEST(Sets, ATableOfTheUser) {
  const Folder folder;
  const StudySet set = small_set(folder);
  EXPECT_EQ(set.info.title, "small.csv");
  EXPECT_EQ(set.info.train_rows, 36);
  EXPECT_EQ(set.info.inputs, 5);
  EXPECT_EQ(message<DataError>([&] { load_set(folder / "small.csv", {}); }),
            (folder / "small.csv") + ": name the column to predict (--target NAME)");
  EXPECT_EQ(
      message<IoError>([&] { load_set("DB11", {}); }),
      "DB11: no such file, and no set of the catalogue (DB1, DB2, DB3, DB4, DB5, DB6, DB7, DB8, DB9, DB10, friedman)");
  SetSource source;
  source.target = "y";
  EXPECT_EQ(message<DataError>([&] { load_set(folder.write("tiny.csv", "x,y\n1,2\n2,3\n3,5\n"), source); }),
            (folder / "tiny.csv") + ": 3 rows with a target are too few to be dealt 6:2:2 (at least 5)");
}

// --- methods
TEST(Methods, OptionsMayBeFixed) {
  const MethodSpec spec = parse_method("rmpi:scales=1/5:ridge=0");
  EXPECT_EQ(spec.method, Method::rmpi);
  EXPECT_EQ(spec.info().title, "RMPI-SCN, scales 1,5, ridge 0");
  SetInfo set;
  set.id = "other.csv";
  for (const Settings& settings : grid(spec, set).settings()) {
    const FitOptions options = fit_options(settings);
    EXPECT_EQ(options.train.scales, (std::vector<double>{1, 5}));
    EXPECT_EQ(options.train.ridge, 0);
    EXPECT_EQ(settings_of(options), settings);
  }
  EXPECT_EQ(message<std::invalid_argument>([] { parse_method("rvlf"); }), message<std::invalid_argument>([] {
              TrainOptions o;
              set_option(o, "method", "rvlf");
            }));
  EXPECT_EQ(message<std::invalid_argument>([] { parse_method("rvfl:range"); }),
            "method 'rvfl:range': expected METHOD or METHOD:option=value, as in rvfl:range=60");
  EXPECT_EQ(message<std::invalid_argument>([] { parse_method("rvfl:seed=3"); }),
            "method 'rvfl:seed=3': seed cannot be fixed for a method");
  EXPECT_THROW(parse_method("rvfl:range=-1"), std::invalid_argument);
}

TEST(Methods, AutoLeavesNothingToChoose) {
  for (const char* id : {"DB1", "other.csv"}) {
    SetInfo set;
    set.id = id;
    EXPECT_EQ(grid(parse_method("auto"), set).settings(), (std::vector<Settings>{{{"method", "auto"}}}));
    EXPECT_EQ(grid(parse_method("auto"), set).text(), "settles everything itself");
    EXPECT_EQ(grid(parse_method("auto:effort=quick:ensemble=3"), set).settings(),
              (std::vector<Settings>{{{"method", "auto"}, {"effort", "quick"}, {"ensemble", "3"}}}));
  }
  EXPECT_EQ(message<std::invalid_argument>([] { parse_method("auto:r=0.8"); }),
            "option r = 0.8: the method auto settles this itself; name a method (rmpi, say) to set it");
}

TEST(Methods, GridsAreOfThePapersSizeAndHaveNoDoubles) {
  for (const Entrant& entrant : usual_methods())
    for (const KnownSet& known : known_sets()) {
      SetInfo set;
      set.id = known.id;
      set.train_rows = 1000;
      const std::vector<Settings> settings = grid(entrant.method, set).settings();
      EXPECT_EQ(std::set<Settings>(settings.begin(), settings.end()).size(), settings.size());
      for (const Settings& each : settings) {
        const FitOptions options = fit_options(each);
        EXPECT_EQ(options.train.method, entrant.method.method);
        const bool method_is_mlp = options.train.method == Method::mlp;
        const std::string method = option_text(options.train, "method");
        const auto paper = paper_row(known.id, method == "irvfl" ? "rvfl" : method);
        if (paper) {
          EXPECT_LE(static_cast<double>(options.train.max_nodes), method_is_mlp ? 50.0 : paper->nodes) << known.id;
        }
      }
    }
}

TEST(Paper, TheTableHasItsRows) {
  EXPECT_EQ(paper_row("DB1", "rmpi")->test_rmse.mean, 0.0016);
  EXPECT_EQ(paper_row("DB5", "scn3")->train_rmse.mean, 1.6581e-4);
  EXPECT_EQ(paper_row("DB7", "mlp")->test_rmse.std, 802.91);
  EXPECT_EQ(paper_row("DB10", "rvfl")->nodes, 100);
  EXPECT_EQ(paper_row("friedman", "rmpi")->test_rmse.mean, paper_row("DB6", "rmpi")->test_rmse.mean);
  EXPECT_FALSE(paper_row("DB1", "irvfl"));
  int rows = 0;
  for (const KnownSet& known : known_sets())
    for (const char* method : {"rmpi", "scn3", "rvfl", "mlp"})
      rows += known.id != "friedman" && paper_row(known.id, method);
  EXPECT_EQ(rows, 40);
}

// --- runs
TEST(Run, IsWhatTrainingByHandGives) {
  const Folder folder;
  const StudySet set = small_set(folder);
  const RunKey wanted = {
      set.info.id, set.data, "rmpi", {{"method", "rmpi"}, {"max_nodes", "5"}, {"scaling", "standard"}}, 2, 9};
  const auto run = execute(set, wanted).value();
  // By hand: split, scale by training rows, train, predict.
  const ThreeParts parts = set.deal(9);
  const auto rows_of = [&](const std::vector<Index>& rows) {
    Dataset data{Eigen::MatrixXd(rows.size(), 5), Eigen::MatrixXd(rows.size(), 1)};
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (Index k = 0; k < 6; ++k)
        (k < 5 ? data.X(static_cast<Index>(i), k) : data.Y(static_cast<Index>(i), 0)) =
            set.table.columns[static_cast<std::size_t>(k)].numbers[static_cast<std::size_t>(rows[i])];
    return data;
  };
  Dataset train_rows = rows_of(parts.train), valid = rows_of(parts.valid), test = rows_of(parts.test);
  const auto standardise = [](Eigen::MatrixXd& of, const Eigen::MatrixXd& by) {
    const Eigen::RowVectorXd mean = by.colwise().mean();
    const Eigen::RowVectorXd std =
        ((by.rowwise() - mean).colwise().squaredNorm() / static_cast<double>(by.rows())).cwiseSqrt();
    of = (of.rowwise() - mean).array().rowwise() / std.array();
    return std::pair(mean, std);
  };
  const Eigen::MatrixXd X = train_rows.X, Y = train_rows.Y;
  standardise(train_rows.X, X);
  standardise(valid.X, X);
  standardise(test.X, X);
  standardise(train_rows.Y, Y);
  Eigen::MatrixXd valid_y = valid.Y;
  const auto [mean, std] = standardise(valid_y, Y);
  TrainOptions options;
  options.method = Method::rmpi;
  options.max_nodes = 5;
  options.seed = 9;
  TrainExtras extras;
  extras.X_valid = valid.X;
  extras.Y_valid = valid_y;
  const Network network = train(train_rows.X, train_rows.Y, options, extras).network;
  const Eigen::MatrixXd predicted = (network.predict(test.X) * std[0]).array() + mean[0];
  EXPECT_NEAR(run.test.rmse, std::sqrt((predicted - test.Y).squaredNorm() / static_cast<double>(test.Y.rows())), 1e-9);
  EXPECT_EQ(run.nodes, network.nodes());
  EXPECT_EQ(run.test.rows, 12);
  EXPECT_EQ(run.run, 2);
  EXPECT_EQ(run.curve.size(), 6U);
}

// auto holds rows out itself, so the validation rows teach too; the test rows do not.
TEST(Run, OfAutoLearnsFromTheValidationRows) {
  const Folder folder;
  const StudySet set = small_set(folder);
  const RunKey wanted = {set.info.id, set.data, "auto", {{"method", "auto"}, {"effort", "quick"}}, 1, 9};
  const auto run = execute(set, wanted).value();
  const ThreeParts parts = set.deal(9);
  FitOptions options;
  options.columns = set.columns;
  options.train.effort = Effort::quick;
  options.train.seed = 9;
  FitExtras extras;
  extras.rows = parts.train;
  extras.rows->insert(extras.rows->end(), parts.valid.begin(), parts.valid.end());
  const Fitted by_hand = Model::fit(set.table, options, extras);
  EXPECT_EQ(run.train.rows, static_cast<Index>(parts.train.size() + parts.valid.size()));
  EXPECT_EQ(run.test.rows, static_cast<Index>(parts.test.size()));
  EXPECT_EQ(run.train.rmse, by_hand.model.summary().train.rmse);
  EXPECT_EQ(run.nodes, by_hand.model.network().nodes());
  EXPECT_EQ(run.valid.rows, 0);
  EXPECT_EQ(run.valid.rmse, by_hand.report.held_out_rmse);
  EXPECT_TRUE(std::isnan(run.valid.r2));
  EXPECT_EQ(to_line(from_line(to_line(run))), to_line(run));
  EXPECT_EQ(repeat(set, wanted).network().nodes(), run.nodes);
}

TEST(Run, CanBeRepeatedFromItsLine) {
  const Folder folder;
  const StudySet set = small_set(folder);
  RunFile file(folder / "runs.jsonl");
  run_study({set}, quick_options(), file);
  ASSERT_FALSE(file.runs().empty());
  for (const auto& run : file.runs()) {
    const auto read = from_line(to_line(run));
    EXPECT_EQ(to_line(read), to_line(run));
    EXPECT_EQ(without_clock(execute(set, key(read)).value()), without_clock(run));
    EXPECT_EQ(repeat(set, key(read)).network().nodes(), run.nodes);
  }
}

TEST(RunFile, ALineCutShortIsDroppedAndABrokenOneIsSaid) {
  const Folder folder;
  const StudySet set = small_set(folder);
  const std::string path = folder / "runs.jsonl";
  {
    RunFile file(path);
    run_study({set}, quick_options(), file);
  }
  const std::string whole = read_file(path);
  const std::size_t lines = RunFile(path).runs().size();
  folder.write("runs.jsonl", whole.substr(0, whole.size() - 10));
  EXPECT_EQ(RunFile(path).runs().size(), lines - 1);
  EXPECT_EQ(read_file(path).back(), '\n');
  folder.write("runs.jsonl", "my notes");  // not a line of ours that was cut short
  EXPECT_EQ(message<DataError>([&] { RunFile{path}; }),
            path + ":1: is no record of a run; move the file away, or name another folder");
  EXPECT_EQ(read_file(path), "my notes");
  folder.write("runs.jsonl", whole.substr(0, whole.find('\n') + 1) + "{\"set\": 3}\n");
  EXPECT_EQ(message<DataError>([&] { RunFile{path}; }),
            path + ":2: is no record of a run; move the file away, or name another folder");
}

// --- the study
TEST(Study, TheSameNumbersForAnyNumberOfJobs) {
  const Folder folder;
  const std::vector<StudySet> sets = {small_set(folder), small_set(folder, "other.csv", 80)};
  RunFile one(folder / "one.jsonl"), two(folder / "two.jsonl");
  const Results a = run_study(sets, quick_options(1), one).value(), b = run_study(sets, quick_options(2), two).value();
  EXPECT_EQ(all_runs(a), all_runs(b));
  ASSERT_EQ(one.runs().size(), two.runs().size());
  for (std::size_t i = 0; i < one.runs().size(); ++i)
    EXPECT_EQ(without_clock(one.runs()[i]), without_clock(two.runs()[i]));
}

TEST(Study, ValidationChoosesAndSplitsAreShared) {
  const Folder folder;
  const std::vector<StudySet> sets = {small_set(folder)};
  RunFile file(folder / "runs.jsonl");
  const StudyOptions options = quick_options();
  const Results results = run_study(sets, options, file).value();
  ASSERT_EQ(results.cells.size(), 2U);
  for (const Cell& cell : results.cells) {
    ASSERT_EQ(cell.runs.size(), 3U);
    double chosen = 0, least = INFINITY;
    for (const Settings& settings : grid(parse_method(cell.method), sets[0].info).settings()) {
      double sum = 0;
      for (const auto& run : file.runs())
        if (run.method == cell.method && run.settings == settings && run.run <= options.tuning) sum += run.valid.rmse;
      least = std::min(least, sum);
      if (settings == cell.chosen) chosen = sum;
    }
    EXPECT_EQ(chosen, least);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(cell.runs[i].run, static_cast<std::int64_t>(i) + 1);
      EXPECT_EQ(cell.runs[i].seed, results.cells[0].runs[i].seed);
    }
    std::vector<double> rmse;
    for (const auto& run : cell.runs) rmse.push_back(run.test.rmse);
    EXPECT_EQ(cell.test_rmse.mean, spread(rmse).mean);
  }
}

TEST(Study, AnInterruptedOneGoesOnWithoutRepeating) {
  const Folder folder;
  const std::vector<StudySet> sets = {small_set(folder)};
  RunFile whole(folder / "whole.jsonl");
  std::int64_t all = 0;
  const Results expected =
      run_study(sets, quick_options(), whole, {}, [&](const StudyProgress& p) { all = p.done; }).value();
  for (const std::int64_t stop_after : {std::int64_t{1}, std::int64_t{5}, all - 1}) {
    SCOPED_TRACE(stop_after);
    const std::string path = folder / ("cut" + std::to_string(stop_after) + ".jsonl");
    {
      RunFile cut(path);
      std::stop_source source;
      const auto nothing = run_study(sets, quick_options(), cut, source.get_token(), [&](const StudyProgress& p) {
        if (p.done == stop_after) source.request_stop();
      });
      EXPECT_FALSE(nothing);
      EXPECT_EQ(static_cast<std::int64_t>(cut.runs().size()), stop_after);
    }
    RunFile cut(path);
    std::int64_t more = 0;
    const Results results = run_study(sets, quick_options(2), cut, {}, [&](const StudyProgress&) { ++more; }).value();
    EXPECT_EQ(more, all - stop_after);
    EXPECT_EQ(all_runs(results), all_runs(expected));
  }
  // More runs later: only those.
  StudyOptions longer = quick_options();
  longer.runs = 5;
  std::int64_t more = 0;
  run_study(sets, longer, whole, {}, [&](const StudyProgress&) { ++more; });
  EXPECT_EQ(more, 4);
}

TEST(Study, ChangedDataAreRunAgain) {
  const Folder folder;
  RunFile file(folder / "runs.jsonl");
  std::int64_t first = 0, second = 0;
  run_study({small_set(folder)}, quick_options(), file, {}, [&](const StudyProgress&) { ++first; });
  run_study({small_set(folder, "small.csv", 61)}, quick_options(), file, {}, [&](const StudyProgress&) { ++second; });
  EXPECT_EQ(first, second);
}

TEST(RunFile, IsForOneStudyAtATime) {
  const Folder folder;
  const std::string path = folder / "runs.jsonl";
  const RunFile first(path);
  EXPECT_EQ(message<IoError>([&] { RunFile{path}; }),
            path + ": another study is writing here; wait for it, or name another folder");
}

TEST(RunFile, ALineThatDoesNotFitLeavesTheOthers) {
  const Folder folder;
  const StudySet set = small_set(folder);
  const std::string path = folder / "runs.jsonl";
  RunFile file(path);
  run_study({set}, quick_options(), file);
  const std::string before = read_file(path);
  auto big = file.runs().front();
  big.stop_reason = std::string(1 << 16, 'x');
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small = {before.size() + 1000, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(file.append(big), IoError);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(path), before);
}

TEST(Sets, AnotherQuestionIsAnotherSet) {
  const Folder folder;
  SetSource source;
  source.target = "y";
  const std::string path = folder.write("small.csv", small_csv());
  const std::string data = load_set(path, source).data;
  source.target = "a";
  EXPECT_NE(load_set(path, source).data, data);
  source.target = "last";  // y by another name
  EXPECT_EQ(load_set(path, source).data, data);
  source.reading = "--ignore b";
  source.ignore = {"b"};
  EXPECT_NE(load_set(path, source).data, data);
  EXPECT_EQ(load_set(path, source).info.inputs, 4);
}

TEST(Sets, SplitsThatCannotTeachAreSaidBeforehand) {
  const Folder folder;
  SetSource source;
  source.target = "y";
  // x differs in a single row, one that the first seed deals to training.
  const Index odd = deal_622(20, 1).train.front();
  std::string text = "x,y\n";
  for (Index i = 0; i < 20; ++i) text += (i == odd ? "1," : "0,") + std::to_string(i) + '\n';
  const StudySet set = load_set(folder.write("flat.csv", text), source);
  EXPECT_NO_THROW(check_splits(set, 1, 1));
  const std::string said = message<DataError>([&] { check_splits(set, 1, 40); });
  EXPECT_NE(said.find("the training rows that seed "), std::string::npos) << said;
}

TEST(Study, AFailureInAJobReachesTheCaller) {
  const Folder folder;
  StudySet set = small_set(folder);
  set.columns.targets = {"no such column"};
  RunFile file(folder / "runs.jsonl");
  EXPECT_THROW(run_study({set}, quick_options(2), file), DataError);
}

// --- tables
TEST(Tables, CarryTheNumbers) {
  const Folder folder;
  RunFile file(folder / "runs.jsonl");
  StudyOptions options = quick_options();
  options.methods.push_back({parse_method("rvfl:range=1:max_nodes=5"), {"DB1"}});  // not on this set
  const Results results = run_study({small_set(folder)}, options, file).value();
  EXPECT_EQ(results.methods.size(), 2U);
  const Table table = parse_table(table_csv(results), "table.csv");
  ASSERT_EQ(table.rows, 2);
  EXPECT_EQ(table.columns.size(), 25U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(table.columns[static_cast<std::size_t>(table.column("test_rmse"))].numbers[i],
              results.cells[i].test_rmse.mean);
    EXPECT_EQ(table.columns[static_cast<std::size_t>(table.column("train_r_std"))].numbers[i],
              results.cells[i].train_r.std);
  }
  const std::string md = table_md(results);
  EXPECT_EQ(std::count(md.begin(), md.end(), '\n'), 4);
  EXPECT_EQ(std::count(md.begin(), md.end(), '|'), 4 * 13);
}

TEST(Tables, NumbersKeepFourDigits) {
  Results results;
  results.sets = {{"s", "", "", 1, 1, 1, 1, {}}};
  results.methods = {{"a", "A"}, {"b", "B"}, {"c|d", "C|D"}};
  Cell cell;
  cell.set = "s";
  cell.method = "a";
  cell.train_rmse = {33359.4, 224.2};
  cell.test_rmse = {1.58094e-4, 8.52e-7};
  results.cells.push_back(cell);
  cell.method = "b";
  cell.train_rmse = {std::numeric_limits<double>::quiet_NaN(), 0};
  cell.test_rmse = {3.91362, 0.0243};
  results.cells.push_back(cell);
  cell.method = "c|d";
  results.cells.push_back(cell);
  const std::string md = table_md(results);
  EXPECT_NE(md.find("| s | A | **33359 ± 224** | **(1.581 ± 0.009)e-04** |"), std::string::npos) << md;
  EXPECT_NE(md.find("| s | B | - | 3.914 ± 0.024 |"), std::string::npos) << md;
  EXPECT_NE(md.find("| C\\|D |"), std::string::npos) << md;
}

}  // namespace
}  // namespace sconet::study
