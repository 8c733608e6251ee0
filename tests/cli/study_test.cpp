// `sconet study` as a user types it.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "cli/program.hpp"

namespace sconet::testing {
namespace {

namespace fs = std::filesystem;

// Small enough to be quick, with something to choose.
const Words kQuick = {"--methods", "rmpi:max_nodes=6:candidates=10:ridge=0,rvfl:max_nodes=8:ridge=0", "--tuning", "2"};
const Words kThreeRuns = {"--runs", "3"};

class StudyProgram : public ::testing::Test {
 protected:
  StudyProgram() { folder.write("plant.csv", plant(90)); }

  Ran study(const Words& more, const std::string& out = "study") {
    return sconet_in(folder,
                     Words{"study", "--sets", "plant.csv", "-t", "y", "--out", out} + kQuick + kThreeRuns + more);
  }
  // The table without the seconds, which are the clock's.
  std::string numbers(const std::string& out) {
    std::string text;
    for (const std::string& line : lines_of(bytes_of(folder / (out + "/table.csv")))) {
      std::vector<std::string> fields = fields_of(line);
      fields.erase(fields.begin() + 14, fields.begin() + 16);
      for (const std::string& field : fields) text += field + ',';
      text += '\n';
    }
    return text;
  }
  const Folder folder;
};

TEST_F(StudyProgram, LeavesTableFiguresAndPage) {
  const Ran ran = study({});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  for (const char* file : {"runs.jsonl", "table.csv", "table.md", "index.html", "study.json", "errors.svg", "fig1.svg"})
    EXPECT_GT(fs::file_size(folder / (std::string("study/") + file)), 100U) << file;
  EXPECT_LT(fs::file_size(folder / "study/index.html"), 2'000'000U);
  EXPECT_NE(ran.out.find("plant.csv: 54 training, 18 validation, 18 test rows"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("the page is study/index.html"), std::string::npos);
  // The grids are said and stored, the choice too.
  EXPECT_NE(ran.err.find("range 0.5|1|2|5|10|60"), std::string::npos) << ran.err;
  const json plan = json::parse(bytes_of(folder / "study/study.json"));
  EXPECT_NE(plan.at("grids").dump().find("range 0.5|1|2|5|10|60"), std::string::npos);
  EXPECT_EQ(plan.at("command"),
            "sconet study --sets plant.csv --target y --methods " + kQuick[1] + " --runs 3 --tuning 2");
  EXPECT_NE(bytes_of(folder / "study/table.csv").find("method=rvfl;max_nodes=8"), std::string::npos);
  // Every line of the record can be read.
  std::size_t runs = 0;
  for (const std::string& line : lines_of(bytes_of(folder / "study/runs.jsonl")))
    runs += json::parse(line).contains("settings") ? 1 : 0;
  EXPECT_GE(runs, 6U);
  // JSON says the same.
  const Ran again = study({"--json", "-q"});
  EXPECT_EQ(again.err, "");
  const json result = json::parse(again.out);
  EXPECT_EQ(result.at("table").size(), 2U);
  EXPECT_EQ(result.at("table")[0].at("runs"), 3);
}

TEST_F(StudyProgram, AutoIsAMethodLikeTheOthers) {
  const Ran ran =
      sconet_in(folder, {"study", "--sets", "plant.csv", "-t", "y", "--out", "study", "--runs", "2", "--tuning", "2",
                         "--methods", "auto:effort=quick,rvfl:max_nodes=8:ridge=0:range=2", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json table = json::parse(ran.out).at("table");
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].at("method"), "auto:effort=quick");
  EXPECT_EQ(table[0].at("runs"), 2);
  std::size_t runs = 0;
  for (const std::string& line : lines_of(bytes_of(folder / "study/runs.jsonl"))) {
    const json run = json::parse(line);
    if (run.at("method") != "auto:effort=quick") continue;
    ++runs;
    EXPECT_EQ(run.at("settings"), json({{"method", "auto"}, {"effort", "quick"}}));
    EXPECT_EQ(run.at("train").at("rows"), 72);  // and the validation rows
    EXPECT_EQ(run.at("test").at("rows"), 18);
  }
  EXPECT_EQ(runs, 2U);  // nothing was tuned
}

TEST_F(StudyProgram, TheSameNumbersForAnyJobs) {
  ASSERT_EQ(study({"--jobs", "1"}, "one").exit, 0);
  ASSERT_EQ(study({"--jobs", "2"}, "two").exit, 0);
  EXPECT_EQ(numbers("one"), numbers("two"));
  ASSERT_EQ(study({"--jobs", "2", "--seed", "2"}, "other").exit, 0);
  EXPECT_NE(numbers("one"), numbers("other"));
}

TEST_F(StudyProgram, InterruptedGoesOnWithoutRepeating) {
  ASSERT_EQ(study({}, "whole").exit, 0);
  How how = in(folder);
  bool sent = false;
  how.on_error_output = [&](const std::string& so_far, int process) {
    if (!sent && so_far.find(" runs, ") != std::string::npos) sent = kill(process, SIGINT) == 0;
  };
  const Ran cut =
      sconet(Words{"study", "--sets", "plant.csv", "-t", "y", "--out", "cut", "--progress", "plain", "--jobs", "1"} +
                 kQuick + Words{"--runs", "2000"},
             how);
  ASSERT_EQ(cut.exit, 130) << cut.err;
  EXPECT_NE(cut.err.find("finished runs are in cut/runs.jsonl; the same command goes on from there"), std::string::npos)
      << cut.err;
  EXPECT_FALSE(fs::exists(folder / "cut/index.html"));
  const std::string before = bytes_of(folder / "cut/runs.jsonl");
  ASSERT_FALSE(before.empty());
  const Ran rest = study({}, "cut");
  ASSERT_EQ(rest.exit, 0) << rest.err;
  EXPECT_NE(rest.err.find(" runs are there already"), std::string::npos) << rest.err;
  EXPECT_EQ(numbers("cut"), numbers("whole"));
  // What had been finished was kept as it was, to the clock's last digit.
  const std::string after = bytes_of(folder / "cut/runs.jsonl");
  for (const std::string& line : lines_of(before)) EXPECT_NE(after.find(line), std::string::npos) << line;
}

TEST_F(StudyProgram, RefusesWhatMakesNoSense) {
  const auto study_of = [&](const Words& words) { return sconet_in(folder, Words{"study", "-q"} + words); };
  expect_refused(study_of({"--runs", "0"}), 2, "--runs 0: expected at least 1");
  expect_refused(study_of({"--tuning", "0"}), 2, "--tuning 0: expected at least 1");
  expect_refused(study_of({"--jobs", "-1"}), 2, "--jobs -1: expected 0 to 1024");
  expect_refused(study_of({"--out", ""}), 2, "--out '': expected the name of a folder");
  expect_refused(study_of({"--data", "nowhere"}), 5, "--data nowhere: there is no such folder");
  expect_refused(study_of({"--sets", "DB1", "-t", "y"}), 2, "--target y: the sets of the catalogue have their own");
  expect_refused(study_of({"--sets", "DB1,db1"}), 2, "--sets names DB1 twice");
  expect_refused(study_of({"--sets", "DB1", "--methods", "rmpi,rmpi"}), 2, "--methods names rmpi twice");
  expect_refused_with(study_of({"--sets", "DB1", "--methods", "rnpi"}), 2, {"method = 'rnpi'"});
  expect_refused_with(study_of({"--sets", "DB1", "--methods", "rvfl:rnge=3"}), 2, {"rnge", "range"});
  expect_refused(study_of({"--sets", "plant.csv"}), 3, "plant.csv: name the column to predict (--target NAME)");
  expect_refused_with(study_of({"--sets", "plant.csv", "-t", "z"}), 3, {"'z'", "temp, flow, grade, y"});
  expect_refused_with(study_of({"--sets", "nothing.csv"}), 5,
                      {"nothing.csv: no such file, and no set of the catalogue"});
  expect_refused_with(study_of({"--sets", "DB8"}), 3, {"DB8 (Concrete) is read from the file concrete.csv"});
  expect_refused_with(study_of({"--sets", "DB8", "--data", "."}), 5,
                      {"concrete.csv: no such file, so there is no DB8"});
  folder.write("taken", "a file");
  expect_refused_with(study_of({"--sets", "DB1", "--out", "taken"}), 5, {"taken: cannot be made"});
  EXPECT_FALSE(fs::exists(folder / "study"));
}

TEST_F(StudyProgram, AnAlteredFileIsSaidAndRefusedOnlyWhenStrict) {
  folder.write("concrete.csv", plant(60));
  const Words words = Words{"study", "--data", ".", "--sets", "DB8", "--out", "study"} + kQuick + kThreeRuns;
  const Ran said = sconet_in(folder, words);
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_NE(said.err.find("is not the file of the catalogue"), std::string::npos) << said.err;
  EXPECT_NE(bytes_of(folder / "study/index.html").find("is not the file of the catalogue"), std::string::npos);
  expect_refused_with(sconet_in(folder, words + Words{"--strict", "-q"}), 3, {"is not the file of the catalogue"});
}

TEST_F(StudyProgram, NothingOfTheUsersIsOverwritten) {
  fs::create_directory(folder / "mine");
  folder.write("mine/table.csv", plant(60));
  const std::string table = bytes_of(folder / "mine/table.csv");
  expect_refused(
      sconet_in(folder, Words{"study", "--sets", "mine/table.csv", "-t", "y", "--out", "mine", "-q"} + kQuick), 2,
      "mine/table.csv: is one of the tables; the study needs a folder of its own (--out DIR)");
  expect_refused(study({"-q"}, "mine"), 2,
                 "mine/table.csv: is there already and is not of a study; name another folder (--out DIR)");
  EXPECT_EQ(bytes_of(folder / "mine/table.csv"), table);
}

TEST_F(StudyProgram, AnotherTargetIsAnotherStudy) {
  const auto rows = [&] { return lines_of(bytes_of(folder / "study/runs.jsonl")).size(); };
  ASSERT_EQ(study({}).exit, 0);
  const std::size_t of_y = rows();
  ASSERT_EQ(
      sconet_in(folder, Words{"study", "--sets", "plant.csv", "-t", "flow", "--out", "study"} + kQuick + kThreeRuns)
          .exit,
      0);
  EXPECT_EQ(rows(), 2 * of_y);
  ASSERT_EQ(study({"--ignore", "grade"}).exit, 0);
  EXPECT_EQ(rows(), 3 * of_y);
}

TEST_F(StudyProgram, ARecordThatIsNoneIsNotOverwritten) {
  fs::create_directory(folder / "study");
  folder.write("study/runs.jsonl", "my own notes\n");
  expect_refused(study({"-q"}), 3,
                 "study/runs.jsonl:1: is no record of a run; move the file away, or name another folder");
  EXPECT_EQ(bytes_of(folder / "study/runs.jsonl"), "my own notes\n");
}

}  // namespace
}  // namespace sconet::testing
