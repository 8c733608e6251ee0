// The command line itself: help, versions, completions, the manual page, and what is said of words that make no sense.

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/program.hpp"
#include "sconet/version.hpp"

namespace sconet::testing {
namespace {

const Words kCommands = {"train",    "predict", "evaluate", "cv",      "explain",    "info", "check",
                         "generate", "study",   "demo",     "options", "completion", "man"};

// "--max-nodes" and the like in a help text.
std::vector<std::string> long_options(const std::string& help) {
  std::vector<std::string> found;
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
    std::size_t end = at + 2;
    while (end < help.size() && (std::isalnum(static_cast<unsigned char>(help[end])) != 0 || help[end] == '-')) ++end;
    const bool begins = help[at - 1] == ' ' || help[at - 1] == ',';
    // Where options are listed, not where a text speaks of them.
    const std::size_t line = help.rfind('\n', at) + 1;
    if (begins && end > at + 2 && at - line < 8) found.push_back(help.substr(at, end - at));
  }
  return found;
}

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const char behind = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(behind)) == 0 && behind != '-') return true;
  }
  return false;
}

bool installed(const std::string& shell) { return run({shell, "-c", "exit 0"}).exit == 0; }

TEST(CommandLine, VersionAndHelp) {
  const Ran version = sconet({"--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_EQ(version.out, "sconet " SCONET_VERSION "\n");
  EXPECT_EQ(version.err, "");
  const Ran help = sconet({"--help"});
  EXPECT_EQ(help.exit, 0);
  EXPECT_EQ(help.err, "");
  for (const auto& command : kCommands) {
    EXPECT_TRUE(has_word(help.out, "  " + command)) << command;
    const Ran of_command = sconet({command, "--help"});
    EXPECT_EQ(of_command.exit, 0) << command;
    EXPECT_EQ(of_command.err, "") << command;
    EXPECT_NE(of_command.out.find("Usage: sconet " + command), std::string::npos) << of_command.out;
  }
}

TEST(CommandLine, WithoutACommandItHelps) {
  const Ran ran = sconet({});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, sconet({"--help"}).out);
}

TEST(CommandLine, EveryTrainingOptionIsInTheHelp) {
  const std::string train = sconet({"train", "--help"}).out, cv = sconet({"cv", "--help"}).out;
  for (const auto& list : {describe_options(), describe_encoder_options()})
    for (const OptionInfo& option : list) {
      std::string name = "--" + option.name;
      std::replace(name.begin(), name.end(), '_', '-');
      EXPECT_TRUE(has_word(train, name)) << name;
      EXPECT_TRUE(has_word(cv, name)) << name;
    }
}

TEST(CommandLine, OptionsPrintsBothLists) {
  const Ran ran = sconet({"options"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_NE(ran.out.find("| `max_nodes` | L_max | integer | -1 |"), std::string::npos);
  EXPECT_NE(ran.out.find("| `scaling` |  | auto\\|unit\\|standard\\|quantile\\|both\\|none | auto |"),
            std::string::npos);
}

// --- what is wrong with a command line -----------------------------------------------------------------------------
struct Mistake {
  Words arguments;
  std::string message;
};

TEST(CommandLine, MistakesAreNamedAndTheRightWordIsGuessed) {
  const std::vector<Mistake> mistakes = {
      {{"trian"}, "there is no command 'trian'; did you mean 'train'?"},
      {{"trian", "t.csv", "--no-such"}, "there is no command 'trian'; did you mean 'train'?"},
      {{"demo", "--runz", "3"}, "demo: there is no option '--runz'; did you mean '--runs'?"},
      {{"train", "t.csv", "--targte", "y"}, "train: there is no option '--targte'; did you mean '--target'?"},
      {{"train", "t.csv", "--max_node=5"}, "train: there is no option '--max-node'; did you mean '--max-nodes'?"},
      {{"--verison"}, "there is no option '--verison'; did you mean '--version'?"},
      {{"info", "a", "b", "c"}, "'b' is one argument too many"},
      {{"predict", "m", "d", "e", "f"}, "'e' is one argument too many"},
      {{"help"}, "there is no command 'help'; did you mean '--help'?"},
      {{"info", "m", "-x"}, "there is no option '-x'"},
      {{"demo", "--runs", "0"}, "--runs 0: expected at least 1"},
      {{"demo", "--threads", "-3"}, "option threads = -3: expected 0 <= threads <= 4096"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--max-nodes", "1000001"},
       "option max_nodes = 1000001: expected -1 <= max_nodes <= 1000000"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--max-nodes", "ten"}, "option max_nodes = 'ten': expected integer"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--scales", "1,x"}, "option scales = '1,x': expected numbers"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--r", "1"}, "option r = 1: expected 0 < r < 1"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--method", "scn2"},
       "option method = 'scn2': expected auto|rmpi|scn3|scn1|rvfl|irvfl|mlp"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--method", "rmpi", "--nodes-per-step", "300"},
       "option nodes_per_step = 300: expected at most candidates = 100"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--r", "0.8"},
       "option r = 0.8: the method auto settles this itself; name a method (rmpi, say) to set it"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--method", "auto", "--scales", "1,5"},
       "option scales = 1,5: the method auto settles this itself; name a method (rmpi, say) to set it"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--checkpoint", "c"},
       "the method auto cannot be resumed: train it without a checkpoint, or name a method (rmpi, say)"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--method", "rmpi", "--ensemble", "3", "--checkpoint", "c"},
       "an ensemble cannot be resumed: train it without a checkpoint"},
      {{"train", "t.csv", "-t", "y", "-o", "-"},
       "a model cannot be written to standard output: name a file (-o model.sconet)"},
      {{"train", "-", "--valid", "-", "-t", "y", "-o", "m"},
       "standard input cannot be both the table and the validation table"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--resume"},
       "--resume needs --checkpoint FILE, the checkpoint to go on from"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--memory-limit", "much"},
       "'much' is no amount of memory: expected a number, with k, M, G or T behind it"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--delimiter", "xx"},
       "--delimiter 'xx': expected one character or its name"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--decimal", ";"}, "--decimal ';': expected . or ,"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--delimiter", ",", "--decimal", ","},
       "the delimiter and the decimal sign cannot both be ','"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--valid-fraction", "1"},
       "valid_fraction = 1: expected 0 <= valid_fraction < 1"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--valid-fraction", "0.5", "--valid", "t.csv"},
       "validation rows come from one place: a table of their own, a share of the rows, or rows that are named"},
      {{"train", "t.csv", "-o", "m"}, "no target is named: say --target NAME (or its number, or last); t.csv has x, y"},
      {{"train", "t.csv", "-t", "y", "-o", "t.csv"}, "t.csv: is the table; the model needs a file of its own"},
      {{"train", "t.csv", "-t", "y", "-o", "m", "--checkpoint", "m"},
       "m: is the model; the checkpoint needs a file of its own"},
      {{"train", "t.csv", "-t", "y", "-o", ""}, "-o '': expected the name of a file"},
  };
  const Folder folder;
  folder.write("t.csv", "x,y\n1,2\n2,3\n3,5\n");
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(fmt::format("sconet {}", fmt::join(mistake.arguments, " ")));
    Words arguments = mistake.arguments;
    if (arguments.front() == "train") arguments.push_back("-q");
    expect_refused(sconet_in(folder, arguments), 2, mistake.message);
  }
  EXPECT_EQ(folder.names(), Words{"t.csv"});
}

