// A single run, its line in runs.jsonl, and the file of them.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "io/fd.hpp"
#include "sconet/model.hpp"
#include "study/results.hpp"
#include "study/sets.hpp"

namespace sconet::study {

// What makes a run: with these the same numbers come out again, but for the seconds.
struct RunKey {
  std::string set, data, method;
  Settings settings;
  std::int64_t run = 0;
  std::uint64_t seed = 0;

  auto tied() const { return std::tie(set, data, method, settings, run, seed); }
  bool operator==(const RunKey& other) const { return tied() == other.tied(); }
  bool operator<(const RunKey& other) const { return tied() < other.tied(); }
};
RunKey key(const Run& run);

// Splits the set's rows by the run's seed, fits encoder and network to the training rows on one thread, lets the
// validation rows choose the size, and measures on all three parts. The method auto learns from the validation rows
// too, since it holds rows out itself; its validation RMSE is that of the rows held out, the other measures are
// undefined. Empty when `stop` cut it short.
std::optional<Run> execute(const StudySet& set, const RunKey& key, std::stop_token stop = {});

// The model of a run.
Model repeat(const StudySet& set, const RunKey& key);

std::string to_line(const Run& run);                                    // JSON, without the end of the line
Run from_line(const std::string& line, const std::string& place = "");  // throws DataError that begins with `place`

// The file of finished runs. Runs are appended as they finish, each whole or not at all; a line that a kill cut short
// is dropped when the file is opened again. One process at a time may have it.
class RunFile {
 public:
  explicit RunFile(std::string path);  // reads what is there; throws DataError or IoError

  const std::vector<Run>& runs() const { return runs_; }
  void append(Run run);  // may be called from several threads
  void sort();           // writes all lines in the order of their keys, once a study is complete

 private:
  std::string path_;
  Fd file_;  // open and locked
  std::vector<Run> runs_;
  std::mutex mutex_;
};

}  // namespace sconet::study
