#include "core/score.hpp"

#include <algorithm>

namespace sconet {
namespace {

// Candidates are judged independently, so how a batch is cut into slices changes no sum; it only gives the threads
// enough tasks to share. A slice is a whole number of panels, and never so wide that its sums leave the L2 cache.
Index panels_per_slice(Index panels, Index chunks, int threads) {
  constexpr Index kMost = 10;
  const Index slices = threads == 1 ? 1 : std::min(panels, (8 * threads + chunks - 1) / chunks);
  return std::min(kMost, (panels + slices - 1) / slices);
}

}  // namespace

Engine::Engine(const kernels::Kernels& k, kernels::Act a, ThreadPool& p) : kernels(k), act(a), pool(p) {
  for (int worker = 0; worker < pool.size(); ++worker) g.emplace_back(kernels::kTileRows * kernels.panel);
}

const BatchSums& Scorer::score(const Tiles& tiles, const CandidateBatch& batch, Index columns) {
  const auto& kernels = engine_->kernels;
  const Index rows = tiles.outputs() + 1 + columns;
  const Index size = rows * batch.padded();
  const Index stride = round_up(size, kernels::kPanel);
  const Chunks chunks = tiles.large_chunks();
  partial_.reserve(chunks.count * stride);

  const Index panels = (batch.padded() + kernels.panel - 1) / kernels.panel;
  const Index slice = panels_per_slice(panels, chunks.count, engine_->pool.size()) * kernels.panel;
  const Index slices = (batch.count() + slice - 1) / slice;
  engine_->pool.run(chunks.count * slices, [&](Index task, int worker) {
    const Index chunk = task / slices;
    const Index first = task % slices * slice;
    const auto candidates = batch.view(first, std::min(first + slice, batch.count()));
    double* sums = partial_.data() + chunk * stride + first * rows;
    std::fill_n(sums, candidates.padded * rows, 0.0);
    for (Index tile = chunks.begin(chunk); tile < chunks.end(chunk); ++tile)
      kernels.score_tile(tiles.view(tile, columns), engine_->act, candidates,
                         engine_->g[static_cast<std::size_t>(worker)].data(), sums);
  });

  if (chunks.count > 1) {  // in chunk order, whoever adds
    constexpr Index kPiece = 4096;
    engine_->pool.run((size + kPiece - 1) / kPiece, [&](Index piece, int) {
      const Index end = std::min(size, (piece + 1) * kPiece);
      for (Index chunk = 1; chunk < chunks.count; ++chunk)
        for (Index i = piece * kPiece; i < end; ++i) partial_[i] += partial_[chunk * stride + i];
    });
  }

  sums_.outputs_ = tiles.outputs();
  sums_.columns_ = columns;
  sums_.panel_ = kernels.panel;
  sums_.padded_ = batch.padded();
  sums_.data_ = partial_.data();
  sums_.projected2_.assign(static_cast<std::size_t>(batch.padded()), 0.0);
  for (Index first = 0; first < batch.padded(); first += kernels.panel) {
    const Index width = std::min(kernels.panel, batch.padded() - first);
    const double* row = partial_.data() + first * rows + (tiles.outputs() + 1) * width;
    double* out = sums_.projected2_.data() + first;
    for (Index k = 0; k < columns; ++k, row += width)
      for (Index i = 0; i < width; ++i) out[i] += row[i] * row[i];
  }
  return sums_;
}

}  // namespace sconet
