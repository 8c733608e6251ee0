// The sums that judging a batch of candidates takes: E'G, |g|^2 and Q'G, over all tiles. G itself is never stored.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "core/aligned.hpp"
#include "core/candidates.hpp"
#include "core/thread_pool.hpp"
#include "core/tiles.hpp"
#include "kernels/kernels.hpp"

namespace sconet {

// What every visit to the tiles needs.
struct Engine {
  const kernels::Kernels& kernels;
  kernels::Act act;
  ThreadPool& pool;
  std::vector<AlignedBuffer> g;  // one block of G per worker

  Engine(const kernels::Kernels& k, kernels::Act a, ThreadPool& p);
};

// h = act(X w + b) * sqrt(weight) of one node on all rows, into `h` (a number per row, whole tiles).
void evaluate_node(Engine& engine, const Tiles& tiles, const Candidate& node, CandidateBatch& single, double* h);

// What scoring has found out about a candidate beside its score.
struct NodeSums {
  double norm2 = 0;             // |h|^2
  Eigen::VectorXd projections;  // Q'h, for all columns of Q
};

// m outputs, L columns of Q (0 when they were not asked for), t a candidate.
class BatchSums {
 public:
  double eg(Index output, Index t) const { return at(output, t); }  // <e_q, h_t>
  double norm2(Index t) const { return at(outputs_, t); }           // |h_t|^2
  double qg(Index column, Index t) const { return at(outputs_ + 1 + column, t); }
  double projected2(Index t) const { return projected2_[static_cast<std::size_t>(place(t))]; }  // |Q'h_t|^2
  Index columns() const { return columns_; }
  NodeSums node(Index t) const;

 private:
  friend class Scorer;
  Index place(Index t) const { return place_.empty() ? t : place_[static_cast<std::size_t>(t)]; }
  double at(Index row, Index t) const {
    const Index at = place(t), first = at / panel_ * panel_;
    const Index width = std::min(panel_, padded_ - first);
    return data_[first * (outputs_ + 1 + columns_) + row * width + (at - first)];
  }
  Index outputs_ = 0, columns_ = 0, panel_ = 1, padded_ = 0;
  AlignedBuffer data_;
  std::vector<double> projected2_;
  std::vector<Index> place_;  // of the batch
};

class Scorer {
 public:
  explicit Scorer(Engine& engine) : engine_(&engine) {}

  // Valid until the next call. `columns`: how many basis columns to project on.
  const BatchSums& score(const Tiles& tiles, const CandidateBatch& batch, Index columns);

 private:
  Engine* engine_;
  AlignedBuffer partial_;  // one set of sums per chunk, for a group of candidates
  BatchSums sums_;
};

}  // namespace sconet
