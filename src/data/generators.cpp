#include "sconet/generators.hpp"

#include <cmath>
#include <numeric>

#include "kernels/philox.hpp"

namespace sconet {

Dataset generate_db1(Index rows) {
  Dataset data{Eigen::MatrixXd(rows, 1), Eigen::MatrixXd(rows, 1)};
  const auto bump = [](double z) { return std::exp(-z * z); };
  for (Index i = 0; i < rows; ++i) {
    const double x = rows > 1 ? static_cast<double>(i) / static_cast<double>(rows - 1) : 0.0;
    data.X(i, 0) = x;
    data.Y(i, 0) = 0.2 * bump(10 * x - 4) + 0.5 * bump(80 * x - 40) + 0.3 * bump(80 * x - 20);
  }
  return data;
}

Split split_622(const Dataset& data, std::uint64_t seed) {
  const Index n = data.X.rows();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) {  // Fisher-Yates; the counter cannot meet a candidate's: those have node >= 1
    const auto u = philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0},
                              {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    const std::uint64_t bits = std::uint64_t{u[1]} << 32 | u[0];
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(bits % static_cast<std::uint64_t>(i + 1))]);
  }
  const Index train = n * 6 / 10, valid = n * 2 / 10;
  const auto take = [&](Index first, Index count) {
    Dataset part{Eigen::MatrixXd(count, data.X.cols()), Eigen::MatrixXd(count, data.Y.cols())};
    for (Index i = 0; i < count; ++i) {
      part.X.row(i) = data.X.row(order[static_cast<std::size_t>(first + i)]);
      part.Y.row(i) = data.Y.row(order[static_cast<std::size_t>(first + i)]);
    }
    return part;
  };
  return {take(0, train), take(train, valid), take(train + valid, n - train - valid)};
}

}  // namespace sconet
