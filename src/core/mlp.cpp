#include "core/mlp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "kernels/dispatch.hpp"

#if defined(SCONET_WITH_LBFGSPP)
#include <LBFGS.h>
#endif

namespace sconet {

using kernels::kPanel;
using kernels::kTileRows;

namespace {

constexpr int kCorrections = 20;          // steps that L-BFGS remembers
constexpr int kMostEvaluations = 30;      // of a line search
constexpr Index kSettledOver = 20;        // iterations ...
constexpr double kSettled = 1e-7;         // ... that together lower the objective by less than this share: converged
constexpr double kRoundingLevel = 1e-14;  // |e| / |y| below this is rounding error
constexpr double kMostDecay = 1e100;      // keeps the penalty finite where the targets are tiny

// Hidden layer and output weights of theta as the kernels want them.
void pack(const Eigen::VectorXd& theta, Index nodes, Index inputs, Index outputs, CandidateBatch& batch,
          AlignedBuffer& beta) {
  const Index block = inputs + 1 + outputs;
  batch.resize(nodes, inputs);
  beta.reserve(batch.padded() * outputs);
  for (Index j = 0; j < nodes; ++j) {
    batch.set(j, {theta.segment(j * block + 1, inputs), theta[j * block]});
    for (Index q = 0; q < outputs; ++q) beta[q * batch.padded() + j] = theta[j * block + 1 + inputs + q];
  }
}

}  // namespace

MlpObjective::MlpObjective(Engine& engine, const Tiles& tiles, Index nodes, WeightDecay decay)
    : engine_(engine),
      tiles_(tiles),
      nodes_(nodes),
      decay_(decay),
      batch_(engine.kernels),
      squares_(Eigen::VectorXd::Zero(tiles.outputs())) {
  const Index padded = round_up(nodes, engine.kernels.lanes);
  for (int worker = 0; worker < engine.pool.size(); ++worker)
    scratch_.emplace_back(kTileRows * (2 * padded + (kPanel + 1) * tiles.outputs()));
}

double MlpObjective::operator()(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient) {
  const Index d = tiles_.inputs(), m = tiles_.outputs(), rows = m + 1 + d;
  const double* intercept = theta.data() + nodes_ * block();
  pack(theta, nodes_, d, m, batch_, beta_);

  // Chunk by chunk, whoever adds: the order of the sums is a function of the number of rows.
  const Chunks chunks = tiles_.large_chunks();
  const Index size = batch_.padded() * rows + 2 * m, stride = round_up(size, kPanel);
  partial_.reserve(chunks.count * stride);
  total_.reserve(stride);
  engine_.pool.run(chunks.count, [&](Index chunk, int worker) {
    double* sums = partial_.data() + chunk * stride;
    std::fill_n(sums, size, 0.0);
    for (Index tile = chunks.begin(chunk); tile < chunks.end(chunk); ++tile)
      engine_.kernels.backprop_tile(tiles_.view(tile, 0), engine_.act, batch_.view(), beta_.data(), intercept,
                                    scratch_[static_cast<std::size_t>(worker)].data(), sums);
  });
  std::fill_n(total_.data(), size, 0.0);
  for (Index chunk = 0; chunk < chunks.count; ++chunk)
    for (Index i = 0; i < size; ++i) total_[i] += partial_[chunk * stride + i];

  gradient.resize(this->size());
  const double per_row = 2 / tiles_.weight_sum();
  double hidden2 = 0, output2 = 0;
  for (Index j = 0; j < nodes_; ++j) {
    const Index first = j / engine_.kernels.panel * engine_.kernels.panel;
    const Index width = std::min(engine_.kernels.panel, batch_.padded() - first);
    const double* sums = total_.data() + first * rows + (j - first);
    const double* at = theta.data() + j * block();
    double* out = gradient.data() + j * block();
    out[0] = per_row * sums[m * width];
    for (Index k = 0; k < d; ++k) {
      out[1 + k] = per_row * sums[(m + 1 + k) * width] + 2 * decay_.hidden * at[1 + k];
      hidden2 += at[1 + k] * at[1 + k];
    }
    for (Index q = 0; q < m; ++q) {
      out[1 + d + q] = per_row * sums[q * width] + 2 * decay_.output * at[1 + d + q];
      output2 += at[1 + d + q] * at[1 + d + q];
    }
  }
  const double* totals = total_.data() + batch_.padded() * rows;
  for (Index q = 0; q < m; ++q) {
    gradient[nodes_ * block() + q] = per_row * totals[q];
    squares_[q] = totals[m + q];
  }
  return mean_square() + decay_.hidden * hidden2 + decay_.output * output2;
}

std::uint64_t mlp_memory(Index rows, Index inputs, Index outputs, Index valid_rows, Index nodes) {
  const auto n = static_cast<double>(rows), v = static_cast<double>(valid_rows), d = static_cast<double>(inputs),
             m = static_cast<double>(outputs), L = static_cast<double>(nodes);
  const double chunks = std::clamp(n / (16.0 * kTileRows), 1.0, 32.0);
  const double doubles =
      (n + v) * (d + m + 1)                                          // X, E and weights
      + (2.0 * kCorrections + chunks + 16) * (L + 8) * (d + 1 + m);  // L-BFGS, sums, theta and gradients
  return static_cast<std::uint64_t>(8 * doubles) + (std::uint64_t{8} << 20);
}

#if defined(SCONET_WITH_LBFGSPP)
namespace {

struct Ended {};         // a stop rule was met
struct SearchFailed {};  // no step along the direction lowers the objective

// The solver's own line search, with an end to each iteration. Which arguments it takes differs between versions.
template <class Scalar>
struct SteppedSearch {
  template <class Descent, class... Arguments>
  static void LineSearch(Descent& descent, Arguments&&... arguments) {
    try {
      LBFGSpp::LineSearchNocedalWright<Scalar>::LineSearch(descent, std::forward<Arguments>(arguments)...);
    } catch (const std::logic_error&) {
      throw SearchFailed();
    } catch (const std::runtime_error&) {
      throw SearchFailed();
    }
    descent.end_iteration();
  }
};

// Rows that judge.
class MlpValidation {
 public:
  MlpValidation(Engine& engine, MatrixView X, MatrixView Y, int y_exponent)
      : engine_(engine),
        unit_exponent_(std::max(y_exponent, exponent_of_largest(Y))),
        unit_(std::ldexp(1.0, y_exponent - unit_exponent_)),
        tiles_(X, Y, {}, unit_exponent_),
        batch_(engine.kernels) {}

