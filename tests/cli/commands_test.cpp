// Every command of the program on sound input: what it prints, writes and returns.

#include <algorithm>
#include <iterator>
#include <sstream>

#include "cli/program.hpp"

namespace sconet::testing {
namespace {

// --- train
// -------------------------------------------------------------------------------------------------------------
TEST(Train, SaysWhatItReadAndHowWellTheModelFits) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  const Ran ran = sconet_in(
      folder, {"train", "plant.csv", "--target", "y", "-o", "m.sconet", "--method", "rmpi", "--max-nodes", "12"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err, "plant.csv: 150 rows, 4 columns, comma-separated text with a header line\n");
  EXPECT_EQ(ran.out.find("m.sconet: RMPI-SCN, target 'y', 5 inputs, 12 nodes, "), 0U) << ran.out;
  EXPECT_NE(ran.out.find("\nstopped because the network has as many nodes as were allowed\n"), std::string::npos);
  EXPECT_EQ(folder.names(), (Words{"m.sconet", "plant.csv"}));
  const Model model = Model::load(folder / "m.sconet");
  EXPECT_EQ(model.network().nodes(), 12);
  EXPECT_EQ(model.encoder().input_names(), (Words{"temp", "flow", "grade = A", "grade = B", "grade = C"}));
}

TEST(Train, JsonHasThePromisedKeys) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  const Words train = {"train", "plant.csv",   "-t", "y",      "-o", "m.sconet", "--method",
                       "rmpi",  "--max-nodes", "7",  "--seed", "5",  "--json"};
  const Ran ran = sconet_in(folder, train);
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result.at("method"), "rmpi");
  EXPECT_EQ(result.at("nodes"), 7);
  EXPECT_EQ(result.at("seed"), 5);
  EXPECT_EQ(result.at("stop_reason"), "max_nodes");
  EXPECT_GE(result.at("seconds").get<double>(), 0);
  EXPECT_EQ(result.at("warnings"), json::array());
  EXPECT_FALSE(result.contains("valid"));
  EXPECT_EQ(result.at("targets"), json::array({"y"}));
  const Metrics fit = Model::load(folder / "m.sconet").summary().train;
  EXPECT_EQ(result.at("train").at("rmse"), fit.rmse);
  EXPECT_EQ(result.at("train").at("mae"), fit.mae);
  EXPECT_EQ(result.at("train").at("r"), fit.r);
  EXPECT_EQ(result.at("train").at("r2"), fit.r2);
  EXPECT_EQ(result.at("train").at("rows"), 150);

  const json with_rows_kept = json::parse(sconet_in(folder, train + Words{"--valid-fraction", "0.2"}).out);
  EXPECT_EQ(with_rows_kept.at("train").at("rows"), 120);
  EXPECT_EQ(with_rows_kept.at("valid").at("rows"), 30);
}

// The words of a line, where columns are as wide as they need to be.
Words words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text))
    if (line.find(part) != std::string::npos) return line;
  return "";
}

