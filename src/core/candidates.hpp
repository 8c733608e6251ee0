// A batch of random candidates g(x) = act(w'x + b), w and b uniform on (-scale, scale).
#pragma once

#include <Eigen/Core>

#include "core/aligned.hpp"
#include "kernels/kernels.hpp"

namespace sconet {

struct Candidate {
  Eigen::VectorXd w;
  double b = 0;
};

// The draw with these numbers: a function of its arguments alone. `node` is the number L of the node being looked for,
// `batch` counts the batches drawn for it.
Candidate draw_candidate(std::uint64_t seed, Index node, Index batch, Index candidate, Index inputs, double scale);

// Candidates as the kernels want them.
class CandidateBatch {
 public:
  explicit CandidateBatch(const kernels::Kernels& kernels) : kernels_(&kernels) {}

  void resize(Index count, Index inputs);
  void set(Index i, const Candidate& candidate);

  Index count() const { return count_; }
  Index padded() const { return round_up(count_, kernels_->lanes); }
  Index panel_width() const { return kernels_->panel; }
  // Candidates [first, last): `first` at a panel boundary, `last` too or the end.
  kernels::CandidateView view(Index first, Index last) const;
  kernels::CandidateView view() const { return view(0, count_); }

 private:
  const kernels::Kernels* kernels_;
  Index count_ = 0, inputs_ = 0;
  AlignedBuffer packed_;
};

}  // namespace sconet
