#include "core/score.hpp"

#include <algorithm>

namespace sconet {
namespace {

constexpr Index kPanelsInGroup = 100;

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

void evaluate_node(Engine& engine, const Tiles& tiles, const Candidate& node, CandidateBatch& single, double* h) {
  single.resize(1, tiles.inputs());
  single.set(0, node);
  tiles.visit(engine.pool, [&](Index tile, int worker) {
    engine.kernels.node_tile(tiles.view(tile, 0), engine.act, single.view().packed,
                             engine.g[static_cast<std::size_t>(worker)].data(), h + Tiles::first_row(tile));
  });
}

NodeSums BatchSums::node(Index t) const {
  NodeSums sums{norm2(t), Eigen::VectorXd(columns_)};
  for (Index k = 0; k < columns_; ++k) sums.projections[k] = qg(k, t);
  return sums;
}

const BatchSums& Scorer::score(const Tiles& tiles, const CandidateBatch& batch, Index columns) {
  const auto& kernels = engine_->kernels;
  const Index rows = tiles.outputs() + 1 + columns;
  const Chunks chunks = tiles.large_chunks();
  sums_.outputs_ = tiles.outputs();
  sums_.columns_ = columns;
  sums_.panel_ = kernels.panel;
  sums_.padded_ = batch.padded();
  sums_.place_ = batch.places();
  sums_.data_.reserve(rows * batch.padded());

  // Group by group, so that the sums of all chunks stay small whatever the size of the batch.
  const Index group = kPanelsInGroup * kernels.panel;
  for (Index begin = 0; begin < batch.count(); begin += group) {
    const Index end = std::min(begin + group, batch.count());
    double* total = sums_.data_.data() + begin * rows;
    const Index size = batch.view(begin, end).padded * rows;
    const Index stride = round_up(size, kernels::kPanel);
    if (chunks.count > 1) partial_.reserve(chunks.count * stride);

    const Index panels = (end - begin + kernels.panel - 1) / kernels.panel;
    const Index slice = panels_per_slice(panels, chunks.count, engine_->pool.size()) * kernels.panel;
    const Index slices = (end - begin + slice - 1) / slice;
    engine_->pool.run(chunks.count * slices, [&](Index task, int worker) {
      const Index chunk = task / slices;
      const Index first = task % slices * slice;
      const auto candidates = batch.view(begin + first, std::min(begin + first + slice, end));
      double* sums = (chunks.count > 1 ? partial_.data() + chunk * stride : total) + first * rows;
      std::fill_n(sums, candidates.padded * rows, 0.0);
      for (Index tile = chunks.begin(chunk); tile < chunks.end(chunk); ++tile)
        kernels.score_tile(tiles.view(tile, columns), engine_->act, candidates,
                           engine_->g[static_cast<std::size_t>(worker)].data(), sums);
    });
    if (chunks.count == 1) continue;
    constexpr Index kPiece = 4096;
    engine_->pool.run((size + kPiece - 1) / kPiece, [&](Index piece, int) {
      const Index last = std::min(size, (piece + 1) * kPiece);
      for (Index i = piece * kPiece; i < last; ++i) total[i] = partial_[i];
      for (Index chunk = 1; chunk < chunks.count; ++chunk)  // in chunk order, whoever adds
        for (Index i = piece * kPiece; i < last; ++i) total[i] += partial_[chunk * stride + i];
    });
  }

  sums_.projected2_.assign(static_cast<std::size_t>(batch.padded()), 0.0);
  for (Index first = 0; first < batch.padded(); first += kernels.panel) {
    const Index width = std::min(kernels.panel, batch.padded() - first);
    const double* row = sums_.data_.data() + first * rows + (tiles.outputs() + 1) * width;
    double* out = sums_.projected2_.data() + first;
    for (Index k = 0; k < columns; ++k, row += width)
      for (Index i = 0; i < width; ++i) out[i] += row[i] * row[i];
  }
  return sums_;
}

}  // namespace sconet
