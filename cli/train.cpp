// `sconet train` and `sconet cv`.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "explanation.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "study/results.hpp"
#include "trials.hpp"

namespace sconet::cli {
namespace {

// What both commands share.
struct Learning {
  std::string data, progress = "auto", memory_limit;
  FitArguments fit;
  TableArguments table;
  Verbosity verbosity;

  void add_to(CLI::App& command) {
    command.add_option("DATA", data, "The table; - is standard input")->required();
    fit.add_to(command);
    table.add_to(command);
    command.add_option("--progress", progress, "Progress on standard error; auto: a bar if that is a terminal")
        ->type_name("auto|bar|plain|none")
        ->check(one_of({"auto", "bar", "plain", "none"}));
    command
        .add_option("--memory-limit", memory_limit,
                    "Refuse to train above this, as 2G or 500M; 0: no limit (what the machine has available)")
        ->type_name("BYTES");
    verbosity.add_to(command);
  }

  std::uint64_t limit() const { return memory_limit.empty() ? available_memory() : bytes_from_text(memory_limit); }
};

// A file can be written, as far as that is known before hours are spent on what goes into it.
void check_writable(const std::string& path, const char* option) {
  namespace fs = std::filesystem;
  if (path.empty()) throw UsageError(fmt::format("{} '': expected the name of a file", option));
  struct stat here {
  }, out{};
  const bool is_output = stat(path.c_str(), &here) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
                         here.st_dev == out.st_dev && here.st_ino == out.st_ino && !S_ISCHR(here.st_mode);
  if (path == "-" || path == "/dev/stdout" || is_output)
    throw UsageError("a model cannot be written to standard output: name a file (-o model.sconet)");
  std::error_code error;
  const fs::file_status now = fs::status(path, error);
  if (now.type() == fs::file_type::none) throw IoError(fmt::format("{}: cannot be written: {}", path, error.message()));
  if (fs::is_directory(now)) throw IoError(fmt::format("{}: is a directory", path));
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) throw IoError(fmt::format("{}: there is no folder '{}'", path, folder.string()));
  const bool device = fs::exists(now) && !fs::is_regular_file(now);
  if (!device && access(folder.c_str(), W_OK) != 0)
    throw IoError(fmt::format("{}: the folder '{}' cannot be written to", path, folder.string()));
  if (fs::exists(now) && access(path.c_str(), W_OK) != 0)
    throw IoError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

struct Train : Learning {
  std::string output, valid, checkpoint;
  double checkpoint_every = 60;
  bool resume = false, no_explain = false, no_intervals = false;

