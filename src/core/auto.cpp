#include "core/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/candidates.hpp"
#include "core/check.hpp"
#include "core/ensemble.hpp"
#include "core/fit.hpp"
#include "core/gather.hpp"
#include "core/pool.hpp"
#include "core/score.hpp"
#include "core/shuffle.hpp"
#include "core/tiles.hpp"
#include "core/validation.hpp"
#include "kernels/dispatch.hpp"

namespace sconet {
namespace {

constexpr double kRankTolerance = 1e-9;  // of a candidate in a pool, where the Gram matrix has lost half the digits
constexpr double kNearlyBest = 1.002;    // the smallest network within this of the best is taken
constexpr double kNearlyAsGood = 1.05;   // an ensemble's error as it is, for what is estimated of it to decide
constexpr double kEnough = 4e-4;         // of the targets' deviation: an RMSE that no more nodes are spent on
constexpr double kLeastRidge = 1e-12;
constexpr double kSafeRidge = 1e-8;   // from here on the Gram matrix gives the output weights to all digits that matter
constexpr double kPoolWeights = 4e6;  // hidden weights a pool may have
constexpr Index kModelNumbers = 7500;  // numbers a network may have unless max_nodes says otherwise: 60 kB ...
constexpr Index kWideInputs = 64;      // ... or the table has more inputs than these
constexpr Index kSparseNumbers = 6;    // of a node with few inputs, on average
constexpr Index kLast = 2;             // from this encoding on, few settings are tried
constexpr Index kFewRows = 200;        // below, every row is held out once
constexpr Index kManyRows = 4000;      // from here on a trial is dear
constexpr std::size_t kShare = 4;      // settings whose candidates share a pool, at most

// One round of trials.
struct Round {
  Index rows = 0;   // at most
  Index pool = 0;   // candidates
  Index nodes = 0;  // at most
  Index folds = 0;  // held out, of kFolds
  Index survivors = 0;
};
constexpr Index kFolds = 5;
constexpr Index kAll = 1 << 30;  // rows

std::vector<Round> rounds_of(Effort effort) {
  switch (effort) {
    case Effort::quick: return {{600, 160, 50, 1, 4}, {kAll, 600, 150, 2, 1}};
    case Effort::normal: return {{800, 200, 70, 2, 8}, {2500, 500, 150, 2, 8}, {kAll, 1900, 800, 2, 1}};
    case Effort::thorough: return {{1500, 300, 100, 3, 12}, {5000, 1000, 300, 3, 8}, {kAll, 4000, 1500, 5, 1}};
  }
  return {};
}

// Where candidates come from.
struct Setting {
  Index encoding = 0;
  Draw draw;
};

// Settings whose candidates share a pool, and what trying them has shown.
struct Outcome {
  Index limit = 0;                                         // of the nodes, when it was tried last; 0: it was not
  std::vector<std::size_t> settings;                       // all of one encoding
  double error = std::numeric_limits<double>::infinity();  // RMSE on the rows held out
  Index nodes = 0;
  double ridge = 0;
  bool tried = false;                    // time was not up
  std::shared_ptr<const PoolSums> sums;  // of all rows that teach, if these were tried; only of the last round
  Eigen::MatrixXd held_out;              // residuals of the rows held out, in their order; only of the last round
};

// Numbers of nodes that are looked at: each, then in steps of an eighth.
std::vector<Index> sizes_up_to(Index most) {
  std::vector<Index> sizes;
  for (Index s = 0; s <= most; s += std::max<Index>(1, s / 8)) sizes.push_back(s);
  if (sizes.back() != most) sizes.push_back(most);
  return sizes;
}

std::vector<double> ridges_around(double ridge) {
  if (ridge == 0) return {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, kLeastRidge};
  return {10 * ridge, ridge, std::max(kLeastRidge, ridge / 10)};
}

// Predictions from H, as evaluate_nodes gives it.
Eigen::MatrixXd apply(const PathFit::Layer& layer, const Eigen::MatrixXd& H) {
  Eigen::MatrixXd P = layer.intercept.replicate(H.rows(), 1);
  for (Index q = 0; q < P.cols(); ++q)
    for (Index k = 0; k < layer.weights.rows(); ++k) P.col(q) += layer.weights(k, q) * H.col(k);
  return P;
}

// The layer without its last nodes, which then is not the best one; only for output weights that would overflow.
PathFit::Layer first_nodes(const PathFit::Layer& layer, Index nodes) {
  return {layer.weights.topRows(nodes), layer.intercept};
}

// The size of a typical input, so that a scale means the same whatever the inputs are.
double typical_size(MatrixView X) {
  double sum = 0;
  for (Index k = 0; k < X.cols(); ++k) {
    double mean = 0, square = 0;
    for (Index i = 0; i < X.rows(); ++i) mean += X(i, k) / static_cast<double>(X.rows());
    for (Index i = 0; i < X.rows(); ++i) square += (X(i, k) - mean) * (X(i, k) - mean) / static_cast<double>(X.rows());
    sum += square;
  }
  const double size = std::sqrt(sum / static_cast<double>(X.cols()));
  return size > 0 && std::isfinite(size) ? size : 1.0;
}

// Everything worth trying on an encoding. Scales are such that w'x has a size of its own whatever the number d of
// inputs: a uniform sum grows with sqrt(d), a Cauchy sum with d.
void add_settings(Index encoding, MatrixView X, std::vector<Setting>& settings) {
  const double size = typical_size(X), d = static_cast<double>(X.cols());
  const auto add = [&](Family family, double scale, Bias bias) {
    settings.push_back({encoding, {family, scale / size, bias, 4}});
  };
  if (encoding >= kLast) {  // a scaling that is rarely the best has to earn more
    add(Family::uniform, 1.5 * std::sqrt(3 / d), Bias::row);
    add(Family::cauchy, 2.0 / d, Bias::row);
    add(Family::sparse_cauchy, 1.2, Bias::row);
    return;
  }
  for (const double scale : {0.5, 1.5, 4.5, 14.0, 40.0}) add(Family::uniform, scale * std::sqrt(3 / d), Bias::row);
  for (const double scale : {0.5, 1.5, 4.5}) add(Family::uniform, scale * std::sqrt(3 / d), Bias::uniform);
  for (const double scale : {0.7, 2.0, 6.0}) add(Family::cauchy, scale / d, Bias::row);
  if (X.cols() > 2) {
    for (const double scale : {1.5, 4.5}) add(Family::sparse, scale, Bias::row);
    for (const double scale : {0.4, 1.2, 4.0}) add(Family::sparse_cauchy, scale, Bias::row);
    add(Family::mixture, 1.0, Bias::row);
  }
}

std::string text_of(const Draw& draw) {
  TrainOptions options;
  options.family = draw.family;
  options.bias = draw.bias;
  return fmt::format("{} {:.3g}{}", option_text(options, "family"), draw.scale,
                     draw.bias == Bias::row ? "" : ", bias uniform");
}

// A thread's own engine.
struct Worker {
  ThreadPool one{1};
  Engine engine;
  Worker(const kernels::Kernels& kernels, kernels::Act act) : engine(kernels, act, one) {}
};

class Auto {
 public:
  Auto(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras)
      : options_(options),
        extras_(extras),
        y_exponent_(exponent_of_largest(Y, extras.weights)),
        pool_(options.threads),
        engine_(select_kernels(options.isa), kernel_activation(options.activation), pool_),
        source_rows_(X.rows()) {
    for (int i = 0; i < pool_.size(); ++i) workers_.push_back(std::make_unique<Worker>(engine_.kernels, engine_.act));
    take_rows(X, Y);
    for (Index e = 0; e < static_cast<Index>(X_.size()); ++e)
      add_settings(e, X_[static_cast<std::size_t>(e)], settings_);
  }

