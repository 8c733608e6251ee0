// The output weights, and the residual they leave on the training rows.
//
//   H n x L outputs of the nodes taken     beta L x m output weights     E = Y - H beta residual
//
// Refit moves all output weights with each node (Eq. 6), Greedy sets the new one alone (Eq. 7). A ridge penalty mu on
// beta is part of what both make smaller: |e_q|^2 + mu |beta_q|^2.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <optional>
#include <vector>

#include "core/candidates.hpp"
#include "core/score.hpp"
#include "core/tiles.hpp"
#include "sconet/report.hpp"

namespace sconet {

// What adding a node did.
struct Added {
  double drop = 0;  // by how much the objective fell, as a share of it
};

struct OutputLayer {
  Eigen::MatrixXd weights;       // nodes x m
  Eigen::RowVectorXd intercept;  // 1 x m
  Eigen::MatrixXd direct;        // inputs x m; without direct links it has no rows
};

// In the targets' own unit, of which the layer has 2^exponent.
inline Stage stage_of(const OutputLayer& layer, int exponent) {
  const auto back = [exponent](double v) { return std::ldexp(v, exponent); };
  return {layer.weights.unaryExpr(back), layer.intercept.unaryExpr(back),
          layer.direct.rows() > 0 ? Eigen::MatrixXd(layer.direct.unaryExpr(back)) : Eigen::MatrixXd()};
}

// What is fitted beside the nodes, from the first one on.
struct Beside {
  bool intercept = false;
  bool direct_links = false;
};

class Fit {
 public:
  // `ridge` is per row: the penalty is ridge times the sum of the weights.
  Fit(Engine& engine, Tiles& tiles, double ridge);
  virtual ~Fit() = default;

  // Adds a node. `known`: what scoring it against all columns there are now has found, if it was. Nothing changes and
  // nothing is returned when the node is numerically in the span of the others.
  virtual std::optional<Added> append(const Candidate& node, const std::optional<NodeSums>& known) = 0;

  // The output layer of the network with the first `nodes` nodes.
  virtual OutputLayer output_layer(Index nodes) const = 0;

  // Leverage of every row in the fit with the first `nodes` nodes; empty where there is no such thing.
  virtual Eigen::VectorXd leverages(Index nodes) = 0;

  Index nodes() const { return nodes_; }
  double penalty() const { return penalty_; }                      // |h|^2 + penalty is a node's squared norm
  const Eigen::VectorXd& target2() const { return target2_; }      // |y_q|^2 on the rows
  const Eigen::VectorXd& residual2() const { return residual2_; }  // |e_q|^2 on the rows
  virtual Eigen::VectorXd objective2() const = 0;  // the same with the penalty: what training makes smaller

 protected:
  // E -= p * coefficients', and |e_q|^2 anew.
  void reduce_residual(const Eigen::RowVectorXd& coefficients);

  Engine& engine_;
  Tiles& tiles_;
  double penalty_;
  Index nodes_ = 0;
  Eigen::VectorXd residual2_, target2_;
  AlignedBuffer p_;        // one number per row
  AlignedBuffer scratch_;  // partial sums
  CandidateBatch single_;
};

// Least squares over all nodes, kept as an orthonormal basis Q of their span (twice-is-enough Gram-Schmidt):
// H = Q R, beta = R^-1 Q'Y. A ridge penalty mu is the row block sqrt(mu) I below H; the basis then has a lower part
// too, and Q'Q = I and Q'E = 0 hold for both parts together. An intercept is a first column of ones without
// penalty; direct links are the inputs, as columns before those of the nodes.
class Refit final : public Fit {
 public:
  Refit(Engine& engine, Tiles& tiles, double rank_tolerance, double ridge, Beside beside);

  std::optional<Added> append(const Candidate& node, const std::optional<NodeSums>& known) override;
  OutputLayer output_layer(Index nodes) const override;
  Eigen::VectorXd leverages(Index nodes) override;
  Eigen::VectorXd objective2() const override;

  // The lower parts of basis and residual that a ridge penalty adds; without one they have no rows.
  Eigen::MatrixXd lower_basis() const;
  Eigen::MatrixXd lower_residual() const;

 private:
  // The column in p_ joins the basis: c = Q'h, h2 = |h|^2 with penalty.
  std::optional<Added> append_column(const Eigen::VectorXd& c, double h2, double penalty);
  void add_direct_links();
  void clean_residual();  // removes from E what rounding has left of it in the span of Q

  double rank_tolerance_;
  Beside beside_;
  std::vector<Index> direct_;  // the inputs that are columns; those in the span of others are not
  double cleaned2_;            // the objective when the residual was last orthogonal to the last bit
  Scorer scorer_;
  Eigen::MatrixXd R_;        // upper triangular, columns x columns
  Eigen::MatrixXd QtY_;      // columns x m
  Eigen::MatrixXd Q_lower_;  // columns x columns, the basis' lower part
  Eigen::MatrixXd E_lower_;  // columns x m
};

class Greedy final : public Fit {
 public:
  Greedy(Engine& engine, Tiles& tiles, double ridge, bool intercept);

  std::optional<Added> append(const Candidate& node, const std::optional<NodeSums>& known) override;
  OutputLayer output_layer(Index nodes) const override {
    return {beta_.topRows(nodes), mean_, Eigen::MatrixXd(0, mean_.size())};
  }
  Eigen::VectorXd leverages(Index) override { return {}; }
  Eigen::VectorXd objective2() const override;

 private:
  // E'p / (|p|^2 + penalty), subtracted from E; nothing for a column of zeros.
  std::optional<Eigen::RowVectorXd> take_column(double penalty);
  Eigen::MatrixXd beta_;
  Eigen::RowVectorXd mean_;
};

}  // namespace sconet
