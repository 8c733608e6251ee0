// MLP-BP, the rival whose hidden weights learn too: one hidden layer, its error propagated back, L-BFGS.
//
//   d inputs, m outputs, L nodes      theta = for each node its bias, d weights and m output weights; then m intercepts
//
// Training minimises, over all of theta,
//   sum_i w_i |y_i - f(x_i)|^2 / sum_i w_i + ridge (|hidden weights|^2 + |output weights|^2)
// where biases and intercepts are free.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/aligned.hpp"
#include "core/candidates.hpp"
#include "core/score.hpp"
#include "core/tiles.hpp"
#include "sconet/train.hpp"

namespace sconet {

// Penalties on the squared weights, in the unit of the tiles' targets.
struct WeightDecay {
  double hidden = 0, output = 0;
};

// The objective and its gradient. The targets are what the tiles hold as their residual.
class MlpObjective {
 public:
  MlpObjective(Engine& engine, const Tiles& tiles, Index nodes, WeightDecay decay);

  Index size() const { return nodes_ * block() + tiles_.outputs(); }  // of theta
  double operator()(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient);
  const Eigen::VectorXd& squares() const { return squares_; }  // sum_i w_i e_iq^2 of the last call
  double mean_square() const { return squares_.sum() / tiles_.weight_sum(); }

 private:
  Index block() const { return tiles_.inputs() + 1 + tiles_.outputs(); }

  Engine& engine_;
  const Tiles& tiles_;
  Index nodes_;
  WeightDecay decay_;
  CandidateBatch batch_;
  AlignedBuffer beta_, partial_, total_;
  std::vector<AlignedBuffer> scratch_;  // one per worker
  Eigen::VectorXd squares_;
};

// Where the hidden weights start: Nguyen and Widrow's rule spreads the nodes over the ranges of the inputs; Glorot and
// Bengio's looks at the sizes of the layers alone.
enum class MlpStart { nguyen_widrow, glorot };

// As train(), whose checks have been made. Throws std::invalid_argument where the library was built without LBFGSpp.
TrainResult train_mlp(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras,
                      MlpStart start = MlpStart::nguyen_widrow);

std::uint64_t mlp_memory(Index rows, Index inputs, Index outputs, Index valid_rows, Index nodes);

}  // namespace sconet
