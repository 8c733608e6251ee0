// The algorithm. Symbols as in the paper: L nodes, e residual, lambda scale, r_L demand; see docs/method.md.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/auto.hpp"
#include "core/candidates.hpp"
#include "core/check.hpp"
#include "core/ensemble.hpp"
#include "core/fit.hpp"
#include "core/mlp.hpp"
#include "core/schedule.hpp"
#include "core/score.hpp"
#include "core/supervisor.hpp"
#include "core/tiles.hpp"
#include "core/validation.hpp"
#include "kernels/dispatch.hpp"
#include "sconet/train.hpp"

namespace sconet {
namespace {

constexpr int kMostRelaxations = 10;      // of r: 1 - r_L falls to 1e-10 of what was asked
constexpr double kDead = 1e-200;          // mean square of a node's output below which its square loses digits
constexpr double kNothing = 1e-30;        // a share of |e|^2 that is rounding error
constexpr double kRoundingLevel = 1e-14;  // |e| / |y| below this is rounding error

// A candidate with the supervisor's opinion of it.
struct Judged {
  Index L = 0, batch = 0, t = 0;  // its key: the node it was drawn for, the batch, its number there
  double scale = 0;
  double score = 0;  // share of the objective it removes
  double meets = 0;  // what is compared with 1 - r_L: the score, or the least score over outputs
  double merit = 0;  // what the best is chosen by
};

void sort_best_first(std::vector<Judged>& judged) {
  std::stable_sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) { return a.merit > b.merit; });
}

class Trainer {
 public:
  Trainer(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras)
      : options_(options),
        extras_(extras),
        supervisor_(make_supervisor(options)),
        y_exponent_(exponent_of_largest(Y, extras.weights)),
        pool_(options.threads),
        engine_(select_kernels(options.isa), kernel_activation(options.activation), pool_),
        tiles_(X, Y, extras.weights, y_exponent_),
        validation_(engine_, extras.X_valid, extras.Y_valid, y_exponent_),
        scorer_(engine_),
        batch_(engine_.kernels),
        source_rows_(X.rows()) {}

  TrainResult run() {
    start();
    put_back(extras_.resume);
    while (!should_stop()) {
      // Search the scales and add what is found, or take what is drawn.
      if (const auto reason = supervisor_->judges() ? add_step() : add_drawn_node())
        stop_reason_ = *reason;
      else if (extras_.on_step && !step_was_cut_short_)
        extras_.on_step(report_.history);
    }
    return finish();
  }

 private:
  void start();                                         // no nodes: the residual is Y, less the intercept
  void put_back(const std::vector<NodeRecord>& nodes);  // of an earlier run
  bool should_stop();                                   // every rule but those met inside a search
  bool network_is_done();                               // the rules that depend on the network alone
  std::optional<StopReason> add_step();                 // adds nodes_per_step nodes, or says why it cannot
  std::optional<StopReason> add_drawn_node();
  Candidate draw(Index L, Index batch, Index t, double scale) const;
  std::vector<Judged> judge_batch(Index L, Index batch, double scale);  // usable candidates, best first
  Index add_admissible(std::vector<Judged>& judged, double r, Index wanted, NodeRecord record);
  bool add_node(const Judged& node, NodeRecord record);  // false: numerically in the span
  std::optional<NodeSums> known_sums(const Judged& node) const;
  bool representable(Index nodes) const;  // the output weights of that size are finite in Y's own unit
  TrainResult finish();

