#include "core/validation.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace sconet {

Validation::Validation(Engine& engine, MatrixView X, MatrixView Y, int y_exponent)
    : engine_(engine),
      y_exponent_(y_exponent),
      exponent_(std::max(y_exponent, exponent_of_largest(Y))),
      tiles_(X, Y, {}, exponent_),
      single_(engine.kernels),
      h_(tiles_.count() * kernels::kTileRows) {}

void Validation::append(const Candidate& node) {
  evaluate_node(engine_, tiles_, node, single_, h_.data());
  if (nodes_ == H_.cols()) H_.conservativeResize(tiles_.rows(), std::max<Index>(16, 2 * nodes_));
  H_.col(nodes_++) = Eigen::Map<const Eigen::VectorXd>(h_.data(), tiles_.rows());
}

double Validation::rmse(const OutputLayer& layer) {
  const double unit = std::ldexp(1.0, y_exponent_ - exponent_);
  double sum = 0;
  tiles_.sum(engine_.pool, 1, scratch_, &sum, [&](Index tile, double* partial) {
    const Index first = Tiles::first_row(tile), rows = tiles_.tile_rows(tile);
    double e[kernels::kTileRows];
    for (Index q = 0; q < tiles_.outputs(); ++q) {
      for (Index i = 0; i < rows; ++i) e[i] = tiles_.residual(tile, i, q) - layer.intercept[q] * unit;
      for (Index k = 0; k < layer.direct.rows(); ++k)
        for (Index i = 0; i < rows; ++i) e[i] -= tiles_.input(tile, i, k) * (layer.direct(k, q) * unit);
      for (Index j = 0; j < layer.weights.rows(); ++j) {
        const double beta = layer.weights(j, q) * unit;
        const double* h = H_.data() + j * H_.rows() + first;
        for (Index i = 0; i < rows; ++i) e[i] -= h[i] * beta;
      }
      for (Index i = 0; i < rows; ++i) *partial += e[i] * e[i];
    }
  });
  return std::ldexp(std::sqrt(sum / static_cast<double>(tiles_.rows())), exponent_);
}

}  // namespace sconet
