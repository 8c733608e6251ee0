// Rows that do not teach but judge: after each node, how far the network is off on them.
#pragma once

#include <Eigen/Core>

#include "core/score.hpp"
#include "sconet/matrix_view.hpp"

namespace sconet {

class Validation {
 public:
  // Y is multiplied by 2^-y_exponent, as the training rows' Y is.
  Validation(Engine& engine, MatrixView X, MatrixView Y, int y_exponent);

  bool empty() const { return Y_.rows() == 0; }
  void append(const Candidate& node);  // its outputs become the next column of H
  // RMSE of intercept + H beta, in units of 2^y_exponent.
  double rmse(const Eigen::MatrixXd& beta, const Eigen::RowVectorXd& intercept);

 private:
  Engine& engine_;
  Tiles tiles_;
  Eigen::MatrixXd Y_;
  Eigen::MatrixXd H_;
  Index nodes_ = 0;
  CandidateBatch single_;
  AlignedBuffer h_, scratch_;
};

}  // namespace sconet