// Mistakes that the parser itself notices: the message names the option, and where to look.
TEST(CommandLine, WhatIsMissingIsNamed) {
  const Folder folder;
  expect_refused_with(sconet_in(folder, {"train"}), 2,
                      {"sconet train: ", "DATA is required", "See sconet train --help"});
  expect_refused_with(sconet_in(folder, {"train", "t.csv"}), 2, {"--output is required"});
  expect_refused_with(sconet_in(folder, {"predict", "m.sconet"}), 2, {"sconet predict: ", "DATA is required"});
  expect_refused_with(sconet_in(folder, {"demo", "--runs", "many"}), 2, {"--runs", "many"});
  expect_refused_with(sconet_in(folder, {"train", "t.csv", "-o"}), 2, {"--output"});
  expect_refused_with(sconet_in(folder, {"generate", "db3"}), 2, {"db3", "db1", "friedman"});
  expect_refused_with(sconet_in(folder, {"generate", "db1", "--rows", "0"}), 2, {"--rows", "0"});
  expect_refused_with(sconet_in(folder, {"completion", "tcsh"}), 2, {"tcsh", "bash"});
  expect_refused_with(sconet_in(folder, {"train", "t.csv", "-o", "m", "--header", "maybe"}), 2, {"--header", "maybe"});
  expect_refused_with(sconet_in(folder, {"train", "t.csv", "-o", "m", "--checkpoint-every", "-1"}), 2,
                      {"--checkpoint-every: '-1': expected a number from 0 up"});
}

