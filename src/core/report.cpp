#include "sconet/report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sconet {

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::not_run: return "not_run";
    case StopReason::max_nodes: return "max_nodes";
    case StopReason::tolerance: return "tolerance";
    case StopReason::exact_fit: return "exact_fit";
    case StopReason::rank: return "rank";
    case StopReason::no_admissible: return "no_admissible";
    case StopReason::overflow: return "overflow";
    case StopReason::validation: return "validation";
    case StopReason::iterations: return "iterations";
    case StopReason::converged: return "converged";
    case StopReason::chosen: return "chosen";
    case StopReason::time_limit: return "time_limit";
    case StopReason::interrupted: return "interrupted";
  }
  return "unknown";
}

std::optional<StopReason> stop_reason(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(StopReason::interrupted); ++i)
    if (const auto reason = static_cast<StopReason>(i); name(reason) == text) return reason;
  return {};
}

std::string_view sentence(StopReason reason) {
  switch (reason) {
    case StopReason::not_run: return "training has not run";
    case StopReason::max_nodes: return "the network has as many nodes as were allowed";
    case StopReason::tolerance: return "the error is within the tolerance";
    case StopReason::exact_fit: return "the training error is rounding error";
    case StopReason::rank: return "no candidate adds anything new to the nodes there are";
    case StopReason::no_admissible: return "no candidate reduces the error as much as demanded";
    case StopReason::overflow: return "the output weights of a larger network would overflow";
    case StopReason::validation: return "the validation error stopped improving";
    case StopReason::iterations: return "it has made as many iterations as were allowed";
    case StopReason::converged: return "no step lowers the training error any more";
    case StopReason::chosen: return "this size did best on rows held out";
    case StopReason::time_limit: return "the time limit was reached";
    case StopReason::interrupted: return "training was interrupted";
  }
  return "unknown";
}

std::string TrainReport::brief() const {
  if (stop_reason == StopReason::not_run) return "not trained";
  std::string s = fmt::format("{}: {} node{}, training RMSE {:.4g}", method, network_nodes,
                              network_nodes == 1 ? "" : "s", train_rmse);
  if (!std::isnan(valid_rmse)) s += fmt::format(", validation RMSE {:.4g}", valid_rmse);
  return s + fmt::format(", {:.3g} s; stopped because {}", seconds, sentence(stop_reason));
}

std::string TrainReport::full() const {
  const bool validated = !std::isnan(initial_valid_rmse);
  const auto valid = [&](double rmse) { return validated ? fmt::format("{:.5g}", rmse) : std::string("-"); };
  const auto mark = [&](Index step) { return step == network_step ? "  <- returned" : ""; };
  const bool grown = method != "MLP-BP";
  std::string s = brief() + '\n';
  s += fmt::format("{} rows, {} input{}, {} output{}; {} thread{}, {}\n\n", rows, inputs, inputs == 1 ? "" : "s",
                   outputs, outputs == 1 ? "" : "s", threads, threads == 1 ? "" : "s", instructions);
  s += fmt::format("{:>6} {:>12} {:>12} {:>8} {:>10} {:>8} {:>11} {:>10} {:>9}\n", grown ? "nodes" : "step",
                   "train RMSE", "valid RMSE", "scale", "r_L", "batches", "admissible", "score", "seconds");
  s += fmt::format("{:>6} {:>12.5g} {:>12}{}\n", 0, initial_rmse, valid(initial_valid_rmse), mark(0));
  Index step = 0;
  for (const NodeRecord& n : history) {
    ++step;
    s += fmt::format("{:>6} {:>12.5g} {:>12} {:>8g} {:>10.7g} {:>8} {:>11} {:>10.3g} {:>9.3f}{}\n",
                     grown ? n.nodes : step, n.train_rmse, valid(n.valid_rmse), n.scale, n.r, n.batches,
                     n.fallback ? std::string("best seen") : std::to_string(n.admissible), n.score, n.seconds,
                     mark(step));
  }
  return s;
}

}  // namespace sconet
