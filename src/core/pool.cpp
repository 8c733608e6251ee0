#include "core/pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/dispatch.hpp"

namespace sconet {
namespace {

constexpr Index kBlockTiles = 16;    // rows whose H is in memory at a time: 2048
constexpr Index kPanelsInSlice = 4;  // of candidates, summed by one thread
constexpr Index kDropEvery = 32;     // nodes, after which a quarter of the candidates may be dropped ...
constexpr Index kLeftOver = 100;     // ... but not so many that the last nodes have no choice
constexpr double kConstant = 1e-12;  // |h - mean|^2 / |h|^2 of a candidate that is a constant
constexpr double kNothing = 1e-30;   // a share of |e|^2 that is rounding error

void load(CandidateBatch& batch, std::span<const Candidate> nodes, Index inputs) {
  batch.resize(static_cast<Index>(nodes.size()), inputs);
  for (std::size_t i = 0; i < nodes.size(); ++i) batch.set(static_cast<Index>(i), nodes[i]);
}

// G of one panel of candidates on one tile: [row][candidate], as score_tile leaves it in its scratch.
void evaluate_panel(const Engine& engine, kernels::TileView tile, const kernels::CandidateView& panel, double* g) {
  tile.outputs = tile.columns = 0;
  alignas(kernels::kAlignment) double norms[kernels::kMaxPanel] = {};
  engine.kernels.score_tile(tile, engine.act, panel, g, norms);
}

// y += a x
void add_multiple(double a, const double* x, double* y, Index n) {
  for (Index i = 0; i < n; ++i) y[i] += a * x[i];
}

// y -= sum_k factor(k) row(k), in the order of k.
template <class Factor, class Row>
void subtract_rows(Index count, Factor&& factor, Row&& row, double* y, Index n) {
  static const kernels::Kernels& best = select_kernels(Isa::automatic);  // all levels give the same bits
  std::vector<double> factors(static_cast<std::size_t>(count));
  std::vector<const double*> rows(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) {
    factors[static_cast<std::size_t>(k)] = factor(k);
    rows[static_cast<std::size_t>(k)] = row(k);
  }
  best.subtract_rows(count, factors.data(), rows.data(), y, n);
}

// The candidates of a pool while it is grown from. What is known of each lies side by side, and candidates that have
// long been far from the best are dropped, which is what makes a long path affordable.
class Growing {
 public:
  Growing(const PoolSums& sums, double penalty, double rank_tolerance);

  Index nodes() const { return static_cast<Index>(rows_.size()); }
  // Takes the candidate that leaves least; false when none adds anything.
  bool take_best(Path& path);
  void drop_to(Index count);  // keeps those with the best scores
  Index candidates() const { return static_cast<Index>(place_.size()); }

 private:
  double score(Index j) const;  // what taking candidate j would remove of left_; negative: it cannot be used

