#include "core/ensemble.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "core/gather.hpp"
#include "core/shuffle.hpp"
#include "core/thread_pool.hpp"

namespace sconet {
namespace {

constexpr Index kParts = 5;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<Index> left_out(Index n, Index member, std::uint64_t seed) {
  const Index parts = std::min(kParts, n);
  std::vector<Index> rows;
  if (parts < 2) return rows;
  const std::vector<Index> order = shuffled_rows(n, member_seed(seed, member / parts));
  for (Index i = member % parts; i < n; i += parts) rows.push_back(order[static_cast<std::size_t>(i)]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::uint64_t member_seed(std::uint64_t seed, Index member) {
  return seed + static_cast<std::uint64_t>(member) * 0x9E3779B97F4A7C15U;
}

Network mean_of(const std::vector<Network>& members) {
  const Network& first = members.front();
  Index nodes = 0;
  for (const Network& member : members) nodes += member.nodes();
  const auto count = static_cast<double>(members.size());
  Eigen::MatrixXd W(first.inputs(), nodes), beta(nodes, first.outputs());
  Eigen::VectorXd b(nodes);
  Eigen::RowVectorXd intercept = Eigen::RowVectorXd::Zero(first.outputs());
  Eigen::MatrixXd direct = Eigen::MatrixXd::Zero(first.direct().rows(), first.direct().cols());
  Index at = 0;
  for (const Network& member : members) {
    W.middleCols(at, member.nodes()) = member.weights();
    b.segment(at, member.nodes()) = member.biases();
    beta.middleRows(at, member.nodes()) = member.output_weights() / count;
    intercept += member.intercept() / count;
    direct += member.direct() / count;
    at += member.nodes();
  }
  return {std::move(W), std::move(b), std::move(beta), std::move(intercept), first.activation(), std::move(direct)};
}

std::vector<Stage> stages_of(const std::vector<Network>& members) {
  std::vector<Stage> stages;
  for (std::size_t k = 1; k <= members.size(); ++k) {
    const Network mean = mean_of({members.begin(), members.begin() + static_cast<std::ptrdiff_t>(k)});
    stages.push_back({mean.output_weights(), mean.intercept(), mean.direct()});
  }
  return stages;
}

HeldOut::HeldOut(Index rows, Index outputs)
    : sum_(Eigen::MatrixXd::Zero(rows, outputs)),
      sum2_(Eigen::MatrixXd::Zero(rows, outputs)),
      count_(Eigen::VectorXd::Zero(rows)) {}

void HeldOut::add(const std::vector<Index>& rows, const Eigen::MatrixXd& predictions) {
  for (Index i = 0; i < predictions.rows(); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    sum_.row(row) += predictions.row(i);
    sum2_.row(row) += predictions.row(i).cwiseAbs2();
    count_[row] += 1;
  }
}

// With members' errors a + b_k, b_k independent: the mean of c members has the mean square A + B / c, and B is what the
// members' variance about their mean estimates.
Eigen::MatrixXd HeldOut::residuals(MatrixView Y, Index members) const {
  const Index n = sum_.rows(), m = sum_.cols();
  Eigen::MatrixXd E = Eigen::MatrixXd::Constant(n, m, kNaN);
  for (Index q = 0; q < m; ++q) {
    double square = 0, variance = 0, inverse = 0, rows = 0, twice = 0;
    for (Index i = 0; i < n; ++i) {
      const double c = count_[i];
      if (c < 1) continue;
      const double mean = sum_(i, q) / c;
      E(i, q) = Y(i, q) - mean;
      square += E(i, q) * E(i, q);
      inverse += 1 / c;
      rows += 1;
      if (c < 2) continue;
      variance += std::max(0.0, (sum2_(i, q) - c * mean * mean) / (c - 1));
      twice += 1;
    }
    if (twice == 0 || !(square > 0)) continue;
    const double excess = variance / twice * (inverse / rows - 1 / static_cast<double>(members));
    const double shrink = std::sqrt(std::clamp(1 - excess / (square / rows), 0.25, 1.0));
    E.col(q) *= shrink;
  }
  return E;
}

double rmse_of(const Eigen::MatrixXd& residuals, MatrixView weights) {
  double square = 0, weight = 0;
  for (Index i = 0; i < residuals.rows(); ++i) {
    if (residuals.row(i).hasNaN()) continue;
    const double w = weights.empty() ? 1.0 : weights(i, 0);
    square += w * residuals.row(i).squaredNorm();
    weight += w;
  }
  return weight > 0 ? std::sqrt(square / weight) : kNaN;
}

TrainResult train_ensemble(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras) {
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  const Index n = X.rows(), K = options.ensemble;
  std::vector<std::optional<TrainResult>> results(static_cast<std::size_t>(K));
  std::vector<std::vector<Index>> unseen(static_cast<std::size_t>(K));  // by each member
  ThreadPool pool(options.threads);
  pool.run(K, [&](Index member, int) {
    if (member > 0 && extras.stop.stop_requested()) return;
    Eigen::MatrixXd weights = Eigen::MatrixXd::Ones(n, 1);
    for (Index i = 0; i < n && !extras.weights.empty(); ++i) weights(i, 0) = extras.weights(i, 0);
    const Eigen::MatrixXd whole = weights;
    std::vector<Index>& rows = unseen[static_cast<std::size_t>(member)];
    rows = left_out(n, member, options.seed);
    for (const Index row : rows) weights(row, 0) = 0;
    if (!(weights.array() > 0).any()) {  // the few rows of weight that there are
      weights = whole;
      rows.clear();
    }
    TrainOptions own = options;
    own.ensemble = 1;
    own.threads = 1;
    own.seed = member_seed(options.seed, member);
    if (options.time_limit > 0) {  // shared by the members that a thread is still to train
      const Index turns = (K - member + pool.size() - 1) / pool.size();
      own.time_limit = std::max(1e-6, (options.time_limit - seconds()) / static_cast<double>(turns));
    }
    TrainExtras own_extras;
    own_extras.weights = weights;
    own_extras.X_valid = extras.X_valid;
    own_extras.Y_valid = extras.Y_valid;
    own_extras.stop = extras.stop;
    results[static_cast<std::size_t>(member)] = train(X, Y, own, own_extras);
  });

  // Interrupted, the mean is that of the members that are complete, or of the one that has come furthest.
  const auto complete = [](const std::optional<TrainResult>& result) {
    return result && result->report.stop_reason != StopReason::interrupted;
  };
  std::vector<std::size_t> members;
  members.reserve(results.size());
  for (std::size_t k = 0; k < results.size(); ++k)
    if (complete(results[k])) members.push_back(k);
  const bool interrupted = members.size() < results.size();
  if (members.empty()) {
    std::size_t furthest = 0;
    for (std::size_t k = 1; k < results.size(); ++k)
      if (results[k] && results[k]->network.nodes() > results[furthest]->network.nodes()) furthest = k;
    members.push_back(furthest);
  }

  HeldOut held_out(n, Y.cols());
  std::vector<Network> networks;
  networks.reserve(results.size());
  TrainReport report = results[members.front()]->report;
  report.history.clear();
  report.leverages.resize(0);
  for (const std::size_t k : members) {
    const TrainResult& result = *results[k];
    held_out.add(unseen[k], result.network.predict(gather(X, unseen[k])));
    networks.push_back(result.network);
    report.members.push_back(result.network.nodes());
  }
  if (interrupted) report.stop_reason = StopReason::interrupted;
  Network network = mean_of(networks);
  // A record for each member: the mean of the first so many.
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, Y.cols()),
                  valid = Eigen::MatrixXd::Zero(extras.X_valid.rows(), Y.cols());
  Eigen::MatrixXd targets(n, Y.cols()), valid_targets(extras.Y_valid.rows(), Y.cols());
  for (Index q = 0; q < Y.cols(); ++q) {
    for (Index i = 0; i < n; ++i) targets(i, q) = Y(i, q);
    for (Index i = 0; i < valid.rows(); ++i) valid_targets(i, q) = extras.Y_valid(i, q);
  }
  const auto trained = static_cast<Index>(networks.size());
  for (Index k = 0; k < trained; ++k) {
    const Network& member = networks[static_cast<std::size_t>(k)];
    const auto count = static_cast<double>(k + 1);
    sum += member.predict(X, options.threads);
    NodeRecord record;
    record.nodes = (k == 0 ? 0 : report.history.back().nodes) + member.nodes();
    record.train_rmse = rmse_of(targets - sum / count, extras.weights);
    record.valid_rmse = kNaN;
    if (valid.rows() > 0) {
      valid += member.predict(extras.X_valid, options.threads);
      record.valid_rmse = rmse_of(valid_targets - valid / count, {});
    }
    record.r = 1;
    record.step = k + 1;
    record.seconds = seconds();
    report.history.push_back(record);
    if (extras.on_node) extras.on_node(record);
  }
  if (extras.keep_stages) report.stages = stages_of(networks);
  report.rows = 0;
  for (Index i = 0; i < n; ++i) report.rows += extras.weights.empty() || extras.weights(i, 0) > 0 ? 1 : 0;
  report.network_nodes = network.nodes();
  report.network_step = trained;
  report.train_rmse = report.history.back().train_rmse;
  report.valid_rmse = report.history.back().valid_rmse;
  report.threads = pool.size();
  report.held_out = held_out.residuals(Y, trained);
  report.held_out_rmse = rmse_of(report.held_out, extras.weights);
  report.seconds = seconds();
  return {std::move(network), std::move(report)};
}

}  // namespace sconet
