// From the columns of a table to the inputs of a network, and back from its outputs to the targets. What it takes
// (means, ranges, categories) is learnt from the training rows alone, and kept with the model.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sconet/matrix_view.hpp"
#include "sconet/options.hpp"
#include "sconet/table.hpp"

namespace sconet {

enum class Scaling {
  automatic,  // what the method wants: unit, but `auto` tries standard, quantile and both
  unit,       // (x - least) / (largest - least): the training rows lie in [0, 1], as in the paper
  standard,   // (x - mean) / standard deviation
  quantile,   // the share of training rows below x, between evenly spaced quantiles on straight lines: in [0, 1]
  both,       // two inputs: standard, and (quantile - 1/2) sqrt(12), which has about the same mean and deviation
  none,
};

enum class TargetScaling { standard, unit, none };

// What a missing number becomes.
enum class Missing { mean, median, refuse };

// Declared once in src/data/encoder_options.cpp, as the training options are in src/core/options.cpp.
struct EncoderOptions {
  Scaling scaling = Scaling::automatic;
  TargetScaling target_scaling = TargetScaling::standard;
  Missing missing = Missing::mean;
  bool missing_indicator = false;
  std::int64_t max_levels = 64;
  std::int64_t quantiles = 64;
  bool clip = false;  // numbers beyond the training rows' least and largest become these; `auto` always does so
};

void validate(const EncoderOptions& options);
std::vector<OptionInfo> describe_encoder_options();
std::string option_text(const EncoderOptions& options, std::string_view name);
void set_option(EncoderOptions& options, std::string_view name, std::string_view text);

// Which column plays which part, each named as in Table::column; all others are inputs.
struct ColumnChoice {
  std::vector<std::string> targets = {};  // empty: what the file itself calls its outputs
  std::vector<std::string> ignore = {};
  std::vector<std::string> ids = {};  // no inputs, but copied to predictions
};

// A column of the table and the inputs it becomes.
struct InputColumn {
  std::string name;
  ColumnType type = ColumnType::number;
  bool used = true;  // false: constant on the training rows

  // number: one input, (x - offset) / scale, or by the quantiles' knots and positions where there are any, or both, one
  // after the other; and one more, 1 where x is missing and 0 elsewhere, if there is an indicator
  double fill = 0;  // stands for a missing x
  double offset = 0, scale = 1;
  std::vector<double> knots, positions;
  bool both = false;
  bool indicator = false;
  // Of the training rows; infinite when not known, as in models from before it was kept.
  double least = -std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::infinity();

  // text: one input for each level, 1 where the cell is that level and 0 elsewhere; and one more for missing cells, if
  // training rows had them
  std::vector<std::string> levels;  // sorted
  bool missing_level = false;

  Index inputs() const;
  bool knows_range() const { return least <= largest && largest - least < std::numeric_limits<double>::infinity(); }
};

struct TargetColumn {
  std::string name;
  double offset = 0, scale = 1;  // the network learns (y - offset) / scale
  // Predictions stay within: with `clip` a tenth beyond what the training rows have.
  double least = -std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::infinity();
};

// Cells of a table that needed help.
struct EncodeNotes {
  struct Column {
    std::string name;
    Index missing = 0;       // missing numbers, which were filled in
    Index missing_text = 0;  // missing texts where training had none: all inputs of the column are 0
    Index unseen = 0;        // texts that training did not see: the same
    Index outside = 0;       // numbers beyond the training rows' range by more than a twentieth of its width
    Index cells = 0;         // that were looked at
    double least = 0, largest = 0;
    bool held = false;  // numbers outside predict like the edge of the range
  };
  std::vector<Column> columns;

  void add(const EncodeNotes& other);
  // One for each column that has something to tell; of columns with numbers outside, only the first few by name.
  std::vector<std::string> sentences() const;
};

class Encoder {
 public:
  Encoder() = default;
  Encoder(std::vector<InputColumn> columns, std::vector<TargetColumn> targets, std::vector<std::string> ids,
          EncoderOptions options);

  // Learns from those rows of the table, of which each may have a weight. Throws DataError when the table does not do
  // (place, token and what to do are in the message); what the caller should know but need not act on is added to
  // `warnings`.
  static Encoder fit(const Table& table, const ColumnChoice& choice, const EncoderOptions& options,
                     std::span<const Index> rows, std::vector<std::string>& warnings,
                     std::span<const double> weights = {});

  Index inputs() const { return inputs_; }  // of the network
  Index outputs() const { return static_cast<Index>(targets_.size()); }
  const std::vector<InputColumn>& columns() const { return columns_; }
  const std::vector<TargetColumn>& targets() const { return targets_; }
  const std::vector<std::string>& ids() const { return ids_; }
  const EncoderOptions& options() const { return options_; }
  std::vector<std::string> input_names() const;  // "temp", "temp by rank", "temp is missing", "colour = red"

  // How tables for this encoder are best read: its columns have the types they had in training.
  TableOptions table_options(TableOptions options = {}) const;

  // The inputs of some rows of a table, whose columns are found by name whatever their order. Throws DataError that
  // lists all the columns that are missing, or gives the place of a cell that does not do.
  Eigen::MatrixXd inputs(const Table& table, std::span<const Index> rows, EncodeNotes* notes = nullptr) const;

  // The targets of some rows in their own unit, NaN where missing.
  Eigen::MatrixXd targets(const Table& table, std::span<const Index> rows) const;

  Eigen::MatrixXd scale_targets(const Eigen::MatrixXd& Y) const;    // own unit -> what the network learns
  Eigen::MatrixXd unscale_targets(const Eigen::MatrixXd& Y) const;  // and back

 private:
  std::vector<InputColumn> columns_;
  std::vector<TargetColumn> targets_;
  std::vector<std::string> ids_;
  EncoderOptions options_;
  Index inputs_ = 0;
};

std::vector<Index> all_rows(const Table& table);

}  // namespace sconet
