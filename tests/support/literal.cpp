// Symbols and equation numbers: see literal.hpp.
#include "literal.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sconet::literal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// p != 0 (Eq. 27, 49) as a statement about numerical rank.
bool is_new(const VectorXd& p, const VectorXd& h, double tol) { return p.squaredNorm() > tol * h.squaredNorm(); }

bool is_nonzero(const VectorXd& h) { return h.squaredNorm() > 0 && std::isfinite(h.squaredNorm()); }

// [A, a].
MatrixXd with_column(const MatrixXd& A, const VectorXd& a) {
  MatrixXd B(A.rows(), A.cols() + 1);
  B.leftCols(A.cols()) = A;
  B.rightCols(1) = a;
  return B;
}

// Eq. 55, and Eq. 26, 40, 46.
VectorXd new_part(const MatrixXd& H, const MatrixXd& H_pinv, const VectorXd& h) {
  const VectorXd d = H_pinv * h;
  return h - H * d;
}

// An orthonormal basis of the span of H; with it p = h - Q Q'h.
MatrixXd basis(const MatrixXd& H) {
  if (H.cols() == 0) return H;
  const Eigen::HouseholderQR<MatrixXd> qr(H);
  return qr.householderQ() * MatrixXd::Identity(H.rows(), std::min(H.rows(), H.cols()));
}

// H^+ of a whole H with independent columns. With D the norms of the columns and H = G D it is D^-1 G^+; so a node of
// small output is not mistaken for a dependent one.
MatrixXd pseudo_inverse(const MatrixXd& H) {
  const VectorXd norms = H.colwise().norm();
  const MatrixXd G = H * norms.cwiseInverse().asDiagonal();
  const MatrixXd G_pinv = G.completeOrthogonalDecomposition().pseudoInverse();
  return norms.cwiseInverse().asDiagonal() * G_pinv;
}

// Eq. 54: the sum over the outputs of the norm, not of its square.
double omega(const MatrixXd& Y, const VectorXd& h) {
  double sum = 0;
  for (Index q = 0; q < Y.cols(); ++q) {
    const double c = Y.col(q).dot(h) / h.dot(h);
    sum += (c * h - Y.col(q)).norm();
  }
  return sum;
}

// Eq. 57 with e = Y - H beta, hence the minus: |e_{L,q}|^2 if a node with this p were taken.
double xi_q(const VectorXd& Yq, const VectorXd& eq, const VectorXd& p) {
  const double pp = p.dot(p), pY = p.dot(Yq), ep = eq.dot(p);
  return pY * pY / pp - 2 * pY * ep / pp + eq.dot(eq);
}

// Eq. 56.
double xi(const MatrixXd& Y, const MatrixXd& E, const VectorXd& p, double r) {
  double after = 0, before = 0;
  for (Index q = 0; q < Y.cols(); ++q) {
    after += xi_q(Y.col(q), E.col(q), p);
    before += E.col(q).dot(E.col(q));
  }
  return after - r * before;
}

// |e_{L-1}|^2 - |e_L|^2 as a share of |e_{L-1}|^2 by Eq. 57, the term |e_{L-1,q}|^2 cancelled by hand.
double score_new(const MatrixXd& Y, const MatrixXd& E, const VectorXd& p) {
  double removed = 0;
  for (Index q = 0; q < Y.cols(); ++q) {
    const double pp = p.dot(p), pY = p.dot(Y.col(q)), ep = E.col(q).dot(p);
    removed += 2 * pY * ep / pp - pY * pY / pp;
  }
  return removed / E.squaredNorm();
}

// Eq. 56 for all outputs together, or Eq. 50 for each. Eq. 51 holds always: Y_q - e_q lies in the span of H and p is
// orthogonal to it.
bool admissible_new(const MatrixXd& Y, const MatrixXd& E, const VectorXd& p, double r, Criterion criterion) {
  if (criterion == Criterion::total) return xi(Y, E, p, r) <= 0;
  for (Index q = 0; q < Y.cols(); ++q) {
    const double ep = E.col(q).dot(p);
    if (!(ep * ep / p.dot(p) >= (1 - r) * E.col(q).dot(E.col(q)))) return false;
  }
  return true;
}

// Eq. 10 without its r, summed over the outputs and as a share of |e_{L-1}|^2.
double score_old(const MatrixXd& E, const VectorXd& h) {
  double removed = 0;
  for (Index q = 0; q < E.cols(); ++q) removed += E.col(q).dot(h) * E.col(q).dot(h) / h.dot(h);
  return removed / E.squaredNorm();
}

