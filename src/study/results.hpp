// What a study leaves: a record per run, and what the table, the claims, the figures and the page are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sconet/metrics.hpp"

namespace sconet::study {

// Options by name and as text (set_option), those that differ from the defaults, in the order of the option lists.
using Settings = std::vector<std::pair<std::string, std::string>>;

// One run of one method on one set: a line of runs.jsonl, and enough to repeat it.
struct Run {
  std::string set;  // "DB1", or the path of a user's table
  std::string
      data;  // what the rows are: SHA-256 of the file, with target and reading if a user chose them, or "generated"
  std::string method;  // "rmpi", "rvfl:range=60"
  Settings settings;   // of training and encoder, but for the seed
  std::int64_t run = 0;
  std::uint64_t seed = 0;  // of the split and of the draws
  std::string version;     // of sconet
  Metrics train, valid, test;
  Index nodes = 0;
  double seconds = 0;  // of training, on one thread
  std::string stop_reason;
  std::vector<double> curve;  // training RMSE from 0 nodes on (mlp: iterations); of the first runs only
};

struct Spread {
  double mean = 0, std = 0;  // sample standard deviation; 0 for a single value
};

Spread spread(const std::vector<double>& values);

// A row of the paper's Table 3; means and standard deviations over 100 runs.
struct PaperRow {
  Spread train_rmse, train_r, test_rmse, test_r, seconds;
  double nodes = 0;
};

struct SetInfo {
  std::string id;     // "DB3", or the path of a user's table
  std::string title;  // "CCPP"
  std::string unit;   // of the target: "MW"; may be empty
  Index inputs = 0, train_rows = 0, valid_rows = 0, test_rows = 0;
  std::vector<std::string> notes;  // "the file's checksum is not the catalogue's"
};

struct MethodInfo {
  std::string id;     // "rmpi", "rvfl:range=60"
  std::string title;  // "RMPI-SCN", "RVFL, range 60"
};

// All runs of a method on a set with the settings that validation chose.
struct Cell {
  std::string set, method;
  Settings chosen;
  std::vector<Run> runs;  // in rising order of `run`
  Spread train_rmse, train_r, test_rmse, test_r, seconds, nodes;
  std::optional<PaperRow> paper;
};

struct Results {
  std::vector<SetInfo> sets;
  std::vector<MethodInfo> methods;
  std::vector<Cell> cells;  // by set, then method; a method need not have run on every set

  const Cell* find(std::string_view set, std::string_view method) const;  // null: there is none
  const SetInfo& set(std::string_view id) const;
  const MethodInfo& method(std::string_view id) const;
};

enum class Verdict { not_tested, holds, holds_in_part, does_not_hold };

// A claim of the paper, and what the runs say about it.
struct Claim {
  std::string id;         // "trains-lower"
  std::string statement;  // "RMPI-SCN trains to a lower RMSE than SCN-III on at least 9 of 10 sets"
  Verdict verdict = Verdict::not_tested;
  std::string finding;                // one sentence with the figures
  std::vector<std::string> evidence;  // one line for each set
};

// Complete SVG documents, without an XML declaration.
struct Figure {
  std::string id;       // "fig4": also the name of its file
  std::string title;    // "Training error on DB1"
  std::string caption;  // what is seen, in a sentence or two
  std::string svg;
};

}  // namespace sconet::study
