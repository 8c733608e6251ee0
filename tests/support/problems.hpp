// Random problems for tests, made by a generator of their own.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

#include "sconet/matrix_view.hpp"

namespace sconet::testing {

inline Eigen::MatrixXd random_matrix(Index rows, Index cols, std::uint64_t seed, double low = -1, double high = 1) {
  std::mt19937_64 bits(seed);
  Eigen::MatrixXd m(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) m(i, j) = low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  return m;
}

// Small integers, never zero: sums of their products are exact in any order.
inline Eigen::MatrixXd integer_matrix(Index rows, Index cols, std::uint64_t seed, int largest = 3) {
  std::mt19937_64 bits(seed);
  Eigen::MatrixXd m(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) {
      const int value = static_cast<int>(bits() % static_cast<std::uint64_t>(2 * largest)) - largest;
      m(i, j) = value < 0 ? value : value + 1;
    }
  return m;
}

// A smooth function of the inputs for every output, with some noise.
struct Problem {
  Eigen::MatrixXd X, Y;
};
inline Problem smooth_problem(Index rows, Index inputs, Index outputs, std::uint64_t seed, double noise = 0.05) {
  Problem p{random_matrix(rows, inputs, seed), Eigen::MatrixXd(rows, outputs)};
  const Eigen::MatrixXd direction = random_matrix(inputs, outputs, seed + 1, -3, 3);
  const Eigen::MatrixXd z = p.X * direction;
  p.Y = z.array().sin().matrix() + (0.3 * z.array().square()).matrix() + noise * random_matrix(rows, outputs, seed + 2);
  return p;
}

}  // namespace sconet::testing
