// How far predictions are off.
#pragma once

#include <Eigen/Core>

#include "sconet/matrix_view.hpp"

namespace sconet {

// For one output as everybody has them. For several: the RMSE adds the squares of all outputs (Eq. 65), the others are
// means over the outputs.
struct Metrics {
  Index rows = 0;
  double rmse = 0;  // root of the mean squared error, in the target's own unit
  double mae = 0;   // mean absolute error
  double r = 0;     // correlation of targets and predictions; NaN when either is constant
  double r2 = 0;    // 1 - squared error / squared deviation from the mean; NaN when the targets are constant
};

// Of rows with weights (n x 1) if there are any, of which one must be above zero. Throws std::invalid_argument when the
// shapes differ or there are no rows.
Metrics measure(MatrixView targets, MatrixView predictions, MatrixView weights = {});

}  // namespace sconet
