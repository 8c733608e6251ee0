// Training: rows in, a network and a report out.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "sconet/matrix_view.hpp"
#include "sconet/network.hpp"
#include "sconet/options.hpp"
#include "sconet/report.hpp"

namespace sconet {

// What training may be given beside the rows and the options; everything may be left out.
struct TrainExtras {
  MatrixView weights = {};                // n x 1: a row of weight k counts k times, 0 not at all
  MatrixView X_valid = {}, Y_valid = {};  // rows that choose the size of the network (see patience)
  // Other encodings of the same rows, among which `auto` chooses (TrainReport::encoding), and of the validation rows.
  std::vector<MatrixView> encodings = {}, encodings_valid = {};
  std::function<void(const NodeRecord&)> on_node = {};  // called after each node, in the calling thread
  // auto: called after each trial, one call at a time, from any thread and in no fixed order
  std::function<void(const TrialProgress&)> on_trial = {};
  bool keep_stages = false;   // TrainReport::stages
  std::stop_token stop = {};  // asked after each node and before each batch: ends with the network so far
  // (MLP-BP: both after each iteration.)

  // To go on with an earlier run on the same data and options: called with the history after each step (a history
  // from the middle of a step would not do), and the history to go on from. Its nodes are put back without a search,
  // and training ends with the same bits as if it had never stopped. Throws std::invalid_argument when the nodes do
  // not leave the same errors as they did, to the bit: other data, other options or another instruction level; and for
  // MLP-BP, which can do neither.
  std::function<void(const std::vector<NodeRecord>&)> on_step = {};
  std::vector<NodeRecord> resume = {};
};

struct TrainResult {
  Network network;
  TrainReport report;
};

// Grows a network on X (n x d) and Y (n x m), or trains an MLP.
//
// The result depends on the data, the options and the seed alone: never on the number of threads, the clock (but for
// time_limit) or the locale. Throws std::invalid_argument for a caller's mistake, naming the option or the row and
// column, and std::bad_alloc when memory does not suffice; every numerical outcome is a result with a reason.
TrainResult train(MatrixView X, MatrixView Y, const TrainOptions& options = {}, const TrainExtras& extras = {});

// About how many bytes train() allocates at its largest, for so many training and validation rows.
std::uint64_t training_memory(Index rows, Index inputs, Index outputs, Index valid_rows, const TrainOptions& options);

}  // namespace sconet
