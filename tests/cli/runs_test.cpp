// Runs that are interrupted, killed, resumed or repeated in other circumstances, and what they leave behind.

#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "cli/program.hpp"

namespace sconet::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kRows = 1000;
const Words kTrain = {"train", "plant.csv", "-t", "y", "-q", "-o"};
const Words kSmall = {"--method", "rmpi", "--max-nodes", "25", "--candidates", "40"};
const Words kEndless = {"--method", "rmpi", "--max-nodes", "4000", "--candidates", "40"};  // longer than anybody waits
const Words kCheckpoint = {"--checkpoint", "run.ck", "--checkpoint-every", "0"};

class Runs : public ::testing::Test {
 protected:
  Runs() { folder.write("plant.csv", plant(kRows)); }

  // The model file of a run that nothing disturbs.
  std::string model(const Words& options, const std::string& name = "fresh.sconet") {
    const Ran ran = sconet_in(folder, kTrain + Words{name} + options);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return bytes_of(folder / name);
  }

  // Begins a run that would not end, and sends it a signal once its checkpoint has that many bytes.
  Ran broken_off(int signal, std::size_t checkpoint_size, const Words& options = kEndless) {
    How how = in(folder);
    bool sent = false;
    how.on_error_output = [&](const std::string&, int process) {  // the first line of progress
      if (sent) return;
      sent = true;
      std::error_code error;
      while (fs::file_size(folder / "run.ck", error) < checkpoint_size || error) usleep(500);
      kill(process, signal);
    };
    return sconet(kTrain + Words{"m.sconet", "--progress", "plain"} + options + kCheckpoint, how);
  }

  Folder folder;
};

TEST_F(Runs, InterruptedAndResumedGiveTheBytesOfAnUninterruptedRun) {
  const std::string fresh = model(kSmall);
  const Ran first = broken_off(SIGINT, 2000);
  EXPECT_EQ(first.exit, 130);
  EXPECT_FALSE(first.killed);
  // The model so far was written and is sound.
  EXPECT_EQ(Model::load(folder / "m.sconet").summary().stop_reason, StopReason::interrupted);
  EXPECT_GE(Model::load(folder / "m.sconet").network().nodes(), 1);

  const Ran second = sconet_in(folder, kTrain + Words{"m.sconet", "--resume"} + kSmall + kCheckpoint);
  EXPECT_EQ(second.exit, 0) << second.err;
  EXPECT_EQ(bytes_of(folder / "m.sconet"), fresh);
}

TEST_F(Runs, TermIsAnInterruptionToo) {
  const Ran ran = broken_off(SIGTERM, 2000);
  EXPECT_EQ(ran.exit, 130);
  EXPECT_FALSE(ran.killed);
  EXPECT_GE(Model::load(folder / "m.sconet").network().nodes(), 1);
}

TEST_F(Runs, KilledAtAnyMomentAndResumedGiveTheSameBytesToo) {
  const std::string fresh = model(kSmall);
  for (const std::size_t size : {1U, 2000U, 2600U}) {
    fs::remove(folder / "run.ck");
    fs::remove(folder / "m.sconet");
    const Ran first = broken_off(SIGKILL, size);
    EXPECT_TRUE(first.killed);
    EXPECT_EQ(first.exit, 128 + SIGKILL);
    EXPECT_EQ(first.out, "");
    // No model, and nothing beside the checkpoint but the complete one that was about to replace it.
    for (const auto& name : folder.names())
      EXPECT_TRUE(name == "plant.csv" || name == "fresh.sconet" || name == "run.ck" || name == ".run.ck.saving")
          << name;

    const Ran second = sconet_in(folder, kTrain + Words{"m.sconet", "--resume"} + kSmall + kCheckpoint);
    EXPECT_EQ(second.exit, 0) << second.err;
    EXPECT_EQ(bytes_of(folder / "m.sconet"), fresh);
    EXPECT_EQ(folder.names(), (Words{"fresh.sconet", "m.sconet", "plant.csv", "run.ck"}));
  }
}

TEST_F(Runs, ResumedWithMoreNodesOrOtherThreads) {
  const Words more = {"--method", "rmpi", "--max-nodes", "35", "--candidates", "40"};
  const std::string fresh = model(more);
  model(kSmall + kCheckpoint, "m.sconet");
  const std::string checkpoint = bytes_of(folder / "run.ck");
  for (const char* threads : {"1", "2", "3"}) {
    folder.write("run.ck", checkpoint);
    EXPECT_EQ(model(more + kCheckpoint + Words{"--resume", "--threads", threads}, "m.sconet"), fresh) << threads;
  }
}

TEST_F(Runs, ResumingFromNothingBeginsAtTheBeginning) {
  EXPECT_EQ(model(kSmall + kCheckpoint + Words{"--resume"}, "m.sconet"), model(kSmall));
}

