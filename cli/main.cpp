// The command-line program: parses, calls the library, prints. Results on stdout, messages on stderr.

#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>

#include "arguments.hpp"
#include "commands.hpp"
#include "core/nearest.hpp"
#include "output.hpp"
#include "sconet/sconet.hpp"

namespace sconet::cli {
namespace {

// An option or a command that does not exist, noticed before anything else is: what the person meant is more help than
// what else is missing.
void check_words(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto command =
      std::find_if(arguments.begin(), arguments.end(), [](auto& word) { return !word.starts_with("-"); });
  const CLI::App* where = &app;
  if (command != arguments.end()) {
    where = nullptr;
    std::vector<std::string> known;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(sub->get_name());
      if (sub->get_name() == *command) where = sub;
    }
    if (!where) {
      if (*command == "help" || *command == "version") known = {"--" + *command};
      throw UsageError(fmt::format("there is no command '{}'; did you mean '{}'?", *command, nearest(*command, known)));
    }
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : where->get_options())
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& word : arguments) {
    if (word == "--") return;
    const std::string name = word.substr(0, word.find('='));
    if (word.starts_with("--") && std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("{}there is no option '{}'; did you mean '{}'?",
                                   where == &app ? "" : where->get_name() + ": ", name, nearest(name, known)));
  }
}

// Where a standard stream is closed, no file that we open may take its place. Using it stays an error.
void keep_standard_streams() {
  for (const int stream : {0, 1, 2})
    if (fcntl(stream, F_GETFD) < 0) [[maybe_unused]]
      const int lowest = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

int run(int argc, char** argv) {
  CLI::App app{"sconet: compact regression networks grown node by node, from a table to a model", "sconet"};
  app.set_version_flag("--version", "sconet " SCONET_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  Commands commands;
  add_train(app, commands);
  add_predict(app, commands);
  add_evaluate(app, commands);
  add_cv(app, commands);
  add_explain(app, commands);
  add_info(app, commands);
  add_check(app, commands);
  add_generate(app, commands);
  add_study(app, commands);
  add_demo(app, commands);
  add_options(app, commands);
  add_completion(app, commands);
  add_man(app, commands);

  try {
    auto arguments = canonical_arguments(argc, argv);
    check_words(app, arguments);
    std::reverse(arguments.begin(), arguments.end());  // as the parser wants them
    app.parse(arguments);
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining(true);
    const std::string extra = extras.empty() ? "" : extras.front();
    if (extra.starts_with('-') && extra.size() > 1) throw UsageError(fmt::format("there is no option '{}'", extra));
    throw UsageError(fmt::format("'{}' is one argument too many", extra));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      print(error.get_name() == "CallForVersion" ? std::string(error.what()) + '\n' : app.help());
      return kOk;
    }
    const auto chosen = app.get_subcommands();
    const std::string where = chosen.empty() ? "sconet" : "sconet " + chosen.front()->get_name();
    tell(fmt::format("{}: {}\nSee {} --help\n", where, error.what(), where));
    return kUsage;
  }
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    tell(app.help());
    return kUsage;
  }
  return commands.at(chosen.front())();
}

}  // namespace
}  // namespace sconet::cli

int main(int argc, char** argv) {
  using namespace sconet;
  static_cast<void>(
      std::signal(SIGXFSZ, SIG_IGN));  // a file that may not grow is an error like a full disk, not the end
  const auto fail = [](const std::exception& error, int code) {
    cli::tell(cli::visible(fmt::format("sconet: {}\n", error.what())));
    return code;
  };
  cli::keep_standard_streams();
  try {
    return cli::run(argc, argv);
  } catch (const DataError& error) {
    return fail(error, cli::kData);
  } catch (const ModelFileError& error) {
    return fail(error, cli::kModelFile);
  } catch (const IoError& error) {
    return fail(error, cli::kIo);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(error, cli::kIo);
  } catch (const MemoryLimitError& error) {
    return fail(error, cli::kMemory);
  } catch (const std::bad_alloc&) {
    cli::tell("sconet: not enough memory\n");
    return cli::kMemory;
  } catch (const cli::UsageError& error) {
    return fail(error, cli::kUsage);
  } catch (const std::invalid_argument& error) {
    return fail(error, cli::kUsage);
  } catch (const std::exception& error) {
    return fail(error, cli::kFailure);
  }
}
