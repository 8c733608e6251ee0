// `sconet study`: the methods against each other on the paper's sets or on a user's own tables.

#include "study/study.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "commands.hpp"
#include "interrupt.hpp"
#include "output.hpp"

namespace sconet::cli {
namespace {

struct StudyCommand {
  std::string data, out = "study", target;
  std::vector<std::string> sets, methods;
  std::int64_t runs = 100, tuning = 3;
  std::uint64_t seed = 1;
  int jobs = 0;
  bool strict = false;
  Verbosity verbosity;
  TableArguments table;

  int run();
};

int StudyCommand::run() {
  study::SetSource source;
  source.folder = data;
  source.target = target;
  source.table = table.options();
  source.strict = strict;
  if (sets.empty()) sets = study::available_sets(data);
  std::vector<study::StudySet> tables;
  for (const std::string& set : sets) tables.push_back(study::load_set(set, source));
  study::StudyOptions options;
  options.runs = runs;
  options.tuning = tuning;
  options.seed = seed;
  options.jobs = jobs > 0 ? jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (methods.empty())
    for (const auto& method : study::usual_methods()) options.methods.push_back({method});
  for (const std::string& method : methods) options.methods.push_back({study::parse_method(method)});
  std::filesystem::create_directories(out);
  study::RunFile file(out + "/runs.jsonl");
  Interrupt interrupt;
  const auto results = run_study(tables, options, file, interrupt.token(), [&](const study::StudyProgress& p) {
    tell(fmt::format("\r{}/{} {:.0f} s left {}\033[K", p.done, p.total, p.seconds_left, p.now));
  });
  tell("\n");
  if (!results) return kInterrupted;
  for (const auto& c : results->cells)
    print(fmt::format("{:<10} {:<34} {:>10.4g} ± {:<9.2g} {:>10.4g} ± {:<9.2g} {:>7.3f} s {:>6.1f} nodes | {:.4g} {:.4g} {:.1f} | {}\n",
                      c.set, c.method, c.train_rmse.mean, c.train_rmse.std, c.test_rmse.mean, c.test_rmse.std,
                      c.seconds.mean, c.nodes.mean, c.paper ? c.paper->train_rmse.mean : NAN,
                      c.paper ? c.paper->test_rmse.mean : NAN, c.paper ? c.paper->nodes : NAN, study::text_of(c.chosen)));
  return kOk;
}

}  // namespace

void add_study(CLI::App& app, Commands& commands) {
  auto what = std::make_shared<StudyCommand>();
  auto* command = app.add_subcommand("study", "Compare the methods over many runs");
  command->add_option("--data", what->data, "Folder")->type_name("DIR");
  command->add_option("--sets", what->sets, "Sets")->delimiter(',');
  command->add_option("--methods", what->methods, "Methods")->delimiter(',');
  command->add_option("--runs", what->runs, "Runs")->capture_default_str();
  command->add_option("--tuning", what->tuning, "Tuning")->capture_default_str();
  command->add_option("--out", what->out, "Out")->capture_default_str();
  command->add_option("--jobs", what->jobs, "Jobs")->capture_default_str();
  command->add_option("--seed", what->seed, "Seed")->capture_default_str();
  command->add_option("--target", what->target, "Target");
  command->add_flag("--strict", what->strict, "Strict");
  commands[command] = [what] { return what->run(); };
}

}  // namespace sconet::cli
