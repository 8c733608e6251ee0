#include "core/fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace sconet {
namespace {

// Room for one more row and column, old values kept, new ones zero.
void grow(Eigen::MatrixXd& m, Index rows, Index cols) {
  if (rows > m.rows() || cols > m.cols()) {
    const Index r = rows > m.rows() ? std::max(rows, 2 * m.rows()) : m.rows();
    const Index c = cols > m.cols() ? std::max(cols, 2 * m.cols()) : m.cols();
    Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(r, c);
    larger.topLeftCorner(m.rows(), m.cols()) = m;
    m = std::move(larger);
  }
}

// Adds the tile's share of |p|^2 to sums[0] and of e_q'p to sums[1 + q].
void add_products(Tiles& tiles, Index tile, const double* p, double* sums) {
  double p2 = 0;
  for (Index i = 0; i < tiles.tile_rows(tile); ++i) p2 += p[i] * p[i];
  sums[0] += p2;
  for (Index q = 0; q < tiles.outputs(); ++q) {
    double ep = 0;
    for (Index i = 0; i < tiles.tile_rows(tile); ++i) ep += p[i] * tiles.residual(tile, i, q);
    sums[1 + q] += ep;
  }
}

}  // namespace

Fit::Fit(Engine& engine, Tiles& tiles)
    : engine_(engine),
      tiles_(tiles),
      residual2_(Eigen::VectorXd::Zero(tiles.outputs())),
      p_(tiles.count() * kernels::kTileRows),
      single_(engine.kernels) {
  reduce_residual(Eigen::RowVectorXd::Zero(tiles.outputs()));
}

void Fit::evaluate(const Candidate& node) {
  single_.resize(1, tiles_.inputs());
  single_.set(0, node);
  tiles_.visit(engine_.pool, [&](Index tile, int worker) {
    engine_.kernels.node_tile(tiles_.view(tile, 0), engine_.act, single_.view().packed,
                              engine_.g[static_cast<std::size_t>(worker)].data(), p_.data() + Tiles::first_row(tile));
  });
}

void Fit::reduce_residual(const Eigen::RowVectorXd& coefficients) {
  const Index m = tiles_.outputs();
  tiles_.sum(engine_.pool, m, scratch_, residual2_.data(), [&](Index tile, double* partial) {
    const double* p = p_.data() + Tiles::first_row(tile);
    for (Index q = 0; q < m; ++q) {
      double e2 = 0;
      for (Index i = 0; i < tiles_.tile_rows(tile); ++i) {
        double& e = tiles_.residual(tile, i, q);
        e -= p[i] * coefficients[q];
        e2 += e * e;
      }
      partial[q] += e2;
    }
  });
}

Refit::Refit(Engine& engine, Tiles& tiles, double rank_tolerance, double ridge, bool intercept)
    : Fit(engine, tiles),
      rank_tolerance_(rank_tolerance),
      penalty_(ridge * tiles.weight_sum()),
      intercept_(intercept),
      scorer_(engine) {
  if (intercept_) {
    for (Index row = 0; row < tiles_.rows(); ++row) p_[row] = tiles_.sqrt_weight(row);
    append_column(Eigen::VectorXd(0), tiles_.weight_sum(), 0.0);
  }
}

std::optional<Added> Refit::append(const Candidate& node, const Eigen::VectorXd& projections) {
  evaluate(node);
  // Scored alone the node gets the same sums, to the last bit, as in its batch.
  const BatchSums& sums = scorer_.score(tiles_, single_, projections.size() == tiles_.columns() ? 0 : tiles_.columns());
  Eigen::VectorXd c = projections;
  if (c.size() != tiles_.columns()) {
    c.resize(tiles_.columns());
    for (Index k = 0; k < c.size(); ++k) c[k] = sums.qg(k, 0);
  }
  const auto added = append_column(std::move(c), sums.norm2(0) + penalty_, penalty_);
  if (added) ++nodes_;
  return added;
}

