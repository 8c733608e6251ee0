// What a model makes of each column of a table: how much its predictions rely on it, and how they change with it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "sconet/encoder.hpp"
#include "sconet/table.hpp"

namespace sconet {

class Model;

// By how much the RMSE rises when the column's cells are shuffled among the rows: mean and standard deviation over the
// shuffles. In the target's own unit, with several targets in units of the scaled targets.
struct Importance {
  std::string column;
  double mean = 0, std = 0;
};

// The mean prediction over rows whose cells of the column are all set to one value, for some of its values.
struct Effect {
  std::string column;
  std::vector<double> at;           // a number column: its values, rising
  std::vector<std::string> levels;  // a text column: its levels
  Eigen::MatrixXd mean;             // values x targets, in the targets' own units
};

struct Explanation {
  std::vector<Importance> importance;  // of every input column of the model, in its order; 0 for those it does not use
  std::vector<Effect> effects;         // of columns it uses, in its order
  double rmse = 0;                     // of the rows as they are
  Index rows = 0;                      // that were looked at
};

struct ExplainOptions {
  std::int64_t repeats = 5;      // shuffles of a column
  std::uint64_t seed = 1;        // of the shuffles and of the choice of rows
  std::int64_t threads = 1;      // 0: one per processor; the result does not depend on it
  std::int64_t max_rows = 2000;  // of more rows so many are drawn; effects take 500 of these
  bool effects = true;
  std::int64_t points = 20;  // values of an effect: evenly spaced quantiles, or the most frequent levels
};

// From the rows of the table that have a target. Throws DataError when there is none or the table does not fit the
// model, std::invalid_argument for options that make no sense.
Explanation explain(const Model& model, const Table& table, const ExplainOptions& options = {},
                    EncodeNotes* notes = nullptr);

}  // namespace sconet
