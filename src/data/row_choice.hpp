// Which rows of a table take part, and rows dealt at random, but the same way for the same seed everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "core/shuffle.hpp"
#include "sconet/encoder.hpp"

namespace sconet {

// The rows whose targets are all there.
std::vector<Index> rows_with_targets(const Table& table, const ColumnChoice& choice);

std::vector<Index> pick_rows(const std::vector<Index>& rows, const std::vector<Index>& which);

// Part k of `parts` of n shuffled rows and all the other rows, both in rising order.
struct Parts {
  std::vector<Index> others, part;
};
Parts deal_fold(Index n, Index k, Index parts, std::uint64_t seed);
Parts deal_share(Index n, double share, std::uint64_t seed);  // the part is that share of the rows

// Rows shuffled by seed and dealt 6:2:2, as in the paper; each part in the order of the shuffle.
struct ThreeParts {
  std::vector<Index> train, valid, test;
};
ThreeParts deal_622(Index n, std::uint64_t seed);

}  // namespace sconet
