// How training is going, for a person who is watching.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "sconet/report.hpp"

namespace sconet::cli {

class Progress {
 public:
  enum class Style { none, bar, plain };

  // "auto" is a bar if standard error is a terminal and nothing otherwise.
  static Style style(const std::string& name, bool quiet);

  Progress(Style style, std::int64_t max_nodes, std::string label = "")
      : style_(style), max_nodes_(max_nodes), label_(std::move(label)) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const NodeRecord& node);  // at most ten times a second; plain: once a second
  void clear();                       // wipes the bar away

 private:
  std::string time_left(const NodeRecord& node);

  Style style_;
  std::int64_t max_nodes_;
  std::string label_;
  std::chrono::steady_clock::time_point last_{};
  std::vector<double> seconds_;  // when each of the last nodes came
  bool drawn_ = false;
};

}  // namespace sconet::cli
