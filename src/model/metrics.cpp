#include "sconet/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/check.hpp"

namespace sconet {

Metrics measure(MatrixView targets, MatrixView predictions, MatrixView weights) {
  if (targets.rows() != predictions.rows() || targets.cols() != predictions.cols())
    throw std::invalid_argument(
        fmt::format("targets are {} x {} and predictions {} x {}: they must have the same shape", targets.rows(),
                    targets.cols(), predictions.rows(), predictions.cols()));
  if (!weights.empty() && (weights.rows() != targets.rows() || weights.cols() != 1))
    throw std::invalid_argument(fmt::format("weights are {} x {}: expected {} x 1, one for each row", weights.rows(),
                                            weights.cols(), targets.rows()));
  if (targets.empty()) throw std::invalid_argument("there are no rows to measure");
  // In units of a power of two near the largest number, so that squares neither overflow nor vanish.
  const int exponent = std::max(exponent_of_largest(targets), exponent_of_largest(predictions));
  const auto w = [&](Index i) { return weights.empty() ? 1.0 : weights(i, 0); };
  double n = 0;
  for (Index i = 0; i < targets.rows(); ++i) n += w(i);
  const auto m = static_cast<double>(targets.cols());
  Metrics all;
  all.rows = targets.rows();
  double squares = 0;
  for (Index q = 0; q < targets.cols(); ++q) {
    const auto y = [&](Index i) { return std::ldexp(targets(i, q), -exponent); };
    const auto p = [&](Index i) { return std::ldexp(predictions(i, q), -exponent); };
    double y_mean = 0, p_mean = 0;
    for (Index i = 0; i < targets.rows(); ++i) {
      y_mean += w(i) * y(i);
      p_mean += w(i) * p(i);
    }
    y_mean /= n;
    p_mean /= n;
    double ee = 0, e = 0, yy = 0, pp = 0, yp = 0;
    for (Index i = 0; i < targets.rows(); ++i) {
      const double error = y(i) - p(i), dy = y(i) - y_mean, dp = p(i) - p_mean;
      ee += w(i) * error * error;
      e += w(i) * std::abs(error);
      yy += w(i) * dy * dy;
      pp += w(i) * dp * dp;
      yp += w(i) * dy * dp;
    }
    squares += ee;
    all.mae += std::ldexp(e / n, exponent) / m;
    all.r += yp / std::sqrt(yy) / std::sqrt(pp) / m;  // 0 / 0 when either is constant
    all.r2 += (yy > 0 ? 1 - ee / yy : std::nan("")) / m;
  }
  all.rmse = std::ldexp(std::sqrt(squares / n), exponent);
  return all;
}

}  // namespace sconet