// Eq. 10 with u_L = 0: xi >= 0 for all outputs together, or for each.
bool admissible_old(const MatrixXd& E, const VectorXd& h, double r, Criterion criterion) {
  double sum = 0;
  for (Index q = 0; q < E.cols(); ++q) {
    const double eh = E.col(q).dot(h);
    const double xi_of_output = eh * eh / h.dot(h) - (1 - r) * E.col(q).dot(E.col(q));
    if (criterion == Criterion::per_output && !(xi_of_output >= 0)) return false;
    sum += xi_of_output;
  }
  return criterion == Criterion::per_output || sum >= 0;
}

struct Candidate {
  Choice choice;
  VectorXd h;
};

// The candidate with the highest score of those shown, the earliest among equals.
struct Best {
  bool found = false;
  Candidate candidate;

  void show(const Candidate& other) {
    if (found && !(other.choice.score > candidate.choice.score)) return;
    found = true;
    candidate = other;
  }
};

// Batch number s of a node is the one drawn at the s-th scale.
std::vector<Candidate> draw_batch(const MatrixXd& X, const TrainOptions& options, const Draws& draws, Index L,
                                  std::size_t s) {
  std::vector<Candidate> batch;
  for (Index t = 0; t < options.candidates; ++t) {
    Candidate c;
    c.choice.batch = static_cast<Index>(s);
    c.choice.t = t;
    c.choice.scale = options.scales[s];
    c.h = output(X, draws(L, c.choice.batch, t, c.choice.scale), options.activation);
    batch.push_back(c);
  }
  return batch;
}

// What Algorithm 1 leaves open: no scale has an admissible candidate.
Best exhausted(Best seen, double r, WhenExhausted policy) {
  if (policy == WhenExhausted::stop) return Best{};
  seen.candidate.choice.r = r;
  seen.candidate.choice.fallback = true;
  return seen;
}

void refuse_relax(const TrainOptions& options) {
  if (options.when_exhausted == WhenExhausted::relax) throw std::logic_error("literal: relaxing r is not in the paper");
}

// Algorithm 1, lines 3-5: the least omega, at the first scale that has a usable candidate.
Best first_node(const MatrixXd& X, const MatrixXd& Y, const TrainOptions& options, const Draws& draws) {
  for (std::size_t s = 0; s < options.scales.size(); ++s) {
    Best best;
    double least = 0;
    for (Candidate& c : draw_batch(X, options, draws, 1, s)) {
      if (!is_nonzero(c.h) || !is_new(c.h, c.h, options.rank_tolerance)) continue;
      const double w = omega(Y, c.h);
      if (best.found && !(w < least)) continue;
      least = w;
      c.choice.r = 1;
      c.choice.score = score_new(Y, Y, c.h);  // p = h and e_0 = Y
      best = Best{true, c};
    }
    if (best.found) return best;
  }
  return Best{};
}

// Algorithm 1, lines 10-15: node L, from 2.
Best next_node(const MatrixXd& X, const MatrixXd& Y, const MatrixXd& H, const MatrixXd& H_pinv, const MatrixXd& E,
               const TrainOptions& options, const Draws& draws) {
  const Index L = H.cols() + 1;
  const double r = r_L(options, static_cast<double>(L));
  Best seen;
  for (std::size_t s = 0; s < options.scales.size(); ++s) {
    Best accepted;
    for (Candidate& c : draw_batch(X, options, draws, L, s)) {
      if (!is_nonzero(c.h)) continue;
      const VectorXd p = new_part(H, H_pinv, c.h);
      if (!is_new(p, c.h, options.rank_tolerance)) continue;
      c.choice.r = r;
      c.choice.score = score_new(Y, E, p);
      seen.show(c);
      if (admissible_new(Y, E, p, r, options.criterion)) accepted.show(c);
    }
    if (accepted.found) return accepted;
  }
  return exhausted(seen, r, options.when_exhausted);
}

// One node of SCN-I or SCN-III: for each scale one batch, for each r in turn the best of the admissible. With
// skip_span a candidate within the span of H is passed over.
Best next_node_old(const MatrixXd& X, const MatrixXd& H, const MatrixXd& E, const TrainOptions& options,
                   const Draws& draws, bool skip_span) {
  const MatrixXd Q = basis(H);
  Best seen;
  for (std::size_t s = 0; s < options.scales.size(); ++s) {
    std::vector<Candidate> usable;
    for (Candidate& c : draw_batch(X, options, draws, H.cols() + 1, s)) {
      if (!is_nonzero(c.h)) continue;
      if (skip_span && !is_new(new_part(Q, Q.transpose(), c.h), c.h, options.rank_tolerance)) continue;
      c.choice.score = score_old(E, c.h);
      seen.show(c);
      usable.push_back(c);
    }
    for (const double r : options.r_ladder) {
      Best accepted;
      for (Candidate& c : usable) {
        c.choice.r = r;
        if (admissible_old(E, c.h, r, options.criterion)) accepted.show(c);
      }
      if (accepted.found) return accepted;
    }
  }
  return exhausted(seen, options.r_ladder.back(), options.when_exhausted);
}

