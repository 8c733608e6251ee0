// Data sets that are made, not read, and the split of rows the paper uses.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "sconet/matrix_view.hpp"

namespace sconet {

struct Dataset {
  Eigen::MatrixXd X;
  Eigen::MatrixXd Y;
};

// DB1 (Eq. 61): `rows` points of a regular grid on [0, 1] and
// f(x) = 0.2 exp(-(10x - 4)^2) + 0.5 exp(-(80x - 40)^2) + 0.3 exp(-(80x - 20)^2).
Dataset generate_db1(Index rows = 1500);

// DB2 (Eq. 62, 63): a plant under a random input u, uniform on [-1, 1]. Row k has y(k), y(k-1), y(k-2), u(k), u(k-1) as
// inputs and y(k+1) = (y(k) y(k-1) y(k-2) u(k-1) (y(k-2) - 1) + u(k)) / (1 + y(k-1)^2 + y(k-2)^2) as target.
Dataset generate_db2(Index rows = 2400, std::uint64_t seed = 1);

// The test rows of DB2 (Eq. 64): the same plant under u(k) = sin(2 pi k / 250) up to k = 250, and
// 0.8 sin(2 pi k / 250) + 0.2 sin(2 pi k / 25) after.
Dataset generate_db2_test(Index rows = 600);

// Friedman's first function on the unit cube: 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 and normal noise.
Dataset generate_friedman(Index rows = 1200, std::uint64_t seed = 1, double noise = 1);

struct Split {
  Dataset train, valid, test;
};

// Rows shuffled by seed and dealt 6:2:2.
Split split_622(const Dataset& data, std::uint64_t seed);

}  // namespace sconet
