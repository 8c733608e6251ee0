// Prediction intervals on the command line.

#include <sstream>

#include "cli/program.hpp"

namespace sconet::testing {
namespace {

std::vector<std::vector<double>> numbers(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(csv);
  std::string line, cell;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Intervals, BoundsBesideEachPrediction) {
  const Folder folder;
  train_plant(folder);
  folder.write("new.csv", plant(400, 7));
  const Ran plain = sconet_in(folder, {"predict", "m.sconet", "new.csv"});
  double widths[2] = {0, 0};
  for (const std::string level : {"0.5", "0.9"})
    for (const Words& kind : {Words{}, Words{"--interval-kind", "constant"}, Words{"--interval-kind", "local"}}) {
      const Ran ran = sconet_in(folder, Words{"predict", "m.sconet", "new.csv", "--interval", level} + kind);
      ASSERT_EQ(ran.exit, 0) << ran.err;
      EXPECT_EQ(ran.err, "");
      EXPECT_EQ(first_line(ran.out), "y,y_low,y_high");
      const auto rows = numbers(ran.out), alone = numbers(plain.out);
      ASSERT_EQ(rows.size(), 400U);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].size(), 3U);
        EXPECT_EQ(rows[i][0], alone[i][0]);
        EXPECT_NEAR(rows[i][0] - rows[i][1], rows[i][2] - rows[i][0], 1e-9);
        EXPECT_GT(rows[i][2], rows[i][0]);
      }
      const bool varies = std::abs(rows[0][2] - rows[0][1] - rows[1][2] + rows[1][1]) > 1e-9;
      EXPECT_EQ(varies, kind != Words({"--interval-kind", "constant"}));
      widths[level == "0.9" ? 1 : 0] = rows[0][2] - rows[0][1];
    }
  EXPECT_GT(widths[1], 1.5 * widths[0]);
}

TEST(Intervals, SeveralTargetsAndIdentifiers) {
  const Folder folder;
  std::string text = "id,a,b,y,z w\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("r{},{},{},{},{}\n", i, i % 10, i % 7, (i % 10) * 2 + i % 3, (i % 7) * 100 + i % 5);
  folder.write("two.csv", text);
  const Ran trained = sconet_in(folder, {"train", "two.csv", "-t", "y", "-t", "z w", "--id", "id", "-o", "m.sconet",
                                         "--method", "rmpi", "--max-nodes", "5", "-q"});
  ASSERT_EQ(trained.exit, 0) << trained.err;
  const Ran ran = sconet_in(folder, {"predict", "m.sconet", "two.csv", "--interval", "0.8"});
  EXPECT_EQ(first_line(ran.out), "id,y,y_low,y_high,z w,z w_low,z w_high");
  const json info = json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out);
  EXPECT_EQ(info["intervals"]["half_width_0.9"].size(), 2U);
  const json result =
      json::parse(sconet_in(folder, {"evaluate", "m.sconet", "two.csv", "--interval", "0.8", "--json"}).out);
  EXPECT_EQ(result["interval"]["level"], 0.8);
  EXPECT_EQ(result["interval"]["kind"], "local");
  for (const char* target : {"y", "z w"}) {
    EXPECT_GE(result["interval"]["targets"][target]["coverage"], 0.7);
    EXPECT_GT(result["interval"]["targets"][target]["mean_width"], 0);
  }
}

