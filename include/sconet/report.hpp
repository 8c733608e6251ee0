// What happened during training: a row per node, why it ended, and the two ways to print it.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sconet/matrix_view.hpp"

namespace sconet {

// RMSE is sqrt(sum_i w_i |y_i - f(x_i)|^2 / sum_i w_i) in the target's own unit; with several outputs the squares of
// all outputs are added (Eq. 65).
//
// MLP-BP has a record for each iteration instead: `nodes` is the size of its network, always the same, `step` the
// number of the iteration, `batches` how often it evaluated the error and its gradient, `score` the share of the
// objective that it removed; scale, admissible, batch and candidate are 0, r is 1.
struct NodeRecord {
  Index nodes = 0;  // nodes after this one was added: L
  double train_rmse = 0;
  double valid_rmse = 0;  // NaN without validation rows
  double scale = 0;       // lambda: weights and bias were drawn from (-lambda, lambda)
  double r = 0;           // the r_L that the node was asked to meet; 1 when nothing was asked (the first RMPI node)
  Index batches = 0;      // batches drawn for this step
  Index admissible = 0;   // candidates of the accepted batch that met r_L
  double score = 0;       // share of |e_{L-1}|^2 that the supervisor says the node removes; admissible: >= 1 - r_L
  bool fallback = false;  // no candidate met r_L; taken as the best seen
  double seconds = 0;     // since training began

  // The key of the node: drawing again for (seed, step, batch, candidate) at `scale` gives the same node.
  Index step = 0;       // the number of the node the batch was drawn for
  Index batch = 0;      // the number of the batch, from 0
  Index candidate = 0;  // its number in the batch, from 0
};

enum class StopReason {
  not_run,
  max_nodes,      // the network has as many nodes as were allowed
  tolerance,      // the training RMSE is at or below the tolerance
  exact_fit,      // the residual is rounding error: nothing is left to learn
  rank,           // no candidate adds anything: all lie in the span of the nodes there are, are zero, or overflow
  no_admissible,  // no candidate met r_L and the options say stop, or relaxing r did not help
  overflow,       // a larger network's output weights would overflow; the largest that is finite is returned
  validation,     // the validation error has not improved for `patience` nodes, or iterations of MLP-BP
  iterations,     // MLP-BP: as many iterations as were allowed
  converged,      // MLP-BP: no step lowers the objective any more, or 20 of them by less than 1e-7 of it
  chosen,         // auto: the size that did best on rows held out
  time_limit,
  interrupted,  // the stop token asked for it
};

std::string_view name(StopReason reason);  // "max_nodes"
std::optional<StopReason> stop_reason(std::string_view name);
std::string_view sentence(StopReason reason);  // "the network reached the allowed number of nodes"

// What `auto` tried: a way to draw candidates, and how well the best size and ridge did on rows held out.
struct Trial {
  int round = 0;                        // from 0; those that did well are tried again in the next one, on more rows
  Index encoding = 0;                   // 0: X, k: TrainExtras::encodings[k - 1]
  std::string scaling;                  // of the encoding, where Model::fit made it
  std::vector<std::string> candidates;  // "cauchy 0.3": family and scale of those that share the pool
  Index rows = 0, pool = 0;
  Index nodes = 0;
  double ridge = 0;
  double rmse = 0;  // on the rows held out; infinite: not tried, because time was up
  bool chosen = false;
};

// What `auto` tells while it tries.
struct TrialProgress {
  const Trial& trial;
  int rounds = 0;               // there are
  Index tried = 0, trials = 0;  // of this round so far, and in all
};

// The output layer of the network when it had fewer nodes, or members: the mean of the first so many.
struct Stage {
  Eigen::MatrixXd output_weights;  // nodes x m
  Eigen::RowVectorXd intercept;
  Eigen::MatrixXd direct;  // d x m, or 0 x 0 without direct links
};

struct TrainReport {
  std::string method;  // "RMPI-SCN", "SCN-III", "SCN-I", "RVFL", "IRVFL", "MLP-BP"
  Index rows = 0;      // training rows with a weight above zero
  Index inputs = 0, outputs = 0;
  std::vector<NodeRecord> history;  // one per node that was grown, also those dropped again by validation
  Index network_nodes = 0;          // nodes of the network returned
  Index network_step = 0;           // records of the history up to the network returned: its nodes, or its iterations
  double initial_rmse = 0;          // of the network without nodes (zero, or the intercept), or with its first weights
  double initial_valid_rmse = 0;    // NaN without validation rows
  double train_rmse = 0;            // of the network returned
  double valid_rmse = 0;            // of the network returned; NaN without validation rows
  StopReason stop_reason = StopReason::not_run;
  double seconds = 0;
  int threads = 0;
  std::string instructions;  // "x86-64-v4"
  // Leverage of each row of X in the fit returned, sum_k Q_ik^2, where the output weights are refitted (RMPI, SCN-III);
  // e_i / (1 - leverage_i) is the leave-one-out residual. Zero for rows of weight zero; else empty.
  Eigen::VectorXd leverages;

  // method = auto, and ensembles: what was tried, the encoding that was chosen, and the errors y - f(x) of networks
  // that did not learn from the row (rows x outputs; NaN where there was none), with their RMSE.
  std::vector<Trial> trials;
  Index encoding = 0;
  Eigen::MatrixXd held_out;
  double held_out_rmse = std::numeric_limits<double>::quiet_NaN();
  std::vector<Index> members;  // nodes of each network of an ensemble
  // With TrainExtras::keep_stages: for each record of the history up to the network returned. None of MLP-BP.
  std::vector<Stage> stages;

  std::string brief() const;  // one line
  std::string full() const;   // the line, then a table with a row per node or iteration
};

}  // namespace sconet
