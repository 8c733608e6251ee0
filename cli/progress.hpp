// How training is going, for a person who is watching.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "sconet/options.hpp"
#include "sconet/report.hpp"

namespace sconet::cli {

class Progress {
 public:
  enum class Style { none, bar, plain };

  // "auto" is a bar if standard error is a terminal and nothing otherwise.
  static Style style(const std::string& name, bool quiet);

  Progress(Style style, const TrainOptions& options, std::string label = "")
      : style_(options.method == Method::automatic ? Style::none : style),
        unit_(options.ensemble > 1            ? "networks"
              : options.method == Method::mlp ? "iterations"
                                              : "nodes"),
        grows_(options.ensemble == 1 && options.method != Method::mlp),
        most_(options.ensemble > 1 ? options.ensemble
              : grows_             ? with_node_limit(options).max_nodes
                                   : options.iterations),
        label_(std::move(label)) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const NodeRecord& node);  // at most ten times a second; plain: once a second
  void clear();                       // wipes the bar away

 private:
  std::string time_left(const NodeRecord& node);
  std::int64_t done(const NodeRecord& node) const { return grows_ ? node.nodes : node.step; }

  Style style_;
  const char* unit_;   // what is counted
  bool grows_;         // node by node; otherwise network by network or iteration by iteration
  std::int64_t most_;  // of the unit
  std::string label_;
  std::chrono::steady_clock::time_point last_{};
  std::vector<double> seconds_;  // when each of the last nodes came
  bool drawn_ = false;
};

}  // namespace sconet::cli
