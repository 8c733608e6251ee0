// `sconet info` and `sconet check`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "commands.hpp"
#include "explanation.hpp"
#include "output.hpp"
#include "trials.hpp"

namespace sconet::cli {
namespace {

struct Inspection {
  std::string model;
  Verbosity verbosity;
};

template <class Options>
Json options_json(const Options& options, const std::vector<OptionInfo>& list) {
  Json json = Json::object();
  for (const OptionInfo& o : list) json[o.name] = option_text(options, o.name);
  return json;
}

std::string describe(const InputColumn& c) {
  if (!c.used) return "constant in training, not used";
  if (c.type == ColumnType::text) {
    std::vector<std::string> shown(
        c.levels.begin(), c.levels.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(c.levels.size(), 8)));
    if (shown.size() < c.levels.size()) shown.emplace_back("...");
    return fmt::format("{} categories{}: {}", c.levels.size(), c.missing_level ? " and missing" : "",
                       fmt::join(shown, ", "));
  }
  std::string text;
  if (c.knots.empty() || c.both) text = fmt::format("(x - {:g}) / {:g}", c.offset, c.scale);
  if (!c.knots.empty())
    text += fmt::format("{}quantiles {:g} ... {:g}", c.both ? " and " : "", c.knots.front(), c.knots.back());
  text += fmt::format(", missing: {:g}", c.fill);
  return c.indicator ? text + " and an indicator" : text;
}

constexpr double kShownLevel = 0.9;

// Half the width of constant intervals, for each target; empty where there are too few rows for it.
std::vector<double> half_widths(const Intervals& intervals) {
  try {
    const Eigen::MatrixXd one_row = Eigen::MatrixXd::Zero(1, 1);
    const Eigen::MatrixXd widths = intervals.half_width(one_row, kShownLevel, IntervalKind::constant);
    return {widths.data(), widths.data() + widths.size()};
  } catch (const std::invalid_argument&) {
    return {};
  }
}

Json intervals_json(const Model& model) {
  if (!model.intervals()) return {{"none", model.no_intervals()}};
  Json kinds = {"constant"};
  if (model.intervals()->has_local()) kinds.push_back("local");
  Json json = {{"rows", model.intervals()->rows()}, {"source", name(model.intervals()->source())}, {"kinds", kinds}};
  const std::vector<double> widths = half_widths(*model.intervals());
  for (std::size_t q = 0; q < widths.size(); ++q) json["half_width_0.9"][model.encoder().targets()[q].name] = widths[q];
  return json;
}

std::string intervals_text(const Model& model) {
  if (!model.intervals()) return fmt::format("  none: {}\n", model.no_intervals());
  const Intervals& intervals = *model.intervals();
  std::string text = fmt::format("  {}, {} rows; constant{}\n", sentence(intervals.source()), intervals.rows(),
                                 intervals.has_local() ? " or local" : "");
  const std::vector<double> widths = half_widths(intervals);
  for (std::size_t q = 0; q < widths.size(); ++q)
    text += fmt::format("  {} +- {:.4g} at level {}\n", model.encoder().targets()[q].name, widths[q], kShownLevel);
  return text;
}

int info(const Inspection& what) {
  const Model model = Model::load(what.model);
  const Encoder& encoder = model.encoder();
  const ModelSummary& summary = model.summary();
  if (what.verbosity.json) {
    Json json = {{"model", what.model},
                 {"bytes", std::filesystem::file_size(what.model)},
                 {"version", summary.version},
                 {"method", option_text(model.options(), "method")},
                 {"nodes", model.network().nodes()},
                 {"activation", option_text(model.options(), "activation")},
                 {"stop_reason", name(summary.stop_reason)},
                 {"seed", model.options().seed},
                 {"train", to_json(summary.train)}};
    if (summary.valid) json["valid"] = to_json(*summary.valid);
    add_trials(json, summary);
    json["targets"] = Json::array();
    for (const TargetColumn& t : encoder.targets()) json["targets"].push_back(t.name);
    json["intervals"] = intervals_json(model);
    json["columns"] = Json::array();
    for (const InputColumn& c : encoder.columns()) {
      Json column = {{"name", c.name}, {"type", c.type == ColumnType::number ? "number" : "text"}, {"used", c.used}};
      if (c.type == ColumnType::text) column["levels"] = c.levels;
      json["columns"].push_back(column);
    }
    json["ids"] = encoder.ids();
    json["options"] = options_json(model.options(), describe_options());
    json["encoder_options"] = options_json(encoder.options(), describe_encoder_options());
    json["valid_fraction"] = model.valid_fraction();
    const std::string by = model.options().method == Method::mlp ? "by_iterations" : "by_nodes";
    json["train_rmse_" + by] = summary.train_rmse;
    if (summary.valid) json["valid_rmse_" + by] = summary.valid_rmse;
    if (summary.explanation) json["explanation"] = to_json(*summary.explanation, encoder);
    print(json);
    return kOk;
  }
  std::vector<std::string> targets;
  for (const TargetColumn& t : encoder.targets()) targets.push_back(t.name);
  std::string text = fmt::format(
      "{}: {} bytes, written by sconet {}\n\n{} with {} {} node{}, {} input{}, target{} {}\n{}stopped because {}\n\n{}",
      what.model, std::filesystem::file_size(what.model), summary.version, summary.method, model.network().nodes(),
      option_text(model.options(), "activation"), model.network().nodes() == 1 ? "" : "s", encoder.inputs(),
      encoder.inputs() == 1 ? "" : "s", targets.size() == 1 ? "" : "s", fmt::join(targets, ", "), choice_line(model),
      sentence(summary.stop_reason), metrics_header());
  text += metrics_line("training", summary.train);
  if (summary.valid) text += metrics_line("validation", *summary.valid);
  text += held_out_line(model);
  if (!summary.trials.empty()) text += "\nWhat auto tried\n" + trials_table(summary);
  if (!summary.members.empty()) text += "\nEnsemble\n" + members_text(summary);
  text += "\nPrediction intervals\n" + intervals_text(model) + "\nColumns\n";
  std::size_t width = 0;
  for (const InputColumn& c : encoder.columns()) width = std::max(width, c.name.size());
  for (const InputColumn& c : encoder.columns()) text += fmt::format("  {:<{}}  {}\n", c.name, width, describe(c));
  for (const std::string& id : encoder.ids()) text += fmt::format("  {:<{}}  identifier\n", id, width);
  if (summary.explanation) text += "\n" + importance_table(*summary.explanation);
  text += "\nOptions that differ from their defaults\n";
  std::string differ;
  // What auto chose is no option that was set.
  const std::string scaling = option_text(encoder.options(), "scaling");
  const bool scaling_chosen = std::any_of(summary.trials.begin(), summary.trials.end(),
                                          [&](const Trial& trial) { return trial.scaling != scaling; });
  const auto chosen = [&](const std::string& name) {
    return model.options().method == Method::automatic && (name == "clip" || (name == "scaling" && scaling_chosen));
  };
  const auto compare = [&](const auto& options, const std::vector<OptionInfo>& list) {
    for (const OptionInfo& o : list)
      if (const std::string now = option_text(options, o.name); now != o.default_value && !chosen(o.name))
        differ += fmt::format("  --{} {}\n", dashed(o.name), now);
  };
  compare(model.options(), describe_options());
  compare(encoder.options(), describe_encoder_options());
  if (model.valid_fraction() > 0) differ += fmt::format("  --valid-fraction {}\n", model.valid_fraction());
  print(visible(text + (differ.empty() ? "  none\n" : differ)));
  return kOk;
}

int check(const Inspection& what) {
  const Model model = Model::load(what.model);
  if (what.verbosity.json)
    print(Json{{"model", what.model}, {"sound", true}, {"nodes", model.network().nodes()}});
  else if (!what.verbosity.quiet)
    print(fmt::format("{}: sound, {} nodes\n", what.model, model.network().nodes()));
  return kOk;
}

void add(CLI::App& app, Commands& commands, const char* name, const char* meaning, int (*run)(const Inspection&)) {
  auto what = std::make_shared<Inspection>();
  auto* command = app.add_subcommand(name, meaning);
  command->add_option("MODEL", what->model, "The model file")->required();
  what->verbosity.add_to(*command);
  commands[command] = [what, run] { return run(*what); };
}

}  // namespace

void add_info(CLI::App& app, Commands& commands) {
  add(app, commands, "info", "What is in a model: its columns, errors and options", info);
}

void add_check(CLI::App& app, Commands& commands) {
  add(app, commands, "check", "Is the model file sound? Exit code 0 or 4", check);
}

}  // namespace sconet::cli
