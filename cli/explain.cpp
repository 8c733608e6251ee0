// `sconet explain`, and how explanations are shown.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "explanation.hpp"

namespace sconet::cli {
namespace {

constexpr double kBar = 24;              // characters of the longest bar
constexpr std::size_t kLevelsShown = 6;  // of a text column

// A model whose errors are no numbers has columns of no importance.
double known(double importance) { return std::isnan(importance) ? 0 : importance; }

std::vector<const Importance*> by_importance(const Explanation& explanation) {
  std::vector<const Importance*> order;
  order.reserve(explanation.importance.size());
  for (const Importance& i : explanation.importance) order.push_back(&i);
  std::stable_sort(order.begin(), order.end(),
                   [](const Importance* a, const Importance* b) { return known(a->mean) > known(b->mean); });
  return order;
}

std::size_t name_width(const Explanation& explanation) {
  std::size_t width = 6;
  for (const Importance& i : explanation.importance) width = std::max(width, i.column.size());
  return width;
}

// "rising", if the values do so from the first to the last.
std::string course(const Eigen::VectorXd& values) {
  bool rises = true, falls = true;
  for (Index k = 1; k < values.size(); ++k) {
    rises = rises && values[k] >= values[k - 1];
    falls = falls && values[k] <= values[k - 1];
  }
  if (rises && falls) return "level";
  if (rises) return "rising";
  return falls ? "falling" : "up and down";
}

std::string describe(const Effect& effect, Index target) {
  const Eigen::VectorXd mean = effect.mean.col(target);
  if (effect.levels.empty())
    return fmt::format("{:.4g} .. {:.4g}, {} from {:.4g} to {:.4g}", mean.minCoeff(), mean.maxCoeff(), course(mean),
                       effect.at.front(), effect.at.back());
  std::vector<Index> order(effect.levels.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return mean[a] < mean[b]; });
  std::vector<std::string> shown;
  shown.reserve(order.size());
  for (const Index k : order)
    shown.push_back(fmt::format("{} {:.4g}", effect.levels[static_cast<std::size_t>(k)], mean[k]));
  if (shown.size() > kLevelsShown) {
    shown.erase(shown.begin() + kLevelsShown / 2, shown.end() - kLevelsShown / 2);
    shown.insert(shown.begin() + kLevelsShown / 2, "...");
  }
  return fmt::format("{:.4g} .. {:.4g}: {}", mean.minCoeff(), mean.maxCoeff(), fmt::join(shown, ", "));
}

struct Explain {
  std::string model, data;
  bool no_effects = false;
  ExplainOptions options;
  TableArguments table;
  Verbosity verbosity;

  int run();
};

int Explain::run() {
  options.effects = !no_effects;
  const Model m = Model::load(model);
  const Encoder& encoder = m.encoder();
  const Table rows = read_table(data, encoder.table_options(table.options()));
  EncodeNotes notes;
  const Explanation explanation = explain(m, rows, options, &notes);
  std::vector<std::string> warnings = rows.warnings;
  for (auto& sentence : notes.sentences()) warnings.push_back(std::move(sentence));
  warn(verbosity, warnings);
  Json json = to_json(explanation, encoder);
  json["warnings"] = warnings;
  std::string text = importance_table(explanation);
  if (options.effects) text += "\n" + effects_table(explanation, encoder);
  print(verbosity, json, visible(text));
  return kOk;
}

}  // namespace

Json to_json(const Explanation& explanation, const Encoder& encoder) {
  Json json = {{"rows", explanation.rows}, {"rmse", explanation.rmse}, {"importance", Json::array()}};
  for (const Importance& i : explanation.importance)
    json["importance"].push_back({{"column", i.column}, {"mean", i.mean}, {"std", i.std}});
  json["effects"] = Json::array();
  for (const Effect& effect : explanation.effects) {
    Json entry = {{"column", effect.column}};
    if (effect.levels.empty())
      entry["at"] = effect.at;
    else
      entry["levels"] = effect.levels;
    for (Index q = 0; q < effect.mean.cols(); ++q)
      entry["mean"][encoder.targets()[static_cast<std::size_t>(q)].name] =
          std::vector<double>(effect.mean.col(q).begin(), effect.mean.col(q).end());
    json["effects"].push_back(std::move(entry));
  }
  return json;
}

std::string importance_table(const Explanation& explanation) {
  const auto order = by_importance(explanation);
  const std::size_t width = name_width(explanation);
  const double most = order.empty() ? 0 : known(order.front()->mean);
  std::string text =
      fmt::format("Importance: by how much the RMSE, {:.5g} on {} row{}, rises when a column is shuffled\n",
                  explanation.rmse, explanation.rows, explanation.rows == 1 ? "" : "s");
  for (const Importance* i : order) {
    const double share = most > 0 && std::isfinite(i->mean) ? std::clamp(i->mean / most, 0.0, 1.0) : 0;
    const std::string bar(static_cast<std::size_t>(std::lround(kBar * (std::isfinite(most) ? share : 0))), '#');
    text += fmt::format("  {:<{}}  {:>10.4g} +- {:<9.2g} {}", i->column, width, i->mean, i->std, bar);
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

std::string effects_table(const Explanation& explanation, const Encoder& encoder) {
  const std::size_t width = name_width(explanation);
  std::string text = "Effect: the mean prediction when a column has one value in all rows\n";
  for (const Importance* i : by_importance(explanation))
    for (const Effect& effect : explanation.effects) {
      if (effect.column != i->column) continue;
      for (Index q = 0; q < effect.mean.cols(); ++q) {
        const std::string& target = encoder.targets()[static_cast<std::size_t>(q)].name;
        text += fmt::format("  {:<{}}  {}{}\n", q == 0 ? effect.column : "", width,
                            effect.mean.cols() == 1 ? "" : target + " ", describe(effect, q));
      }
    }
  return text;
}

void add_explain(CLI::App& app, Commands& commands) {
  auto explain = std::make_shared<Explain>();
  auto* command = app.add_subcommand("explain", "How important is each column to a model, and what is its effect?");
  command->add_option("MODEL", explain->model, "The model file")->required();
  command->add_option("DATA", explain->data, "The table, with targets; - is standard input")->required();
  const auto number = [&](const char* name, std::int64_t& value, const char* meaning, int least, int most) {
    command->add_option(name, value, meaning)
        ->type_name("N")
        ->check(CLI::Range(least, most).description(""))
        ->capture_default_str();
  };
  number("--repeats", explain->options.repeats, "How often each column is shuffled", 1, 10'000);
  command->add_option("--seed", explain->options.seed, "Seed of the shuffles, and of the rows where there are many")
      ->type_name("N")
      ->capture_default_str();
  number("--max-rows", explain->options.max_rows, "Of more rows so many are drawn", 1, 1'000'000'000);
  command->add_flag("--no-effects", explain->no_effects, "Only the importance of each column");
  explain->options.threads = 0;
  number("--threads", explain->options.threads, "Threads; 0: one per processor", 0, 4096);
  explain->table.add_to(*command);
  explain->verbosity.add_to(*command);
  commands[command] = [explain] { return explain->run(); };
}

}  // namespace sconet::cli
