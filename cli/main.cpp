// The command-line program: parses, calls the library, prints. Results on stdout, messages on stderr.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>

#include "demo.hpp"
#include "sconet/sconet.hpp"

namespace {

enum Exit { kOk = 0, kUsage = 2, kMemory = 6 };

std::string options_table() {
  std::string s =
      "| option | MATLAB name | type | default | bounds | meaning |\n"
      "|---|---|---|---|---|---|\n";
  const auto cell = [](const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  for (const auto& o : sconet::describe_options())
    s += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", o.name, o.matlab_name, cell(o.type), o.default_value,
                     o.bounds, cell(o.sentence));
  return s;
}

int run(int argc, char** argv) {
  CLI::App app{"sconet: stochastic configuration networks"};
  app.set_version_flag("--version", "sconet " SCONET_VERSION);
  app.require_subcommand(0, 1);

  std::int64_t runs = 10, threads = 0;
  auto* demo = app.add_subcommand("demo", "Train RMPI-SCN and SCN-III on a generated function and compare them");
  demo->add_option("--runs", runs, "Runs to average over")->capture_default_str();
  demo->add_option("--threads", threads, "Threads; 0: one per processor")->capture_default_str();
  auto* options = app.add_subcommand("options", "Print the training options as a Markdown table");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  if (app.get_subcommands().empty()) {
    fmt::print(stderr, "{}", app.help());
    return kUsage;
  }
  if (*demo) fmt::print("{}", sconet::cli::demo(runs, threads));
  if (*options) fmt::print("{}", options_table());
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "sconet: {}\n", error.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sconet: not enough memory\n");
    return kMemory;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sconet: {}\n", error.what());
    return 1;
  }
}