  TrainResult run();

 private:
  // Rows of a round: one tile set for each encoding and fold held out, and one for all other rows.
  struct Parts {
    Index rows = 0;
    std::vector<std::vector<Index>> held_out;  // places in X_
    std::vector<Index> rest;
  };
  struct PartTiles {
    std::vector<Tiles> held_out;
    Tiles rest;
  };

  void take_rows(MatrixView X, MatrixView Y);
  Parts parts_of(const Round& round) const;
  Tiles tiles_of_rows(const std::vector<Index>& rows, Index encoding) const;
  PartTiles tiles_of(const Parts& parts, Index encoding) const;
  std::vector<Candidate> draw_pool(const Outcome& of, Index count, Index member) const;
  Index encoding_of(const Outcome& of) const { return settings_[of.settings.front()].encoding; }
  Index pool_size(const Round& round, Index encoding) const;
  Index most_nodes(const Round& round, Index rows, const Outcome& of) const;
  Trial trial_of(const Round& round, int number, Index rows, const Outcome& outcome) const;
  std::vector<Outcome> try_settings(const Round& round, int number, const std::vector<Outcome>& entrants);
  template <class RunFolds>
  Outcome try_setting(const Round& round, const Outcome& entrant, const Parts& parts, const PartTiles& tiles,
                      Engine& engine, RunFolds&& run_folds, bool keep) const;
  std::size_t affordable_nodes(std::span<const Candidate> nodes) const;
  double work_of(const Round& round, Index rows, const Outcome& of) const;
  std::optional<Round> in_time(Round round, const Round& before, const Outcome& of) const;
  std::vector<Outcome> share_pools(const std::vector<Outcome>& ranked) const;
  TrainResult finish(const Round& round, const Outcome& best);
  struct Member;
  Member grow_member(const Round& round, const Outcome& best, Index number, const std::vector<double>& ridges,
                     const std::vector<Index>& sizes, Engine& engine) const;
  TrainResult finish_ensemble(const Round& round, const Outcome& best);
  template <class OnNode, class Ends>
  Network fit_nodes(Engine& engine, const std::vector<Index>& rows, Index encoding, std::span<const Candidate> nodes,
                    double ridge, OnNode&& on_node, Ends&& ends) const;
  template <class LayerOf>
  Network make_network(std::span<const Candidate> nodes, LayerOf&& layer_of, Index encoding) const;
  double initial_rmse() const;
  TrainResult conclude(Network network, const Outcome& best, const Eigen::MatrixXd& held_out, double error);

