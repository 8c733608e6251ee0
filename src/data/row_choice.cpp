#include "data/row_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sconet {

std::vector<Index> rows_with_targets(const Table& table, const ColumnChoice& choice) {
  std::vector<Index> targets;
  for (const auto& name : choice.targets.empty() ? table.outputs : choice.targets)
    targets.push_back(table.column(name));
  std::vector<Index> rows;
  for (Index row = 0; row < table.rows; ++row) {
    const bool all = std::all_of(targets.begin(), targets.end(), [&](Index c) {
      const Column& column = table.columns[static_cast<std::size_t>(c)];
      // A text column is the encoder's to refuse.
      return column.type == ColumnType::text || !std::isnan(column.numbers[static_cast<std::size_t>(row)]);
    });
    if (all) rows.push_back(row);
  }
  return rows;
}

std::vector<Index> pick_rows(const std::vector<Index>& rows, const std::vector<Index>& which) {
  std::vector<Index> picked;
  picked.reserve(which.size());
  for (const Index i : which) picked.push_back(rows[static_cast<std::size_t>(i)]);
  return picked;
}

namespace {

Parts deal(std::vector<Index> order, Index first, Index last) {
  Parts parts;
  parts.part.assign(order.begin() + first, order.begin() + last);
  order.erase(order.begin() + first, order.begin() + last);
  parts.others = std::move(order);
  std::sort(parts.part.begin(), parts.part.end());
  std::sort(parts.others.begin(), parts.others.end());
  return parts;
}

}  // namespace

Parts deal_fold(Index n, Index k, Index parts, std::uint64_t seed) {
  return deal(shuffled_rows(n, seed), n * k / parts, n * (k + 1) / parts);
}

Parts deal_share(Index n, double share, std::uint64_t seed) {
  return deal(shuffled_rows(n, seed), 0, std::lround(share * static_cast<double>(n)));
}

ThreeParts deal_622(Index n, std::uint64_t seed) {
  const std::vector<Index> order = shuffled_rows(n, seed);
  const auto valid = order.begin() + n * 6 / 10, test = valid + n * 2 / 10;
  return {{order.begin(), valid}, {valid, test}, {test, order.end()}};
}

}  // namespace sconet
