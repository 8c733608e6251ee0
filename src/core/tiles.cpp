#include "core/tiles.hpp"

#include <algorithm>
#include <cmath>

namespace sconet {

using kernels::kPanel;
using kernels::kTileRows;

Tiles::Tiles(MatrixView X, MatrixView Y, MatrixView weights, int y_exponent)
    : rows_(X.rows()), inputs_(X.cols()), outputs_(Y.cols()) {
  int weight_exponent = 0;  // even, so that square roots scale exactly too
  if (!weights.empty()) {
    double largest = 0;
    for (Index i = 0; i < rows_; ++i) {
      largest = std::max(largest, weights(i, 0));
      if (weights(i, 0) > 0) source_.push_back(i);
    }
    std::frexp(largest, &weight_exponent);
    weight_exponent = (weight_exponent - 1) & ~1;
    weight_unit_ = std::ldexp(1.0, weight_exponent);
    rows_ = static_cast<Index>(source_.size());
  }
  count_ = (rows_ + kTileRows - 1) / kTileRows;
  x_ = AlignedBuffer(count_ * kTileRows * inputs_);
  e_ = AlignedBuffer(count_ * kTileRows * outputs_);
  if (!weights.empty()) sqrt_weight_ = AlignedBuffer(count_ * kTileRows);

  for (Index row = 0; row < rows_; ++row) {
    const double weight = weights.empty() ? 1.0 : std::ldexp(weights(source_row(row), 0), -weight_exponent);
    if (!weights.empty()) sqrt_weight_[row] = std::sqrt(weight);
    weight_sum_ += weight;
  }
  for (Index tile = 0; tile < count_; ++tile) {
    pack_inputs(
        X, tile_rows(tile), [&](Index i) { return source_row(first_row(tile) + i); },
        x_.data() + first_row(tile) * inputs_);
    for (Index q = 0; q < outputs_; ++q)
      for (Index i = 0; i < tile_rows(tile); ++i) {
        const Index row = first_row(tile) + i;
        residual(tile, i, q) = std::ldexp(Y(source_row(row), q), -y_exponent) * sqrt_weight(row);
      }
  }
}

kernels::TileView Tiles::view(Index tile, Index columns) const {
  kernels::TileView v;
  v.rows = tile_rows(tile);
  v.inputs = inputs_;
  v.outputs = outputs_;
  v.columns = columns;
  v.x = x_.data() + first_row(tile) * inputs_;
  v.sqrt_weight = sqrt_weight_.size() == 0 ? nullptr : sqrt_weight_.data() + first_row(tile);
  v.e = e_.data() + first_row(tile) * outputs_;
  v.q = q_pointers_.data();
  v.q_offset = first_row(tile) * kPanel;
  return v;
}

void Tiles::add_column() {
  if (columns_ % kPanel == 0) {
    q_.emplace_back(count_ * kTileRows * kPanel);
    q_pointers_.push_back(q_.back().data());
  }
  ++columns_;
}

}  // namespace sconet
