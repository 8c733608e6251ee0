// Who judges the candidates. A supervisor is the only thing in which SCN-I, SCN-III and RMPI-SCN differ.
//
//   e = e_{L-1} residual     h a candidate's output     p = h - Q Q'h the part of h outside the span of the nodes
//
// The score of a candidate is the share of |e|^2 that taking it removes, as the supervisor sees it:
//   RMPI-SCN          <e,h>^2 / (|p|^2 |e|^2)   exact: the share a full refit removes (Theorem 2, Eq. 30)
//   SCN-III, SCN-I    <e,h>^2 / (|h|^2 |e|^2)   exact for SCN-I (Corollary 1), a lower bound for SCN-III (Eq. 23)
// Candidates are admissible when score >= 1 - r_L.
//
// RVFL and IRVFL have no supervisor to speak of: theirs takes every node as it is drawn.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/score.hpp"
#include "sconet/options.hpp"

namespace sconet {

class Supervisor {
 public:
  virtual ~Supervisor() = default;

  virtual std::string_view name() const = 0;
  // Judges the candidates; otherwise the only one drawn is taken.
  virtual bool judges() const { return true; }
  // All output weights move with each node, not the new one alone.
  virtual bool refits() const = 0;
  // Judging looks at Q'G.
  virtual bool needs_projections() const = 0;
  // The r_L that a batch for node L is tried with, the strictest first. Empty: the best candidate is taken untested.
  virtual std::vector<double> demands(Index L) const = 0;
  // What <e,h>^2 is divided by; zero or less when the candidate cannot be used. `penalty` as in Fit::penalty().
  virtual double denominator(const BatchSums& sums, Index t, double penalty) const = 0;
  // Chosen for the first node by Eq. 54, the sum over outputs of |e_q| (not squared) after the node.
  virtual bool first_by_sum_of_norms() const { return false; }
};

std::unique_ptr<Supervisor> make_supervisor(const TrainOptions& options);

}  // namespace sconet
