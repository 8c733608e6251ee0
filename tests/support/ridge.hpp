// Ridge least squares with an intercept, and growth by trying every candidate: slow and obvious.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <vector>

#include "sconet/matrix_view.hpp"

namespace sconet::testing {

struct Ridge {
  Eigen::MatrixXd weights;
  Eigen::RowVectorXd intercept;
  double objective = 0;  // |e|^2 + penalty |weights|^2, rows weighted
};

inline Ridge solve_ridge(const Eigen::MatrixXd& H, const Eigen::MatrixXd& Y, const Eigen::VectorXd& w, double penalty) {
  const Eigen::RowVectorXd h = w.transpose() * H / w.sum(), y = w.transpose() * Y / w.sum();
  const Eigen::VectorXd root = w.cwiseSqrt();
  const Index n = H.rows(), L = H.cols();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + L, L), B = Eigen::MatrixXd::Zero(n + L, Y.cols());
  A.topRows(n) = root.asDiagonal() * (H.rowwise() - h);
  A.bottomRows(L).diagonal().setConstant(std::sqrt(penalty));
  B.topRows(n) = root.asDiagonal() * (Y.rowwise() - y);
  Ridge fit{Eigen::MatrixXd::Zero(L, Y.cols()), y, B.squaredNorm()};
  if (L == 0) return fit;
  fit.weights = A.colPivHouseholderQr().solve(B);
  fit.intercept = y - h * fit.weights;
  fit.objective = (B - A * fit.weights).squaredNorm();
  return fit;
}

struct SlowPath {
  std::vector<Index> order;
  std::vector<double> objectives;  // of each size, from none on
};

// The candidate that leaves the least objective, time and again.
inline SlowPath slow_path(const Eigen::MatrixXd& H, const Eigen::MatrixXd& Y, const Eigen::VectorXd& w, double penalty,
                          Index limit) {
  SlowPath path;
  Eigen::MatrixXd taken(H.rows(), 0);
  path.objectives.push_back(solve_ridge(taken, Y, w, penalty).objective);
  while (taken.cols() < limit) {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    taken.conservativeResize(H.rows(), taken.cols() + 1);
    for (Index j = 0; j < H.cols(); ++j) {
      if (std::find(path.order.begin(), path.order.end(), j) != path.order.end()) continue;
      taken.col(taken.cols() - 1) = H.col(j);
      const double objective = solve_ridge(taken, Y, w, penalty).objective;
      if (objective < least) {
        least = objective;
        best = j;
      }
    }
    taken.col(taken.cols() - 1) = H.col(best);
    path.order.push_back(best);
    path.objectives.push_back(least);
  }
  return path;
}

}  // namespace sconet::testing
