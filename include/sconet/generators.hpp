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

struct Split {
  Dataset train, valid, test;
};

// Rows shuffled by seed and dealt 6:2:2.
Split split_622(const Dataset& data, std::uint64_t seed);

}  // namespace sconet
