// The algorithms of the paper taken literally: slow and obvious, an oracle for the engine.
//
// Symbols, with the equation that defines them:
//
//   X       n x d inputs                     Y        n x m outputs, Y_q their q-th column
//   w, b    weights and bias of a node       h        its output on X, h_i = act(w'x_i + b)                     (53)
//   H       n x L, one column h per node     H^+      its Moore-Penrose inverse
//   beta    L x m output weights             e        n x m residual Y - H beta, e_0 = Y; this sign everywhere  (11)
//   p       h - H H^+ h, what is new in h   (46, 55)  omega    misfit of a network of one node                  (54)
//   r_L     the demand |e_L|^2 <= r_L |e_{L-1}|^2 on node L                                                  (45, 47)
//   xi      RMPI: |e_L|^2 - r_L |e_{L-1}|^2, admissible when <= 0 (56); SCN-I, SCN-III: admissible when >= 0    (10)
//   score   the share of |e_{L-1}|^2 that the supervisor says the node removes: xi read as a fraction, with no r in it
//
// The options ridge, intercept, nodes_per_step, tolerance, patience, time_limit, seed, threads and isa are not looked
// at. Options are taken as valid.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "sconet/options.hpp"

namespace sconet::literal {

struct Draw {
  Eigen::VectorXd w;
  double b = 0;
};

// Candidate number t (from 0) of batch number `batch` (from 0, counting the batches drawn for this node) for node
// number L (from 1). Asked once for each candidate, in the order of L, batch, t; a batch is always drawn whole.
using Draws = std::function<Draw(Eigen::Index L, Eigen::Index batch, Eigen::Index t, double scale)>;

struct Choice {
  Eigen::Index batch = 0, t = 0;
  double scale = 0;
  double r = 0;           // the demand it met or, for a fallback, did not meet; 1 when it was not tested
  bool fallback = false;  // taken because no candidate of any scale was admissible
  double score = 0;
};

struct Result {
  std::vector<Choice> choices;    // one per node
  std::vector<double> residual2;  // |e_L|_F^2 after each node
  Eigen::MatrixXd E, beta;        // final residual Y - H beta, output weights (L x m)
  Eigen::MatrixXd H;              // n x L
};

// Each grows a network until it has max_nodes nodes, no candidate is usable, or e = 0. All throw std::logic_error for
// WhenExhausted::relax.

// RMPI-SCN: Algorithm 1 with the recursion of Greville, Eq. 46-60. The recursion loses digits with the condition of H
// (its columns scaled to norm one): below 1e5 the residuals are good to 1e-10, beyond that neither they nor the choices
// can be relied on. A larger rank_tolerance (1e-4) keeps the condition low for a few nodes more.
Result rmpi(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y, const TrainOptions& options, const Draws& draws);

// SCN-III: Eq. 4, 6, 9, 10, a pseudo-inverse of the whole H for every node.
Result scn3(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y, const TrainOptions& options, const Draws& draws);

// SCN-I: Eq. 4, 5, 7, 8, 10.
Result scn1(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y, const TrainOptions& options, const Draws& draws);

double activate(Activation activation, double z);

// h of Eq. 53.
Eigen::VectorXd output(const Eigen::MatrixXd& X, const Draw& draw, Activation activation);

// The demand on node L: Eq. 47, or the schedule whose limit Eq. 45 states.
double r_L(const TrainOptions& options, double L);

// Eq. 58-60: from H (n x L) and H^+ (L x n) the pseudo-inverse of [H, h], (L+1) x n. p counts as zero when
// |p|^2 <= zero_tol |h|^2. L = 0 gives h^+.
Eigen::MatrixXd greville_append(const Eigen::MatrixXd& H, const Eigen::MatrixXd& H_pinv, const Eigen::VectorXd& h,
                                double zero_tol);

}  // namespace sconet::literal