// --- completions and the manual ------------------------------------------------------------------------------------
TEST(Completion, BashCompletes) {
  const Folder folder;
  folder.write("sconet.bash", sconet({"completion", "bash"}).out);
  folder.write("data.csv", "");
  EXPECT_EQ(run({"bash", "-n", folder / "sconet.bash"}).err, "");
  const auto complete = [&](const Words& typed) {
    std::string words;
    for (const auto& word : typed) words += " '" + word + "'";
    const std::string script = fmt::format(
        ". ./sconet.bash; COMP_WORDS=(sconet{}); COMP_CWORD={}; _sconet; printf '%s\\n' \"${{COMPREPLY[@]}}\"", words,
        typed.size());
    const Ran ran = run({"bash", "--norc", "-c", script}, in(folder));
    EXPECT_EQ(ran.err, "");
    return lines_of(ran.out);
  };
  EXPECT_EQ(complete({"tr"}), Words{"train"});
  EXPECT_EQ(complete({""}).size(), kCommands.size() + 2);
  EXPECT_EQ(complete({"train", "--max-n"}), Words{"--max-nodes"});
  EXPECT_EQ(complete({"train", "--method", ""}), (Words{"auto", "rmpi", "scn3", "scn1", "rvfl", "irvfl", "mlp"}));
  EXPECT_EQ(complete({"train", "--method", "scn"}), (Words{"scn3", "scn1"}));
  EXPECT_EQ(complete({"train", "da"}), Words{"data.csv"});
  EXPECT_EQ(complete({"predict", "--output", "da"}), Words{"data.csv"});
  EXPECT_EQ(complete({"generate", "f"}), Words{"friedman"});
  EXPECT_EQ(complete({"completion", ""}), (Words{"bash", "zsh", "fish"}));
  EXPECT_EQ(complete({"train", "--header", "y"}), Words{"yes"});
  const Ran registered = run({"bash", "--norc", "-c", ". ./sconet.bash; complete -p sconet"}, in(folder));
  EXPECT_EQ(registered.out, "complete -o filenames -F _sconet sconet\n");
}

TEST(Completion, EveryShellKnowsEveryOptionOfTrain) {
  const Folder folder;
  const auto options = long_options(sconet({"train", "--help"}).out);
  EXPECT_GT(options.size(), 40U);
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Ran ran = sconet({"completion", shell});
    EXPECT_EQ(ran.exit, 0);
    EXPECT_EQ(ran.err, "");
    for (const auto& option : options)
      EXPECT_TRUE(has_word(ran.out, shell == "fish" ? "-l " + option.substr(2) : option)) << shell << ' ' << option;
    for (const auto& command : kCommands) EXPECT_TRUE(has_word(ran.out, command)) << shell << ' ' << command;
    folder.write("script", ran.out);
    if (installed(shell)) {
      EXPECT_EQ(run({shell, "-n", folder / "script"}).err, "") << shell;
    }
  }
}

TEST(Manual, HasEveryCommandAndOption) {
  const Ran ran = sconet({"man"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out.find(".TH SCONET 1 "), 0U);
  std::string plain;  // as it is seen
  for (std::size_t i = 0; i < ran.out.size(); ++i)
    if (ran.out[i] != '\\' || ran.out[i + 1] != '-') plain += ran.out[i];
  for (const auto& command : kCommands) {
    EXPECT_NE(plain.find(".SS " + command + "\n"), std::string::npos) << command;
    for (const auto& option : long_options(sconet({command, "--help"}).out))
      EXPECT_TRUE(has_word(plain, option)) << command << ' ' << option;
  }
  for (const char* code : {"0", "1", "2", "3", "4", "5", "6", "130"})
    EXPECT_NE(plain.find(fmt::format(".TP\n.B {}\n", code)), std::string::npos) << code;
}

}  // namespace
}  // namespace sconet::testing