  const PoolSums& sums_;
  double penalty_;
  double left_ = 0;                        // |e|^2 + penalty |beta|^2
  std::vector<Index> place_;               // in the pool
  std::vector<double> p2_, least_;         // |p_j|^2 with penalty, and what it must be above
  Eigen::MatrixXd c_;                      // <e_q, h_j>
  std::vector<std::vector<double>> rows_;  // of R, for all candidates
};

}  // namespace

void PoolSums::add(const PoolSums& other, double sign) {
  if (HtH.size() == 0) {
    HtH.setZero(other.HtH.rows(), other.HtH.cols());
    HtY.setZero(other.HtY.rows(), other.HtY.cols());
    Ht1.setZero(other.Ht1.size());
    Y1.setZero(other.Y1.size());
    Y2.setZero(other.Y2.size());
  }
  HtH += sign * other.HtH;
  HtY += sign * other.HtY;
  Ht1 += sign * other.Ht1;
  Y1 += sign * other.Y1;
  Y2 += sign * other.Y2;
  weight += sign * other.weight;
}

void PoolSums::scale(double factor) {
  HtH *= factor;
  HtY *= factor;
  Ht1 *= factor;
  Y1 *= factor;
  Y2 *= factor;
  weight *= factor;
}

Tiles pool_tiles(MatrixView X, MatrixView Y, MatrixView weights) {
  Eigen::MatrixXd targets(Y.rows(), Y.cols() + 1);
  for (Index i = 0; i < Y.rows(); ++i) {
    for (Index q = 0; q < Y.cols(); ++q) targets(i, q) = Y(i, q);
    targets(i, Y.cols()) = 1;
  }
  return {X, targets, weights, 0};
}

PoolSums sum_pool(Engine& engine, const Tiles& tiles, std::span<const Candidate> pool) {
  const auto P = static_cast<Index>(pool.size());
  const Index m = tiles.outputs() - 1, width = engine.kernels.panel;
  CandidateBatch batch(engine.kernels);
  load(batch, pool, tiles.inputs());

  // Slices of candidates. A slice is multiplied with the columns up to its own end: the Gram matrix is symmetric.
  const Index slice = kPanelsInSlice * width, slices = (P + slice - 1) / slice;
  const auto end_of = [&](Index s) { return std::min(P, (s + 1) * slice); };
  std::vector<AlignedBuffer> sums;
  sums.reserve(static_cast<std::size_t>(slices));
  for (Index s = 0; s < slices; ++s)
    sums.emplace_back(batch.view(s * slice, end_of(s)).padded * (tiles.outputs() + 1 + end_of(s)));

  const Index block_rows = std::min(kBlockTiles, tiles.count()) * kernels::kTileRows;
  std::vector<AlignedBuffer> q;
  std::vector<const double*> q_pointers;
  const Index q_panels = (P + kernels::kPanel - 1) / kernels::kPanel;
  q.reserve(static_cast<std::size_t>(q_panels));
  q_pointers.reserve(static_cast<std::size_t>(q_panels));
  for (Index p = 0; p < q_panels; ++p) {
    q.emplace_back(block_rows * kernels::kPanel);
    q_pointers.push_back(q.back().data());
  }

  for (Index first = 0; first < tiles.count(); first += kBlockTiles) {
    const Index last = std::min(first + kBlockTiles, tiles.count());
    const Index panels = (P + width - 1) / width;
    engine.pool.run(panels, [&](Index panel, int worker) {  // H of these rows
      double* g = engine.g[static_cast<std::size_t>(worker)].data();
      const auto candidates = batch.view(panel * width, std::min(P, (panel + 1) * width));
      const Index count = std::min(width, P - panel * width);
      for (Index tile = first; tile < last; ++tile) {
        const kernels::TileView view = tiles.view(tile, 0);
        evaluate_panel(engine, view, candidates, g);
        for (Index k = 0; k < count; ++k) {
          const Index column = panel * width + k;
          double* out = q[static_cast<std::size_t>(column / kernels::kPanel)].data() +
                        (tile - first) * kernels::kTileRows * kernels::kPanel + column % kernels::kPanel;
          for (Index i = 0; i < view.rows; ++i) out[i * kernels::kPanel] = g[i * candidates.padded + k];
        }
      }
    });
    engine.pool.run(slices, [&](Index task, int worker) {  // the long ones first
      const Index s = slices - 1 - task;
      for (Index tile = first; tile < last; ++tile) {
        kernels::TileView view = tiles.view(tile, 0);
        view.columns = end_of(s);
        view.q = q_pointers.data();
        view.q_offset = (tile - first) * kernels::kTileRows * kernels::kPanel;
        engine.kernels.score_tile(view, engine.act, batch.view(s * slice, end_of(s)),
                                  engine.g[static_cast<std::size_t>(worker)].data(),
                                  sums[static_cast<std::size_t>(s)].data());
      }
    });
  }

  PoolSums total{Eigen::MatrixXd(P, P),       Eigen::MatrixXd(P, m),       Eigen::VectorXd(P),
                 Eigen::RowVectorXd::Zero(m), Eigen::RowVectorXd::Zero(m), tiles.weight_sum()};
  for (Index s = 0; s < slices; ++s)
    for (Index begin = s * slice; begin < end_of(s); begin += width) {
      const Index panel = batch.view(begin, std::min(begin + width, P)).padded;
      const Index rows = tiles.outputs() + 1 + end_of(s);
      const double* from = sums[static_cast<std::size_t>(s)].data() + (begin - s * slice) * rows;
      for (Index t = begin; t < std::min(begin + width, P); ++t) {
        const double* at = from + (t - begin);
        for (Index output = 0; output < m; ++output) total.HtY(t, output) = at[output * panel];
        total.Ht1[t] = at[m * panel];
        for (Index k = 0; k <= t; ++k) total.HtH(k, t) = total.HtH(t, k) = at[(tiles.outputs() + 1 + k) * panel];
      }
    }
  for (Index tile = 0; tile < tiles.count(); ++tile)
    for (Index i = 0; i < tiles.tile_rows(tile); ++i) {
      const double root = tiles.residual(tile, i, m);
      for (Index output = 0; output < m; ++output) {
        const double y = tiles.residual(tile, i, output);
        total.Y1[output] += root * y;
        total.Y2[output] += y * y;
      }
    }
  if (tiles.weight_unit() != 1) total.scale(tiles.weight_unit());
  return total;
}

Eigen::MatrixXd evaluate_nodes(Engine& engine, const Tiles& tiles, std::span<const Candidate> nodes) {
  const auto L = static_cast<Index>(nodes.size());
  const Index width = engine.kernels.panel;
  CandidateBatch batch(engine.kernels);
  load(batch, nodes, tiles.inputs());
  Eigen::MatrixXd H(tiles.rows(), L);
  engine.pool.run((L + width - 1) / width, [&](Index panel, int worker) {
    double* g = engine.g[static_cast<std::size_t>(worker)].data();
    const Index begin = panel * width, end = std::min(L, begin + width);
    const auto candidates = batch.view(begin, end);
    for (Index tile = 0; tile < tiles.count(); ++tile) {
      kernels::TileView view = tiles.view(tile, 0);
      view.sqrt_weight = nullptr;
      evaluate_panel(engine, view, candidates, g);
      for (Index k = begin; k < end; ++k)
        for (Index i = 0; i < view.rows; ++i) H(Tiles::first_row(tile) + i, k) = g[i * candidates.padded + (k - begin)];
    }
  });
  return H;
}

namespace {

// Less their means, candidates and targets are orthogonal to the intercept.
Growing::Growing(const PoolSums& sums, double penalty, double rank_tolerance) : sums_(sums), penalty_(penalty) {
  const Index P = sums.Ht1.size(), m = sums.Y1.size();
  const double n = sums.weight;
  c_.resize(P, m);
  for (Index j = 0; j < P; ++j) {
    const double h2 = sums.HtH(j, j), centred = h2 - sums.Ht1[j] * (sums.Ht1[j] / n);
    if (!(centred > kConstant * h2) || !std::isfinite(centred)) continue;
    const Index at = candidates();
    place_.push_back(j);
    p2_.push_back(centred + penalty);
    least_.push_back(rank_tolerance * p2_.back());
    for (Index q = 0; q < m; ++q) c_(at, q) = sums.HtY(j, q) - sums.Ht1[j] * (sums.Y1[q] / n);
  }
  for (Index q = 0; q < m; ++q) left_ += std::max(0.0, sums.Y2[q] - sums.Y1[q] * (sums.Y1[q] / n));
}

double Growing::score(Index j) const {
  const double p2 = p2_[static_cast<std::size_t>(j)];
  if (!(p2 > least_[static_cast<std::size_t>(j)])) return -1;
  double c2 = 0;
  for (Index q = 0; q < c_.cols(); ++q) c2 += c_(j, q) * c_(j, q);
  return c2 / p2;
}

bool Growing::take_best(Path& path) {
  const Index count = candidates();
  Index best = -1;
  double most = kNothing * left_;
  for (Index j = 0; j < count; ++j)
    if (const double removed = score(j); removed > most) {
      most = removed;
      best = j;
    }
  if (best < 0 || !(left_ > 0)) return false;

  const Index at = place_[static_cast<std::size_t>(best)];
  const double root = std::sqrt(p2_[static_cast<std::size_t>(best)]), mean = sums_.Ht1[at] / sums_.weight;
  const double* gram = sums_.HtH.data() + at * sums_.HtH.rows();
  std::vector<double> v(static_cast<std::size_t>(count));
  for (Index j = 0; j < count; ++j) {
    const Index other = place_[static_cast<std::size_t>(j)];
    v[static_cast<std::size_t>(j)] = gram[other] - mean * sums_.Ht1[other];
  }
  v[static_cast<std::size_t>(best)] += penalty_;
  const auto row = [&](Index k) { return rows_[static_cast<std::size_t>(k)].data(); };
  subtract_rows(
      nodes(), [&](Index k) { return row(k)[best]; }, row, v.data(), count);
  for (Index j = 0; j < count; ++j) {
    const double entry = v[static_cast<std::size_t>(j)] /= root;
    p2_[static_cast<std::size_t>(j)] -= entry * entry;
  }
  for (Index q = 0; q < c_.cols(); ++q) add_multiple(-c_(best, q) / root, v.data(), c_.data() + q * c_.rows(), count);
  least_[static_cast<std::size_t>(best)] = std::numeric_limits<double>::infinity();
  rows_.push_back(std::move(v));
  path.order.push_back(at);
  path.score.push_back(most / left_);
  left_ = std::max(0.0, left_ - most);
  return true;
}

void Growing::drop_to(Index count) {
  std::vector<std::pair<double, Index>> ranked;
  ranked.reserve(place_.size());
  for (Index j = 0; j < candidates(); ++j) ranked.emplace_back(-score(j), j);
  std::stable_sort(ranked.begin(), ranked.end());
  std::vector<Index> kept;
  kept.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) kept.push_back(ranked[static_cast<std::size_t>(i)].second);
  std::sort(kept.begin(), kept.end());
  for (Index i = 0; i < count; ++i) {  // kept[i] >= i, so nothing is overwritten before it is read
    const Index j = kept[static_cast<std::size_t>(i)];
    const auto to = static_cast<std::size_t>(i), from = static_cast<std::size_t>(j);
    place_[to] = place_[from];
    p2_[to] = p2_[from];
    least_[to] = least_[from];
    for (Index q = 0; q < c_.cols(); ++q) c_(i, q) = c_(j, q);
    for (auto& row : rows_) row[to] = row[from];
  }
  place_.resize(static_cast<std::size_t>(count));
  p2_.resize(static_cast<std::size_t>(count));
  least_.resize(static_cast<std::size_t>(count));
}

}  // namespace

