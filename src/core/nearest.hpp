// How far two names are from each other, to guess what somebody meant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace sconet {

// Levenshtein distance.
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above_left = std::exchange(diagonal, row[j]);
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, above_left + (a[i - 1] == b[j - 1] ? 0 : 1)});
    }
  }
  return row.back();
}

}  // namespace sconet
