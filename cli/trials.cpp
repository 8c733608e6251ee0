#include "trials.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace sconet::cli {
namespace {

std::string inputs_scaled(const std::string& scaling) {
  static const std::map<std::string, std::string> kTexts = {{"unit", "inputs scaled to the unit interval"},
                                                            {"standard", "inputs scaled to mean 0 and deviation 1"},
                                                            {"quantile", "inputs scaled to their quantiles"},
                                                            {"both", "inputs scaled both ways"},
                                                            {"none", "inputs as they are"}};
  const auto found = kTexts.find(scaling);
  return found == kTexts.end() ? "inputs scaled " + scaling : found->second;
}

// Families and scales that share a pool; a text of one may have a comma.
std::string candidates(const Trial& trial) { return fmt::format("{}", fmt::join(trial.candidates, " + ")); }

std::string plural(Index count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

// "5 networks of 118 to 120 nodes"
std::string networks(const std::vector<Index>& members) {
  const auto [least, most] = std::minmax_element(members.begin(), members.end());
  const std::string size = *least == *most ? "" : fmt::format("{} to ", *least);
  return fmt::format("{} of {}{}", plural(static_cast<Index>(members.size()), "network"), size, plural(*most, "node"));
}

}  // namespace

std::string choice_line(const Model& model) {
  const ModelSummary& summary = model.summary();
  std::vector<std::string> parts;
  const auto chosen =
      std::find_if(summary.trials.begin(), summary.trials.end(), [](const Trial& t) { return t.chosen; });
  if (!summary.trials.empty()) {
    const Index trials = std::accumulate(summary.tried.begin(), summary.tried.end(), Index{0});
    parts.push_back(
        fmt::format("{} in {}", plural(trials, "trial"), plural(static_cast<Index>(summary.tried.size()), "round")));
  }
  if (chosen != summary.trials.end()) {
    parts.push_back(fmt::format("chose candidates {} on {}", candidates(*chosen), inputs_scaled(chosen->scaling)));
    // The networks of an ensemble have a size and a ridge of their own.
    if (summary.members.empty())
      parts.back() += fmt::format(", {}, ridge {:g}", plural(model.network().nodes(), "node"), chosen->ridge);
  }
  if (!summary.members.empty()) parts.push_back(networks(summary.members));
  if (parts.empty()) return "";
  if (std::isfinite(summary.held_out_rmse))
    parts.push_back(fmt::format("RMSE on rows held out {:.4g}{}", summary.held_out_rmse,
                                model.network().outputs() == 1 ? "" : " (of scaled targets)"));
  return fmt::format("{}\n", fmt::join(parts, "; "));
}

std::string held_out_line(const Model& model) {
  const double rmse = model.summary().held_out_rmse;
  const bool same_as_validation = model.summary().valid && model.options().method == Method::automatic;
  if (!std::isfinite(rmse) || model.network().outputs() > 1 || same_as_validation) return "";
  return fmt::format("{:<12} {:>9} {:>12.5g}\n", "held out", "", rmse);
}

std::string trials_table(const ModelSummary& summary) {
  std::size_t width = 10;
  for (const Trial& trial : summary.trials) width = std::max(width, candidates(trial).size());
  std::string text = fmt::format("  {:>5}  {:<8}  {:<{}} {:>8} {:>6} {:>6} {:>8} {:>12}\n", "round", "scaling",
                                 "candidates", width, "rows", "pool", "nodes", "ridge", "RMSE");
  std::vector<Index> kept(summary.tried.size());
  for (const Trial& trial : summary.trials) ++kept.at(static_cast<std::size_t>(trial.round));
  int round = -1;
  for (const Trial& trial : summary.trials) {
    const auto number = static_cast<std::size_t>(trial.round);
    if (trial.round != round)
      text += fmt::format("  {:>5}  {}{}\n", trial.round + 1, plural(summary.tried[number], "trial"),
                          kept[number] < summary.tried[number] ? ", the best of them:" : ":");
    round = trial.round;
    const std::string rmse = std::isfinite(trial.rmse) ? fmt::format("{:.5g}", trial.rmse) : "-";
    text += fmt::format("  {:>5}  {:<8}  {:<{}} {:>8} {:>6} {:>6} {:>8.3g} {:>12}{}\n", "", trial.scaling,
                        candidates(trial), width, trial.rows, trial.pool, trial.nodes, trial.ridge, rmse,
                        trial.chosen ? "  chosen" : "");
  }
  return text;
}

std::string members_text(const ModelSummary& summary) {
  const std::vector<Index>& members = summary.members;
  const bool differ = std::adjacent_find(members.begin(), members.end(), std::not_equal_to<>()) != members.end();
  return differ ? fmt::format("  {}: {}\n", networks(members), fmt::join(members, ", "))
                : fmt::format("  {}\n", networks(members));
}

void add_trials(Json& json, const ModelSummary& summary) {
  if (std::isfinite(summary.held_out_rmse)) json["held_out_rmse"] = summary.held_out_rmse;
  if (!summary.members.empty()) json["members"] = summary.members;
  if (summary.trials.empty()) return;
  json["tried"] = summary.tried;
  json["trials"] = Json::array();
  for (const Trial& trial : summary.trials)
    json["trials"].push_back({{"round", trial.round + 1},
                              {"scaling", trial.scaling},
                              {"candidates", trial.candidates},
                              {"rows", trial.rows},
                              {"pool", trial.pool},
                              {"nodes", trial.nodes},
                              {"ridge", trial.ridge},
                              {"rmse", trial.rmse},
                              {"chosen", trial.chosen}});
}

}  // namespace sconet::cli