TEST_F(Runs, ResumingSomethingElseIsRefused) {
  model(kSmall + kCheckpoint, "m.sconet");
  const std::string checkpoint = bytes_of(folder / "run.ck"), old = bytes_of(folder / "m.sconet");
  const auto resumed = [&](const Words& options) {
    return sconet_in(folder, kTrain + Words{"m.sconet", "--resume"} + options + kCheckpoint);
  };
  expect_refused(resumed({"--method", "rmpi", "--max-nodes", "25", "--candidates", "41"}), 2,
                 "run.ck cannot be resumed: candidates was 40 then and is 41 now");
  expect_refused(resumed(kSmall + Words{"--scaling", "standard"}), 2,
                 "run.ck cannot be resumed: scaling was unit then and is standard now");
  expect_refused(resumed(kSmall + Words{"--valid-fraction", "0.25"}), 2,
                 "run.ck cannot be resumed: rows was 1000 then and is 750 now");
  // The same number of rows, but others.
  folder.write("plant.csv", plant(kRows, 2));
  expect_refused_with(resumed(kSmall), 2, {"the run cannot go on where it stopped: node ", "the data, the options"});
  folder.write("plant.csv", plant(kRows));

  std::string damaged = checkpoint;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 4);
  for (const std::string& bytes : {damaged, checkpoint.substr(0, checkpoint.size() / 2), std::string(), old}) {
    folder.write("run.ck", bytes);
    expect_refused_with(resumed(kSmall), 4, {"sconet: run.ck: "});
    EXPECT_EQ(bytes_of(folder / "run.ck"), bytes);  // nothing is thrown away
  }
  EXPECT_EQ(bytes_of(folder / "m.sconet"), old);
}

TEST_F(Runs, ThreadsFormatsAndLocalesMakeNoDifference) {
  const std::string usual = model(kSmall + Words{"--threads", "1"});
  EXPECT_EQ(model(kSmall + Words{"--threads", "2"}), usual);
  EXPECT_EQ(model(kSmall + Words{"--threads", "3"}), usual);

  const std::string chosen = model({"--effort", "quick", "--threads", "1"});
  EXPECT_EQ(model({"--effort", "quick", "--threads", "3"}), chosen);

  const auto model_of = [&](const std::string& data, const Words& options, How how = {}) {
    how.folder = folder.path();
    const Ran ran = sconet(Words{"train", data, "-t", "y", "-q", "-o", "m.sconet"} + kSmall + options, how);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return bytes_of(folder / "m.sconet");
  };
  std::string commas = plant(kRows);
  for (char& c : commas) c = c == ',' ? ';' : c == '.' ? ',' : c;
  folder.write("commas.csv", commas);
  EXPECT_EQ(model_of("commas.csv", {"--decimal", ","}), usual);

  How piped;
  piped.input = plant(kRows);
  EXPECT_EQ(model_of("-", {}, piped), usual);

  std::string windows;
  for (const char c : "\xEF\xBB\xBF" + plant(kRows)) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  folder.write("windows.csv", windows);
  EXPECT_EQ(model_of("windows.csv", {}), usual);

  run({"localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"});  // where the system does not have it
  for (const char* locale : {"de_DE.UTF-8", "C", "C.UTF-8"}) {
    How elsewhere;
    elsewhere.environment = {{"LC_ALL", locale}, {"LANG", locale}};
    // The C library itself loses a few bytes on this path, which the sanitizer would hold against us.
    if (!SCONET_SANITIZED) elsewhere.environment.emplace_back("LOCPATH", folder.path());
    EXPECT_EQ(model_of("plant.csv", {}, elsewhere), usual) << locale;
  }

  const Ran gzip = run({"gzip", "-c", folder / "plant.csv"});
  ASSERT_EQ(gzip.exit, 0) << gzip.err;
  folder.write("plant.csv.gz", gzip.out);
  EXPECT_EQ(model_of("plant.csv.gz", {}), usual);
}