  double in_unit(double error) const {  // an RMSE in the target's own unit; NaN: there is none
    return std::isfinite(error) ? std::ldexp(error, y_exponent_) : std::numeric_limits<double>::quiet_NaN();
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  // Half of the time is for the last trials and the network itself.
  bool hurry() const {
    return extras_.stop.stop_requested() || (options_.time_limit > 0 && seconds() >= options_.time_limit / 2);
  }

  bool time_is_up() const {
    return extras_.stop.stop_requested() || (options_.time_limit > 0 && seconds() >= options_.time_limit);
  }
  // The validation rows as the encoding has them.
  Validation validation_of(Index encoding) {
    const auto& all = extras_.encodings_valid;
    const bool none = extras_.X_valid.rows() == 0;
    return {engine_, encoding == 0 || none ? extras_.X_valid : all[static_cast<std::size_t>(encoding - 1)],
            extras_.Y_valid, y_exponent_};
  }

  const TrainOptions& options_;
  const TrainExtras& extras_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  int y_exponent_;
  ThreadPool pool_;
  Engine engine_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Index source_rows_;

  // The rows, shuffled: those that teach, then validation rows if there are any.
  std::vector<Eigen::MatrixXd> X_;  // for each encoding
  Eigen::MatrixXd Y_, weights_;     // Y_ in units of 2^y_exponent, less its mean
  Eigen::RowVectorXd mean_;
  double enough_ = 0;          // an RMSE on rows held out that needs no more nodes, in the unit of Y_
  std::vector<Index> source_;  // of those that teach
  Index teaching_ = 0;
  bool cut_short_ = false;  // something was not tried because time was up
  double work_ = 0;         // of the trials so far
  std::vector<Setting> settings_;
  TrainReport report_;
};

void Auto::take_rows(MatrixView X, MatrixView Y) {
  for (const Index row : shuffled_rows(X.rows(), options_.seed))
    if (extras_.weights.empty() || extras_.weights(row, 0) > 0) source_.push_back(row);
  teaching_ = static_cast<Index>(source_.size());
  const Index judging = extras_.X_valid.rows();
  const std::vector<Index> judges = shuffled_rows(judging, options_.seed);
  const auto both = [&](MatrixView a, MatrixView b) {
    Eigen::MatrixXd all(teaching_ + judging, a.cols());
    all.topRows(teaching_) = gather(a, source_);
    if (judging > 0) all.bottomRows(judging) = gather(b, judges);
    return all;
  };
  X_.push_back(both(X, extras_.X_valid));
  for (std::size_t e = 0; e < extras_.encodings.size(); ++e)
    X_.push_back(both(extras_.encodings[e], judging > 0 ? extras_.encodings_valid[e] : MatrixView{}));
  Y_ = both(Y, extras_.Y_valid).unaryExpr([&](double y) { return std::ldexp(y, -y_exponent_); });
  weights_ = Eigen::MatrixXd::Ones(teaching_ + judging, 1);
  if (!extras_.weights.empty()) {  // in a unit in which their sums are harmless
    Eigen::MatrixXd given = gather(extras_.weights, source_);
    const int exponent = exponent_of_largest(given);
    weights_.topRows(teaching_) = given.unaryExpr([&](double w) { return std::ldexp(w, -exponent); });
  }
  // Less their means targets keep their digits when they are squared, and a constant one becomes zero to the bit.
  mean_ = Y_.row(0);
  for (Index q = 0; q < Y_.cols(); ++q) {
    double sum = 0, weight = 0;
    for (Index i = 0; i < teaching_; ++i) {
      sum += weights_(i, 0) * (Y_(i, q) - Y_(0, q));
      weight += weights_(i, 0);
    }
    mean_[q] += sum / weight;
    Y_.col(q).array() -= mean_[q];
  }
  const double deviation = rmse_of(Y_.topRows(teaching_), weights_);
  enough_ = options_.tolerance > 0 ? std::ldexp(options_.tolerance, -y_exponent_) : kEnough * deviation;
}

Auto::Parts Auto::parts_of(const Round& round) const {
  Parts parts;
  parts.rows = std::min(round.rows, teaching_);
  if (const Index judging = Y_.rows() - teaching_; judging > 0) {
    parts.held_out.resize(1);
    for (Index i = 0; i < std::min(judging, round.rows); ++i) parts.held_out[0].push_back(teaching_ + i);
    for (Index i = 0; i < parts.rows; ++i) parts.rest.push_back(i);
    return parts;
  }
  const Index folds = std::min(kFolds, parts.rows);
  // Many rows tell as much from fewer folds, and few rows are all needed.
  const Index wanted = parts.rows > kManyRows ? std::min<Index>(round.folds, 2) : round.folds;
  const Index held_out = parts.rows < kFewRows ? folds : std::min(wanted, folds);
  parts.held_out.resize(static_cast<std::size_t>(held_out));
  for (Index i = 0; i < parts.rows; ++i) {
    const Index fold = i % folds;
    (fold < held_out ? parts.held_out[static_cast<std::size_t>(fold)] : parts.rest).push_back(i);
  }
  return parts;
}

Tiles Auto::tiles_of_rows(const std::vector<Index>& rows, Index encoding) const {
  const Eigen::MatrixXd weights = extras_.weights.empty() ? Eigen::MatrixXd() : gather(weights_, rows);
  return pool_tiles(gather(X_[static_cast<std::size_t>(encoding)], rows), gather(Y_, rows), weights);
}

Auto::PartTiles Auto::tiles_of(const Parts& parts, Index encoding) const {
  std::vector<Tiles> held_out;
  held_out.reserve(parts.held_out.size());
  for (const auto& rows : parts.held_out) held_out.push_back(tiles_of_rows(rows, encoding));
  return {std::move(held_out), tiles_of_rows(parts.rest, encoding)};
}

// Candidate i of a setting is the same in every round, so a larger pool holds the smaller one.
std::vector<Candidate> Auto::draw_pool(const Outcome& of, Index count, Index member) const {
  const Eigen::MatrixXd& X = X_[static_cast<std::size_t>(encoding_of(of))];
  const Anchors anchors(X.topRows(teaching_));
  std::vector<Candidate> pool;
  pool.reserve(static_cast<std::size_t>(count));
  const auto sharing = static_cast<Index>(of.settings.size());
  for (Index i = 0; i < count; ++i) {
    const std::size_t setting = of.settings[static_cast<std::size_t>(i % sharing)];
    pool.push_back(draw_candidate(options_.seed, 1 + member, static_cast<Index>(setting), i / sharing, X.cols(),
                                  settings_[setting].draw, anchors));
  }
  return pool;
}

// More rows deserve more candidates; many inputs make each of them dear.
Index Auto::pool_size(const Round& round, Index encoding) const {
  const auto inputs = static_cast<double>(X_[static_cast<std::size_t>(encoding)].cols());
  const Index most = std::min(round.pool, 700 + std::min(round.rows, teaching_) / 4);
  return std::clamp<Index>(static_cast<Index>(kPoolWeights / inputs), 20, most);
}

// A single network is to be small, unless the table is wide; an ensemble is what it is.
Index Auto::most_nodes(const Round& round, Index rows, const Outcome& of) const {
  const Index encoding = encoding_of(of), inputs = X_[static_cast<std::size_t>(encoding)].cols();
  const Index most = std::min({round.nodes, rows / 2, pool_size(round, encoding) / 2});
  if (options_.max_nodes >= 0) return std::min<Index>(most, options_.max_nodes);
  if (options_.ensemble > 1) return most;
  Index most_numbers = 0, all_numbers = 0;  // of a node; those without zeros are stored with their places
  for (const std::size_t setting : of.settings) {
    const Family family = settings_[setting].draw.family;
    const bool sparse = family == Family::sparse || family == Family::sparse_cauchy;
    const Index numbers = 3 + (sparse ? std::min<Index>(inputs, kSparseNumbers) : inputs);
    most_numbers = std::max(most_numbers, numbers);
    all_numbers += numbers;
  }
  const Index numbers = (most_numbers + all_numbers / static_cast<Index>(of.settings.size())) / 2;
  return std::min(most, std::max<Index>(kModelNumbers / numbers, inputs > kWideInputs ? 300 : 100));
}

// How many of them a single network may have, by the numbers they really take. most_nodes() goes by the family's
// average, and growth may have preferred the larger ones.
std::size_t Auto::affordable_nodes(std::span<const Candidate> nodes) const {
  constexpr Index beside = 4;  // numbers of a node: bias, output weight, and two of its history
  if (options_.max_nodes >= 0 || nodes.empty() || nodes.front().w.size() > kWideInputs) return nodes.size();
  Index sparse = 0, count = 0;
  for (const Candidate& node : nodes) {
    sparse += 1 + 2 * (node.w.array() != 0).count();  // weights with their places
    ++count;
    if (std::min(sparse, count * node.w.size()) + count * beside > std::max(kModelNumbers, 100 * node.w.size()))
      return static_cast<std::size_t>(count - 1);
  }
  return nodes.size();
}

template <class RunFolds>
Outcome Auto::try_setting(const Round& round, const Outcome& entrant, const Parts& parts, const PartTiles& tiles,
                          Engine& engine, RunFolds&& run_folds, bool keep) const {
  const Index m = Y_.cols(), encoding = encoding_of(entrant);
  const std::vector<Candidate> pool = draw_pool(entrant, pool_size(round, encoding), 0);
  const auto F = static_cast<Index>(parts.held_out.size());
  std::vector<PoolSums> sums;
  PoolSums rest;
  const bool own_rows = teaching_ == Y_.rows();  // the rows held out teach in other folds
  const auto given_up = [&] { return keep && extras_.stop.stop_requested(); };  // the rounds before will do
  if (!parts.rest.empty()) rest = sum_pool(engine, tiles.rest, pool);
  sums.reserve(static_cast<std::size_t>(F));
  for (Index f = 0; f < F && own_rows && !given_up(); ++f)
    sums.push_back(sum_pool(engine, tiles.held_out[static_cast<std::size_t>(f)], pool));

  Outcome outcome;
  outcome.settings = entrant.settings;
  if (given_up()) return outcome;
  outcome.tried = true;
  const std::vector<double> ridges = ridges_around(entrant.ridge);
  outcome.ridge = ridges.front();
  if (own_rows && parts.rows < 2) return outcome;  // nobody is left to learn from
  const double select_ridge = entrant.ridge > 0 ? entrant.ridge : 1e-5;
  // A setting that did best with few nodes need not grow many.
  Index limit = most_nodes(round, parts.rows, entrant);
  if (entrant.limit > 0 && 2 * entrant.nodes < entrant.limit) limit = std::min(limit, 4 * entrant.nodes + 20);
  outcome.limit = limit;
  const std::vector<Index> sizes = sizes_up_to(limit);
  const auto R = static_cast<Index>(ridges.size()), S = static_cast<Index>(sizes.size());
  std::vector<Eigen::MatrixXd> squares(static_cast<std::size_t>(F), Eigen::MatrixXd::Zero(R, S));
  std::vector<std::vector<Eigen::MatrixXd>> residuals(static_cast<std::size_t>(F));
  run_folds(F, [&](Index f, Engine& own) {
    PoolSums taught = rest;  // the others are added: taking one away would lose digits where it has most of the weight
    for (std::size_t other = 0; other < sums.size(); ++other)
      if (static_cast<Index>(other) != f) taught.add(sums[other], 1);
    const Path path = grow_path(taught, select_ridge * taught.weight, sizes.back(), kRankTolerance);
    std::vector<Candidate> nodes;
    nodes.reserve(path.order.size());
    for (const Index i : path.order) nodes.push_back(pool[static_cast<std::size_t>(i)]);
    const Tiles& held_out = tiles.held_out[static_cast<std::size_t>(f)];
    const std::vector<Index>& rows = parts.held_out[static_cast<std::size_t>(f)];
    const Eigen::MatrixXd H = evaluate_nodes(own, held_out, nodes);
    const Eigen::MatrixXd Y = gather(Y_, rows);
    for (Index r = 0; r < R; ++r) {
      const PathFit fit(taught, path.order, ridges[static_cast<std::size_t>(r)] * taught.weight);
      for (Index s = 0; s < S; ++s) {
        Eigen::MatrixXd E = Y - apply(fit.layer(std::min(sizes[static_cast<std::size_t>(s)], fit.nodes())), H);
        for (Index q = 0; q < m; ++q) {
          for (Index i = 0; i < E.rows(); ++i)
            squares[static_cast<std::size_t>(f)](r, s) +=
                weights_(rows[static_cast<std::size_t>(i)], 0) * E(i, q) * E(i, q);
        }
        if (keep) residuals[static_cast<std::size_t>(f)].push_back(std::move(E));
      }
    }
  });

  double weight = 0;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(R, S);
  for (Index f = 0; f < F; ++f) {
    all += squares[static_cast<std::size_t>(f)];
    for (const Index row : parts.held_out[static_cast<std::size_t>(f)]) weight += weights_(row, 0);
  }
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < all.size(); ++i)
    if (all.data()[i] < least) least = all.data()[i];
  const double good = std::max(kNearlyBest * kNearlyBest * least, enough_ * enough_ * weight);
  Index best_r = 0, best_s = 0;
  for (Index s = 0; s < S && !std::isfinite(outcome.error); ++s)
    for (Index r = 0; r < R; ++r)
      if (all(r, s) <= good && all(r, s) < outcome.error) {
        outcome.error = all(r, s);
        best_r = r;
        best_s = s;
      }
  outcome.error = std::sqrt(outcome.error / weight);
  outcome.ridge = ridges[static_cast<std::size_t>(best_r)];
  outcome.nodes = sizes[static_cast<std::size_t>(best_s)];
  if (keep && parts.rows == teaching_) {
    for (const PoolSums& fold : sums) rest.add(fold, 1);
    outcome.sums = std::make_shared<const PoolSums>(std::move(rest));
  }
  if (keep) {
    outcome.held_out = Eigen::MatrixXd::Constant(teaching_, m, std::numeric_limits<double>::quiet_NaN());
    for (Index f = 0; f < F && own_rows; ++f) {
      const auto& rows = parts.held_out[static_cast<std::size_t>(f)];
      const Eigen::MatrixXd& E = residuals[static_cast<std::size_t>(f)][static_cast<std::size_t>(best_r * S + best_s)];
      for (Index i = 0; i < E.rows(); ++i) outcome.held_out.row(rows[static_cast<std::size_t>(i)]) = E.row(i);
    }
  }
  return outcome;
}

Trial Auto::trial_of(const Round& round, int number, Index rows, const Outcome& outcome) const {
  Trial trial;
  trial.round = number;
  trial.encoding = encoding_of(outcome);
  trial.rows = rows;
  trial.pool = pool_size(round, trial.encoding);
  trial.nodes = outcome.nodes;
  trial.ridge = outcome.ridge;
  trial.rmse = in_unit(outcome.error);
  for (const std::size_t setting : outcome.settings) trial.candidates.push_back(text_of(settings_[setting].draw));
  return trial;
}

std::vector<Outcome> Auto::try_settings(const Round& round, int number, const std::vector<Outcome>& entrants) {
  const Parts parts = parts_of(round);
  std::vector<std::unique_ptr<PartTiles>> tiles(X_.size());
  for (const Outcome& entrant : entrants) {
    const Index encoding = encoding_of(entrant);
    auto& slot = tiles[static_cast<std::size_t>(encoding)];
    if (!slot) slot = std::make_unique<PartTiles>(tiles_of(parts, encoding));
  }
  const auto tiles_for = [&](const Outcome& entrant) -> const PartTiles& {
    return *tiles[static_cast<std::size_t>(encoding_of(entrant))];
  };

  std::vector<Outcome> outcomes(entrants.size());
  for (std::size_t i = 0; i < entrants.size(); ++i) outcomes[i].settings = entrants[i].settings;
  std::mutex telling;
  Index tried = 0;
  const auto tell = [&](const Outcome& outcome) {
    if (!extras_.on_trial) return;
    const std::lock_guard lock(telling);
    extras_.on_trial({trial_of(round, number, parts.rows, outcome), static_cast<int>(rounds_of(options_.effort).size()),
                      ++tried, static_cast<Index>(entrants.size())});
  };
  const bool last = round.survivors == 1;
  if (last) {  // large: all threads work on one setting
    const auto run_folds = [&](Index folds, auto&& fold) {
      pool_.run(folds, [&](Index f, int worker) { fold(f, workers_[static_cast<std::size_t>(worker)]->engine); });
    };
    for (std::size_t i = 0; i < entrants.size(); ++i)
      if (i == 0 || !hurry()) {
        outcomes[i] = try_setting(round, entrants[i], parts, tiles_for(entrants[i]), engine_, run_folds, true);
        tell(outcomes[i]);
      }
  } else {
    pool_.run(static_cast<Index>(entrants.size()), [&](Index i, int worker) {
      const Outcome& entrant = entrants[static_cast<std::size_t>(i)];
      Engine& own = workers_[static_cast<std::size_t>(worker)]->engine;
      const auto run_folds = [&](Index folds, auto&& fold) {
        for (Index f = 0; f < folds; ++f) fold(f, own);
      };
      Outcome& outcome = outcomes[static_cast<std::size_t>(i)];
      if (i == 0 || !hurry()) {
        outcome = try_setting(round, entrant, parts, tiles_for(entrant), own, run_folds, false);
        tell(outcome);
      }
    });
  }
  for (const Outcome& outcome : outcomes) {
    cut_short_ = cut_short_ || !outcome.tried;
    report_.trials.push_back(trial_of(round, number, parts.rows, outcome));
  }
  for (const Outcome& outcome : outcomes) work_ += outcome.tried ? work_of(round, round.rows, outcome) : 0;
  // Of those that are good enough the smallest comes first.
  std::stable_sort(outcomes.begin(), outcomes.end(), [&](const Outcome& a, const Outcome& b) {
    if (a.error <= enough_ && b.error <= enough_) return a.nodes < b.nodes;
    return a.error < b.error;
  });
  return outcomes;
}

// Multiply-adds of a trial, about: outputs and Gram matrix of the pool, and the paths with what they predict.
double Auto::work_of(const Round& round, Index rows, const Outcome& of) const {
  const Index encoding = encoding_of(of);
  rows = std::min(rows, teaching_);
  const Index most = most_nodes(round, rows, of);
  const auto n = static_cast<double>(rows), P = static_cast<double>(pool_size(round, encoding)),
             d = static_cast<double>(X_[static_cast<std::size_t>(encoding)].cols()), L = static_cast<double>(most);
  return n * P * (d + P / 2) + static_cast<double>(round.folds) * L * L * (P + 4 * L) +
         n * L * static_cast<double>(sizes_up_to(most).size());
}

// As much of the round as there is time for, at the speed so far: a trial and then the network, or networks. Nothing
// when that is no more than the round before.
std::optional<Round> Auto::in_time(Round round, const Round& before, const Outcome& of) const {
  if (options_.time_limit == 0) return round;
  const double left = options_.time_limit - seconds(), speed = work_ / seconds();
  const auto needed = [&] {
    return work_of(round, round.rows, of) + static_cast<double>(options_.ensemble) * work_of(round, teaching_, of);
  };
  while (needed() > left * speed) {
    round.rows = std::min(round.rows, teaching_) * 3 / 4;
    round.pool = round.pool * 3 / 4;
    if (round.rows <= before.rows || round.pool <= before.pool) return {};
  }
  return round;
}

// For the last round: the best alone, and the best of its encoding together; with many rows only these.
std::vector<Outcome> Auto::share_pools(const std::vector<Outcome>& ranked) const {
  std::vector<Outcome> entrants = {ranked.front(), ranked.front()};
  for (std::size_t i = 1; i < ranked.size() && entrants[1].settings.size() < kShare; ++i)
    if (encoding_of(ranked[i]) == encoding_of(ranked[0])) entrants[1].settings.push_back(ranked[i].settings.front());
  if (entrants[1].settings.size() == 1)
    entrants.pop_back();
  else if (teaching_ > kManyRows && options_.effort != Effort::thorough)
    entrants.erase(entrants.begin());
  return entrants;
}

// A member: its own candidates. On the rows it does not leave out it grows for what it predicts of those it does, which
// chooses size and ridge. With few rows it then grows again on all of them; with many, where it did better, its network
// is that of its own rows.
struct Auto::Member {
  std::vector<Index> left_out;
  std::vector<Eigen::MatrixXd> predictions;  // for each ridge and size
  std::vector<Index> rows;                   // that its network learns from
  std::vector<Candidate> nodes;              // in the order of its path
  std::vector<PathFit::Layer> layers;        // for each ridge and size
};

Auto::Member Auto::grow_member(const Round& round, const Outcome& best, Index number, const std::vector<double>& ridges,
                               const std::vector<Index>& sizes, Engine& engine) const {
  Member member;
  member.left_out = left_out(teaching_, number, options_.seed);
  std::vector<char> out(static_cast<std::size_t>(teaching_), 0);
  for (const Index row : member.left_out) out[static_cast<std::size_t>(row)] = 1;
  for (Index row = 0; row < teaching_; ++row)
    if (!out[static_cast<std::size_t>(row)]) member.rows.push_back(row);
  const Index encoding = encoding_of(best);
  const std::vector<Candidate> pool = draw_pool(best, pool_size(round, encoding), 1 + number);
  const auto grow = [&](const PoolSums& sums) {
    const Path path = grow_path(sums, best.ridge * sums.weight, sizes.back(), kRankTolerance);
    member.nodes.clear();
    member.layers.clear();
    for (const Index i : path.order) member.nodes.push_back(pool[static_cast<std::size_t>(i)]);
    for (const double ridge : ridges) {
      const PathFit fit(sums, path.order, ridge * sums.weight);
      for (const Index size : sizes) member.layers.push_back(fit.layer(std::min(size, fit.nodes())));
    }
  };
  PoolSums sums = sum_pool(engine, tiles_of_rows(member.rows, encoding), pool);
  grow(sums);
  if (member.left_out.empty()) return member;
  const Tiles left_out = tiles_of_rows(member.left_out, encoding);
  const Eigen::MatrixXd H = evaluate_nodes(engine, left_out, member.nodes);
  for (const PathFit::Layer& layer : member.layers) member.predictions.push_back(apply(layer, H));
  if (teaching_ > kManyRows) return member;
  sums.add(sum_pool(engine, left_out, pool), 1);
  grow(sums);
  member.rows.resize(static_cast<std::size_t>(teaching_));
  std::iota(member.rows.begin(), member.rows.end(), Index{0});
  return member;
}

// Members share size and ridge: those that do best for their mean on rows left out.
TrainResult Auto::finish_ensemble(const Round& round, const Outcome& best) {
  const Index encoding = encoding_of(best);
  const std::vector<Index> sizes = sizes_up_to(most_nodes(round, teaching_, best));
  const std::vector<double> ridges = {10 * best.ridge, best.ridge, std::max(kLeastRidge, best.ridge / 10),
                                      std::max(kLeastRidge, best.ridge / 100)};
  std::vector<Member> members(static_cast<std::size_t>(options_.ensemble));
  pool_.run(options_.ensemble, [&](Index k, int worker) {
    if (k == 0 || !time_is_up())
      members[static_cast<std::size_t>(k)] =
          grow_member(round, best, k, ridges, sizes, workers_[static_cast<std::size_t>(worker)]->engine);
  });
  std::erase_if(members, [](const Member& member) { return member.layers.empty(); });
  const auto K = static_cast<Index>(members.size());
  cut_short_ = cut_short_ || K < options_.ensemble;
  const Eigen::MatrixXd Y = Y_.topRows(teaching_), weights = weights_.topRows(teaching_);
  const auto held_out_at = [&](std::size_t at, Index of) {
    HeldOut held_out(teaching_, Y.cols());
    for (const Member& member : members)
      if (!member.left_out.empty()) held_out.add(member.left_out, member.predictions[at]);
    return held_out.residuals(Y, of);
  };
  // A row is left out by two of ten members, whose mean errs more than that of all: judged so, sharp networks come off
  // too badly. What the mean of all would bring is an estimate, which is too good where members go wild. So it decides
  // among those that are nearly the best as they are; with many rows, where it did worse, not at all.
  std::vector<double> errors(ridges.size() * sizes.size()), estimates(errors.size());
  pool_.run(static_cast<Index>(errors.size()), [&](Index place, int) {
    const auto i = static_cast<std::size_t>(place);
    errors[i] = rmse_of(held_out_at(i, 1), weights);
    estimates[i] = teaching_ > kManyRows ? errors[i] : rmse_of(held_out_at(i, K), weights);
  });
  const double good = kNearlyAsGood * *std::min_element(errors.begin(), errors.end());
  std::size_t at = 0;  // of those that are good enough the one with the fewest nodes, else the least estimate
  const auto better = [&](std::size_t a, std::size_t b) {
    if (errors[a] <= enough_ && errors[b] <= enough_) return a % sizes.size() < b % sizes.size();
    if (!(errors[a] <= good) || !(errors[b] <= good)) return errors[a] < errors[b];
    return estimates[a] < estimates[b];
  };
  for (std::size_t i = 1; i < errors.size(); ++i)
    if (better(i, at)) at = i;
  const double ridge = ridges[at / sizes.size()];

  std::vector<Network> networks(static_cast<std::size_t>(K));
  pool_.run(K, [&](Index k, int worker) {
    const Member& member = members[static_cast<std::size_t>(k)];
    const PathFit::Layer& layer = member.layers[at];
    const auto nodes = std::span(member.nodes).first(static_cast<std::size_t>(layer.weights.rows()));
    networks[static_cast<std::size_t>(k)] =
        ridge >= kSafeRidge ? make_network(
                                  nodes, [&](Index size) { return first_nodes(layer, size); }, encoding)
                            : fit_nodes(
                                  workers_[static_cast<std::size_t>(worker)]->engine, member.rows, encoding, nodes,
                                  ridge, [](const NodeRecord&, const auto&) {}, [](Index, double) { return false; });
  });
  // A record for each member: the mean of the first so many.
  report_.initial_rmse = initial_rmse();
  const Eigen::MatrixXd X = X_[static_cast<std::size_t>(encoding)].topRows(teaching_);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(teaching_, Y.cols());
  const Index judging = Y_.rows() - teaching_;
  const Eigen::MatrixXd X_valid = X_[static_cast<std::size_t>(encoding)].bottomRows(judging),
                        Y_valid = Y_.bottomRows(judging);
  Eigen::MatrixXd valid = Eigen::MatrixXd::Zero(judging, Y.cols());
  report_.initial_valid_rmse = in_unit(rmse_of(Y_valid, {}));
  const auto predict = [&](const Network& member, const Eigen::MatrixXd& rows) {
    Eigen::MatrixXd P = member.predict(rows, options_.threads);
    for (Index q = 0; q < P.cols(); ++q)
      for (Index i = 0; i < P.rows(); ++i) P(i, q) = std::ldexp(P(i, q), -y_exponent_) - mean_[q];
    return P;
  };
  for (Index k = 0; k < K; ++k) {
    const Network& member = networks[static_cast<std::size_t>(k)];
    const auto count = static_cast<double>(k + 1);
    sum += predict(member, X);
    if (judging > 0) valid += predict(member, X_valid);
    NodeRecord record;
    record.nodes = (k == 0 ? 0 : report_.history.back().nodes) + member.nodes();
    record.train_rmse = in_unit(rmse_of(Y - sum / count, weights));
    record.valid_rmse = in_unit(rmse_of(Y_valid - valid / count, {}));
    record.scale = settings_[best.settings.front()].draw.scale;
    record.r = 1;
    record.step = k + 1;
    record.seconds = seconds();
    report_.history.push_back(record);
    report_.members.push_back(member.nodes());
    if (extras_.on_node) extras_.on_node(record);
  }
  report_.network_step = K;
  if (extras_.keep_stages) report_.stages = stages_of(networks);
  const Eigen::MatrixXd held_out = held_out_at(at, K);
  return conclude(mean_of(networks), best, held_out, rmse_of(held_out, weights));
}

TrainResult Auto::run() {
  std::vector<Outcome> entrants(settings_.size());
  for (std::size_t i = 0; i < settings_.size(); ++i) entrants[i].settings = {i};
  int number = 0;
  Round last;
  for (Round round : rounds_of(options_.effort)) {
    if (number > 0) {
      // What has done best so far makes the network when there is no time for more.
      const auto shorter = hurry() ? std::nullopt : in_time(round, last, entrants.front());
      cut_short_ = cut_short_ || !shorter || shorter->rows != round.rows;
      if (!shorter) break;
      round = *shorter;
    }
    std::vector<Outcome> ranked = try_settings(round, number, round.survivors == 1 ? share_pools(entrants) : entrants);
    if (number++ > 0 && !ranked.front().tried) break;
    last = round;
    entrants = std::move(ranked);
    entrants.resize(std::min(entrants.size(), static_cast<std::size_t>(round.survivors)));
  }
  return options_.ensemble > 1 ? finish_ensemble(last, entrants.front()) : finish(last, entrants.front());
}

TrainResult Auto::finish(const Round& round, const Outcome& best) {
  const Index encoding = encoding_of(best);
  const std::vector<Candidate> pool = draw_pool(best, pool_size(round, encoding), 0);
  std::vector<Index> rows(static_cast<std::size_t>(teaching_));
  std::iota(rows.begin(), rows.end(), Index{0});
  const auto known =
      best.sums ? best.sums : std::make_shared<const PoolSums>(sum_pool(engine_, tiles_of_rows(rows, encoding), pool));
  const PoolSums& sums = *known;
  // Where that was good enough on rows held out, it is the error on all rows that ends growth, near that size.
  const bool enough = enough_ > 0 && best.error <= enough_;
  const Index least = enough ? best.nodes * 8 / 9 + 1 : best.nodes;
  const Index most =
      enough ? std::max(best.nodes, std::min(2 * best.nodes, most_nodes(round, teaching_, best))) : best.nodes;
  const auto reached = [&](Index size, double square) {  // by a path with so many nodes and that mean square
    return enough && size >= least && square <= enough_ * enough_;
  };
  Path path = grow_path(sums, best.ridge * sums.weight, most, kRankTolerance);
  std::vector<Candidate> nodes;
  nodes.reserve(path.order.size());
  for (const Index i : path.order) nodes.push_back(pool[static_cast<std::size_t>(i)]);
  path.order.resize(affordable_nodes(nodes));
  nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(path.order.size()), nodes.end());
  report_.initial_rmse = initial_rmse();
  Validation validation = validation_of(encoding);
  const auto valid_rmse = [&](OutputLayer layer) {
    layer.intercept += mean_;
    return validation.empty() ? std::numeric_limits<double>::quiet_NaN() : validation.rmse(layer);
  };
  const Eigen::MatrixXd none(0, Y_.cols());
  report_.initial_valid_rmse = valid_rmse({none, Eigen::RowVectorXd::Zero(Y_.cols()), none});
  bool stopped = false;  // by whoever heard of a node; asked to stop before, it makes the whole network all the same
  const auto on_node = [&](NodeRecord record, const auto& layer_of) {
    if (extras_.keep_stages) {
      OutputLayer layer = layer_of(record.nodes);
      layer.intercept += mean_;
      report_.stages.push_back(stage_of(layer, y_exponent_));
    }
    const Index candidate = path.order[static_cast<std::size_t>(record.step - 1)];
    if (!validation.empty()) {
      validation.append(nodes[static_cast<std::size_t>(record.step - 1)]);
      record.valid_rmse = valid_rmse(layer_of(record.nodes));
    }
    record.scale = settings_[best.settings[static_cast<std::size_t>(candidate) % best.settings.size()]].draw.scale;
    record.admissible = static_cast<Index>(pool.size());
    record.candidate = candidate;
    record.seconds = seconds();
    report_.history.push_back(record);
    const bool before = extras_.stop.stop_requested();
    if (extras_.on_node) extras_.on_node(record);
    stopped = !before && extras_.stop.stop_requested();
  };
  Network network;
  if (best.ridge >= kSafeRidge) {
    const PathFit fit(sums, path.order, best.ridge * sums.weight);
    Index last = 0;
    while (last < fit.nodes() && !reached(last, fit.squares(last) / sums.weight)) ++last;
    const auto layer_of = [&](Index size) {
      PathFit::Layer layer = fit.layer(size);
      return OutputLayer{std::move(layer.weights), std::move(layer.intercept), {}};
    };
    for (Index size = 1; size <= last; ++size) {
      NodeRecord record;
      record.nodes = record.step = size;
      record.train_rmse = std::ldexp(std::sqrt(fit.squares(size) / sums.weight), y_exponent_);
      record.valid_rmse = std::numeric_limits<double>::quiet_NaN();
      record.r = 1;
      record.batches = 1;
      record.score = path.score[static_cast<std::size_t>(size - 1)];
      on_node(record, layer_of);
      if (stopped) last = size;
    }
    network = make_network(std::span(nodes).first(static_cast<std::size_t>(last)), layer_of, encoding);
  } else {
    const auto ends = [&](Index size, double square) { return stopped || reached(size, square); };
    network = fit_nodes(engine_, rows, encoding, nodes, best.ridge, on_node, ends);
  }
  report_.network_step = network.nodes();
  report_.stages.resize(extras_.keep_stages ? static_cast<std::size_t>(network.nodes()) : 0);
  if (enough && network.nodes() > 0) {
    // It may end with a larger error than the networks that were held out had, and what is told of those must not be
    // better than it is.
    const double error = std::ldexp(report_.history.back().train_rmse, -y_exponent_);
    const double factor = best.error > 0 ? std::max(1.0, error / best.error) : 1.0;
    return conclude(std::move(network), best, best.held_out * factor, best.error * factor);
  }
  return conclude(std::move(network), best, best.held_out, best.error);
}

// With as many of the nodes as have output weights that are finite in Y's own unit; layer_of(size) gives them.
template <class LayerOf>
Network Auto::make_network(std::span<const Candidate> nodes, LayerOf&& layer_of, Index encoding) const {
  auto L = static_cast<Index>(nodes.size());
  auto layer = layer_of(L);
  const auto representable = [&] {  // no partial sum of a prediction may overflow
    const Eigen::RowVectorXd sum = layer.weights.cwiseAbs().colwise().sum() + (layer.intercept + mean_).cwiseAbs();
    return std::isfinite(std::ldexp(sum.maxCoeff(), y_exponent_));
  };
  while (L > 0 && !representable()) layer = layer_of(--L);
  Eigen::MatrixXd W(X_[static_cast<std::size_t>(encoding)].cols(), L);
  Eigen::VectorXd b(L);
  for (Index j = 0; j < L; ++j) {
    W.col(j) = nodes[static_cast<std::size_t>(j)].w;
    b[j] = nodes[static_cast<std::size_t>(j)].b;
  }
  const auto back = [&](double v) { return std::ldexp(v, y_exponent_); };
  return {std::move(W), std::move(b), layer.weights.unaryExpr(back), (layer.intercept + mean_).unaryExpr(back),
          options_.activation};
}

// The pool has chosen the nodes; here their output weights come from an orthonormal basis, to the last digit. A node
// that is in the span of the others is left out.
template <class OnNode, class Ends>
Network Auto::fit_nodes(Engine& engine, const std::vector<Index>& rows, Index encoding,
                        std::span<const Candidate> nodes, double ridge, OnNode&& on_node, Ends&& ends) const {
  const Eigen::MatrixXd X = gather(X_[static_cast<std::size_t>(encoding)], rows), Y = gather(Y_, rows),
                        weights = gather(weights_, rows);
  Tiles tiles(X, Y, extras_.weights.empty() ? MatrixView{} : MatrixView(weights), 0);
  Refit fit(engine, tiles, options_.rank_tolerance, ridge, Beside{true, false});
  std::vector<Candidate> taken;
  taken.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto added = fit.append(nodes[i], {});
    if (!added) continue;
    taken.push_back(nodes[i]);
    NodeRecord record;
    record.nodes = fit.nodes();
    record.train_rmse = std::ldexp(std::sqrt(fit.residual2().sum() / tiles.weight_sum()), y_exponent_);
    record.valid_rmse = std::numeric_limits<double>::quiet_NaN();
    record.r = 1;
    record.batches = 1;
    record.score = added->drop;
    record.step = static_cast<Index>(i) + 1;
    on_node(record, [&](Index size) { return fit.output_layer(size); });
    if (ends(fit.nodes(), fit.residual2().sum() / tiles.weight_sum())) break;
  }
  const auto layer_of = [&](Index size) { return fit.output_layer(size); };
  return make_network(taken, layer_of, encoding);
}