  double seconds() const {
    return earlier_seconds_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  bool time_is_up() const { return options_.time_limit > 0 && seconds() >= options_.time_limit; }
  double train_rmse() const {  // in Y's own unit
    return std::ldexp(std::sqrt(fit_->residual2().sum() / tiles_.weight_sum()), y_exponent_);
  }

  const TrainOptions& options_;
  const TrainExtras& extras_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const double earlier_seconds_ = extras_.resume.empty() ? 0 : extras_.resume.back().seconds;
  std::unique_ptr<Supervisor> supervisor_;
  int y_exponent_;
  ThreadPool pool_;
  Engine engine_;
  Tiles tiles_;
  Validation validation_;
  Scorer scorer_;
  CandidateBatch batch_;
  const BatchSums* sums_ = nullptr;  // of batch_, which is number batch_number_ for this node
  Index batch_number_ = 0;
  Index source_rows_;

  std::unique_ptr<Fit> fit_;
  Eigen::VectorXd y2_;  // |Y_q|^2
  std::vector<Candidate> nodes_;
  Index draws_ = 0;  // without supervision: nodes drawn, taken or not
  TrainReport report_;
  Index best_nodes_ = 0;  // by validation
  double best_valid_ = std::numeric_limits<double>::quiet_NaN();
  StopReason stop_reason_ = StopReason::not_run;
  bool step_was_cut_short_ = false;  // by an interruption
};

void Trainer::start() {
  if (supervisor_->refits())
    fit_ = std::make_unique<Refit>(engine_, tiles_, options_.rank_tolerance, options_.ridge,
                                   Beside{options_.intercept, options_.direct_links});
  else
    fit_ = std::make_unique<Greedy>(engine_, tiles_, options_.ridge, options_.intercept);
  const OutputLayer layer = fit_->output_layer(0);
  y2_ = fit_->target2();
  if (!validation_.empty()) best_valid_ = validation_.rmse(layer);
  report_.initial_rmse = train_rmse();
  report_.initial_valid_rmse = best_valid_;
}

// A node is found again by its key and joins as it did the first time; that its errors are the same shows that the data
// and the arithmetic are.
void Trainer::put_back(const std::vector<NodeRecord>& nodes) {
  for (const NodeRecord& node : nodes) {
    if (should_stop()) return;  // other limits than the first time, or interrupted
    draws_ = node.step;
    const Judged judged{node.step, node.batch, node.candidate, node.scale, node.score, 0, 0};
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!add_node(judged, node) || !same(report_.history.back().train_rmse, node.train_rmse) ||
        !same(report_.history.back().valid_rmse, node.valid_rmse))
      throw std::invalid_argument(fmt::format(
          "the run cannot go on where it stopped: node {} does not leave the error it left then (training RMSE {}), so "
          "the data, the options or the instruction level are not the same",
          report_.history.size() + 1, node.train_rmse));
  }
}

bool Trainer::should_stop() {
  if (!network_is_done() && extras_.stop.stop_requested()) stop_reason_ = StopReason::interrupted;
  return stop_reason_ != StopReason::not_run;
}

bool Trainer::network_is_done() {
  if (stop_reason_ != StopReason::not_run) return true;
  const Index L = fit_->nodes();
  if ((fit_->residual2().array() <= kRoundingLevel * kRoundingLevel * y2_.array()).all()) {
    stop_reason_ = StopReason::exact_fit;
  } else if (y_exponent_ > 100 && !representable(L)) {
    stop_reason_ = StopReason::overflow;
  } else if (train_rmse() <= options_.tolerance) {
    stop_reason_ = StopReason::tolerance;
  } else if (L >= options_.max_nodes) {
    stop_reason_ = StopReason::max_nodes;
  } else if (!validation_.empty() && options_.patience > 0 && L - best_nodes_ >= options_.patience) {
    stop_reason_ = StopReason::validation;
  }
  return stop_reason_ != StopReason::not_run;
}

