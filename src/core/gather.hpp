// Some rows of a matrix, in the order given.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sconet/matrix_view.hpp"

namespace sconet {

inline Eigen::MatrixXd gather(MatrixView X, const std::vector<Index>& rows) {
  Eigen::MatrixXd picked(static_cast<Index>(rows.size()), X.cols());
  for (Index k = 0; k < X.cols(); ++k)
    for (Index i = 0; i < picked.rows(); ++i) picked(i, k) = X(rows[static_cast<std::size_t>(i)], k);
  return picked;
}

}  // namespace sconet