double Auto::initial_rmse() const {
  const Eigen::VectorXd w = weights_.col(0).head(teaching_);
  const Eigen::RowVectorXd mean = (w.transpose() * Y_.topRows(teaching_)) / w.sum();
  return std::ldexp(rmse_of(Y_.topRows(teaching_).rowwise() - mean, w), y_exponent_);
}

// What is reported of any network.
TrainResult Auto::conclude(Network network, const Outcome& best, const Eigen::MatrixXd& held_out, double error) {
  const auto back = [&](double v) { return std::ldexp(v, y_exponent_); };
  report_.method = "auto";
  report_.rows = teaching_;
  report_.inputs = network.inputs();
  report_.outputs = Y_.cols();
  report_.network_nodes = network.nodes();
  report_.train_rmse = report_.history.empty() ? report_.initial_rmse : report_.history.back().train_rmse;
  report_.valid_rmse = report_.history.empty() ? report_.initial_valid_rmse : report_.history.back().valid_rmse;
  report_.stop_reason = extras_.stop.stop_requested()           ? StopReason::interrupted
                        : cut_short_                            ? StopReason::time_limit
                        : enough_ > 0 && error <= enough_       ? StopReason::tolerance
                        : network.nodes() == options_.max_nodes ? StopReason::max_nodes
                                                                : StopReason::chosen;
  report_.threads = pool_.size();
  report_.instructions = engine_.kernels.name;
  report_.encoding = encoding_of(best);
  report_.held_out = Eigen::MatrixXd::Constant(source_rows_, Y_.cols(), std::numeric_limits<double>::quiet_NaN());
  for (Index i = 0; i < held_out.rows(); ++i)
    report_.held_out.row(source_[static_cast<std::size_t>(i)]) = held_out.row(i).unaryExpr(back);
  report_.held_out_rmse = in_unit(error);
  const auto same = [&](const Trial& trial) { return trial.rmse == in_unit(best.error); };
  const auto last = std::find_if(report_.trials.rbegin(), report_.trials.rend(), same);  // of the last round it was in
  for (Trial& trial : report_.trials)
    trial.chosen = last != report_.trials.rend() && trial.round == last->round && same(trial);
  report_.seconds = seconds();
  return {std::move(network), std::move(report_)};
}

}  // namespace

TrainResult train_auto(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras) {
  return Auto(X, Y, options, extras).run();
}

std::uint64_t auto_memory(Index rows, Index inputs, Index outputs, Index valid_rows, const TrainOptions& options) {
  const Round last = rounds_of(options.effort).back();
  const auto n = static_cast<double>(rows + valid_rows), d = static_cast<double>(inputs),
             m = static_cast<double>(outputs), P = std::clamp(kPoolWeights / d, 20.0, static_cast<double>(last.pool));
  const double L = static_cast<double>(last.nodes);
  const double K = static_cast<double>(options.ensemble), sizes = static_cast<double>(sizes_up_to(last.nodes).size());
  // What the members predict, with four ridges, for the fifth of the rows that each leaves out.
  const double left_out = K > 1 ? K * n / 5 * m * sizes * 4 : 0;
  const double doubles =
      left_out + n * (3 * (d + m) + L) + 2048 * P + (static_cast<double>(last.folds) + 5) * P * P + 2 * P * L;
  return static_cast<std::uint64_t>(8 * doubles) + (std::uint64_t{8} << 20);
}

}  // namespace sconet