// --- saving
// ------------------------------------------------------------------------------------------------------------ No byte
// may be written beyond a limit, as on a disk that is full.
TEST_F(Runs, AFullDiskLeavesTheOldModel) {
  const std::string old = model(kSmall, "m.sconet");
  How how = in(folder);
  how.in_child = [] {
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  expect_refused(sconet(kTrain + Words{"m.sconet", "--seed", "2"} + kSmall, how), 5,
                 "m.sconet: cannot be written: File too large");
  EXPECT_EQ(bytes_of(folder / "m.sconet"), old);
  expect_refused(sconet(kTrain + Words{"new.sconet"} + kSmall, how), 5,
                 "new.sconet: cannot be written: File too large");
  expect_refused(sconet({"predict", "m.sconet", "plant.csv", "-o", "p.csv"}, how), 5,
                 "p.csv: cannot be written: File too large");
  expect_refused(
      sconet(kTrain + Words{"m.sconet", "--seed", "2"} + kSmall + kCheckpoint, how), 5,
      "m.sconet: cannot be written: File too large");  // the checkpoint neither, but that is no reason to end
  EXPECT_EQ(bytes_of(folder / "m.sconet"), old);
  EXPECT_EQ(folder.names(), (Words{"m.sconet", "plant.csv"}));
}

TEST_F(Runs, StandardOutputThatIsFull) {
  model(kSmall, "m.sconet");
  How how = in(folder);
  how.out_path = "/dev/full";
  for (const Words& arguments :
       {Words{"predict", "m.sconet", "plant.csv"}, Words{"evaluate", "m.sconet", "plant.csv"},
        Words{"explain", "m.sconet", "plant.csv"}, Words{"info", "m.sconet"}, Words{"check", "m.sconet"},
        Words{"generate", "db1"}, Words{"man"}, Words{"completion", "bash"}, Words{"options"}, Words{"--version"},
        Words{"--help"}, Words{"train", "--help"}}) {
    SCOPED_TRACE(arguments.front());
    expect_refused(sconet(arguments, how), 5, "standard output: cannot be written: No space left on device");
  }
}

// A log on a full disk must not cost the model.
TEST_F(Runs, MessagesThatNobodyCanReadDoNoHarm) {
  const std::string usual = model(kSmall);
  How full = in(folder), closed = in(folder);
  full.err_path = "/dev/full";
  closed.in_child = [] { close(2); };
  for (const How& how : {full, closed}) {
    const Ran ran =
        sconet(Words{"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--progress", "plain"} + kSmall, how);
    EXPECT_EQ(ran.exit, 0);
    EXPECT_NE(ran.out, "");
    EXPECT_EQ(bytes_of(folder / "m.sconet"), usual);
    EXPECT_EQ(sconet({"check", "none"}, how).exit, 5);
    EXPECT_EQ(sconet({"chekc"}, how).exit, 2);
    EXPECT_EQ(sconet({"train"}, how).exit, 2);
  }
  How no_output = in(folder);
  no_output.in_child = [] { close(1); };
  expect_refused(sconet({"predict", "m.sconet", "plant.csv"}, no_output), 5,
                 "standard output: cannot be written: Bad file descriptor");
}

// What cannot be written is noticed before hours are spent on training.
TEST_F(Runs, WhereTheModelCannotGo) {
  fs::create_directory(folder / "dir");
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  folder.write("closed/old.sconet", "old");
  folder.write("protected.sconet", "old");
  chmod((folder / "protected.sconet").c_str(), 0444);
  fs::permissions(folder.path(), fs::perms::all);
  How how = in(folder);
  how.in_child = without_root;
  const auto train = [&](const std::string& output, const Words& options = {}) {
    return sconet(kTrain + Words{output} + kEndless + options, how);
  };
  expect_refused(train("dir"), 5, "dir: is a directory");
  expect_refused(train("none/m.sconet"), 5, "none/m.sconet: there is no folder 'none'");
  expect_refused(train("plant.csv/m.sconet"), 5, "plant.csv/m.sconet: there is no folder 'plant.csv'");
  expect_refused(train("closed/m.sconet"), 5, "closed/m.sconet: the folder 'closed' cannot be written to");
  expect_refused(train("closed/old.sconet"), 5, "closed/old.sconet: the folder 'closed' cannot be written to");
  expect_refused(train("protected.sconet"), 5, "protected.sconet: cannot be written: Permission denied");
  expect_refused(train("m.sconet", {"--checkpoint", "dir"}), 5, "dir: is a directory");
  expect_refused(train("m.sconet", {"--checkpoint", "none/run.ck"}), 5, "none/run.ck: there is no folder 'none'");
  const std::string long_name(300, 'n');
  expect_refused(train(long_name), 5, long_name + ": cannot be written: File name too long");
  EXPECT_EQ(bytes_of(folder / "protected.sconet"), "old");

  model(kSmall, "m.sconet");
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "plant.csv", "-o", "dir"}), 5,
                 "dir: cannot be written: Is a directory");
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "plant.csv", "-o", "none/p.csv"}), 5,
                 "none/p.csv: cannot be written: there is no folder 'none/'");
}

TEST_F(Runs, ALimitOnMemoryIsKeptAndAdviceGiven) {
  expect_refused_with(sconet_in(folder, kTrain + Words{"m.sconet", "--memory-limit", "1k"} + kSmall), 6,
                      {"would take about ", "the limit is 1000 bytes: train on fewer rows, or raise the limit"});
  expect_refused_with(sconet_in(folder, kTrain + Words{"m.sconet", "--memory-limit", "1k"}), 6,
                      {"training 1000 rows with 5 inputs would take about ",
                       "the limit is 1000 bytes: train on fewer rows, or raise the limit"});
  expect_refused_with(sconet_in(folder, kTrain + Words{"m.sconet", "--memory-limit", "60M"}), 6,
                      {"the limit is 60 MB: let auto try less (--effort quick), train on fewer rows, or raise"});
  expect_refused_with(sconet_in(folder, kTrain + Words{"m.sconet", "--memory-limit", "30M", "--method", "rmpi",
                                                       "--max-nodes", "100000"}),
                      6,
                      {"training 1000 rows with 5 inputs and up to 100000 nodes would take about ",
                       "the limit is 30 MB", "allow fewer nodes (--max-nodes ", "or raise the limit (--memory-limit)"});
  EXPECT_EQ(folder.names(), Words{"plant.csv"});
  model(kSmall + Words{"--memory-limit", "0"});
}

}  // namespace
}  // namespace sconet::testing
