#include "data/row_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
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

// The same for cells that are alike: a missing number is like another, and -0 like 0.
std::uint64_t cell_bits(const Column& column, Index row) {
  const auto i = static_cast<std::size_t>(row);
  if (column.type == ColumnType::text) return static_cast<std::uint64_t>(static_cast<std::int64_t>(column.codes[i]));
  const double x = column.numbers[i];
  return std::isnan(x) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(x + 0.0);
}

std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 32)) * 0x9E3779B97F4A7C15U;
  return h ^ (h >> 29);
}

// Columns whose cells make two rows different.
std::vector<const Column*> telling_columns(const Table& table, const ColumnChoice& choice) {
  std::vector<bool> silent(table.columns.size(), false);
  for (const auto& names : {choice.ignore, choice.ids})
    for (const auto& name : names) silent[static_cast<std::size_t>(table.column(name))] = true;
  std::vector<const Column*> columns;
  for (std::size_t c = 0; c < silent.size(); ++c)
    if (!silent[c]) columns.push_back(&table.columns[c]);
  return columns;
}

void check_weights(const Table& table, std::span<const double> weights) {
  if (static_cast<Index>(weights.size()) != table.rows)
    throw std::invalid_argument(
        fmt::format("there are {} weights for {} rows: expected one for each", weights.size(), table.rows));
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw std::invalid_argument(fmt::format(
          "weight {} of row {} (counted from 0): a weight is a finite number, zero or more", weights[i], i));
}

// Whether a cell comes before another: numbers rise, texts are in the order of the alphabet, and what is missing is
// last.
bool comes_before(const Column& column, Index a, Index b) {
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  if (column.type == ColumnType::number)
    return column.numbers[i] < column.numbers[j] || (std::isnan(column.numbers[j]) && !std::isnan(column.numbers[i]));
  const std::int32_t code = column.codes[i], other = column.codes[j];
  if (code < 0 || other < 0) return code >= 0 && other < 0;
  return column.levels[static_cast<std::size_t>(code)] < column.levels[static_cast<std::size_t>(other)];
}

template <class T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<Index>& places) {
  std::vector<T> result;
  result.reserve(places.size());
  for (const Index place : places) result.push_back(values[static_cast<std::size_t>(place)]);
  return result;
}

// Brings the rows into an order that their cells alone fix.
void sort_by_cells(DistinctRows& distinct, const std::vector<const Column*>& columns) {
  std::vector<Index> order(distinct.rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const Index row = distinct.rows[static_cast<std::size_t>(a)], other = distinct.rows[static_cast<std::size_t>(b)];
    for (const Column* column : columns) {
      if (comes_before(*column, row, other)) return true;
      if (comes_before(*column, other, row)) return false;
    }
    return false;
  });
  distinct = {picked(distinct.rows, order), picked(distinct.weights, order), picked(distinct.copies, order)};
}

template <class T>
bool all_equal(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [&](const T& value) { return value == values.front(); });
}

}  // namespace

DistinctRows distinct_rows(const Table& table, const ColumnChoice& choice, std::span<const Index> rows,
                           std::span<const double> weights) {
  if (!weights.empty()) check_weights(table, weights);
  const auto weight_of = [&](Index row) { return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)]; };
  const std::vector<const Column*> columns = telling_columns(table, choice);
  std::vector<std::uint64_t> hashes(rows.size(), 0);
  for (const Column* column : columns)
    for (std::size_t i = 0; i < rows.size(); ++i) hashes[i] = mixed(hashes[i] + cell_bits(*column, rows[i]));
  const auto alike = [&](Index a, Index b) {
    return std::all_of(columns.begin(), columns.end(),
                       [&](const Column* column) { return cell_bits(*column, a) == cell_bits(*column, b); });
  };

  DistinctRows distinct;
  constexpr Index kFree = -1;
  const std::size_t mask = std::bit_ceil(2 * rows.size() + 1) - 1;
  std::vector<Index> slots(mask + 1, kFree);  // places in distinct.rows
  std::vector<std::uint64_t> hash_of;         // of distinct.rows
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double weight = weight_of(rows[i]);
    if (weight == 0) continue;
    std::size_t slot = hashes[i] & mask;
    const auto found = [&] {
      const auto at = static_cast<std::size_t>(slots[slot]);
      return hash_of[at] == hashes[i] && alike(distinct.rows[at], rows[i]);
    };
    while (slots[slot] != kFree && !found()) slot = (slot + 1) & mask;
    if (slots[slot] == kFree) {
      slots[slot] = static_cast<Index>(distinct.rows.size());
      distinct.rows.push_back(rows[i]);
      distinct.weights.push_back(0);
      distinct.copies.push_back(0);
      hash_of.push_back(hashes[i]);
    }
    const auto at = static_cast<std::size_t>(slots[slot]);
    distinct.weights[at] += weight;
    distinct.copies[at] += 1;
  }
  if (std::any_of(distinct.weights.begin(), distinct.weights.end(), [](double weight) { return weight != 1; }))
    sort_by_cells(distinct, columns);
  if (distinct.rows.empty() && !rows.empty())
    throw std::invalid_argument("weights are all zero: no row is left to learn from");
  if (!distinct.rows.empty() && all_equal(distinct.weights)) distinct.weights.clear();
  if (distinct.rows.size() == rows.size()) distinct.copies.clear();
  return distinct;
}

DistinctRows pick_rows(const DistinctRows& all, const std::vector<Index>& which) {
  DistinctRows some{pick_rows(all.rows, which), {}, {}};
  if (!all.weights.empty()) some.weights = picked(all.weights, which);
  if (!all.copies.empty()) some.copies = picked(all.copies, which);
  return some;
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