std::optional<Added> Refit::append_column(Eigen::VectorXd c, double h2, double penalty) {
  const Index L = tiles_.columns();
  const Index m = tiles_.outputs();
  const Index padded = round_up(std::max<Index>(L, 1), kernels::kPanel);
  if (!(h2 - c.squaredNorm() > rank_tolerance_ * h2)) return std::nullopt;

  // p = h - Q c, then once more with what is left of Q'p: twice is enough.
  AlignedBuffer c1(padded), c2(padded);
  std::copy_n(c.data(), L, c1.data());
  tiles_.sum(engine_.pool, L, scratch_, c2.data(), [&](Index tile, double* partial) {
    engine_.kernels.project_tile(tiles_.view(tile, L), c1.data(), p_.data() + Tiles::first_row(tile), partial);
  });
  Eigen::Map<Eigen::VectorXd> second(c2.data(), L);
  Eigen::VectorXd p_lower = Eigen::VectorXd::Zero(L + 1);
  if (penalty > 0) p_lower[L] = std::sqrt(penalty);
  if (penalty_ > 0 && L > 0) {
    const auto lower = Q_lower_.topLeftCorner(L, L).triangularView<Eigen::Upper>();
    p_lower.head(L) -= lower * c;
    second += lower.transpose() * p_lower.head(L);
    p_lower.head(L) -= lower * second;
  }
  Eigen::VectorXd sums(1 + m);  // |p|^2, E'p
  tiles_.sum(engine_.pool, 1 + m, scratch_, sums.data(), [&](Index tile, double* partial) {
    double* p = p_.data() + Tiles::first_row(tile);
    engine_.kernels.project_tile(tiles_.view(tile, L), c2.data(), p, nullptr);
    add_products(tiles_, tile, p, partial);
  });
  const double p2 = sums[0] + p_lower.squaredNorm();
  if (!(p2 > rank_tolerance_ * h2) || !std::isfinite(p2)) return std::nullopt;
  const double norm = std::sqrt(p2);
  Eigen::RowVectorXd coefficients = sums.tail(m).transpose();
  if (penalty_ > 0 && L > 0) coefficients += p_lower.head(L).transpose() * E_lower_.topRows(L);
  coefficients /= norm;

  // q = p / |p| joins Q; the residual loses its share.
  const double before = objective2().sum();
  tiles_.add_column();
  tiles_.visit(engine_.pool, [&](Index tile, int) {
    for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
      tiles_.basis(tile, i, L) = p_[Tiles::first_row(tile) + i] /= norm;
  });
  reduce_residual(coefficients);

  grow(R_, L + 1, L + 1);
  R_.col(L).head(L) = c + second;
  R_(L, L) = norm;
  grow(QtY_, L + 1, m);
  QtY_.row(L) = coefficients;
  if (penalty_ > 0) {
    grow(Q_lower_, L + 1, L + 1);
    Q_lower_.col(L).head(L + 1) = p_lower / norm;
    grow(E_lower_, L + 1, m);
    E_lower_.topRows(L + 1) -= Q_lower_.col(L).head(L + 1) * coefficients;
  }
  return Added{before > 0 ? coefficients.squaredNorm() / before : 0.0};
}

Eigen::VectorXd Refit::objective2() const {
  if (penalty_ == 0) return residual2_;
  return residual2_ + lower_residual().colwise().squaredNorm().transpose();
}

Eigen::MatrixXd Refit::lower_basis() const {
  const Index L = tiles_.columns();
  if (penalty_ == 0 || L == 0) return Eigen::MatrixXd(0, L);
  return Q_lower_.topLeftCorner(L, L);
}

Eigen::MatrixXd Refit::lower_residual() const {
  if (penalty_ == 0 || tiles_.columns() == 0) return Eigen::MatrixXd(0, tiles_.outputs());
  return E_lower_.topRows(tiles_.columns());
}

Eigen::MatrixXd Refit::coefficients(Index nodes) const {
  const Index L = nodes + (intercept_ ? 1 : 0);
  Eigen::MatrixXd beta = QtY_.topRows(L);
  R_.topLeftCorner(L, L).triangularView<Eigen::Upper>().solveInPlace(beta);
  return beta;
}

Eigen::MatrixXd Refit::output_weights(Index nodes) const {
  if (nodes == 0) return Eigen::MatrixXd(0, tiles_.outputs());
  return coefficients(nodes).bottomRows(nodes);
}

Eigen::RowVectorXd Refit::intercept(Index nodes) const {
  if (!intercept_) return Eigen::RowVectorXd::Zero(tiles_.outputs());
  return coefficients(nodes).row(0);
}

Eigen::VectorXd Refit::leverages(Index nodes) {
  Eigen::VectorXd leverage = Eigen::VectorXd::Zero(tiles_.rows());
  const Index columns = nodes + (intercept_ ? 1 : 0);
  tiles_.visit(engine_.pool, [&](Index tile, int) {
    for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
      for (Index k = 0; k < columns; ++k) {
        const double q = tiles_.basis(tile, i, k);
        leverage[Tiles::first_row(tile) + i] += q * q;
      }
  });
  return leverage;
}

Greedy::Greedy(Engine& engine, Tiles& tiles, bool intercept)
    : Fit(engine, tiles), beta_(0, tiles.outputs()), mean_(Eigen::RowVectorXd::Zero(tiles.outputs())) {
  if (intercept) {
    for (Index row = 0; row < tiles_.rows(); ++row) p_[row] = tiles_.sqrt_weight(row);
    mean_ = take_column();
  }
}

std::optional<Added> Greedy::append(const Candidate& node, const Eigen::VectorXd&) {
  evaluate(node);
  const double before = residual2_.sum();
  const Eigen::RowVectorXd beta = take_column();
  grow(beta_, nodes_ + 1, tiles_.outputs());
  beta_.row(nodes_++) = beta;
  return Added{before > 0 ? 1.0 - residual2_.sum() / before : 0.0};
}

Eigen::RowVectorXd Greedy::take_column() {
  const Index m = tiles_.outputs();
  Eigen::VectorXd sums(1 + m);
  tiles_.sum(engine_.pool, 1 + m, scratch_, sums.data(), [&](Index tile, double* partial) {
    add_products(tiles_, tile, p_.data() + Tiles::first_row(tile), partial);
  });
  Eigen::RowVectorXd beta = sums.tail(m).transpose() / sums[0];
  reduce_residual(beta);
  return beta;
}

}  // namespace sconet
