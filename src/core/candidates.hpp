// A batch of random candidates g(x) = act(w'x + b).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/aligned.hpp"
#include "kernels/kernels.hpp"
#include "sconet/matrix_view.hpp"
#include "sconet/options.hpp"

namespace sconet {

struct Candidate {
  Eigen::VectorXd w;
  double b = 0;
};

// How a candidate is drawn; see Family and Bias.
struct Draw {
  Family family = Family::uniform;
  double scale = 1;
  Bias bias = Bias::uniform;
  Index active_inputs = 4;
};

// The training rows that Bias::row chooses from.
struct Anchors {
  Anchors() = default;
  Anchors(MatrixView X)  // NOLINT(google-explicit-constructor)
      : rows(X.rows()), input([X](Index row, Index k) { return X(row, k); }) {}
  Anchors(Index count, std::function<double(Index row, Index k)> of) : rows(count), input(std::move(of)) {}

  Index rows = 0;
  std::function<double(Index row, Index k)> input;
};

// The draw with these numbers: a function of its arguments alone, the same on every machine. `node` is the number L of
// the node being looked for, `batch` counts the batches drawn for it. Bias::row needs at least one anchor.
Candidate draw_candidate(std::uint64_t seed, Index node, Index batch, Index candidate, Index inputs, const Draw& draw,
                         const Anchors& anchors = {});

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