TEST(Train, WithoutAMethodAutoChoosesAndSaysHow) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  const Ran ran = sconet_in(folder, {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--effort", "quick"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.err, "plant.csv: 150 rows, 4 columns, comma-separated text with a header line\n");
  const Model model = Model::load(folder / "m.sconet");
  const ModelSummary& summary = model.summary();
  EXPECT_EQ(model.options().method, Method::automatic);
  EXPECT_EQ(ran.out.find("m.sconet: auto, target 'y', "), 0U) << ran.out;
  Index trials = 0;
  for (const Index of_round : summary.tried) trials += of_round;
  ASSERT_GT(trials, 0);
  EXPECT_EQ(lines_of(ran.out).at(1).find(
                fmt::format("{} trials in {} rounds; chose candidates ", trials, summary.tried.size())),
            0U)
      << ran.out;
  const auto chosen =
      std::find_if(summary.trials.begin(), summary.trials.end(), [](const Trial& t) { return t.chosen; });
  ASSERT_NE(chosen, summary.trials.end());
  const std::string line = lines_of(ran.out).at(1);
  for (const std::string& candidates : chosen->candidates) EXPECT_NE(line.find(candidates), std::string::npos) << line;
  EXPECT_NE(line.find(fmt::format(", {} nodes, ridge {:g}; RMSE on rows held out {:.4g}", model.network().nodes(),
                                  chosen->ridge, summary.held_out_rmse)),
            std::string::npos)
      << line;
  EXPECT_EQ(words_of(lines_of(ran.out).back()), (Words{"held", "out", fmt::format("{:.5g}", summary.held_out_rmse)}));

  // info tells of the trials, and marks one.
  const std::string info = sconet_in(folder, {"info", "m.sconet"}).out;
  EXPECT_NE(info.find("\n" + line + "\n"), std::string::npos) << info;
  const std::size_t begin = info.find("\nWhat auto tried\n");
  ASSERT_NE(begin, std::string::npos) << info;
  const std::string section = info.substr(begin + 1, info.find("\n\n", begin) - begin);
  EXPECT_EQ(words_of(lines_of(section).at(1)),
            (Words{"round", "scaling", "candidates", "rows", "pool", "nodes", "ridge", "RMSE"}));
  EXPECT_EQ(lines_of(section).size(), 2 + summary.tried.size() + summary.trials.size()) << section;
  for (std::size_t round = 0; round < summary.tried.size(); ++round)
    EXPECT_NE(line_with(section, fmt::format("{}  {} trial", round + 1, summary.tried[round])), "") << section;
  const Words marked = words_of(line_with(section, "chosen"));
  ASSERT_GT(marked.size(), 7U) << section;
  EXPECT_EQ(marked.front(), chosen->scaling);
  EXPECT_EQ(Words(marked.end() - 6, marked.end() - 2),
            (Words{std::to_string(chosen->rows), std::to_string(chosen->pool), std::to_string(chosen->nodes),
                   fmt::format("{:.3g}", chosen->ridge)}));

  // What auto chose was not set by anybody.
  EXPECT_EQ(words_of(info.substr(info.find("Options that differ from their defaults"))),
            (Words{"Options", "that", "differ", "from", "their", "defaults", "--effort", "quick"}));

  // And so does JSON.
  const json said = json::parse(
      sconet_in(folder, {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--effort", "quick", "--json", "-q"}).out);
  const json inspected = json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out);
  EXPECT_EQ(said.at("method"), "auto");
  for (const json& all : {said, inspected}) {
    EXPECT_EQ(all.at("held_out_rmse"), summary.held_out_rmse);
    EXPECT_EQ(all.at("tried"), json(summary.tried));
    ASSERT_EQ(all.at("trials").size(), summary.trials.size());
    EXPECT_FALSE(all.contains("members"));
    for (std::size_t i = 0; i < summary.trials.size(); ++i) {
      const json& entry = all.at("trials")[i];
      const Trial& trial = summary.trials[i];
      EXPECT_EQ(entry.at("round"), trial.round + 1);
      EXPECT_EQ(entry.at("scaling"), trial.scaling);
      EXPECT_EQ(entry.at("candidates"), json(trial.candidates));
      EXPECT_EQ(entry.at("rows"), trial.rows);
      EXPECT_EQ(entry.at("pool"), trial.pool);
      EXPECT_EQ(entry.at("nodes"), trial.nodes);
      EXPECT_EQ(entry.at("ridge"), trial.ridge);
      EXPECT_EQ(entry.at("rmse"), trial.rmse);
      EXPECT_EQ(entry.at("chosen"), trial.chosen);
    }
  }
}

TEST(Train, AnEnsembleSaysHowManyNetworksAndHowLarge) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  const Words train = {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--ensemble", "3"};
  const Ran ran = sconet_in(folder, train + Words{"--method", "rmpi", "--max-nodes", "7", "--progress", "plain"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.err.find("3/3 networks  RMSE "), std::string::npos) << ran.err;
  EXPECT_EQ(lines_of(ran.out).at(0).find("m.sconet: RMPI-SCN, target 'y', 5 inputs, 21 nodes, "), 0U) << ran.out;
  EXPECT_EQ(lines_of(ran.out).at(1).find("3 networks of 7 nodes; RMSE on rows held out "), 0U) << ran.out;
  const std::string info = sconet_in(folder, {"info", "m.sconet"}).out;
  EXPECT_NE(info.find("\nEnsemble\n  3 networks of 7 nodes\n"), std::string::npos) << info;
  EXPECT_EQ(info.find("What auto tried"), std::string::npos);
  const json inspected = json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out);
  EXPECT_EQ(inspected.at("members"), json::array({7, 7, 7}));
  EXPECT_FALSE(inspected.contains("trials"));

  const json chosen =
      json::parse(sconet_in(folder, train + Words{"--effort", "quick", "--max-nodes", "10", "--json", "-q"}).out);
  EXPECT_EQ(chosen.at("members").size(), 3U);
  EXPECT_TRUE(chosen.contains("trials"));
  Index nodes = 0;
  for (const json& member : chosen.at("members")) nodes += member.get<Index>();
  EXPECT_EQ(chosen.at("nodes"), nodes);
  const std::string both = sconet_in(folder, {"info", "m.sconet"}).out;
  EXPECT_NE(both.find("\nWhat auto tried\n"), std::string::npos);
  EXPECT_NE(both.find("\nEnsemble\n  3 networks of "), std::string::npos) << both;
}

TEST(Train, AutoTakesValidationRowsInsteadOfHoldingRowsOut) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  const Words train = {"train", "plant.csv",        "-t", "y", "-o", "m.sconet", "--effort",
                       "quick", "--valid-fraction", "0.2"};
  const Ran ran = sconet_in(folder, train);
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("\nvalidation "), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("\nheld out"), std::string::npos) << ran.out;
  const json result = json::parse(sconet_in(folder, train + Words{"--json", "-q"}).out);
  EXPECT_EQ(result.at("train").at("rows"), 120);
  EXPECT_EQ(result.at("valid").at("rows"), 30);
}

// What was not tried because time was up is neither counted nor listed.
TEST(Train, AutoWithoutTimeTellsOfWhatItTried) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  const json all = json::parse(
      sconet_in(folder, {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--effort", "quick", "--json", "-q"}).out);
  const json few = json::parse(sconet_in(folder, {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--effort",
                                                  "quick", "--time-limit", "1e-9", "--json", "-q"})
                                   .out);
  EXPECT_LT(few.at("tried")[0], all.at("tried")[0]);
  for (const json& trial : few.at("trials")) EXPECT_TRUE(trial.at("rmse").is_number()) << trial;
  EXPECT_EQ(sconet_in(folder, {"check", "m.sconet"}).exit, 0);
}

// Errors of several targets together are of scaled targets, and do not belong among those in the targets' own units.
TEST(Train, WithSeveralTargetsTheErrorHeldOutIsOfScaledTargets) {
  const Folder folder;
  folder.write("plant.csv", plant(120));
  const Ran ran =
      sconet_in(folder, {"train", "plant.csv", "-t", "y", "-t", "flow", "-o", "m.sconet", "--effort", "quick"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(lines_of(ran.out).at(1).find("; RMSE on rows held out "), std::string::npos) << ran.out;
  EXPECT_NE(lines_of(ran.out).at(1).find(" (of scaled targets)"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("\nheld out"), std::string::npos) << ran.out;
}

#if defined(SCONET_WITH_LBFGSPP)
TEST(Train, TrainsAnMlp) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  const Ran ran = sconet_in(folder, {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--method", "mlp",
                                     "--max-nodes", "5", "--iterations", "40", "--progress", "plain"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out.find("m.sconet: MLP-BP, target 'y', 5 inputs, 5 nodes, "), 0U) << ran.out;
  EXPECT_NE(ran.err.find("40/40 iterations  RMSE "), std::string::npos) << ran.err;
  const json info = json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out);
  EXPECT_EQ(info.at("method"), "mlp");
  EXPECT_EQ(info.at("stop_reason"), "iterations");
  EXPECT_EQ(info.at("train_rmse_by_iterations").size(), 41U);
  EXPECT_EQ(sconet_in(folder, {"predict", "m.sconet", "plant.csv"}).exit, 0);
  const Ran refused = sconet_in(folder, {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--method", "mlp",
                                         "--max-nodes", "5", "--checkpoint", "c"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("the MLP cannot be resumed: train it without a checkpoint"), std::string::npos);
}
#endif

TEST(Train, ValidationRowsMayComeFromATableOfTheirOwn) {
  const Folder folder;
  folder.write("plant.csv", plant(150));
  folder.write("more.csv", plant(40, 2));
  const Words train = {"train",    "plant.csv", "-t",   "y",           "-o", "m.sconet", "--valid",
                       "more.csv", "--method",  "rmpi", "--max-nodes", "20", "--json"};
  const Ran ran = sconet_in(folder, train);
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result.at("train").at("rows"), 150);
  EXPECT_EQ(result.at("valid").at("rows"), 40);
  const json evaluated = json::parse(sconet_in(folder, {"evaluate", "m.sconet", "more.csv", "--json"}).out);
  EXPECT_EQ(evaluated.at("rmse"), result.at("valid").at("rmse"));
}

TEST(Train, TargetsByNameByNumberAndLastAreTheSame) {
  const Folder folder;
  folder.write("plant.csv", plant(60));
  std::vector<std::string> models;
  for (const char* target : {"y", "4", "last"}) {
    const Ran ran = sconet_in(
        folder, {"train", "plant.csv", "-t", target, "-o", "m.sconet", "--method", "rmpi", "--max-nodes", "5"});
    ASSERT_EQ(ran.exit, 0) << ran.err;
    models.push_back(bytes_of(folder / "m.sconet"));
  }
  EXPECT_EQ(models[0], models[1]);
  EXPECT_EQ(models[0], models[2]);
}

TEST(Train, SeveralTargetsIdentifiersAndIgnoredColumns) {
  const Folder folder;
  std::string text = "batch,temp,flow,note,y1,y2\n";
  const auto rows = lines_of(plant(80));
  for (int i = 1; i <= 80; ++i) {
    const auto cells = fields_of(rows[static_cast<std::size_t>(i)]);
    text += fmt::format("B-{:03},{},{},whatever {},{},{}\n", i, cells[0], cells[1], i, cells[3],
                        2 * number(cells[0]) - number(cells[1]));
  }
  folder.write("two.csv", text);
  const Ran ran = sconet_in(folder, {"train", "two.csv", "-t", "y1", "--target", "y2", "--id", "batch", "--ignore",
                                     "note", "-o", "m.sconet", "--method", "rmpi", "--max-nodes", "10", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result.at("targets"), json::array({"y1", "y2"}));
  EXPECT_EQ(result.at("inputs"), json::array({"temp", "flow"}));

  const auto lines = lines_of(sconet_in(folder, {"predict", "m.sconet", "two.csv"}).out);
  ASSERT_EQ(lines.size(), 81U);
  EXPECT_EQ(lines[0], "batch,y1,y2");
  EXPECT_EQ(lines[1].substr(0, 6), "B-001,");
  EXPECT_EQ(lines[80].substr(0, 6), "B-080,");
  EXPECT_EQ(fields_of(lines[80]).size(), 3U);

  const json each = json::parse(sconet_in(folder, {"evaluate", "m.sconet", "two.csv", "--json"}).out);
  const double one = each.at("targets").at("y1").at("rmse"), two = each.at("targets").at("y2").at("rmse");
  EXPECT_NEAR(each.at("rmse").get<double>(), std::hypot(one, two), 1e-12 * one);
}

TEST(Train, MatlabNamesAndUnderscoresMeanTheSameOptions) {
  const Folder folder;
  folder.write("plant.csv", plant(60));
  const auto model = [&](const Words& options) {
    const Ran ran = sconet_in(folder, Words{"train", "plant.csv", "-t", "y", "-o", "m.sconet"} + options);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return bytes_of(folder / "m.sconet");
  };
  const std::string ours = model({"--method", "rmpi", "--max-nodes", "6", "--candidates", "15", "--scales", "0.5,5",
                                  "--r", "0.9", "--tolerance", "0.001", "--nodes-per-step", "2"});
  EXPECT_EQ(ours, model({"--method", "rmpi", "--L_max", "6", "--T_max", "15", "--Lambdas", "0.5,5", "--r", "0.9",
                         "--tol", "0.001", "--nB", "2"}));
  EXPECT_EQ(ours, model({"--method=rmpi", "--max_nodes=6", "--candidates=15", "--scales=0.5,5", "--r=0.9",
                         "--tolerance=0.001", "--nodes_per_step=2"}));
  EXPECT_EQ(model({"--method", "scn3", "--max-nodes", "5", "--r", "0.9,0.99"}),
            model({"--method", "scn3", "--max-nodes", "5", "--r-ladder", "0.9,0.99"}));
}

// --- predict
// -----------------------------------------------------------------------------------------------------------
TEST(Predict, EveryNumberReadsBackToWhatTheLibraryPredicts) {
  const Folder folder;
  train_plant(folder);
  const Ran ran = sconet_in(folder, {"predict", "m.sconet", "plant.csv"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(lines_of(ran.out).at(0), "y");
  const auto printed = numbers_of(ran.out);
  const Model model = Model::load(folder / "m.sconet");
  const Eigen::MatrixXd Y = model.predict(read_table(folder / "plant.csv"));
  ASSERT_EQ(static_cast<Index>(printed.size()), Y.rows());
  for (Index i = 0; i < Y.rows(); ++i) EXPECT_EQ(printed[static_cast<std::size_t>(i)], Y(i, 0)) << "row " << i;
}

TEST(Predict, ToAFileFromStandardInputAndOneRowAtATimeAreTheSame) {
  const Folder folder;
  train_plant(folder);
  const Ran all = sconet_in(folder, {"predict", "m.sconet", "plant.csv"});
  const Ran to_file = sconet_in(folder, {"predict", "m.sconet", "plant.csv", "-o", "p.csv"});
  EXPECT_EQ(to_file.exit, 0);
  EXPECT_EQ(to_file.out, "");
  EXPECT_EQ(to_file.err, "p.csv: 150 predictions\n");
  EXPECT_EQ(bytes_of(folder / "p.csv"), all.out);

  How piped = in(folder);
  piped.input = bytes_of(folder / "plant.csv");
  EXPECT_EQ(sconet({"predict", "m.sconet", "-"}, piped).out, all.out);

  const auto rows = lines_of(piped.input), predictions = lines_of(all.out);
  for (const std::size_t i : {1U, 77U, 150U}) {
    piped.input = rows[0] + '\n' + rows[i] + '\n';
    EXPECT_EQ(sconet({"predict", "m.sconet", "-"}, piped).out, "y\n" + predictions[i] + '\n') << "row " << i;
  }
}

TEST(Predict, ColumnsMayComeInAnyOrderWithOthersAmongThem) {
  const Folder folder;
  train_plant(folder);
  std::string other = "remark,grade,y,flow,serial,temp\n";
  const auto rows = lines_of(plant(150));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto c = fields_of(rows[i]);
    other += fmt::format("none,{},,{},{},{}\n", c[2], c[1], i, c[0]);
  }
  folder.write("other.csv", other);
  EXPECT_EQ(sconet_in(folder, {"predict", "m.sconet", "other.csv"}).out,
            sconet_in(folder, {"predict", "m.sconet", "plant.csv"}).out);
}

TEST(Predict, IdentifiersAreCopiedAsTheyAreWritten) {
  const Folder folder;
  folder.write("t.csv",
               "code,place,x,y\n007,\"a, b\",1,2\n010,\"say \"\"so\"\"\",2,4.5\n,,3,6\n1e2,  c ,4,8.1\n,d,5,9\n");
  ASSERT_EQ(sconet_in(folder, {"train", "t.csv", "-t", "y", "--id", "code", "--id", "place", "-o", "m.sconet",
                               "--method", "rmpi", "--max-nodes", "2"})
                .exit,
            0);
  const auto lines = lines_of(sconet_in(folder, {"predict", "m.sconet", "t.csv"}).out);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0], "code,place,y");
  EXPECT_EQ(lines[1].find("007,\"a, b\","), 0U) << lines[1];
  EXPECT_EQ(lines[2].find("010,\"say \"\"so\"\"\","), 0U) << lines[2];
  EXPECT_EQ(lines[3].find(",,"), 0U) << lines[3];
  EXPECT_EQ(lines[4].find("1e2,c,"), 0U) << lines[4];
  EXPECT_EQ(lines[5].find(",d,"), 0U) << lines[5];
  for (const std::size_t i : {3U, 4U, 5U}) EXPECT_EQ(fields_of(lines[i]).size(), 3U) << lines[i];

  // A table without them is predicted all the same.
  folder.write("bare.csv", "x\n1\n");
  const Ran bare = sconet_in(folder, {"predict", "m.sconet", "bare.csv"});
  EXPECT_EQ(bare.exit, 0);
  EXPECT_EQ(lines_of(bare.out).at(0), "y");
  EXPECT_EQ(bare.err.find("warning: bare.csv has no column 'code', an identifier: it is left out\n"), 0U) << bare.err;
}

// --- evaluate ------------------------------------------------------------------------------------------------------
TEST(Evaluate, AgreesWithWhatPredictPrints) {
  const Folder folder;
  train_plant(folder);
  folder.write("new.csv", plant(50, 3));
  const Ran ran = sconet_in(folder, {"evaluate", "m.sconet", "new.csv", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json result = json::parse(ran.out);
  const auto y = numbers_of(plant(50, 3), 3), p = numbers_of(sconet_in(folder, {"predict", "m.sconet", "new.csv"}).out);
  const auto mean = [](const std::vector<double>& v, auto f) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += f(i);
    return sum / static_cast<double>(v.size());
  };
  const double y_mean = mean(y, [&](auto i) { return y[i]; }), p_mean = mean(p, [&](auto i) { return p[i]; });
  const double squared = mean(y, [&](auto i) { return std::pow(y[i] - p[i], 2); });
  const double y_var = mean(y, [&](auto i) { return std::pow(y[i] - y_mean, 2); });
  const double p_var = mean(p, [&](auto i) { return std::pow(p[i] - p_mean, 2); });
  const double both = mean(y, [&](auto i) { return (y[i] - y_mean) * (p[i] - p_mean); });
  EXPECT_EQ(result.at("rows"), 50);
  EXPECT_NEAR(result.at("rmse").get<double>(), std::sqrt(squared), 1e-10);
  EXPECT_NEAR(result.at("mae").get<double>(), mean(y, [&](auto i) { return std::abs(y[i] - p[i]); }), 1e-10);
  EXPECT_NEAR(result.at("r").get<double>(), both / std::sqrt(y_var * p_var), 1e-10);
  EXPECT_NEAR(result.at("r2").get<double>(), 1 - squared / y_var, 1e-10);

  const Ran text = sconet_in(folder, {"evaluate", "m.sconet", "new.csv"});
  EXPECT_EQ(text.err, "");
  const auto lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1],
            fmt::format("{:<12} {:>9} {:>12.5g} {:>12.5g} {:>9.5f} {:>9.5f}", "y", 50, result["rmse"].get<double>(),
                        result["mae"].get<double>(), result["r"].get<double>(), result["r2"].get<double>()));
}

// The target in another unit gives errors in that unit: a power of two changes no digit.
TEST(Evaluate, ErrorsAreInTheTargetsOwnUnit) {
  const Folder folder;
  std::string small = "x,y\n", large = small;
  for (int i = 0; i < 40; ++i) {
    small += fmt::format("{},{}\n", i, (i * i % 17));
    large += fmt::format("{},{}\n", i, 1024 * (i * i % 17));
  }
  folder.write("small.csv", small);
  folder.write("large.csv", large);
  std::vector<double> rmse;
  for (const std::string name : {"small", "large"}) {
    ASSERT_EQ(sconet_in(folder, {"train", name + ".csv", "-t", "y", "-o", name + ".sconet", "--method", "rmpi",
                                 "--max-nodes", "3"})
                  .exit,
              0);
    rmse.push_back(json::parse(sconet_in(folder, {"evaluate", name + ".sconet", name + ".csv", "--json"}).out)["rmse"]);
  }
  EXPECT_GT(rmse[0], 0.1);
  EXPECT_EQ(rmse[1], 1024 * rmse[0]);
}

TEST(Evaluate, WhatHasNoCorrelationShowsADash) {
  const Folder folder;
  folder.write("t.csv", "x,y\n1,2\n2,2\n3,2\n");
  ASSERT_EQ(sconet_in(folder, {"train", "t.csv", "-t", "y", "-o", "m.sconet"}).exit, 0);
  EXPECT_EQ(lines_of(sconet_in(folder, {"evaluate", "m.sconet", "t.csv"}).out).at(1),
            "y                    3            0            0         -         -");
  EXPECT_TRUE(json::parse(sconet_in(folder, {"evaluate", "m.sconet", "t.csv", "--json"}).out).at("r").is_null());
}

// A model's columns are found by their names, never by a number that a name looks like.
TEST(Evaluate, ATargetNamedLikeANumberIsFoundByNameOnly) {
  const Folder folder;
  folder.write("t.csv", "a,b,2\n1,2,3\n2,1,5\n3,7,8\n4,1,9\n");
  ASSERT_EQ(sconet_in(folder, {"train", "t.csv", "--header", "yes", "-t", "2", "-o", "m.sconet", "--method", "rmpi",
                               "--max-nodes", "2"})
                .exit,
            0);
  folder.write("no_target.csv", "a,b\n1,2\n2,1\n");
  expect_refused(sconet_in(folder, {"evaluate", "m.sconet", "no_target.csv"}), 3,
                 "no_target.csv has no column named '2', the target of the model");
}

// --- cv, info, check, generate
// -----------------------------------------------------------------------------------------
TEST(CrossValidation, OfAutoChoosesInEachFoldAnew) {
  const Folder folder;
  folder.write("plant.csv", plant(120));
  const Ran ran =
      sconet_in(folder, {"cv", "plant.csv", "-t", "y", "--folds", "3", "--effort", "quick", "--json", "-q"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result.at("method"), "auto");
  ASSERT_EQ(result.at("folds").size(), 3U);
  for (const json& fold : result.at("folds")) {
    EXPECT_EQ(fold.at("rows"), 40);
    EXPECT_GT(fold.at("nodes"), 0);
    EXPECT_GT(fold.at("r2"), 0.8);
  }
}

TEST(CrossValidation, MeanAndStdAreThoseOfTheFolds) {
  const Folder folder;
  folder.write("plant.csv", plant(90));
  const Words cv = {"cv",       "plant.csv", "-t",          "y", "--folds",      "4",
                    "--method", "rmpi",      "--max-nodes", "6", "--candidates", "20"};
  const Ran ran = sconet_in(folder, cv + Words{"--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json result = json::parse(ran.out);
  const json& folds = result.at("folds");
  ASSERT_EQ(folds.size(), 4U);
  int rows = 0;
  for (const json& fold : folds) rows += fold.at("rows").get<int>();
  EXPECT_EQ(rows, 90);
  for (const char* key : {"rmse", "mae", "r", "r2", "nodes"}) {
    double mean = 0, squares = 0;
    for (const json& fold : folds) mean += fold.at(key).get<double>() / 4;
    for (const json& fold : folds) squares += std::pow(fold.at(key).get<double>() - mean, 2);
    EXPECT_NEAR(result.at("mean").at(key).get<double>(), mean, 1e-12 * std::abs(mean)) << key;
    EXPECT_NEAR(result.at("std").at(key).get<double>(), std::sqrt(squares / 3), 1e-9) << key;
  }
  const Ran text = sconet_in(folder, cv + Words{"-q"});
  EXPECT_EQ(text.err, "");
  ASSERT_EQ(lines_of(text.out).size(), 7U);
  EXPECT_EQ(lines_of(text.out)[5].find("mean "), 0U);
  expect_refused(sconet_in(folder, {"cv", "plant.csv", "-t", "y", "--folds", "1"}), 2,
                 "--folds 1: expected at least 2");
  expect_refused(sconet_in(folder, {"cv", "plant.csv", "-t", "y", "--folds", "91", "-q"}), 3,
                 "plant.csv: 90 rows with a target cannot be dealt into 91 folds");
}

TEST(Info, TellsWhatIsInTheModel) {
  const Folder folder;
  train_plant(folder, {"--scaling", "quantile", "--seed", "9"});
  const Ran ran = sconet_in(folder, {"info", "m.sconet"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err, "");
  for (const char* part : {"m.sconet: ", "RMPI-SCN with 12 sigmoid nodes, 5 inputs, target y", "3 categories: A, B, C",
                           "quantiles ", "  --max-nodes 12\n", "  --seed 9\n", "  --scaling quantile\n"})
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << " is not in\n" << ran.out;

  const json result = json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out);
  EXPECT_EQ(result.at("nodes"), 12);
  EXPECT_EQ(result.at("seed"), 9);
  EXPECT_EQ(result.at("targets"), json::array({"y"}));
  EXPECT_EQ(result.at("columns").size(), 3U);
  EXPECT_EQ(result.at("columns")[2].at("levels"), json::array({"A", "B", "C"}));
  EXPECT_EQ(result.at("train_rmse_by_nodes").size(), 13U);
  EXPECT_EQ(result.at("encoder_options").at("scaling"), "quantile");
  EXPECT_EQ(result.at("bytes"), bytes_of(folder / "m.sconet").size());
}

TEST(Info, TellsHowImportantColumnsAre) {
  const Folder folder;
  train_plant(folder);
  const Ran ran = sconet_in(folder, {"info", "m.sconet"});
  EXPECT_NE(ran.out.find("\nImportance: by how much the RMSE, "), std::string::npos) << ran.out;
  const json result = json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out);
  EXPECT_EQ(result.at("explanation").at("importance").size(), 3U);
  EXPECT_EQ(result.at("explanation").at("effects").size(), 3U);
  train_plant(folder, {"--no-explain"});
  EXPECT_EQ(sconet_in(folder, {"info", "m.sconet"}).out.find("Importance"), std::string::npos);
  EXPECT_FALSE(json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out).contains("explanation"));
}

TEST(Explain, ColumnsByImportanceAndTheirEffects) {
  const Folder folder;
  train_plant(folder);
  folder.write("plant.csv", plant(80, 3));
  const Ran ran = sconet_in(folder, {"explain", "m.sconet", "plant.csv", "-q"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const std::vector<std::string> lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), 9U) << ran.out;
  EXPECT_EQ(lines[0].find("Importance: by how much the RMSE, "), 0U);
  EXPECT_NE(lines[0].find(" on 80 rows, rises when a column is shuffled"), std::string::npos);
  EXPECT_EQ(lines[5].find("Effect: "), 0U);
  EXPECT_NE(lines[1].find(" +- "), std::string::npos);
  EXPECT_NE(lines[1].find(std::string(24, '#')), std::string::npos);
  const auto word = [](const std::string& line) { return line.substr(2, line.find(' ', 2) - 2); };
  for (int i = 1; i <= 3; ++i)
    EXPECT_EQ(word(lines[static_cast<std::size_t>(i)]), word(lines[static_cast<std::size_t>(i) + 5]));

  const json result =
      json::parse(sconet_in(folder, {"explain", "m.sconet", "plant.csv", "--json", "-q", "--seed", "7"}).out);
  ExplainOptions options;
  options.seed = 7;
  const Model model = Model::load(folder / "m.sconet");
  const Explanation wanted = explain(model, read_table(folder / "plant.csv"), options);
  EXPECT_EQ(result.at("rows"), 80);
  EXPECT_EQ(result.at("rmse"), wanted.rmse);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(result.at("importance")[c].at("column"), wanted.importance[c].column);
    EXPECT_EQ(result.at("importance")[c].at("mean"), wanted.importance[c].mean);
    EXPECT_EQ(result.at("importance")[c].at("std"), wanted.importance[c].std);
  }
  EXPECT_EQ(result.at("effects")[0].at("at"), wanted.effects[0].at);
  EXPECT_EQ(result.at("effects")[0].at("mean").at("y")[4], wanted.effects[0].mean(4, 0));
  EXPECT_EQ(result.at("effects")[2].at("levels"), json::array({"A", "B", "C"}));
  EXPECT_EQ(lines_of(sconet_in(folder, {"explain", "m.sconet", "plant.csv", "-q", "--no-effects"}).out).size(), 4U);
}

TEST(Explain, WhatItCannotDo) {
  const Folder folder;
  train_plant(folder);
  folder.write("no_target.csv", "temp,flow,grade\n30,1,A\n");
  folder.write("empty_target.csv", "temp,flow,grade,y\n30,1,A,\n");
  expect_refused_with(sconet_in(folder, {"explain", "m.sconet", "no_target.csv"}), 3, {"no_target.csv", "'y'"});
  expect_refused(sconet_in(folder, {"explain", "m.sconet", "empty_target.csv"}), 3,
                 "empty_target.csv: no row has a target to compare with");
  EXPECT_EQ(sconet_in(folder, {"explain", "m.sconet", "plant.csv", "--repeats", "0"}).exit, 2);
  EXPECT_EQ(sconet_in(folder, {"explain", "plant.csv", "plant.csv"}).exit, 4);
}

TEST(Predict, WarnsOfNumbersOutsideTheTrainingRows) {
  const Folder folder;
  train_plant(folder);
  folder.write("far.csv", "temp,flow,grade\n30,1,A\n300,1,A\n30,99,B\n");
  const Ran ran = sconet_in(folder, {"predict", "m.sconet", "far.csv"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_NE(ran.err.find("warning: column 'temp': 1 of 3 cells outside the training rows' range ["), std::string::npos);
  EXPECT_NE(ran.err.find("; predictions there are extrapolated\n"), std::string::npos) << ran.err;
  train_plant(folder, {"--clip"});
  const Ran held = sconet_in(folder, {"predict", "m.sconet", "far.csv"});
  EXPECT_NE(held.err.find("; predictions there are held at its edge\n"), std::string::npos) << held.err;
}

TEST(Check, ASoundModelIsSound) {
  const Folder folder;
  train_plant(folder);
  const Ran ran = sconet_in(folder, {"check", "m.sconet"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out, "m.sconet: sound, 12 nodes\n");
  EXPECT_EQ(ran.err, "");
  const Ran quiet = sconet_in(folder, {"check", "m.sconet", "-q"});
  EXPECT_EQ(quiet.exit, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_EQ(json::parse(sconet_in(folder, {"check", "m.sconet", "--json"}).out).at("sound"), true);
}

TEST(Generate, TheSameSeedGivesTheSameTableAndItReadsBack) {
  const Folder folder;
  struct Set {
    std::string name;
    int inputs, rows;
    bool random;
  };
  for (const Set& set : {Set{"db1", 1, 1500, false}, Set{"db2", 5, 2400, true}, Set{"db2-test", 5, 600, false},
                         Set{"friedman", 5, 1200, true}}) {
    SCOPED_TRACE(set.name);
    const Ran usual = sconet({"generate", set.name});
    EXPECT_EQ(usual.exit, 0);
    EXPECT_EQ(lines_of(usual.out).size(), static_cast<std::size_t>(set.rows) + 1);
    EXPECT_EQ(usual.out, sconet({"generate", set.name, "--seed", "1"}).out);
    const Ran other = sconet_in(folder, {"generate", set.name, "--seed", "2", "--rows", "30", "-o", "t.csv"});
    EXPECT_EQ(other.exit, 0);
    EXPECT_EQ(other.out + other.err, "");
    const Table table = read_table(folder / "t.csv");
    EXPECT_EQ(table.rows, 30);
    ASSERT_EQ(static_cast<int>(table.columns.size()), set.inputs + 1);
    EXPECT_EQ(table.columns.back().name, "y");
    EXPECT_EQ(sconet({"generate", set.name, "--seed", "3", "--rows", "30"}).out != bytes_of(folder / "t.csv"),
              set.random);
  }
  const Dataset data = generate_friedman(5, 7, 0.5);
  const auto y = numbers_of(sconet({"generate", "friedman", "--rows", "5", "--seed", "7", "--noise", "0.5"}).out, 5);
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(y[static_cast<std::size_t>(i)], data.Y(i, 0));
}

// --- messages
// ----------------------------------------------------------------------------------------------------------
TEST(Quiet, SilencesEverythingButErrors) {
  const Folder folder;
  folder.write("t.csv", "x,k,y\n1,5,1\n2,5,2\n,5,3\n4,5,\n5,5,5\n");
  const Words train = {"train", "t.csv", "-t", "y", "-o", "m.sconet", "--method", "rmpi", "--max-nodes", "2"};
  const Ran loud = sconet_in(folder, train), quiet = sconet_in(folder, train + Words{"-q"});
  EXPECT_EQ(loud.err,
            "t.csv: 5 rows, 3 columns, comma-separated text with a header line\n"
            "warning: 1 row without a target left out\n"
            "warning: column 'k' is constant (5) and was left out\n"
            "warning: training rows: column 'x': 1 cell without a value filled in\n");
  EXPECT_EQ(quiet.exit, 0);
  EXPECT_EQ(quiet.err, "");
  for (const std::string command : {"predict", "evaluate"}) {
    const Ran ran = sconet_in(folder, {command, "m.sconet", "t.csv"});
    EXPECT_EQ(ran.exit, 0);
    EXPECT_NE(ran.err, "");
    const Ran hushed = sconet_in(folder, {command, "m.sconet", "t.csv", "--quiet"});
    EXPECT_EQ(hushed.err, "");
    EXPECT_EQ(hushed.out, ran.out);
  }
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "none.csv", "-q"}), 5, "none.csv: no such file");
}

}  // namespace
}  // namespace sconet::testing
