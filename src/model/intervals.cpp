// Calibration. n rows, m targets, d inputs; r = |residual|; s(x) about how large r is at x, its median being 1.

#include "sconet/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "data/row_choice.hpp"
#include "sconet/train.hpp"

namespace sconet {
namespace {

constexpr Index kExactTail = 64;               // largest errors that are all kept
constexpr std::uint64_t kStream = 0x1a7e5ca1;  // draws of its own for the seed of the model

// The network for s: of some thirty settings those with about the least widths at the same coverage, over seven tables.
constexpr Index kScaleNodes = 24, kScaleCandidates = 20;
constexpr double kScaleWeights = 3, kScaleRidge = 1e-3;

// The rank of the error that new rows exceed with a chance of at most 1 - level: ceil((n + 1) level), which is above n
// when n rows cannot tell. Rounding in the product must not raise it: 10 * 0.9 is 9.
double conformal_rank(Index n, double level) {
  constexpr double slack = 1 - 4 * std::numeric_limits<double>::epsilon();
  return std::max(1.0, std::ceil(static_cast<double>(n + 1) * level * slack));
}

Index least_rows(double level) {
  const double about = std::min(level / (1 - level), 1e15);
  auto n = std::max<Index>(1, static_cast<Index>(about) - 2);
  while (conformal_rank(n, level) > static_cast<double>(n)) ++n;
  return n;
}

// Ranks that are kept, rising. Counted from the largest, the first 64 and then ever larger steps.
std::vector<double> kept_ranks(Index n) {
  std::vector<double> ranks;
  const auto most = static_cast<std::size_t>(std::min(n, Intervals::kMostQuantiles));
  ranks.reserve(most);
  Index below = 0;  // the largest
  while (below < n - 1) {
    ranks.push_back(static_cast<double>(n - below));
    const Index left = Intervals::kMostQuantiles - static_cast<Index>(ranks.size()) - 1;  // between this and the last
    Index step = 1;
    if (below + 1 >= kExactTail && n - 1 - below > left) {
      const double ratio =
          std::pow(static_cast<double>(n - 1) / static_cast<double>(below), 1 / static_cast<double>(left + 1));
      step = std::max<Index>(1, std::lround(static_cast<double>(below) * (ratio - 1)));
    }
    below = left > 0 ? std::min(below + step, n - 1) : n - 1;
  }
  ranks.push_back(1);
  std::reverse(ranks.begin(), ranks.end());
  return ranks;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median(const Eigen::VectorXd& values) { return median(std::vector<double>(values.begin(), values.end())); }

Eigen::MatrixXd order_statistics(const Eigen::MatrixXd& errors, const std::vector<double>& ranks) {
  Eigen::MatrixXd kept(errors.cols(), static_cast<Index>(ranks.size()));
  for (Index q = 0; q < errors.cols(); ++q) {
    Eigen::VectorXd sorted = errors.col(q);
    std::sort(sorted.begin(), sorted.end());
    for (Index k = 0; k < kept.cols(); ++k)
      kept(q, k) = sorted[static_cast<Index>(ranks[static_cast<std::size_t>(k)]) - 1];
  }
  return kept;
}

// The error of that rank, on a straight line between those that are kept.
double at_rank(double rank, const std::vector<double>& ranks, const Eigen::MatrixXd& values, Index q) {
  const auto above = std::lower_bound(ranks.begin(), ranks.end(), rank);
  const Index k = above - ranks.begin();
  if (*above == rank) return values(q, k);
  const double low = *(above - 1), share = (rank - low) / (*above - low);
  return values(q, k - 1) + share * (values(q, k) - values(q, k - 1));
}

// s from the network's outputs, in place.
void scales_from_logs(Eigen::MatrixXd& logs) {
  const double most = std::log(Intervals::kLargestRatio);
  logs = logs.unaryExpr([most](double v) { return std::exp(std::clamp(v, -most, most)); });  // NaN stays NaN
}

// A network for log s, learnt from some rows; the median of its outputs over all inputs is zero.
Network fit_scale(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& logs, const std::vector<Index>& rows,
                  const IntervalOptions& options) {
  TrainOptions train_options;
  train_options.method = Method::rmpi;
  train_options.max_nodes = kScaleNodes;
  train_options.candidates = kScaleCandidates;
  train_options.scales = {kScaleWeights};
  train_options.ridge = kScaleRidge;
  train_options.intercept = true;
  train_options.seed = options.seed ^ kStream;
  train_options.threads = options.threads;
  const Eigen::MatrixXd X = inputs(rows, Eigen::all), Y = logs(rows, Eigen::all);
  const Network learnt = train(X, Y, train_options).network;
  const Eigen::MatrixXd all = learnt.predict(inputs, options.threads);
  Eigen::RowVectorXd intercept = learnt.intercept();
  for (Index q = 0; q < all.cols(); ++q) intercept[q] -= median(Eigen::VectorXd(all.col(q)));
  return {learnt.weights(), learnt.biases(), learnt.output_weights(), std::move(intercept), learnt.activation()};
}

}  // namespace

std::string_view name(IntervalKind kind) { return kind == IntervalKind::local ? "local" : "constant"; }

std::string_view name(ResidualSource source) {
  switch (source) {
    case ResidualSource::leave_one_out: return "leave_one_out";
    case ResidualSource::validation: return "validation";
    case ResidualSource::out_of_fold: return "out_of_fold";
  }
  return "unknown";
}

std::optional<ResidualSource> residual_source(std::string_view text) {
  for (const auto source : {ResidualSource::leave_one_out, ResidualSource::validation, ResidualSource::out_of_fold})
    if (name(source) == text) return source;
  return {};
}

std::string_view sentence(ResidualSource source) {
  switch (source) {
    case ResidualSource::leave_one_out: return "leave-one-out residuals of the training rows";
    case ResidualSource::validation: return "residuals of the validation rows";
    case ResidualSource::out_of_fold: return "residuals of rows that were held out in turn";
  }
  return "unknown";
}

Intervals::Intervals(Index rows, ResidualSource source, std::vector<double> ranks, Eigen::MatrixXd constant,
                     Eigen::MatrixXd local, Network scale)
    : rows_(rows),
      source_(source),
      ranks_(std::move(ranks)),
      constant_(std::move(constant)),
      local_(std::move(local)),
      scale_(std::move(scale)) {
  const auto refuse = [](const char* what) { throw std::invalid_argument(fmt::format("intervals: {}", what)); };
  const auto K = static_cast<Index>(ranks_.size());
  if (rows_ < 1 || K < 1 || K > kMostQuantiles || ranks_.front() != 1 || ranks_.back() != static_cast<double>(rows_))
    refuse("the ranks are not those of the rows");
  for (std::size_t k = 1; k < ranks_.size(); ++k)
    if (!(ranks_[k] > ranks_[k - 1]) || std::floor(ranks_[k]) != ranks_[k]) refuse("the ranks do not rise");
  if (constant_.rows() < 1 || constant_.cols() != K) refuse("there is not an error for each target and rank");
  if (has_local() && (local_.rows() != constant_.rows() || local_.cols() != K || scale_.outputs() != constant_.rows() ||
                      scale_.inputs() < 1 || scale_.activation() != Activation::sigmoid || scale_.direct().size() > 0))
    refuse("the local errors do not fit the others");
  for (const Eigen::MatrixXd* errors : {&constant_, &local_})
    for (Index q = 0; q < errors->rows(); ++q)
      for (Index k = 0; k < K; ++k)
        if (!((*errors)(q, k) >= (k == 0 ? 0 : (*errors)(q, k - 1))) || !std::isfinite((*errors)(q, k)))
          refuse("the errors do not rise from zero");
}

Intervals Intervals::calibrate(const Eigen::MatrixXd& residuals, const Eigen::MatrixXd& inputs,
                               const IntervalOptions& options) {
  const Index n = residuals.rows(), m = residuals.cols();
  if (n < 1 || m < 1) throw std::invalid_argument("intervals cannot be calibrated without residuals");
  if (inputs.rows() != n)
    throw std::invalid_argument(
        fmt::format("{} rows of residuals and {} of inputs: expected as many", n, inputs.rows()));
  if (!residuals.allFinite() || !inputs.allFinite())
    throw std::invalid_argument("intervals cannot be calibrated with residuals or inputs that are not finite");

  const Eigen::MatrixXd errors = residuals.cwiseAbs();
  std::vector<double> ranks = kept_ranks(n);
  Eigen::MatrixXd constant = order_statistics(errors, ranks);
  Eigen::RowVectorXd middle(m);
  for (Index q = 0; q < m; ++q) middle[q] = median(Eigen::VectorXd(errors.col(q)));
  // Half the errors zero, or so small that their logarithms mean nothing: there is no scale to learn.
  const bool has_scale = (middle.array() >= std::numeric_limits<double>::min()).all();
  if (n < kLeastLocalRows || inputs.cols() < 1 || !has_scale)
    return {n, options.source, std::move(ranks), std::move(constant), {}, {}};

  // One is added because the logarithms of small errors say little of how large errors are there.
  Eigen::MatrixXd logs(n, m);
  for (Index q = 0; q < m; ++q)
    for (Index i = 0; i < n; ++i) logs(i, q) = std::log1p(errors(i, q) / middle[q]);
  // Each half of the rows is measured by a scale that the other half taught; the scale that is kept learns from all.
  Eigen::MatrixXd measured(n, m);
  for (const Index half : {0, 1}) {
    const Parts parts = deal_fold(n, half, 2, options.seed ^ kStream);
    const Eigen::MatrixXd X = inputs(parts.part, Eigen::all);
    Eigen::MatrixXd s = fit_scale(inputs, logs, parts.others, options).predict(X, options.threads);
    scales_from_logs(s);
    for (Index i = 0; i < s.rows(); ++i) {
      const Index row = parts.part[static_cast<std::size_t>(i)];
      for (Index q = 0; q < m; ++q) measured(row, q) = errors(row, q) / s(i, q);
    }
  }
  if (!measured.allFinite()) return {n, options.source, std::move(ranks), std::move(constant), {}, {}};
  Eigen::MatrixXd local = order_statistics(measured, ranks);
  std::vector<Index> all(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  return {n,
          options.source,
          std::move(ranks),
          std::move(constant),
          std::move(local),
          fit_scale(inputs, logs, all, options)};
}

void Intervals::check(double level, IntervalKind kind) const {
  if (!(level > 0 && level < 1)) throw std::invalid_argument(fmt::format("level {}: expected 0 < level < 1", level));
  if (kind == IntervalKind::local && !has_local())
    throw std::invalid_argument(
        fmt::format("local intervals need at least {} calibration rows, and errors that are not zero; the model has {} "
                    "rows: ask for "
                    "the constant kind",
                    kLeastLocalRows, rows_));
  if (conformal_rank(rows_, level) > static_cast<double>(rows_))
    throw std::invalid_argument(fmt::format("level {} needs at least {} rows; the model has {} calibration row{}",
                                            level, least_rows(level), rows_, rows_ == 1 ? "" : "s"));
}

Eigen::MatrixXd Intervals::half_width(MatrixView inputs, double level, IntervalKind kind, std::int64_t threads) const {
  check(level, kind);
  const double rank = conformal_rank(rows_, level);
  const bool is_local = kind == IntervalKind::local;
  Eigen::MatrixXd width(inputs.rows(), outputs());
  if (is_local) {
    width = scale_.predict(inputs, threads);
    scales_from_logs(width);
  } else {
    width.setOnes();
  }
  for (Index q = 0; q < outputs(); ++q) width.col(q) *= at_rank(rank, ranks_, is_local ? local_ : constant_, q);
  return width;
}

}  // namespace sconet
