// The training run that is measured: RMPI-SCN with two batches for every node, because nothing ever meets its demand.
#pragma once

#include <algorithm>
#include <cmath>

#include "sconet/options.hpp"
#include "support/problems.hpp"

namespace sconet::bench {

inline testing::Problem setting_problem(Index n, Index d) {
  testing::Problem p{testing::random_matrix(n, d, 1), Eigen::MatrixXd(n, 1)};
  const Eigen::MatrixXd direction = testing::random_matrix(d, 3, 2, -2, 2) / std::sqrt(static_cast<double>(d));
  const Eigen::MatrixXd z = p.X * direction;
  for (Index i = 0; i < n; ++i) p.Y(i, 0) = std::sin(3 * z(i, 0)) + z(i, 1) * z(i, 2);
  p.Y += testing::random_matrix(n, 1, 3, -0.2, 0.2);
  return p;
}

inline TrainOptions setting(Index inputs, std::int64_t nodes, std::int64_t candidates) {
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = nodes;
  o.candidates = candidates;
  const double scale = std::max(0.5, 20.0 / static_cast<double>(inputs));  // few inputs need steeper nodes to differ
  o.scales = {scale, 2 * scale};
  o.r = 1e-6;
  o.rank_tolerance = 1e-6;
  return o;
}

}  // namespace sconet::bench
