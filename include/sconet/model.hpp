// A model: an encoder and a network, from a table to predictions in the target's own unit, and its file.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sconet/encoder.hpp"
#include "sconet/explain.hpp"
#include "sconet/intervals.hpp"
#include "sconet/metrics.hpp"
#include "sconet/network.hpp"
#include "sconet/options.hpp"
#include "sconet/report.hpp"
#include "sconet/table.hpp"

namespace sconet {

struct FitOptions {
  ColumnChoice columns = {};
  double valid_fraction =
      0;  // share of the rows, drawn by seed, that choose the size of the network instead of teaching
  EncoderOptions encoder = {};
  // The tolerance is in the target's own unit (with several targets: in units of the scaled targets).
  TrainOptions train = {};
  bool explain = false;  // the model's summary also tells what it makes of each column
  // Calibrate prediction intervals: with the validation rows, else with leave-one-out residuals.
  bool intervals = false;
};

// What fitting may be given beside the table and the options; everything may be left out.
struct FitExtras {
  std::optional<std::vector<Index>> rows = {};  // fit to these rows only; all of them must have a target
  std::vector<Index> valid_rows = {};           // validation rows of the same table, all with a target
  const Table* valid = nullptr;                 // or from a table of their own
  // For each row of the table; none: all count the same. Rows that are alike are one row of their common weight, so a
  // row of weight k is as good as k copies of it, to the bit, and one of weight 0 as none.
  std::vector<double> weights = {};
  std::function<void(const NodeRecord&)> on_node = {};      // errors as in ModelSummary::train_rmse
  std::function<void(const TrialProgress&)> on_trial = {};  // see TrainExtras
  bool keep_stages = false;                                 // TrainReport::stages, for scaled targets
  std::stop_token stop = {};

  // A file that is written every so many seconds (0: after every step) and when training ends, and from which a later
  // run with the same table and options goes on, to the same bits. The number of threads and the time limit may
  // differ, and so may max_nodes, tolerance and patience if nodes_per_step is 1. Resuming from a file that does not
  // exist begins from the beginning.
  std::string checkpoint = {};
  double checkpoint_every = 60;
  bool resume = false;

  std::uint64_t memory_limit = 0;  // bytes; 0: none. MemoryLimitError says before training that it would not do.
};

class MemoryLimitError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What is remembered of training. Nothing here depends on the clock or the number of threads.
struct ModelSummary {
  std::string version;  // of sconet
  std::string method;   // "RMPI-SCN"
  StopReason stop_reason = StopReason::not_run;
  Metrics train;
  std::optional<Metrics> valid;
  // RMSE of each size grown, from 0 nodes on, or of each iteration of MLP-BP, from its first weights on: in the
  // target's own unit, with several targets in units of the scaled targets.
  std::vector<double> train_rmse;
  std::vector<double> valid_rmse;  // empty without validation rows
  std::vector<double> scales;      // the scale each node was drawn from; MLP-BP: zeros
  // method = auto: how many trials each round had, and the five best of each, errors as above.
  std::vector<Index> tried;
  std::vector<Trial> trials;
  // RMSE on rows held out, as above (auto and ensembles; else NaN), and the nodes of each network of an ensemble.
  double held_out_rmse = std::numeric_limits<double>::quiet_NaN();
  std::vector<Index> members;
  // From a sample of the training rows; effects of the most important columns alone.
  std::optional<Explanation> explanation;
};

// A prediction for each row and target and the bounds of its interval, in the targets' own units, n x m each.
struct IntervalPrediction {
  Eigen::MatrixXd mean, low, high;
};

struct Fitted;

class Model {
 public:
  Model() = default;
  Model(Encoder encoder, Network network, TrainOptions options, double valid_fraction, ModelSummary summary);

  // Fits encoder and network to the rows of the table that have a target. Throws DataError for a table that does not
  // do, std::invalid_argument for options, ModelFileError and IoError for a checkpoint that cannot be read.
  static Fitted fit(const Table& table, const FitOptions& options, const FitExtras& extras = {});

  const Encoder& encoder() const { return encoder_; }
  const Network& network() const { return network_; }
  const TrainOptions& options() const { return options_; }
  double valid_fraction() const { return valid_fraction_; }
  const ModelSummary& summary() const { return summary_; }

  // Predictions in the targets' own units, n x m. Columns are found by name (Encoder::inputs) or, in a matrix, by their
  // order in the training table, with NaN for a missing value. A row's prediction depends on that row alone, to the
  // last bit.
  Eigen::MatrixXd predict(const Table& table, std::int64_t threads = 1, EncodeNotes* notes = nullptr) const;
  Eigen::MatrixXd predict(MatrixView X, std::int64_t threads = 1) const;

  // Predictions and intervals that hold the targets of about that share of new rows: 0 < level < 1. Each target has its
  // own interval. Without a kind: Intervals::best_kind(). Throws std::invalid_argument for a model without intervals
  // and a level it has too few rows for.
  IntervalPrediction predict_interval(const Table& table, double level, std::optional<IntervalKind> kind = {},
                                      std::int64_t threads = 1, EncodeNotes* notes = nullptr) const;
  IntervalPrediction predict_interval(MatrixView X, double level, std::optional<IntervalKind> kind = {},
                                      std::int64_t threads = 1) const;

  const std::optional<Intervals>& intervals() const { return intervals_; }
  const std::string& no_intervals() const { return no_intervals_; }  // why there are none
  // Throws std::invalid_argument when they are not for as many targets and inputs as the network has.
  void set_intervals(Intervals intervals);
  void set_no_intervals(std::string why);

  // The file is written completely or not at all; the same model gives the same bytes. Loading throws ModelFileError
  // for anything but a sound model, IoError when the file cannot be read.
  void save(const std::string& path) const;
  static Model load(const std::string& path);
  std::string to_bytes() const;
  static Model from_bytes(std::string_view bytes, const std::string& source = "model");

 private:
  static constexpr const char* kIntervalsNotAskedFor =
      "training was not asked for them; train again without --no-intervals, or in C++ with FitOptions::intervals";

  Encoder encoder_;
  Network network_;
  TrainOptions options_;
  double valid_fraction_ = 0;
  ModelSummary summary_;
  std::optional<Intervals> intervals_;
  std::string no_intervals_ = kIntervalsNotAskedFor;
};

struct Fitted {
  Model model;
  TrainReport report;  // errors as in ModelSummary::train_rmse
  std::vector<std::string> warnings;
  std::string checkpoint_error;  // why the last checkpoint could not be written; empty if it could
};

// About how many bytes Model::fit allocates beside the table, for a network with so many inputs.
std::uint64_t fit_memory(Index rows, Index inputs, Index outputs, Index valid_rows, const TrainOptions& options);

}  // namespace sconet