  int run();
};

Json targets_of(const Model& model) {
  Json names = Json::array();
  for (const TargetColumn& target : model.encoder().targets()) names.push_back(target.name);
  return names;
}

std::string target_names(const Model& model) {
  std::string names;
  for (const TargetColumn& target : model.encoder().targets())
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", target.name);
  return names;
}

int Train::run() {
  fit.finish();
  fit.fit.explain = !no_explain;
  check_writable(output, "-o");
  if (!checkpoint.empty()) check_writable(checkpoint, "--checkpoint");
  const auto keep_apart = [](const std::string& path, const char* is, const std::string& other, const char* what) {
    if (same_file(path, other)) throw UsageError(fmt::format("{}: is {}; {} needs a file of its own", path, is, what));
  };
  keep_apart(data, "the table", output, "the model");
  keep_apart(valid, "the validation table", output, "the model");
  keep_apart(data, "the table", checkpoint, "the checkpoint");
  keep_apart(valid, "the validation table", checkpoint, "the checkpoint");
  keep_apart(output, "the model", checkpoint, "the checkpoint");
  if (resume && checkpoint.empty()) throw UsageError("--resume needs --checkpoint FILE, the checkpoint to go on from");
  if (data == "-" && valid == "-") throw UsageError("standard input cannot be both the table and the validation table");
  const TableOptions how = table.options();
  const Table rows = read_table(data, how);
  say(verbosity, describe(rows));
  std::optional<Table> valid_rows;
  if (!valid.empty()) {
    valid_rows = read_table(valid, rows.same_types(how));
    say(verbosity, describe(*valid_rows));
  }

  Interrupt interrupt;
  Progress bar(Progress::style(progress, verbosity.quiet), fit.fit.train);
  FitExtras extras;
  extras.valid = valid_rows ? &*valid_rows : nullptr;
  extras.on_node = [&](const NodeRecord& node) { bar.show(node); };
  extras.stop = interrupt.token();
  extras.checkpoint = checkpoint;
  extras.checkpoint_every = checkpoint_every;
  extras.resume = resume;
  extras.memory_limit = limit();
  fit.fit.intervals = !no_intervals;
  Fitted fitted = Model::fit(rows, fit.fit, extras);
  bar.clear();
  const Model& model = fitted.model;
  const TrainReport& report = fitted.report;
  const bool interrupted = report.stop_reason == StopReason::interrupted;
  if (interrupted && report.history.empty()) {
    say(verbosity, fmt::format("interrupted before the first {}: {} was not written",
                               fit.fit.train.method == Method::mlp ? "iteration" : "node", output));
    return kInterrupted;
  }
  model.save(output);

  const bool no_choice = !model.summary().valid && model.options().method != Method::automatic &&
                         report.network_nodes == model.options().max_nodes;
  if (no_choice && 2 * report.network_nodes > report.rows)
    fitted.warnings.push_back(
        fmt::format("{} nodes are many for {} rows: --valid-fraction 0.2 lets validation rows "
                    "choose the size",
                    report.network_nodes, report.rows));
  warn(verbosity, fitted.warnings);
  const ModelSummary& summary = model.summary();
  if (verbosity.json) {
    Json json = {{"model", output},
                 {"method", option_text(model.options(), "method")},
                 {"nodes", model.network().nodes()},
                 {"seconds", report.seconds},
                 {"seed", model.options().seed},
                 {"stop_reason", name(report.stop_reason)},
                 {"train", to_json(summary.train)}};
    if (summary.valid) json["valid"] = to_json(*summary.valid);
    add_trials(json, summary);
    if (summary.explanation) json["explanation"] = to_json(*summary.explanation, model.encoder());
    json["targets"] = targets_of(model);
    json["inputs"] = model.encoder().input_names();
    json["threads"] = report.threads;
    json["instructions"] = report.instructions;
    json["memory_estimate"] =
        fit_memory(report.rows, report.inputs, report.outputs, summary.valid ? summary.valid->rows : 0, fit.fit.train);
    json["warnings"] = fitted.warnings;
    print(json);
  } else {
    std::string text =
        fmt::format("{}: {}, target {}, {} input{}, {} node{}, {:.3g} s, {} bytes\n{}stopped because {}\n\n{}", output,
                    summary.method, target_names(model), report.inputs, report.inputs == 1 ? "" : "s",
                    report.network_nodes, report.network_nodes == 1 ? "" : "s", report.seconds,
                    std::filesystem::is_regular_file(output) ? std::filesystem::file_size(output) : 0,
                    choice_line(model), sentence(report.stop_reason), metrics_header());
    text += metrics_line("training", summary.train);
    if (summary.valid) text += metrics_line("validation", *summary.valid);
    print(text + held_out_line(model));
  }
  if (!fitted.checkpoint_error.empty()) {
    tell(fmt::format("sconet: the model is in {}, but the checkpoint is not up to date: {}\n", output,
                     fitted.checkpoint_error));
    return kIo;
  }
  if (interrupted) {
    say(verbosity, fmt::format("interrupted: the model so far, {} node{}, is in {}", model.network().nodes(),
                               model.network().nodes() == 1 ? "" : "s", output));
    return kInterrupted;
  }
  return kOk;
}

struct Cv : Learning {
  std::int64_t folds = 5;
  int run();
};

int Cv::run() {
  fit.finish();
  if (folds < 2) throw UsageError(fmt::format("--folds {}: expected at least 2", folds));
  const Table rows = read_table(data, table.options());
  say(verbosity, describe(rows));
  Interrupt interrupt;
  std::vector<std::string> warnings;
  const auto on_fold = [&](std::int64_t fold) {
    return std::make_unique<Progress>(Progress::style(progress, verbosity.quiet), fit.fit.train,
                                      fmt::format("fold {}/{}  ", fold + 1, folds));
  };
  std::vector<FoldResult> results;
  for (std::int64_t fold = 0; fold < folds; ++fold) {
    const auto bar = on_fold(fold);
    FitExtras extras;
    extras.on_node = [&](const NodeRecord& node) { bar->show(node); };
    extras.stop = interrupt.token();
    extras.memory_limit = limit();
    results.push_back(cross_validate_fold(rows, fit.fit, fold, folds, extras));
    if (interrupt.happened()) {
      bar->clear();
      say(verbosity, "interrupted: no result");
      return kInterrupted;
    }
    for (const auto& warning : results.back().warnings)
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  }
  warn(verbosity, warnings);

  const std::vector<std::pair<const char*, double Metrics::*>> measures = {
      {"rmse", &Metrics::rmse}, {"mae", &Metrics::mae}, {"r", &Metrics::r}, {"r2", &Metrics::r2}};
  Json json = {
      {"method", option_text(fit.fit.train, "method")}, {"seed", fit.fit.train.seed}, {"folds", Json::array()}};
  std::string text = metrics_header();
  text.insert(text.size() - 1, "    nodes");
  std::vector<double> nodes;
  for (const FoldResult& result : results) {
    Json entry = to_json(result.test);
    entry["nodes"] = result.nodes;
    entry["train_rmse"] = result.train.rmse;
    entry["seconds"] = result.seconds;
    json["folds"].push_back(entry);
    nodes.push_back(static_cast<double>(result.nodes));
    std::string line = metrics_line(fmt::format("fold {}", json["folds"].size()), result.test);
    line.insert(line.size() - 1, fmt::format(" {:>8}", result.nodes));
    text += line;
  }
  Metrics mean, std;
  for (const auto& [key, member] : measures) {
    std::vector<double> values;
    values.reserve(results.size());
    for (const FoldResult& result : results) values.push_back(result.test.*member);
    const study::Spread s = study::spread(values);
    json["mean"][key] = mean.*member = s.mean;
    json["std"][key] = std.*member = s.std;
    mean.rows = std.rows = 0;
  }
  const study::Spread n = study::spread(nodes);
  json["mean"]["nodes"] = n.mean;
  json["std"]["nodes"] = n.std;
  json["warnings"] = warnings;
  const auto line = [](const char* what, const Metrics& m, double of_nodes) {
    return fmt::format("{:<12} {:>9} {:>12.5g} {:>12.5g} {:>9} {:>9} {:>8.1f}\n", what, "", m.rmse, m.mae, share(m.r),
                       share(m.r2), of_nodes);
  };
  text += line("mean", mean, n.mean) + line("std", std, n.std);
  print(verbosity, json, text);
  return kOk;
}

}  // namespace

void add_train(CLI::App& app, Commands& commands) {
  auto train = std::make_shared<Train>();
  auto* command = app.add_subcommand("train", "Train a model on a table");
  train->add_to(*command);
  command->add_option("-o,--output", train->output, "Where the model goes")->required()->type_name("FILE");
  command->add_option("--valid", train->valid, "A table of rows that choose the size of the network")
      ->type_name("FILE");
  command->add_option("--checkpoint", train->checkpoint, "Write here how far training has come")->type_name("FILE");
  command->add_option("--checkpoint-every", train->checkpoint_every, "Seconds between two checkpoints")
      ->type_name("S")
      ->check(at_least_zero())
      ->capture_default_str();
  command->add_flag("--resume", train->resume,
                    "Go on from the checkpoint if there is one; the result is the same as without the interruption");
  command->add_flag("--no-explain", train->no_explain, "Do not measure how important each column is to the model");
  command->add_flag("--no-intervals", train->no_intervals,
                    "No prediction intervals: the model is smaller, and predict has no --interval");
  commands[command] = [train] { return train->run(); };
}

void add_cv(CLI::App& app, Commands& commands) {
  auto cv = std::make_shared<Cv>();
  auto* command = app.add_subcommand("cv", "Cross-validate: how well would a model trained so predict new rows?");
  cv->add_to(*command);
  command->add_option("--folds", cv->folds, "Parts the rows are dealt into")->type_name("K")->capture_default_str();
  commands[command] = [cv] { return cv->run(); };
}

}  // namespace sconet::cli
