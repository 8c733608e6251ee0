// A batch of random candidates g(x) = act(w'x + b).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

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
  // After the last set(): from now on view() leaves out inputs whose weights are zero in a whole panel, where that
  // saves enough. For finite inputs every sum stays the same to the bit. `reorder` lets candidates that share inputs
  // share panels, see places().
  void skip_zeros(bool reorder);

  Index count() const { return count_; }
  Index padded() const { return round_up(count_, kernels_->lanes); }
  Index panel_width() const { return kernels_->panel; }
  // Where each candidate lies among the panels; empty: where it was set.
  const std::vector<Index>& places() const { return place_; }
  // Places [first, last): `first` at a panel boundary, `last` too or the end.
  kernels::CandidateView view(Index first, Index last) const;
  kernels::CandidateView view() const { return view(0, count_); }
  kernels::CandidateView dense_view() const { return {padded(), packed_.data(), nullptr}; }  // as they were set

 private:
  // The bias and then the weights of one candidate, or of one place.
  struct Column {
    Index first, width;  // its panel: first place, places
    Index offset;        // of its bias in the buffer; weight k lies (k + 1) * width behind
  };
  Column column(Index i) const;
  std::vector<Index> order_by_inputs() const;          // the candidates, place by place
  Index list_inputs(const std::vector<Index>& order);  // fills used_; returns its inputs over all panels

  const kernels::Kernels* kernels_;
  Index count_ = 0, inputs_ = 0;
  AlignedBuffer packed_, short_;  // as they were set; without the zeros
  std::vector<Index> used_;       // see CandidateView; empty: view() is dense_view()
  std::vector<Index> place_;
};

}  // namespace sconet
