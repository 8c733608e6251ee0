// The methods of a study, and the settings that validation chooses among.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sconet/model.hpp"
#include "study/results.hpp"

namespace sconet::study {

// A method, and options that are fixed instead of chosen: "rvfl:range=60".
struct MethodSpec {
  std::string id;
  Method method = Method::rmpi;
  Settings fixed;

  MethodInfo info() const;
};

// The values of a list are separated by slashes, "rmpi:scales=1/5". Throws std::invalid_argument for a method or an
// option that does not exist.
MethodSpec parse_method(const std::string& text);

// A method in a study.
struct Entrant {
  MethodSpec method;
  std::vector<std::string> only = {};  // the sets it runs on; empty: all

  bool runs_on(const std::string& set) const;
};

// The methods of a study for which none are named: those of the paper's table, IRVFL for its figures, and RVFL with the
// two ranges that the paper tries on DB1.
std::vector<Entrant> usual_methods();

// The options that are not chosen, and those that are: lists of options with the values tried, every combination within
// a list.
struct Grid {
  using Choices = std::vector<std::pair<std::string, std::vector<std::string>>>;
  Settings base;
  std::vector<Choices> lists;

  std::vector<Settings> settings() const;  // all of them, each once
  std::string text() const;                // "max_nodes 45; scales 1|2, ridge 0|1e-4": what is printed and stored
};

// For a set of the paper the network is as large as the paper's mean network was; for others validation rows choose a
// size of at most 100 nodes.
Grid grid(const MethodSpec& method, const SetInfo& set);

// Options of training and encoder by name; both lists in one. Throws std::invalid_argument.
void set_any_option(FitOptions& options, const std::string& name, const std::string& text);
FitOptions fit_options(const Settings& settings);

// What differs from the defaults, in the order of the lists. Seed, threads and instruction level are no settings.
Settings settings_of(const FitOptions& options);
std::string text_of(const Settings& settings);  // "r=0.9, alpha=0.5"

}  // namespace sconet::study
