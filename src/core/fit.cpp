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

Fit::Fit(Engine& engine, Tiles& tiles, double ridge)
    : engine_(engine),
      tiles_(tiles),
      penalty_(ridge * tiles.weight_sum()),
      residual2_(Eigen::VectorXd::Zero(tiles.outputs())),
      p_(tiles.count() * kernels::kTileRows),
      single_(engine.kernels) {
  reduce_residual(Eigen::RowVectorXd::Zero(tiles.outputs()));
  target2_ = residual2_;
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

Refit::Refit(Engine& engine, Tiles& tiles, double rank_tolerance, double ridge, Beside beside)
    : Fit(engine, tiles, ridge),
      rank_tolerance_(rank_tolerance),
      beside_(beside),
      cleaned2_(residual2_.sum()),
      scorer_(engine) {
  if (beside_.intercept) {
    for (Index row = 0; row < tiles_.rows(); ++row) p_[row] = tiles_.sqrt_weight(row);
    append_column(Eigen::VectorXd(0), tiles_.weight_sum(), 0.0);
  }
  if (beside_.direct_links) add_direct_links();
}

void Refit::add_direct_links() {
  for (Index k = 0; k < tiles_.inputs(); ++k) {
    const Index columns = tiles_.columns();
    const AlignedBuffer nothing(round_up(std::max<Index>(columns, 1), kernels::kPanel));
    Eigen::VectorXd sums(columns);  // Q'x
    tiles_.sum(engine_.pool, columns, scratch_, sums.data(), [&](Index tile, double* partial) {
      double* p = p_.data() + Tiles::first_row(tile);
      for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
        p[i] = tiles_.sqrt_weight(Tiles::first_row(tile) + i) * tiles_.input(tile, i, k);
      if (columns > 0) engine_.kernels.project_tile(tiles_.view(tile, columns), nothing.data(), p, partial);
    });
    double x2 = 0;
    tiles_.sum(engine_.pool, 1, scratch_, &x2, [&](Index tile, double* partial) {
      const double* p = p_.data() + Tiles::first_row(tile);
      for (Index i = 0; i < tiles_.tile_rows(tile); ++i) *partial += p[i] * p[i];
    });
    if (x2 > 0 && append_column(sums, x2 + penalty_, penalty_)) direct_.push_back(k);
  }
}

std::optional<Added> Refit::append(const Candidate& node, const std::optional<NodeSums>& known) {
  evaluate_node(engine_, tiles_, node, single_, p_.data());
  // Scored alone the node gets the same sums, to the last bit, as in its batch.
  const NodeSums sums = known ? *known : scorer_.score(tiles_, single_, tiles_.columns()).node(0);
  const auto added = append_column(sums.projections, sums.norm2 + penalty_, penalty_);
  if (added) ++nodes_;
  return added;
}

std::optional<Added> Refit::append_column(const Eigen::VectorXd& c, double h2, double penalty) {
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
  // What rounding left of E in the span was small against an older, larger E; the scores are exact only while it is
  // small against this one.
  if (objective2().sum() < 1e-2 * cleaned2_) clean_residual();
  return Added{before > 0 ? coefficients.squaredNorm() / before : 0.0};
}

void Refit::clean_residual() {
  const Index L = tiles_.columns();
  const AlignedBuffer nothing(round_up(L, kernels::kPanel));
  AlignedBuffer c(round_up(L, kernels::kPanel));
  const Eigen::MatrixXd lower = lower_basis();
  for (Index q = 0; q < tiles_.outputs(); ++q) {
    tiles_.sum(engine_.pool, L, scratch_, c.data(), [&](Index tile, double* partial) {
      double* p = p_.data() + Tiles::first_row(tile);
      for (Index i = 0; i < tiles_.tile_rows(tile); ++i) p[i] = tiles_.residual(tile, i, q);
      engine_.kernels.project_tile(tiles_.view(tile, L), nothing.data(), p, partial);
    });
    Eigen::Map<Eigen::VectorXd> left(c.data(), L);  // Q'e
    if (lower.rows() > 0) {
      left += lower.transpose() * E_lower_.col(q).head(L);
      E_lower_.col(q).head(L) -= lower * left;
    }
    tiles_.visit(engine_.pool, [&](Index tile, int) {
      double* p = p_.data() + Tiles::first_row(tile);
      engine_.kernels.project_tile(tiles_.view(tile, L), c.data(), p, nullptr);
      for (Index i = 0; i < tiles_.tile_rows(tile); ++i) tiles_.residual(tile, i, q) = p[i];
    });
    QtY_.col(q).head(L) += left;
  }
  reduce_residual(Eigen::RowVectorXd::Zero(tiles_.outputs()));
  cleaned2_ = objective2().sum();
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

OutputLayer Refit::output_layer(Index nodes) const {
  const Index first = beside_.intercept ? 1 : 0;
  const auto links = static_cast<Index>(direct_.size());
  const Index L = nodes + first + links;
  // R beta = Q'Y by back substitution, a column at a time: the same bits on every machine, which a blocked solve with
  // blocks that follow the cache sizes would not give.
  Eigen::MatrixXd beta(L, tiles_.outputs());
  if (L > 0) beta = QtY_.topRows(L);
  for (Index q = 0; q < beta.cols(); ++q)
    for (Index k = L - 1; k >= 0; --k) {
      beta(k, q) /= R_(k, k);
      for (Index i = 0; i < k; ++i) beta(i, q) -= R_(i, k) * beta(k, q);
    }
  OutputLayer layer{beta.bottomRows(nodes), Eigen::RowVectorXd::Zero(tiles_.outputs()),
                    Eigen::MatrixXd::Zero(beside_.direct_links ? tiles_.inputs() : 0, tiles_.outputs())};
  if (beside_.intercept) layer.intercept = beta.row(0);
  for (Index i = 0; i < links; ++i) layer.direct.row(direct_[static_cast<std::size_t>(i)]) = beta.row(first + i);
  return layer;
}

Eigen::VectorXd Refit::leverages(Index nodes) {
  Eigen::VectorXd leverage = Eigen::VectorXd::Zero(tiles_.rows());
  const Index columns = nodes + (beside_.intercept ? 1 : 0) + static_cast<Index>(direct_.size());
  tiles_.visit(engine_.pool, [&](Index tile, int) {
    for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
      for (Index k = 0; k < columns; ++k) {
        const double q = tiles_.basis(tile, i, k);
        leverage[Tiles::first_row(tile) + i] += q * q;
      }
  });
  return leverage;
}

Greedy::Greedy(Engine& engine, Tiles& tiles, double ridge, bool intercept)
    : Fit(engine, tiles, ridge), beta_(0, tiles.outputs()), mean_(Eigen::RowVectorXd::Zero(tiles.outputs())) {
  if (intercept) {
    for (Index row = 0; row < tiles_.rows(); ++row) p_[row] = tiles_.sqrt_weight(row);
    mean_ = *take_column(0.0);
  }
}

std::optional<Added> Greedy::append(const Candidate& node, const std::optional<NodeSums>&) {
  evaluate_node(engine_, tiles_, node, single_, p_.data());
  const double before = objective2().sum();
  const std::optional<Eigen::RowVectorXd> beta = take_column(penalty_);
  if (!beta) return std::nullopt;
  grow(beta_, nodes_ + 1, tiles_.outputs());
  beta_.row(nodes_++) = *beta;
  return Added{before > 0 ? 1.0 - objective2().sum() / before : 0.0};
}

Eigen::VectorXd Greedy::objective2() const {
  return residual2_ + penalty_ * beta_.topRows(nodes_).colwise().squaredNorm().transpose();
}

std::optional<Eigen::RowVectorXd> Greedy::take_column(double penalty) {
  const Index m = tiles_.outputs();
  Eigen::VectorXd sums(1 + m);
  tiles_.sum(engine_.pool, 1 + m, scratch_, sums.data(), [&](Index tile, double* partial) {
    add_products(tiles_, tile, p_.data() + Tiles::first_row(tile), partial);
  });
  Eigen::RowVectorXd beta = sums.tail(m).transpose() / (sums[0] + penalty);
  if (!(sums[0] > 0) || !beta.allFinite()) return std::nullopt;  // dead on all rows
  reduce_residual(beta);
  return beta;
}

}  // namespace sconet
