#include "sconet/generators.hpp"

#include <cmath>
#include <numbers>

#include "data/row_choice.hpp"
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

namespace {

// Number k of a seed's numbers, uniform on (0, 1). The counter cannot meet a shuffle's (second word 0) or a
// candidate's.
double uniform(std::uint64_t seed, std::uint64_t k) {
  const auto u = philox4x32({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32) + 1, 0, 0},
                            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t bits = (std::uint64_t{u[1]} << 32 | u[0]) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace

namespace {

// The plant from rest, under the input u(k), k = 1, 2, ...
template <class Signal>
Dataset run_plant(Index rows, Signal&& signal) {
  Dataset data{Eigen::MatrixXd(rows, 5), Eigen::MatrixXd(rows, 1)};
  double y = 0, y1 = 0, y2 = 0, u1 = 0;  // y(k), y(k-1), y(k-2), u(k-1)
  for (Index k = 0; k < rows; ++k) {
    const double u = signal(k + 1);
    const double next = (y * y1 * y2 * u1 * (y2 - 1) + u) / (1 + y1 * y1 + y2 * y2);
    data.X.row(k) << y, y1, y2, u, u1;
    data.Y(k, 0) = next;
    y2 = y1;
    y1 = y;
    y = next;
    u1 = u;
  }
  return data;
}

}  // namespace

Dataset generate_db2(Index rows, std::uint64_t seed) {
  return run_plant(rows, [&](Index k) { return 2 * uniform(seed, static_cast<std::uint64_t>(k - 1)) - 1; });
}

Dataset generate_db2_test(Index rows) {
  return run_plant(rows, [](Index k) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(k);
    return k <= 250 ? std::sin(turn / 250) : 0.8 * std::sin(turn / 250) + 0.2 * std::sin(turn / 25);
  });
}

Dataset generate_friedman(Index rows, std::uint64_t seed, double noise) {
  Dataset data{Eigen::MatrixXd(rows, 5), Eigen::MatrixXd(rows, 1)};
  for (Index i = 0; i < rows; ++i) {
    const auto draw = [&](int k) { return uniform(seed, static_cast<std::uint64_t>(7 * i + k)); };
    for (int k = 0; k < 5; ++k) data.X(i, k) = draw(k);
    const auto x = data.X.row(i);
    const double normal = std::sqrt(-2 * std::log(draw(5))) * std::cos(2 * std::numbers::pi * draw(6));
    data.Y(i, 0) = 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] +
                   5 * x[4] + noise * normal;
  }
  return data;
}

Split split_622(const Dataset& data, std::uint64_t seed) {
  const ThreeParts parts = deal_622(data.X.rows(), seed);
  const auto take = [&](const std::vector<Index>& rows) {
    return Dataset{data.X(rows, Eigen::all), data.Y(rows, Eigen::all)};
  };
  return {take(parts.train), take(parts.valid), take(parts.test)};
}

}  // namespace sconet