std::optional<StopReason> Trainer::add_step() {
  const Index L = fit_->nodes() + 1;
  const Index wanted = std::min<Index>(options_.nodes_per_step, options_.max_nodes - fit_->nodes());
  const std::vector<double> demands = supervisor_->demands(L);
  bool any_usable = false;
  std::vector<Judged> seen;  // for the best of all, if need be
  NodeRecord record;
  for (int relaxations = 0; relaxations <= kMostRelaxations; ++relaxations) {
    for (const double scale : options_.scales) {
      if (time_is_up()) return StopReason::time_limit;
      if (extras_.stop.stop_requested()) return StopReason::interrupted;
      std::vector<Judged> judged = judge_batch(L, record.batches++, scale);
      if (demands.empty() && add_admissible(judged, 1.0, wanted, record) > 0) return {};
      for (const double r : demands)
        if (add_admissible(judged, relaxed_r(r, relaxations), wanted, record) > 0) return {};
      any_usable = any_usable || !judged.empty();
      if (options_.when_exhausted == WhenExhausted::best) seen.insert(seen.end(), judged.begin(), judged.end());
    }
    if (!any_usable) return StopReason::rank;
    if (options_.when_exhausted == WhenExhausted::stop) return StopReason::no_admissible;
    if (options_.when_exhausted == WhenExhausted::best) {
      sort_best_first(seen);
      record.r = demands.empty() ? 1.0 : demands.back();
      record.fallback = true;
      for (const Judged& node : seen)
        if (add_node(node, record)) return {};
      return StopReason::rank;
    }
  }
  return StopReason::no_admissible;
}

// Draws are counted apart from nodes: one that lies in the span of the others adds nothing and is left out.
std::optional<StopReason> Trainer::add_drawn_node() {
  NodeRecord record;
  record.r = 1;
  record.batches = record.admissible = 1;
  while (draws_ < options_.max_nodes) {
    if (time_is_up()) return StopReason::time_limit;
    if (extras_.stop.stop_requested()) return StopReason::interrupted;
    if (add_node({++draws_, 0, 0, options_.range, 0, 0, 0}, record)) return {};
  }
  return StopReason::rank;
}

// The bias may come from any row in the tiles: those of weight zero are not there.
Candidate Trainer::draw(Index L, Index batch, Index t, double scale) const {
  const auto input = [this](Index row, Index k) {
    return tiles_.input(row / kernels::kTileRows, row % kernels::kTileRows, k);
  };
  return draw_candidate(options_.seed, L, batch, t, tiles_.inputs(),
                        {options_.family, scale, options_.bias, options_.active_inputs}, {tiles_.rows(), input});
}

std::vector<Judged> Trainer::judge_batch(Index L, Index batch, double scale) {
  batch_number_ = batch;
  batch_.resize(options_.candidates, tiles_.inputs());
  for (Index t = 0; t < options_.candidates; ++t) batch_.set(t, draw(L, batch, t, scale));
  if (options_.family >= Family::sparse) batch_.skip_zeros(true);
  sums_ = &scorer_.score(tiles_, batch_, supervisor_->needs_projections() ? tiles_.columns() : 0);

  const Eigen::VectorXd e2 = fit_->objective2();
  const double total = e2.sum();
  const bool by_norms = L == 1 && supervisor_->first_by_sum_of_norms();
  std::vector<Judged> judged;
  for (Index t = 0; t < options_.candidates; ++t) {
    if (!(sums_->norm2(t) > kDead * tiles_.weight_sum())) continue;
    const double denominator = supervisor_->denominator(*sums_, t, fit_->penalty());
    if (!(denominator > 0) || !std::isfinite(denominator)) continue;  // inside the span, or overflown
    double removed = 0, least = std::numeric_limits<double>::infinity(), norms = 0;
    for (Index q = 0; q < tiles_.outputs(); ++q) {
      const double share = sums_->eg(q, t) * sums_->eg(q, t) / denominator;  // of |e_q|^2
      removed += share;
      if (e2[q] > 0) least = std::min(least, share / e2[q]);
      norms += std::sqrt(std::max(0.0, e2[q] - share));
    }
    Judged j{L, batch, t, scale, removed / total, 0, 0};
    j.meets = options_.criterion == Criterion::total ? j.score : least;
    j.merit = by_norms ? -norms : j.score;
    if (std::isfinite(j.score) && j.score > kNothing) judged.push_back(j);
  }
  sort_best_first(judged);
  return judged;
}

