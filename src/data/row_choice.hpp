// Which rows of a table take part, and rows dealt at random, but the same way for the same seed everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/shuffle.hpp"
#include "sconet/encoder.hpp"

namespace sconet {

// The rows whose targets are all there.
std::vector<Index> rows_with_targets(const Table& table, const ColumnChoice& choice);

std::vector<Index> pick_rows(const std::vector<Index>& rows, const std::vector<Index>& which);

// Rows that are alike in every column but identifiers and those that are ignored are one row of their common weight:
// copies of a row count as its weight does, and none can teach while another judges.
struct DistinctRows {
  // The first of each kind, in the order given. Unless all weigh 1, in an order that their cells fix: it does not
  // matter where copies are.
  std::vector<Index> rows;
  std::vector<double> weights;  // for each of them; empty when all are the same
  std::vector<Index> copies;    // for each of them: how many rows it stands for; empty when all are one
};
// `weights` has one for each row of the table, or none; rows of weight zero are left out. Throws std::invalid_argument
// for weights that make no sense.
DistinctRows distinct_rows(const Table& table, const ColumnChoice& choice, std::span<const Index> rows,
                           std::span<const double> weights);
// Some of them.
DistinctRows pick_rows(const DistinctRows& all, const std::vector<Index>& which);

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
