// Numbers in a random order that depends on the seed alone.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/philox.hpp"
#include "sconet/matrix_view.hpp"

namespace sconet {

inline std::vector<Index> shuffled_rows(Index n, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) {  // Fisher-Yates; the counter cannot meet a candidate's: those have node >= 1
    const auto u = philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0},
                              {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    const std::uint64_t bits = std::uint64_t{u[1]} << 32 | u[0];
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(bits % static_cast<std::uint64_t>(i + 1))]);
  }
  return order;
}

}  // namespace sconet
