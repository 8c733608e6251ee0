// A pool of candidates that is drawn once and grown from many times.
//
// Scoring a fresh batch for every node costs N L T multiply-adds a node. A pool of P candidates pays N P^2 / 2 once,
// for the Gram matrix of its outputs; from then on the exact score of every candidate (Theorem 2) after every node
// costs P L a node, whatever the number of rows. And since sums over rows can be added, leaving rows out is free: the
// sums of K folds give K growth paths, each with every size, for the price of one.
//
//   H n x P outputs of the candidates    Y n x m targets, here and below less their weighted means
//   G = H'H     S the nodes taken so far, in their order     R upper triangular: R'R = G_SS + penalty I
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/candidates.hpp"
#include "core/score.hpp"
#include "core/tiles.hpp"

namespace sconet {

// Sums over a run of rows. Nothing is centred yet, so that runs can be added and taken away.
struct PoolSums {
  Eigen::MatrixXd HtH;    // P x P
  Eigen::MatrixXd HtY;    // P x m
  Eigen::VectorXd Ht1;    // P
  Eigen::RowVectorXd Y1;  // m: sum of w y
  Eigen::RowVectorXd Y2;  // m: sum of w y^2
  double weight = 0;      // sum of w

  void add(const PoolSums& other, double sign);  // sign: 1 or -1
  void scale(double factor);
};

// The rows of a tile hold m + 1 targets: Y and a column of ones. The sums of candidates [first, first + t) are added in
// the order of the tiles by one thread each, so they are the same bits for any number of threads. They are in the unit
// of the weights as given, so that sums of different rows add up.
PoolSums sum_pool(Engine& engine, const Tiles& tiles, std::span<const Candidate> pool);

// Tiles as sum_pool wants them.
Tiles pool_tiles(MatrixView X, MatrixView Y, MatrixView weights);

// Outputs of some nodes on all rows, n x |nodes|.
Eigen::MatrixXd evaluate_nodes(Engine& engine, const Tiles& tiles, std::span<const Candidate> nodes);

// A growth path: at each step the candidate that leaves the smallest |e|^2 + penalty |beta|^2.
struct Path {
  std::vector<Index> order;   // places in the pool
  std::vector<double> score;  // the share of what was left that each took
};

// Ends before `limit` nodes when no candidate is left that adds anything.
Path grow_path(const PoolSums& sums, double penalty, Index limit, double rank_tolerance);

// The first nodes of a path with output weights for a penalty, from the sums alone.
class PathFit {
 public:
  PathFit(const PoolSums& sums, std::span<const Index> order, double penalty);

  Index nodes() const { return nodes_; }  // fewer than asked for where the Gram matrix has lost its rank
  // f(x) = intercept + h(x)' weights for the first `nodes` nodes.
  struct Layer {
    Eigen::MatrixXd weights;
    Eigen::RowVectorXd intercept;
  };
  Layer layer(Index nodes) const;
  double squares(Index nodes) const;  // sum of w |e|^2 over the rows of the sums, for the first `nodes` nodes

 private:
  Index nodes_ = 0;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> R_;  // upper triangular
  Eigen::MatrixXd z_;                                                         // R^-T H'Y
  Eigen::VectorXd means_;                                                     // of H's columns
  Eigen::RowVectorXd y_mean_;
  double penalty_, y2_ = 0;  // |y|^2 less the mean
};

}  // namespace sconet