TEST(Intervals, EvaluateCountsWhatPredictBounds) {
  const Folder folder;
  train_plant(folder, {"--valid-fraction", "0.4"});
  folder.write("new.csv", plant(300, 7));
  const Ran predicted =
      sconet_in(folder, {"predict", "m.sconet", "new.csv", "--interval", "0.9", "--interval-kind", "constant"});
  const Words evaluate = {"evaluate", "m.sconet", "new.csv", "--interval", "0.9", "--interval-kind", "constant"};
  const json result = json::parse(sconet_in(folder, evaluate + Words{"--json"}).out);
  std::istringstream table(plant(300, 7));
  std::string line;
  std::getline(table, line);
  int inside = 0;
  for (const auto& bounds : numbers(predicted.out)) {
    std::getline(table, line);
    const double y = std::stod(line.substr(line.rfind(',') + 1));
    inside += y >= bounds[1] && y <= bounds[2] ? 1 : 0;
  }
  const json& of_y = result["interval"]["targets"]["y"];
  EXPECT_EQ(of_y["coverage"].get<double>(), inside / 300.0);
  EXPECT_NEAR(of_y["coverage"], 0.9, 0.15);  // four deviations for 60 rows
  EXPECT_EQ(result["interval"]["kind"], "constant");
  const Ran text = sconet_in(folder, evaluate);
  EXPECT_NE(text.out.find("intervals        level  coverage   mean width\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(fmt::format("y                  0.9 {:>9.4f} ", inside / 300.0)), std::string::npos)
      << text.out;
}

TEST(Intervals, InfoTellsWhereTheyComeFrom) {
  const Folder folder;
  train_plant(folder);
  const json info = json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out);
  EXPECT_EQ(info["intervals"]["rows"], 150);
  EXPECT_EQ(info["intervals"]["source"], "leave_one_out");
  EXPECT_EQ(info["intervals"]["kinds"], json::array({"constant", "local"}));
  const double width = info["intervals"]["half_width_0.9"]["y"];
  const std::string text = sconet_in(folder, {"info", "m.sconet"}).out;
  EXPECT_NE(text.find(fmt::format("\nPrediction intervals\n  leave-one-out residuals of the training rows, 150 rows; "
                                  "constant or local\n  y +- {:.4g} at level 0.9\n",
                                  width)),
            std::string::npos)
      << text;
}

TEST(Intervals, LevelsThatMakeNoSense) {
  const Folder folder;
  train_plant(folder);
  for (const std::string command : {"predict", "evaluate"}) {
    for (const std::string level : {"0", "1", "1.5", "-0.5", "abc", "0.9x", "nan", ""}) {
      const Ran ran = sconet_in(folder, {command, "m.sconet", "plant.csv", "--interval=" + level});
      EXPECT_EQ(ran.exit, 2) << level;
      EXPECT_EQ(ran.out, "");
      if (level.empty()) continue;  // the parser's own words
      EXPECT_NE(ran.err.find(fmt::format("--interval: '{}': expected a number between 0 and 1, as 0.9", level)),
                std::string::npos)
          << ran.err;
    }
    expect_refused(sconet_in(folder, {command, "m.sconet", "plant.csv", "--interval", "0.999"}), 2,
                   "level 0.999 needs at least 999 rows; the model has 150 calibration rows");
    EXPECT_EQ(sconet_in(folder, {command, "m.sconet", "plant.csv", "--interval-kind", "local"}).exit, 2);
    EXPECT_EQ(
        sconet_in(folder, {command, "m.sconet", "plant.csv", "--interval", "0.9", "--interval-kind", "wide"}).exit, 2);
  }
}

TEST(Intervals, ModelsWithoutThem) {
  const Folder folder;
  train_plant(folder, {"--no-intervals"});
  for (const std::string command : {"predict", "evaluate"})
    expect_refused(sconet_in(folder, {command, "m.sconet", "plant.csv", "--interval", "0.9"}), 2,
                   "the model has no prediction intervals: training was not asked for them; train again without "
                   "--no-intervals, or in C++ with FitOptions::intervals");
  EXPECT_NE(sconet_in(folder, {"info", "m.sconet"}).out.find("\nPrediction intervals\n  none: training was not asked"),
            std::string::npos);

  train_plant(folder, {"--method", "scn1"});
  const std::string why = "SCN-I has no leave-one-out residuals; train with validation rows (--valid-fraction 0.2)";
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "plant.csv", "--interval", "0.9"}), 2,
                 "the model has no prediction intervals: " + why);
  EXPECT_EQ(json::parse(sconet_in(folder, {"info", "m.sconet", "--json"}).out)["intervals"]["none"], why);

  train_plant(folder, {"--valid-fraction", "0.2"});
  expect_refused(
      sconet_in(folder, {"predict", "m.sconet", "plant.csv", "--interval", "0.9", "--interval-kind", "local"}), 2,
      "local intervals need at least 60 calibration rows, and errors that are not zero; the model has 30 rows: ask for "
      "the constant kind");
  EXPECT_EQ(sconet_in(folder, {"predict", "m.sconet", "plant.csv", "--interval", "0.9"}).exit, 0);
}

}  // namespace
}  // namespace sconet::testing
