// Rows that do not teach but judge: after each node, how far the network is off on them.
#pragma once

#include <Eigen/Core>

#include "core/fit.hpp"
#include "core/score.hpp"
#include "sconet/matrix_view.hpp"

namespace sconet {

class Validation {
 public:
  // Output layers come in units of 2^y_exponent.
  Validation(Engine& engine, MatrixView X, MatrixView Y, int y_exponent);

  bool empty() const { return tiles_.rows() == 0; }
  void append(const Candidate& node);     // its outputs become the next column of H
  double rmse(const OutputLayer& layer);  // of intercept + H weights, in Y's own unit

 private:
  Engine& engine_;
  int y_exponent_;
  int exponent_;  // the tiles hold Y * 2^-exponent_ as their residual
  Tiles tiles_;
  Eigen::MatrixXd H_;
  Index nodes_ = 0;
  CandidateBatch single_;
  AlignedBuffer h_, scratch_;
};

}  // namespace sconet
