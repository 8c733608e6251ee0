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

// Throws std::invalid_argument for a method or an option that does not exist.
MethodSpec parse_method(const std::string& text);

// The methods of a study for which none are named: those of the paper's table, and IRVFL for its figures.
std::vector<MethodSpec> usual_methods();

// The options that are not chosen, and those that are with the values tried.
struct Grid {
  Settings base;
  std::vector<std::pair<std::string, std::vector<std::string>>> choices;

  std::vector<Settings> settings() const;  // every combination
  std::string text() const;                // "r 0.9|0.99, alpha 0.5; max_nodes 45": what is printed and stored
};

// For a set of the catalogue the network may be as large as the paper's mean network was; for others, 100 nodes.
Grid grid(const MethodSpec& method, const std::string& set);

// Options of training and encoder by name; both lists in one. Throws std::invalid_argument.
void set_any_option(FitOptions& options, const std::string& name, const std::string& text);
FitOptions fit_options(const Settings& settings);

// What differs from the defaults, in the order of the lists. Seed, threads and instruction level are no settings.
Settings settings_of(const FitOptions& options);
std::string text_of(const Settings& settings);  // "r=0.9, alpha=0.5"

}  // namespace sconet::study