  bool empty() const { return tiles_.rows() == 0; }

  // Of the network theta, given in units of 2^y_exponent; in Y's own unit.
  double rmse(const Eigen::VectorXd& theta, Index nodes) {
    const Index m = tiles_.outputs();
    pack(theta, nodes, tiles_.inputs(), m, batch_, beta_);
    const double* intercept = theta.data() + theta.size() - m;
    const Index g_size = kTileRows * engine_.kernels.panel;
    if (scratch_.empty())
      for (int worker = 0; worker < engine_.pool.size(); ++worker)
        scratch_.emplace_back(g_size + kTileRows * m * (kPanel + 1));
    const Chunks chunks = tiles_.small_chunks();
    std::vector<double> sums(static_cast<std::size_t>(chunks.count), 0.0);
    engine_.pool.run(chunks.count, [&](Index chunk, int worker) {
      double* g = scratch_[static_cast<std::size_t>(worker)].data();
      double* partial = g + g_size;
      double* y = partial + kTileRows * m * kPanel;
      double sum = 0;
      for (Index tile = chunks.begin(chunk); tile < chunks.end(chunk); ++tile) {
        engine_.kernels.predict_tile(tiles_.view(tile, 0), engine_.act, batch_.view(), beta_.data(), g, partial, y);
        for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
          for (Index q = 0; q < m; ++q) {
            const double e = tiles_.residual(tile, i, q) - (intercept[q] + y[i * m + q]) * unit_;
            sum += e * e;
          }
      }
      sums[static_cast<std::size_t>(chunk)] = sum;
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return std::ldexp(std::sqrt(total / static_cast<double>(tiles_.rows())), unit_exponent_);
  }

 private:
  Engine& engine_;
  int unit_exponent_;
  double unit_;
  Tiles tiles_;
  CandidateBatch batch_;
  AlignedBuffer beta_;
  std::vector<AlignedBuffer> scratch_;
};

class MlpTrainer {
 public:
  MlpTrainer(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras, MlpStart start)
      : options_(options),
        extras_(extras),
        y_exponent_(exponent_of_largest(Y, extras.weights)),
        pool_(options.threads),
        engine_(select_kernels(options.isa), kernel_activation(options.activation), pool_),
        tiles_(X, Y, extras.weights, y_exponent_),
        validation_(engine_, extras.X_valid, extras.Y_valid, y_exponent_),
        L_(options.max_nodes),
        d_(X.cols()),
        m_(Y.cols()) {
    if (static_cast<double>(L_) * static_cast<double>(d_ + 1 + m_) > 1e9)
      throw std::invalid_argument(fmt::format(
          "option max_nodes = {}: an MLP with so many nodes for {} inputs would have more than 1e9 weights", L_, d_));
    centre_targets();
    // The objective is kept in the targets' unit, in which a hidden weight has no share.
    const double hidden = options.ridge > 0 ? std::ldexp(options.ridge, -2 * (y_exponent_ + unit_exponent_)) : 0.0;
    objective_.emplace(engine_, tiles_, L_, WeightDecay{std::min(hidden, kMostDecay), options.ridge});
    theta_ = start_weights(start);
  }

  TrainResult run() {
    begin();
    LBFGSpp::LBFGSParam<double> parameters;
    parameters.m = kCorrections;
    parameters.epsilon = parameters.epsilon_rel = 0;  // our own rule ends the run, in a unit of its own
    parameters.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
    parameters.max_linesearch = kMostEvaluations;
    // A search that fails is tried once more without the memory of the steps before it.
    while (stop_reason_ == StopReason::not_run) {
      const Index before = iterations();
      try {
        LBFGSpp::LBFGSSolver<double, SteppedSearch>(parameters).minimize(*this, theta_, value_);
        stop_reason_ = StopReason::converged;  // the gradient is zero
      } catch (const Ended&) {
      } catch (const SearchFailed&) {
        theta_ = last_;
        if (iterations() == before) stop_reason_ = StopReason::converged;
      }
    }
    return finish();
  }

  // What the solver asks for: the objective at x. One that is not finite is worse than any, and flat.
  double operator()(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    ++evaluations_;
    const double value = (*objective_)(x, gradient);
    evaluated_ = x;
    if (std::isfinite(value) && std::isfinite(gradient.squaredNorm())) return value;
    gradient.setZero();
    return 4 * std::abs(last_value_) + 1;
  }

  void end_iteration();  // throws Ended, or SearchFailed when the objective has not fallen

 private:
  void centre_targets();
  Eigen::VectorXd start_weights(MlpStart start) const;
  void begin();
  void stop_where_asked();
  Eigen::VectorXd in_y_unit(Eigen::VectorXd theta) const;  // output layer in units of 2^y_exponent, with the mean of Y
  bool representable(const Eigen::VectorXd& theta) const;
  void keep_if_best(Index iteration, double train_rmse, double valid_rmse);
  TrainResult finish();

  Index iterations() const { return static_cast<Index>(report_.history.size()); }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  double train_rmse() const { return std::ldexp(std::sqrt(objective_->mean_square()), y_exponent_ + unit_exponent_); }
  double valid_rmse(const Eigen::VectorXd& theta) {
    return validation_.empty() ? std::numeric_limits<double>::quiet_NaN() : validation_.rmse(in_y_unit(theta), L_);
  }

  const TrainOptions& options_;
  const TrainExtras& extras_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  int y_exponent_;
  ThreadPool pool_;
  Engine engine_;
  Tiles tiles_;
  MlpValidation validation_;
  Index L_, d_, m_;
  int unit_exponent_ = 0;  // the targets are learnt less their means, in units of 2^(y_exponent + unit_exponent)
  Eigen::RowVectorXd mean_;
  Eigen::VectorXd y2_;     // |y_q|^2, means included
  bool constant_ = false;  // nothing to learn but the means
  std::optional<MlpObjective> objective_;

  Eigen::VectorXd theta_, evaluated_, last_;  // where the solver is, was asked for last, and ended its last iteration
  double value_ = 0, last_value_ = 0;         // of the objective, there
  Index evaluations_ = 0;                     // in this iteration
  Eigen::VectorXd best_;                      // the network to return
  Index best_iteration_ = 0;
  double best_train_ = 0, best_valid_ = 0;
  std::vector<double> values_;  // of the objective, from the start on
  TrainReport report_;
  StopReason stop_reason_ = StopReason::not_run;
};

void MlpTrainer::centre_targets() {
  AlignedBuffer scratch;
  std::vector<double> sums(static_cast<std::size_t>(2 * m_));
  tiles_.sum(pool_, 2 * m_, scratch, sums.data(), [&](Index tile, double* partial) {
    for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
      for (Index q = 0; q < m_; ++q) {
        const double e = tiles_.residual(tile, i, q);
        partial[q] += e * tiles_.sqrt_weight(Tiles::first_row(tile) + i);
        partial[m_ + q] += e * e;
      }
  });
  mean_.resize(m_);
  y2_.resize(m_);
  for (Index q = 0; q < m_; ++q) {
    mean_[q] = sums[static_cast<std::size_t>(q)] / tiles_.weight_sum();
    y2_[q] = sums[static_cast<std::size_t>(m_ + q)];
  }
  double square = 0;
  tiles_.sum(pool_, 1, scratch, &square, [&](Index tile, double* partial) {
    for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
      for (Index q = 0; q < m_; ++q) {
        double& e = tiles_.residual(tile, i, q);
        e -= mean_[q] * tiles_.sqrt_weight(Tiles::first_row(tile) + i);
        *partial += e * e;
      }
  });
  const double rms = std::sqrt(square / tiles_.weight_sum());
  constant_ = !(rms > 0);
  if (constant_) return;
  std::frexp(rms, &unit_exponent_);
  tiles_.visit(pool_, [&](Index tile, int) {
    for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
      for (Index q = 0; q < m_; ++q) {
        double& e = tiles_.residual(tile, i, q);
        e = std::ldexp(e, -unit_exponent_);
      }
  });
}

// Nguyen and Widrow: |w| = 0.7 L^(1/d) and b uniform on (-|w|, |w|), for inputs that range over (-1, 1); a sigmoid is
// a hyperbolic tangent of half the argument, so it takes twice as much. Output weights: uniform, as Glorot and Bengio
// say.
Eigen::VectorXd MlpTrainer::start_weights(MlpStart start) const {
  Eigen::VectorXd low = Eigen::VectorXd::Constant(d_, std::numeric_limits<double>::infinity()), high = -low;
  for (Index tile = 0; tile < tiles_.count(); ++tile)
    for (Index i = 0; i < tiles_.tile_rows(tile); ++i)
      for (Index k = 0; k < d_; ++k) {
        low[k] = std::min(low[k], tiles_.input(tile, i, k));
        high[k] = std::max(high[k], tiles_.input(tile, i, k));
      }
  const auto L = static_cast<double>(L_), d = static_cast<double>(d_), m = static_cast<double>(m_);
  const double twice = options_.activation == Activation::sigmoid ? 2 : 1;
  const Index block = d_ + 1 + m_;
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(L_ * block + m_);
  const Eigen::VectorXd beta = draw_candidate(options_.seed, 0, 0, 0, L_ * m_, {.scale = std::sqrt(6 / (L + m))})
                                   .w;  // nodes are numbered from 1
  for (Index j = 0; j < L_; ++j) {
    Candidate node = draw_candidate(options_.seed, j + 1, 0, 0, d_, {.scale = 1});
    if (start == MlpStart::nguyen_widrow) {
      const double norm = twice * 0.7 * std::pow(L, 1 / d);
      node.w *= norm / node.w.norm();
      node.b *= norm;
      for (Index k = 0; k < d_; ++k) {
        const double half = high[k] / 2 - low[k] / 2, middle = high[k] / 2 + low[k] / 2;
        node.w[k] = half > 0 ? node.w[k] / half : 0.0;
        node.b -= node.w[k] * middle;
      }
    } else {
      node.w *= twice * std::sqrt(6 / (d + L));
      node.b *= twice * std::sqrt(6 / (d + L));
    }
    theta[j * block] = node.b;
    theta.segment(j * block + 1, d_) = node.w;
    theta.segment(j * block + 1 + d_, m_) = beta.segment(j * m_, m_);
  }
  if (!theta.allFinite()) theta.setZero();
  return theta;
}

void MlpTrainer::begin() {
  const Index block = d_ + 1 + m_;
  if (constant_ || !representable(theta_))
    for (Index j = 0; j < L_; ++j) theta_.segment(j * block + 1 + d_, m_).setZero();
  Eigen::VectorXd gradient;
  value_ = last_value_ = (*objective_)(theta_, gradient);
  last_ = theta_;
  values_.push_back(value_);
  report_.initial_rmse = train_rmse();
  report_.initial_valid_rmse = valid_rmse(theta_);
  best_ = theta_;
  best_train_ = report_.initial_rmse;
  best_valid_ = report_.initial_valid_rmse;
  // Targets that are all the same, or a start from which no step leads on.
  if (!std::isfinite(value_) || !std::isfinite(gradient.squaredNorm()))
    stop_reason_ = StopReason::converged;
  else
    stop_where_asked();
}

void MlpTrainer::end_iteration() {
  if (evaluated_ != theta_) {
    Eigen::VectorXd gradient;
    value_ = (*this)(theta_, gradient);
  }
  if (!(value_ < last_value_)) throw SearchFailed();
  if (y_exponent_ > 100 && !representable(theta_)) {
    stop_reason_ = StopReason::overflow;
    throw Ended();
  }
  NodeRecord record;
  record.nodes = L_;
  record.step = iterations() + 1;
  record.train_rmse = train_rmse();
  record.valid_rmse = valid_rmse(theta_);
  record.r = 1;
  record.batches = evaluations_;
  record.score = 1 - value_ / last_value_;
  record.seconds = seconds();
  evaluations_ = 0;
  last_ = theta_;
  last_value_ = value_;
  values_.push_back(value_);
  report_.history.push_back(record);
  keep_if_best(record.step, record.train_rmse, record.valid_rmse);
  if (extras_.on_node) extras_.on_node(record);
  stop_where_asked();
  if (stop_reason_ != StopReason::not_run) throw Ended();
}

// Without validation rows the last network is the best one.
void MlpTrainer::keep_if_best(Index iteration, double train_rmse, double valid_rmse) {
  if (!validation_.empty() && !(valid_rmse < best_valid_)) return;
  best_ = theta_;
  best_iteration_ = iteration;
  best_train_ = train_rmse;
  best_valid_ = valid_rmse;
}

void MlpTrainer::stop_where_asked() {
  const Index k = iterations();
  const double unit2 = std::ldexp(1.0, 2 * unit_exponent_);
  const auto settled = [&] {
    return k >= kSettledOver && values_[static_cast<std::size_t>(k - kSettledOver)] - last_value_ <=
                                    kSettled * values_[static_cast<std::size_t>(k - kSettledOver)];
  };
  if ((objective_->squares().array() * unit2 <= kRoundingLevel * kRoundingLevel * y2_.array()).all())
    stop_reason_ = StopReason::exact_fit;
  else if (train_rmse() <= options_.tolerance)
    stop_reason_ = StopReason::tolerance;
  else if (!validation_.empty() && options_.patience > 0 && k - best_iteration_ >= options_.patience)
    stop_reason_ = StopReason::validation;
  else if (settled())
    stop_reason_ = StopReason::converged;
  else if (k >= options_.iterations)
    stop_reason_ = StopReason::iterations;
  else if (options_.time_limit > 0 && seconds() >= options_.time_limit)
    stop_reason_ = StopReason::time_limit;
  else if (extras_.stop.stop_requested())
    stop_reason_ = StopReason::interrupted;
}

Eigen::VectorXd MlpTrainer::in_y_unit(Eigen::VectorXd theta) const {
  const Index block = d_ + 1 + m_;
  const double unit = std::ldexp(1.0, unit_exponent_);
  for (Index j = 0; j < L_; ++j) theta.segment(j * block + 1 + d_, m_) *= unit;
  for (Index q = 0; q < m_; ++q) theta[L_ * block + q] = mean_[q] + theta[L_ * block + q] * unit;
  return theta;
}

// No partial sum of a prediction may overflow either.
bool MlpTrainer::representable(const Eigen::VectorXd& theta) const {
  const Eigen::VectorXd own = in_y_unit(theta);
  const Index block = d_ + 1 + m_;
  for (Index q = 0; q < m_; ++q) {
    double sum = std::abs(own[L_ * block + q]);
    for (Index j = 0; j < L_; ++j) sum += std::abs(own[j * block + 1 + d_ + q]);
    if (!std::isfinite(std::ldexp(sum, y_exponent_))) return false;
  }
  return true;
}

TrainResult MlpTrainer::finish() {
  const Index block = d_ + 1 + m_;
  const Eigen::VectorXd theta = in_y_unit(best_);
  const auto back = [&](double v) { return std::ldexp(v, y_exponent_); };
  Eigen::MatrixXd W(d_, L_), beta(L_, m_);
  Eigen::VectorXd b(L_);
  for (Index j = 0; j < L_; ++j) {
    b[j] = theta[j * block];
    W.col(j) = theta.segment(j * block + 1, d_);
    beta.row(j) = theta.segment(j * block + 1 + d_, m_).unaryExpr(back).transpose();
  }
  Eigen::RowVectorXd intercept = theta.tail(m_).unaryExpr(back).transpose();

  report_.method = "MLP-BP";
  report_.rows = tiles_.rows();
  report_.inputs = d_;
  report_.outputs = m_;
  report_.network_nodes = L_;
  report_.network_step = best_iteration_;
  report_.train_rmse = best_train_;
  report_.valid_rmse = best_valid_;
  report_.stop_reason = stop_reason_;
  report_.threads = pool_.size();
  report_.instructions = engine_.kernels.name;
  report_.seconds = seconds();
  return {Network(std::move(W), std::move(b), std::move(beta), std::move(intercept), options_.activation),
          std::move(report_)};
}

}  // namespace

TrainResult train_mlp(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras,
                      MlpStart start) {
  return MlpTrainer(X, Y, options, extras, start).run();
}

#else

TrainResult train_mlp(MatrixView, MatrixView, const TrainOptions&, const TrainExtras&, MlpStart) {
  throw std::invalid_argument(
      "option method = mlp: this sconet was built without LBFGSpp, which trains it (SCONET_WITH_LBFGSPP)");
}

#endif

}  // namespace sconet
