// The command-line program: parses, calls the library, prints. Results on stdout, messages on stderr.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>

#include "arguments.hpp"
#include "commands.hpp"
#include "core/nearest.hpp"
#include "sconet/sconet.hpp"

namespace sconet::cli {
namespace {

// A word that nothing on the command line expects.
std::string unknown(const CLI::App& app, const std::string& word) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::vector<std::string> known;
  const bool option = word.starts_with("-");
  if (option) {
    for (const CLI::Option* o : command.get_options())
      for (const auto& name : o->get_lnames()) known.push_back("--" + name);
  } else if (chosen.empty()) {
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(sub->get_name());
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string where = chosen.empty() ? "sconet" : "sconet " + command.get_name();
  if (known.empty()) return fmt::format("{}: '{}' is one argument too many", where, word);
  return fmt::format("{}: there is no {} '{}'; did you mean '{}'?", where, option ? "option" : "command", name,
                     nearest(name, known));
}

int run(int argc, char** argv) {
  CLI::App app{"sconet: compact regression networks grown node by node, from a table to a model"};
  app.set_version_flag("--version", "sconet " SCONET_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  Commands commands;
  add_train(app, commands);
  add_predict(app, commands);
  add_evaluate(app, commands);
  add_cv(app, commands);
  add_info(app, commands);
  add_check(app, commands);
  add_generate(app, commands);
  add_demo(app, commands);
  add_options(app, commands);
  add_completion(app, commands);
  add_man(app, commands);

  try {
    auto arguments = canonical_arguments(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // as the parser wants them
    app.parse(arguments);
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining(true);
    fmt::print(stderr, "{}\n", unknown(app, extras.empty() ? "" : extras.front()));
    return kUsage;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const auto chosen = app.get_subcommands();
    const std::string where = chosen.empty() ? "sconet" : "sconet " + chosen.front()->get_name();
    fmt::print(stderr, "{}: {}\nSee {} --help\n", where, error.what(), where);
    return kUsage;
  }
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    fmt::print(stderr, "{}", app.help());
    return kUsage;
  }
  return commands.at(chosen.front())();
}

}  // namespace
}  // namespace sconet::cli

int main(int argc, char** argv) {
  using namespace sconet;
  const auto fail = [](const std::exception& error, int code) {
    fmt::print(stderr, "sconet: {}\n", error.what());
    return code;
  };
  try {
    return cli::run(argc, argv);
  } catch (const DataError& error) {
    return fail(error, cli::kData);
  } catch (const ModelFileError& error) {
    return fail(error, cli::kModelFile);
  } catch (const IoError& error) {
    return fail(error, cli::kIo);
  } catch (const MemoryLimitError& error) {
    return fail(error, cli::kMemory);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sconet: not enough memory\n");
    return cli::kMemory;
  } catch (const cli::UsageError& error) {
    return fail(error, cli::kUsage);
  } catch (const std::invalid_argument& error) {
    return fail(error, cli::kUsage);
  } catch (const std::exception& error) {
    return fail(error, cli::kFailure);
  }
}
