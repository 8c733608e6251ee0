// The training rows, cut once into tiles. A tile owns its slice of inputs X, residual E and basis Q; every expensive
// step is one visit to every tile followed by one sum over chunks, which are runs of tiles fixed by the number of rows
// alone. So the sum never depends on how many threads there are: tile by tile within a chunk, then chunk by chunk.
#pragma once

#include <algorithm>
#include <vector>

#include "core/aligned.hpp"
#include "core/thread_pool.hpp"
#include "kernels/kernels.hpp"
#include "sconet/matrix_view.hpp"

namespace sconet {

// Packs rows [first, first + count) of X as the kernels want them; `row_at(i)` gives the row of X to use.
template <class RowAt>
void pack_inputs(MatrixView X, Index count, RowAt row_at, double* out) {
  const Index d = X.cols();
  for (Index group = 0; group < count; group += kernels::kPanel)
    for (Index k = 0; k < d; ++k)
      for (Index i = 0; i < kernels::kPanel; ++i) *out++ = group + i < count ? X(row_at(group + i), k) : 0.0;
}

// Runs of tiles, nearly equal.
struct Chunks {
  Index tiles = 0, count = 1;
  Index begin(Index chunk) const { return chunk * tiles / count; }
  Index end(Index chunk) const { return begin(chunk + 1); }
};

class Tiles {
 public:
  // Rows of weight zero are left out. `y_exponent`: the residual starts as Y * 2^-y_exponent. `weights` may be empty;
  // they are scaled by a power of four so that the largest lies in [1, 4), which leaves every ratio exact.
  Tiles(MatrixView X, MatrixView Y, MatrixView weights, int y_exponent);

  Index rows() const { return rows_; }
  Index inputs() const { return inputs_; }
  Index outputs() const { return outputs_; }
  Index columns() const { return columns_; }
  Index count() const { return count_; }
  double weight_sum() const { return weight_sum_; }    // of the scaled weights
  double weight_unit() const { return weight_unit_; }  // a power of four: a scaled weight times this is what was given
  Index source_row(Index row) const { return source_.empty() ? row : source_[static_cast<std::size_t>(row)]; }

  // Scoring has (m + 1 + L) * T sums for every chunk, so its chunks are large; threads share the candidates as well.
  Chunks large_chunks() const { return {count_, std::clamp<Index>(count_ / 16, 1, 32)}; }
  // Everything else has a few numbers per node and shares rows only.
  Chunks small_chunks() const { return {count_, std::clamp<Index>(count_ / 4, 1, 256)}; }

  // visit(tile, worker) for every tile.
  template <class Visit>
  void visit(ThreadPool& pool, Visit&& visit) const {
    const Chunks chunks = small_chunks();
    pool.run(chunks.count, [&](Index chunk, int worker) {
      for (Index tile = chunks.begin(chunk); tile < chunks.end(chunk); ++tile) visit(tile, worker);
    });
  }

  // visit(tile, partial) for every tile adds its share to the `size` doubles of `partial`; the total goes to `sum`.
  template <class Visit>
  void sum(ThreadPool& pool, Index size, AlignedBuffer& scratch, double* sum, Visit&& visit) const {
    const Chunks chunks = small_chunks();
    const Index stride = round_up(size, kernels::kPanel);
    scratch.reserve(chunks.count * stride);
    pool.run(chunks.count, [&](Index chunk, int) {
      double* partial = scratch.data() + chunk * stride;
      std::fill_n(partial, stride, 0.0);
      for (Index tile = chunks.begin(chunk); tile < chunks.end(chunk); ++tile) visit(tile, partial);
    });
    std::fill_n(sum, size, 0.0);
    for (Index chunk = 0; chunk < chunks.count; ++chunk)
      for (Index i = 0; i < size; ++i) sum[i] += scratch[chunk * stride + i];
  }

  // The tile, with the first `columns` basis columns in sight.
  kernels::TileView view(Index tile, Index columns) const;

  Index tile_rows(Index tile) const { return std::min(kernels::kTileRows, rows_ - first_row(tile)); }
  static Index first_row(Index tile) { return tile * kernels::kTileRows; }
  double sqrt_weight(Index row) const { return sqrt_weight_.size() == 0 ? 1.0 : sqrt_weight_[row]; }

  double input(Index tile, Index row_in_tile, Index k) const {
    const Index group = row_in_tile / kernels::kPanel * kernels::kPanel;
    return x_[(first_row(tile) + group) * inputs_ + k * kernels::kPanel + (row_in_tile - group)];
  }
  double& residual(Index tile, Index row_in_tile, Index output) { return e_[residual_at(tile, row_in_tile, output)]; }
  double residual(Index tile, Index row_in_tile, Index output) const {
    return e_[residual_at(tile, row_in_tile, output)];
  }
  double& basis(Index tile, Index row_in_tile, Index column) {
    return q_[static_cast<std::size_t>(column / kernels::kPanel)]
             [(first_row(tile) + row_in_tile) * kernels::kPanel + column % kernels::kPanel];
  }

  void add_column();  // zero until it is written

 private:
  Index residual_at(Index tile, Index row_in_tile, Index output) const {
    const Index panel = output / kernels::kPanel * kernels::kPanel;
    const Index width = std::min(kernels::kPanel, outputs_ - panel);
    return first_row(tile) * outputs_ + panel * kernels::kTileRows + row_in_tile * width + (output - panel);
  }

  Index rows_ = 0, inputs_ = 0, outputs_ = 0, columns_ = 0, count_ = 0;
  double weight_sum_ = 0, weight_unit_ = 1;
  std::vector<Index> source_;  // row of X for each row here; empty: the same
  AlignedBuffer x_, e_, sqrt_weight_;
  std::vector<AlignedBuffer> q_;
  std::vector<const double*> q_pointers_;
};

}  // namespace sconet