Path grow_path(const PoolSums& sums, double penalty, Index limit, double rank_tolerance) {
  Growing growing(sums, penalty, rank_tolerance);
  Path path;
  path.order.reserve(static_cast<std::size_t>(limit));
  path.score.reserve(static_cast<std::size_t>(limit));
  while (growing.nodes() < limit && growing.take_best(path)) {
    const Index wanted = 3 * (limit - growing.nodes()) + kLeftOver;
    if (growing.nodes() % kDropEvery == 0 && wanted < growing.candidates())
      growing.drop_to(std::max(wanted, growing.candidates() * 3 / 4));
  }
  return path;
}

PathFit::PathFit(const PoolSums& sums, std::span<const Index> order, double penalty)
    : R_(static_cast<Index>(order.size()), static_cast<Index>(order.size())),
      z_(static_cast<Index>(order.size()), sums.Y1.size()),
      means_(static_cast<Index>(order.size())),
      y_mean_(sums.Y1 / sums.weight),
      penalty_(penalty) {
  for (Index q = 0; q < z_.cols(); ++q) y2_ += std::max(0.0, sums.Y2[q] - sums.Y1[q] * y_mean_[q]);
  const auto L = static_cast<Index>(order.size());
  for (Index k = 0; k < L; ++k) {
    const Index at = order[static_cast<std::size_t>(k)];
    means_[k] = sums.Ht1[at] / sums.weight;
    for (Index q = 0; q < z_.cols(); ++q) z_(k, q) = sums.HtY(at, q) - sums.Ht1[at] * y_mean_[q];
  }
  // Cholesky row by row: row k of R is what the rows before it have left of row k of the Gram matrix.
  for (Index k = 0; k < L; ++k) {
    const Index at = order[static_cast<std::size_t>(k)];
    double* row = R_.row(k).data();
    for (Index j = k; j < L; ++j) {
      const Index other = order[static_cast<std::size_t>(j)];
      row[j] = sums.HtH(other, at) - means_[j] * sums.Ht1[at];
    }
    row[k] += penalty;
    const double whole = row[k];
    subtract_rows(
        k, [&](Index i) { return R_(i, k); }, [&](Index i) { return R_.row(i).data() + k; }, row + k, L - k);
    if (!(row[k] > 1e-15 * whole)) break;
    const double root = std::sqrt(row[k]);
    for (Index j = k; j < L; ++j) row[j] /= root;
    for (Index q = 0; q < z_.cols(); ++q) {
      const double z = z_(k, q) /= root;
      for (Index j = k + 1; j < L; ++j) z_(j, q) -= row[j] * z;
    }
    nodes_ = k + 1;
  }
}

PathFit::Layer PathFit::layer(Index nodes) const {
  Layer layer{z_.topRows(nodes), y_mean_};
  for (Index q = 0; q < layer.weights.cols(); ++q)
    for (Index k = nodes - 1; k >= 0; --k) {
      double sum = layer.weights(k, q);
      for (Index j = k + 1; j < nodes; ++j) sum -= R_(k, j) * layer.weights(j, q);
      layer.weights(k, q) = sum / R_(k, k);
      layer.intercept[q] -= layer.weights(k, q) * means_[k];
    }
  return layer;
}

// The objective is |y|^2 - |z|^2; less the penalty it is the sum of squares.
double PathFit::squares(Index nodes) const {
  const double objective = y2_ - z_.topRows(nodes).squaredNorm();
  return std::max(0.0, objective - penalty_ * layer(nodes).weights.squaredNorm());
}

}  // namespace sconet
