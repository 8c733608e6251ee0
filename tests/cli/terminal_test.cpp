// The program in a real terminal: the bar, and what Ctrl-C does.

#include <sys/wait.h>

#include <csignal>

#include "cli/program.hpp"

namespace sconet::testing {
namespace {

constexpr const char* kCtrlC = "\x03";

void press(int terminal, const char* key) { EXPECT_EQ(write(terminal, key, 1), 1); }

class Terminal : public ::testing::Test {
 protected:
  Terminal() { data = folder.write("plant.csv", plant(1500)), model = folder / "m.sconet"; }
  Words train(const Words& options) const { return Words{"train", data, "-t", "y", "-o", model} + options; }

  Folder folder;
  std::string data, model;
};

TEST_F(Terminal, TheBarAppearsAndIsWipedAway) {
  const Ran ran = sconet_in_terminal(train({"--method", "rmpi", "--max-nodes", "8", "--candidates", "20"}), {});
  EXPECT_EQ(ran.exit, 0);
  const std::size_t last = ran.out.rfind("8/8 nodes");
  ASSERT_NE(last, std::string::npos) << ran.out;
  const std::size_t begin = ran.out.rfind('\r', last);
  EXPECT_EQ(ran.out.substr(begin, last - begin), "\r[####################] ");
  const std::string bar = ran.out.substr(last, ran.out.find("\033[K", last) - last);
  EXPECT_EQ(bar.find("8/8 nodes  RMSE "), 0U) << bar;
  EXPECT_NE(bar.find("  scale "), std::string::npos) << bar;
  EXPECT_NE(bar.find(" s left"), std::string::npos) << bar;
  // Wiped, and the result begins at the left edge.
  EXPECT_EQ(ran.out.substr(last + bar.size(), 3 + 4 + model.size()), "\033[K\r\033[K" + model);
}

TEST_F(Terminal, ValidationErrorsAreInTheBar) {
  const Ran ran = sconet_in_terminal(train({"--method", "rmpi", "--max-nodes", "8", "--candidates", "20",
                                            "--valid-fraction", "0.2", "--patience", "0"}),
                                     {});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_NE(ran.out.find(" (validation "), std::string::npos) << ran.out;
}

TEST_F(Terminal, CrossValidationShowsTheFold) {
  const Ran ran =
      sconet_in_terminal({"cv", data, "-t", "y", "--folds", "2", "--method", "rmpi", "--max-nodes", "4"}, {});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_NE(ran.out.find("] fold 1/2  4/4 nodes  RMSE "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("] fold 2/2  4/4 nodes  RMSE "), std::string::npos) << ran.out;
}

TEST_F(Terminal, NoBarWhenNotWanted) {
  for (const Words& hushed : {Words{"-q"}, Words{"--progress", "none"}}) {
    const Ran ran = sconet_in_terminal(train({"--method", "rmpi", "--max-nodes", "4"}) + hushed, {});
    EXPECT_EQ(ran.exit, 0);
    EXPECT_EQ(ran.out.find("nodes  RMSE"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find('\033'), std::string::npos) << ran.out;
  }
}

TEST_F(Terminal, NoBarWhenThereIsNoTerminal) {
  const Ran ran = sconet(train({"--method", "rmpi", "--max-nodes", "4"}));
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err, data + ": 1500 rows, 4 columns, comma-separated text with a header line\n");
}

TEST_F(Terminal, PlainProgressIsLinesWithoutControlCharacters) {
  const Ran ran = sconet(train({"--method", "rmpi", "--max-nodes", "4", "--progress=plain"}));
  EXPECT_EQ(ran.exit, 0);
  const auto lines = lines_of(ran.err);
  ASSERT_GE(lines.size(), 3U);  // what was read, the first node and the last
  EXPECT_EQ(lines[1].find("1/4 nodes  RMSE "), 0U) << lines[1];
  EXPECT_EQ(lines.back().find("4/4 nodes  RMSE "), 0U) << lines.back();
  for (const char c : ran.err) EXPECT_TRUE(c == '\n' || c >= ' ') << static_cast<int>(c);
}

TEST_F(Terminal, TheFirstCtrlCEndsTrainingAndSavesTheModel) {
  bool pressed = false;
  const Ran ran = sconet_in_terminal(train({"--method", "rmpi", "--max-nodes", "3000", "--candidates", "50"}),
                                     [&](const std::string& so_far, int terminal, int) {
                                       if (pressed || so_far.find("/3000 nodes") == std::string::npos) return;
                                       pressed = true;
                                       press(terminal, kCtrlC);
                                     });
  EXPECT_TRUE(pressed);
  EXPECT_EQ(ran.exit, 130);
  EXPECT_FALSE(ran.killed);
  const Model saved = Model::load(model);
  const Index nodes = saved.network().nodes();
  EXPECT_GE(nodes, 1);
  EXPECT_LT(nodes, 3000);
  EXPECT_EQ(saved.summary().stop_reason, StopReason::interrupted);
  const std::string said =
      fmt::format("interrupted: the model so far, {} node{}, is in {}\r\n", nodes, nodes == 1 ? "" : "s", model);
  EXPECT_NE(ran.out.find(said), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("stopped because training was interrupted"), std::string::npos);
}

bool has_ended(int process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process;
}

// Processor time that the process has taken, all threads together.
double seconds_of_work(int process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string word;
  for (int field = 1; field < 14 && stat >> word;) ++field;  // the name of the program has no blanks
  double user = 0;
  stat >> user;
  return user / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// A batch that takes seconds of work, long after the table was read.
const Words kHugeBatch = {"--candidates", "4000000", "--method", "rmpi", "--max-nodes", "50", "--memory-limit", "0"};
constexpr double kInTheBatch = 0.3;

TEST_F(Terminal, TheSecondCtrlCQuitsAtOnceAndLeavesTheOldModel) {
  folder.write("m.sconet", "the old model");
  bool begun = false;
  const Ran ran = sconet_in_terminal(train(kHugeBatch), [&](const std::string&, int terminal, int process) {
    if (begun) return;
    begun = true;
    while (seconds_of_work(process) < kInTheBatch && !has_ended(process)) usleep(1000);
    // A second signal that comes before the first was delivered is lost, so press until it is served.
    while (!has_ended(process)) {
      press(terminal, kCtrlC);
      usleep(5000);
    }
  });
  EXPECT_TRUE(begun);
  EXPECT_EQ(ran.exit, 130);
  EXPECT_FALSE(ran.killed);
  EXPECT_EQ(ran.out.find("interrupted"), std::string::npos) << ran.out;  // nobody waited for the batch
  EXPECT_EQ(bytes_of(model), "the old model");
  EXPECT_EQ(folder.names(), (Words{"m.sconet", "plant.csv"}));
}

}  // namespace
}  // namespace sconet::testing
