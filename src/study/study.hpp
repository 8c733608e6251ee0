// A study: every method on every set, settings chosen on validation rows, then many runs of what was chosen.
//
// Run k splits the rows by seed + k - 1, for every method alike. Every setting of a method's grid is tried on the first
// `tuning` runs; the one with the lowest mean validation RMSE is chosen and run `runs` times. Test rows choose nothing.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "study/methods.hpp"
#include "study/results.hpp"
#include "study/runs.hpp"
#include "study/sets.hpp"

namespace sconet::study {

struct StudyOptions {
  std::vector<Entrant> methods;
  std::int64_t runs = 100;
  std::int64_t tuning = 3;
  std::uint64_t seed = 1;
  int jobs = 1;
};

struct StudyProgress {
  std::int64_t done = 0, total = 0;  // runs, those of the choice of settings among them
  double seconds_left = 0;           // of the clock; below zero when nothing is known yet
  std::string now;                   // what was finished last: "DB4 rmpi run 12"
};

// Runs what is not in `file` yet and sums up. Empty when `stop` ended it: what was finished is in the file, and the
// same call goes on from there. The same numbers whatever `jobs`, but for the seconds.
std::optional<Results> run_study(const std::vector<StudySet>& sets, const StudyOptions& options, RunFile& file,
                                 std::stop_token stop = {},
                                 const std::function<void(const StudyProgress&)>& on_run = {});

}  // namespace sconet::study
