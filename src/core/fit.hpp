// The output weights, and the residual they leave on the training rows.
//
//   H n x L outputs of the nodes taken     beta L x m output weights     E = Y - H beta residual
//
// Refit moves all output weights with each node (Eq. 6), Greedy sets the new one alone (Eq. 7).
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>

#include "core/candidates.hpp"
#include "core/score.hpp"
#include "core/tiles.hpp"

namespace sconet {

// What adding a node did.
struct Added {
  double drop = 0;  // by how much the objective fell, as a share of it
};

class Fit {
 public:
  Fit(Engine& engine, Tiles& tiles);
  virtual ~Fit() = default;

  // Adds a node. `projections` is its Q'h if it is known for all columns there are now, else empty. Nothing changes and
  // nothing is returned when the node is numerically in the span of the others.
  virtual std::optional<Added> append(const Candidate& node, const Eigen::VectorXd& projections) = 0;

  // Output weights of the first `nodes` nodes, nodes x m, and the intercept that goes with them, 1 x m.
  virtual Eigen::MatrixXd output_weights(Index nodes) const = 0;
  virtual Eigen::RowVectorXd intercept(Index nodes) const = 0;

  // Leverage of every row in the fit with the first `nodes` nodes; empty where there is no such thing.
  virtual Eigen::VectorXd leverages(Index nodes) = 0;

  Index nodes() const { return nodes_; }
  const Eigen::VectorXd& residual2() const { return residual2_; }  // |e_q|^2 on the rows
  // What training makes smaller: |e_q|^2, and with a ridge penalty the penalty too.
  virtual Eigen::VectorXd objective2() const { return residual2_; }
  // Penalty on a new node's output weight: |h|^2 + penalty is its squared norm.
  virtual double penalty() const { return 0.0; }

 protected:
  // h of the node on all rows, into p_.
  void evaluate(const Candidate& node);
  // E -= p * coefficients', and |e_q|^2 anew.
  void reduce_residual(const Eigen::RowVectorXd& coefficients);

  Engine& engine_;
  Tiles& tiles_;
  Index nodes_ = 0;
  Eigen::VectorXd residual2_;
  AlignedBuffer p_;        // one number per row
  AlignedBuffer scratch_;  // partial sums
  CandidateBatch single_;
};

// Least squares over all nodes, kept as an orthonormal basis Q of their span (twice-is-enough Gram-Schmidt):
// H = Q R, beta = R^-1 Q'Y. A ridge penalty mu on beta is the row block sqrt(mu) I below H; the basis then has a lower
// part too, and Q'Q = I and Q'E = 0 hold for both parts together. An intercept is a first column of ones without
// penalty.
class Refit final : public Fit {
 public:
  Refit(Engine& engine, Tiles& tiles, double rank_tolerance, double ridge, bool intercept);

  std::optional<Added> append(const Candidate& node, const Eigen::VectorXd& projections) override;
  Eigen::MatrixXd output_weights(Index nodes) const override;
  Eigen::RowVectorXd intercept(Index nodes) const override;
  Eigen::VectorXd leverages(Index nodes) override;
  Eigen::VectorXd objective2() const override;
  double penalty() const override { return penalty_; }

  // The lower parts of basis and residual that a ridge penalty adds; without one they have no rows.
  Eigen::MatrixXd lower_basis() const;
  Eigen::MatrixXd lower_residual() const;

 private:
  // The column in p_ joins the basis: c = Q'h, h2 = |h|^2 with penalty.
  std::optional<Added> append_column(Eigen::VectorXd c, double h2, double penalty);
  Eigen::MatrixXd coefficients(Index nodes) const;  // intercept first, if there is one

  double rank_tolerance_;
  double penalty_;
  bool intercept_;
  Scorer scorer_;
  Eigen::MatrixXd R_;        // upper triangular, columns x columns
  Eigen::MatrixXd QtY_;      // columns x m
  Eigen::MatrixXd Q_lower_;  // columns x columns, the basis' lower part
  Eigen::MatrixXd E_lower_;  // columns x m
};

class Greedy final : public Fit {
 public:
  Greedy(Engine& engine, Tiles& tiles, bool intercept);

  std::optional<Added> append(const Candidate& node, const Eigen::VectorXd& projections) override;
  Eigen::MatrixXd output_weights(Index nodes) const override { return beta_.topRows(nodes); }
  Eigen::RowVectorXd intercept(Index) const override { return mean_; }
  Eigen::VectorXd leverages(Index) override { return {}; }

 private:
  Eigen::RowVectorXd take_column();  // E'p / |p|^2, subtracted from E
  Eigen::MatrixXd beta_;
  Eigen::RowVectorXd mean_;
};

}  // namespace sconet