// The network without nodes.
Result nothing(const MatrixXd& X, const MatrixXd& Y) {
  Result result;
  result.H.resize(X.rows(), 0);
  result.beta.resize(0, Y.cols());
  result.E = Y;  // e_0 = Y
  return result;
}

bool goes_on(const Result& result, const TrainOptions& options) {
  return result.H.cols() < options.max_nodes && result.E.squaredNorm() > 0;
}

}  // namespace

double activate(Activation activation, double z) {
  switch (activation) {
    case Activation::sigmoid: return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
    case Activation::tanh: return std::tanh(z);
    case Activation::sin: return std::sin(z);
    case Activation::gaussian: return std::exp(-z * z);
    case Activation::relu: return std::max(z, 0.0);
  }
  throw std::logic_error("literal: unknown activation");
}

VectorXd output(const MatrixXd& X, const Draw& draw, Activation activation) {
  VectorXd h(X.rows());
  for (Index i = 0; i < X.rows(); ++i) {
    double z = draw.b;
    for (Index k = 0; k < X.cols(); ++k) z += X(i, k) * draw.w(k);
    h(i) = activate(activation, z);
  }
  return h;
}

double r_L(const TrainOptions& options, double L) {
  if (options.schedule == Schedule::power) return std::pow(options.r, std::pow(1 + 1 / L, options.alpha));
  return std::pow(options.r, options.alpha * (1 + 1 / L));
}

MatrixXd greville_append(const MatrixXd& H, const MatrixXd& H_pinv, const VectorXd& h, double zero_tol) {
  const VectorXd d = H_pinv * h;  // Eq. 58
  const VectorXd p = h - H * d;
  Eigen::RowVectorXd b;  // Eq. 59
  if (is_new(p, h, zero_tol)) {
    b = p.transpose() / p.dot(p);
  } else {
    b = d.transpose() * H_pinv / (1 + d.dot(d));
  }
  MatrixXd next(H_pinv.rows() + 1, h.size());  // Eq. 60
  next.topRows(H_pinv.rows()) = H_pinv - d * b;
  next.bottomRows(1) = b;
  return next;
}

Result rmpi(const MatrixXd& X, const MatrixXd& Y, const TrainOptions& options, const Draws& draws) {
  refuse_relax(options);
  Result result = nothing(X, Y);
  MatrixXd H_pinv(0, X.rows());
  while (goes_on(result, options)) {
    const Best best = result.H.cols() == 0 ? first_node(X, Y, options, draws)
                                           : next_node(X, Y, result.H, H_pinv, result.E, options, draws);
    if (!best.found) break;
    H_pinv = greville_append(result.H, H_pinv, best.candidate.h, options.rank_tolerance);
    result.H = with_column(result.H, best.candidate.h);
    result.beta = H_pinv * Y;
    result.E = Y - result.H * result.beta;
    result.choices.push_back(best.candidate.choice);
    result.residual2.push_back(result.E.squaredNorm());
  }
  return result;
}

Result scn3(const MatrixXd& X, const MatrixXd& Y, const TrainOptions& options, const Draws& draws) {
  refuse_relax(options);
  Result result = nothing(X, Y);
  while (goes_on(result, options)) {
    const Best best = next_node_old(X, result.H, result.E, options, draws, true);
    if (!best.found) break;
    result.H = with_column(result.H, best.candidate.h);
    result.beta = pseudo_inverse(result.H) * Y;  // Eq. 6
    result.E = Y - result.H * result.beta;       // Eq. 9
    result.choices.push_back(best.candidate.choice);
    result.residual2.push_back(result.E.squaredNorm());
  }
  return result;
}

Result scn1(const MatrixXd& X, const MatrixXd& Y, const TrainOptions& options, const Draws& draws) {
  refuse_relax(options);
  Result result = nothing(X, Y);
  while (goes_on(result, options)) {
    const Best best = next_node_old(X, result.H, result.E, options, draws, false);
    if (!best.found) break;
    const VectorXd& h = best.candidate.h;
    const Eigen::RowVectorXd beta_L = h.transpose() * result.E / h.dot(h);  // Eq. 7
    result.H = with_column(result.H, h);
    result.beta.conservativeResize(result.beta.rows() + 1, Y.cols());
    result.beta.bottomRows(1) = beta_L;
    result.E -= h * beta_L;  // Eq. 8
    result.choices.push_back(best.candidate.choice);
    result.residual2.push_back(result.E.squaredNorm());
  }
  return result;
}

}  // namespace sconet::literal