// Adds the best `wanted` admissible candidates, if there are so many; a candidate that turns out to lie in the span is
// dropped from `judged` and the next one tried. Returns how many were added.
Index Trainer::add_admissible(std::vector<Judged>& judged, double r, Index wanted, NodeRecord record) {
  const bool tested = r < 1.0;
  const auto admissible = [&](const Judged& j) { return !tested || j.meets >= 1.0 - r; };
  record.r = r;
  record.admissible = std::count_if(judged.begin(), judged.end(), admissible);
  if (record.admissible < wanted) return 0;
  Index added = 0;
  for (auto j = judged.begin(); j != judged.end() && added < wanted;) {
    if (!admissible(*j)) {
      ++j;
    } else if (add_node(*j, record)) {
      ++added;
      ++j;
      if (should_stop()) break;
    } else {
      j = judged.erase(j);
    }
  }
  step_was_cut_short_ = stop_reason_ == StopReason::interrupted && added < wanted;
  return added;
}

// The sums of a candidate of the batch scored last, unless columns have joined Q since then.
std::optional<NodeSums> Trainer::known_sums(const Judged& node) const {
  const bool current = node.L == fit_->nodes() + 1 && node.batch == batch_number_;
  if (!sums_ || !current || sums_->columns() != tiles_.columns()) return {};
  return sums_->node(node.t);
}

bool Trainer::representable(Index nodes) const {
  const OutputLayer layer = fit_->output_layer(nodes);
  // The sum of all of them: no partial sum of a prediction may overflow either.
  const double largest =
      (layer.weights.cwiseAbs().colwise().sum() + layer.intercept.cwiseAbs() + layer.direct.cwiseAbs().colwise().sum())
          .maxCoeff();
  return std::isfinite(std::ldexp(largest, y_exponent_));
}

bool Trainer::add_node(const Judged& node, NodeRecord record) {
  const bool judged_on_this_residual = node.L == fit_->nodes() + 1;  // not so for later nodes of the same step
  Candidate candidate = draw(node.L, node.batch, node.t, node.scale);
  const auto added = fit_->append(candidate, known_sums(node));
  if (!added) return false;
  record.step = node.L;
  record.batch = node.batch;
  record.candidate = node.t;
  record.scale = node.scale;
  record.nodes = fit_->nodes();
  record.score = judged_on_this_residual && supervisor_->judges() ? node.score : added->drop;
  record.train_rmse = train_rmse();
  record.valid_rmse = std::numeric_limits<double>::quiet_NaN();
  if (!validation_.empty()) {
    validation_.append(candidate);
    record.valid_rmse = validation_.rmse(fit_->output_layer(record.nodes));
    if (record.valid_rmse < best_valid_) {
      best_valid_ = record.valid_rmse;
      best_nodes_ = record.nodes;
    }
  }
  nodes_.push_back(std::move(candidate));
  const bool new_node = static_cast<std::size_t>(record.nodes) > extras_.resume.size();
  if (new_node) record.seconds = seconds();
  report_.history.push_back(record);
  if (new_node && extras_.on_node) extras_.on_node(record);
  return true;
}

