// The page a study leaves: one HTML file that needs no other and no network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/results.hpp"

namespace sconet::study {

// What the page says beyond the results. No date: the same input gives the same bytes.
struct PageFacts {
  std::string title;        // "RMPI-SCN against its rivals"
  std::string command;      // what makes the page again, as it is typed
  std::string version;      // of sconet
  std::int64_t runs = 0;    // of each method on each set
  std::int64_t tuning = 0;  // splits on which the settings were chosen; 0: nothing was chosen
  std::string machine;      // "2 threads, x86-64-v3"
  double seconds = 0;       // that the whole study took; 0: not said
  std::vector<std::string> notes;
  // The figures' colours as CSS declarations ("--plot-ink:#222;"); may be empty, figures have their own.
  std::string plot_light, plot_dark;
};

// It links to runs.jsonl, table.csv and table.md beside it.
std::string page(const Results& results, const std::vector<Claim>& claims, const std::vector<Figure>& figures,
                 const PageFacts& facts);

}  // namespace sconet::study