TrainResult Trainer::finish() {
  Index L = validation_.empty() || options_.keep_all ? fit_->nodes() : best_nodes_;
  while (L > 0 && !representable(L)) --L;
  Eigen::MatrixXd W(tiles_.inputs(), L);
  Eigen::VectorXd b(L);
  for (Index j = 0; j < L; ++j) {
    W.col(j) = nodes_[static_cast<std::size_t>(j)].w;
    b[j] = nodes_[static_cast<std::size_t>(j)].b;
  }
  const auto back = [&](double v) { return std::ldexp(v, y_exponent_); };
  const OutputLayer layer = fit_->output_layer(L);
  Eigen::MatrixXd beta = layer.weights.unaryExpr(back);
  Eigen::RowVectorXd intercept = layer.intercept.unaryExpr(back);
  Eigen::MatrixXd direct = layer.direct.unaryExpr(back);

  report_.method = supervisor_->name();
  report_.rows = tiles_.rows();
  report_.inputs = tiles_.inputs();
  report_.outputs = tiles_.outputs();
  report_.network_nodes = report_.network_step = L;
  report_.train_rmse = L == 0 ? report_.initial_rmse : report_.history[static_cast<std::size_t>(L - 1)].train_rmse;
  report_.valid_rmse = L == 0 || validation_.empty() ? report_.initial_valid_rmse
                                                     : report_.history[static_cast<std::size_t>(L - 1)].valid_rmse;
  report_.stop_reason = stop_reason_;
  report_.threads = pool_.size();
  report_.instructions = engine_.kernels.name;
  const Eigen::VectorXd leverages = fit_->leverages(L);
  if (leverages.size() > 0) {
    report_.leverages = Eigen::VectorXd::Zero(source_rows_);
    for (Index row = 0; row < tiles_.rows(); ++row) report_.leverages[tiles_.source_row(row)] = leverages[row];
  }
  for (Index k = 1; k <= L && extras_.keep_stages; ++k)
    report_.stages.push_back(stage_of(fit_->output_layer(k), y_exponent_));
  report_.seconds = seconds();
  return {Network(std::move(W), std::move(b), std::move(beta), std::move(intercept), options_.activation,
                  std::move(direct)),
          std::move(report_)};
}

}  // namespace

TrainResult train(MatrixView X, MatrixView Y, const TrainOptions& given, const TrainExtras& extras) {
  validate(given);
  check_data(X, Y, extras);
  const TrainOptions options = with_node_limit(given);
  if (options.ensemble > 1 && (extras.on_step || !extras.resume.empty()))
    throw std::invalid_argument("an ensemble cannot be resumed: train it without a checkpoint");
  if (options.method == Method::automatic) {
    if (extras.on_step || !extras.resume.empty())
      throw std::invalid_argument(
          "the method auto cannot be resumed: train it without a checkpoint, or name a method (rmpi, say)");
    return train_auto(X, Y, options, extras);
  }
  if (options.ensemble > 1) return train_ensemble(X, Y, options, extras);
  if (options.method == Method::mlp) {
    if (extras.on_step || !extras.resume.empty())
      throw std::invalid_argument("the MLP cannot be resumed: train it without a checkpoint");
    return train_mlp(X, Y, options, extras);
  }
  return Trainer(X, Y, options, extras).run();
}

std::uint64_t training_memory(Index rows, Index inputs, Index outputs, Index valid_rows, const TrainOptions& given) {
  const TrainOptions options = with_node_limit(given);
  if (options.method == Method::automatic) return auto_memory(rows, inputs, outputs, valid_rows, options);
  if (options.method == Method::mlp) return mlp_memory(rows, inputs, outputs, valid_rows, options.max_nodes);
  const auto n = static_cast<double>(rows), v = static_cast<double>(valid_rows), d = static_cast<double>(inputs),
             m = static_cast<double>(outputs), T = static_cast<double>(options.candidates);
  // Columns of Q come in panels of eight; no more of them than rows can be independent.
  const double L = std::min(
      static_cast<double>(options.max_nodes) + (options.intercept ? 1.0 : 0.0) + (options.direct_links ? d : 0.0),
      n + 1);
  const double columns = std::ceil((L + m) / 8) * 8;
  const double doubles = n * (d + columns + 6)        // X, E and Q; weights, a node before and after projection
                         + v * (d + m + 2 + 1.5 * L)  // X, E and H, which grows by doubling
                         + 4 * T * (d + columns)      // a batch and its sums
                         + 3 * L * L;                 // R and what is solved with it
  return static_cast<std::uint64_t>(8 * doubles) + (std::uint64_t{8} << 20);
}

}  // namespace sconet
