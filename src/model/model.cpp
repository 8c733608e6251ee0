#include "sconet/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/thread_pool.hpp"
#include "data/binding.hpp"
#include "data/row_choice.hpp"
#include "model/checkpoint.hpp"
#include "model/explain.hpp"
#include "sconet/errors.hpp"
#include "sconet/train.hpp"
#include "sconet/version.hpp"

namespace sconet {
namespace {

constexpr Index kChunk = 2048;     // rows encoded and predicted at a time
constexpr Index kKeptPoints = 12;  // of each effect in a model's summary

std::string megabytes(std::uint64_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{} bytes", bytes) : fmt::format("{} MB", (bytes + 999'999) / 1'000'000);
}

void check_memory(Index rows, Index valid_rows, const Encoder& encoder, const TrainOptions& options,
                  std::uint64_t limit) {
  const std::uint64_t estimate = fit_memory(rows, encoder.inputs(), encoder.outputs(), valid_rows, options);
  if (limit == 0 || estimate <= limit) return;
  // What would fit: memory is linear in the nodes.
  TrainOptions none = options;
  none.max_nodes = 0;
  const std::uint64_t base = fit_memory(rows, encoder.inputs(), encoder.outputs(), valid_rows, none);
  std::string advice, nodes_allowed;
  if (options.method == Method::automatic) {
    TrainOptions quick = options;
    quick.effort = Effort::quick;
    if (fit_memory(rows, encoder.inputs(), encoder.outputs(), valid_rows, quick) <= limit)
      advice = "let auto try less (--effort quick), ";
  } else {
    nodes_allowed = fmt::format(" and up to {} nodes", options.max_nodes);
  }
  if (base < limit && options.max_nodes > 0) {
    const double share = static_cast<double>(limit - base) / static_cast<double>(estimate - base);
    const auto nodes = static_cast<std::int64_t>(share * static_cast<double>(options.max_nodes)) / 8 * 8;
    if (nodes > 0) advice = fmt::format("allow fewer nodes (--max-nodes {}), ", nodes);
  }
  throw MemoryLimitError(fmt::format(
      "training {} rows with {} inputs{} would take about {}, and the limit is {}: {}train on fewer rows, or raise the "
      "limit (--memory-limit)",
      rows, encoder.inputs(), nodes_allowed, megabytes(estimate), megabytes(limit), advice));
}

// That the model can be saved is better known before it is trained.
void check_description(const Encoder& encoder, const FitOptions& options) {
  const Network empty(Eigen::MatrixXd(encoder.inputs(), 0), Eigen::VectorXd(0), Eigen::MatrixXd(0, encoder.outputs()),
                      Eigen::RowVectorXd::Zero(encoder.outputs()), options.train.activation);
  ModelSummary summary;
  summary.train_rmse = {0};
  try {
    Model(encoder, empty, options.train, options.valid_fraction, summary).to_bytes();
  } catch (const std::invalid_argument& error) {
    throw DataError(
        fmt::format("the model could not be saved, because of the names of columns and categories: {}", error.what()));
  }
}

// What the summary tells of the columns, from a sample of the training rows.
std::optional<Explanation> explanation(const Encoder& encoder, const Network& network, const Table& table,
                                       std::span<const Index> rows, const TrainOptions& train,
                                       std::vector<std::string>& warnings) {
  ExplainOptions options;
  options.seed = train.seed;
  options.threads = train.threads;
  options.points = kKeptPoints;
  const auto weights = static_cast<double>(network.nodes()) * static_cast<double>(network.inputs() + 10);
  options.max_rows = rows_to_explain(encoder, weights, options);
  if (options.max_rows == 0) {
    warnings.push_back(
        fmt::format("the importance of {} columns was not measured, which would take long: sconet explain does",
                    encoder.columns().size()));
    return std::nullopt;
  }
  const auto predict = [&](MatrixView X) { return network.predict(X); };
  return keep_most_important(explain_rows(encoder, predict, table, rows, options));
}

// By how much leave-one-out residuals are too small because the nodes were chosen with the row: a node that is the best
// of T fits noise that T - 1 others do not, and costs more than the one degree of freedom that leverages count. How
// much more was measured, for RMPI-SCN alone (docs/method.md).
double selection_factor(const TrainOptions& options, double mean_leverage) {
  constexpr double cost = 0.55;  // degrees of freedom of a choice, by the logarithm of T
  return options.method == Method::rmpi
             ? std::pow(1 - mean_leverage, -cost * std::log(static_cast<double>(options.candidates)))
             : 1;
}

// The residuals each row would have had without it, the nodes being the same. A row that alone decides what is
// predicted for it has none; it counts as the largest of the others. Nothing when that is more than a tenth of the
// rows.
std::optional<Eigen::MatrixXd> leave_one_out(Eigen::MatrixXd residuals, const Eigen::VectorXd& leverages) {
  constexpr double least = 1e-10;  // of 1 - leverage, which is rounding error below
  std::vector<Index> alone;
  Eigen::RowVectorXd largest = Eigen::RowVectorXd::Zero(residuals.cols());
  for (Index i = 0; i < residuals.rows(); ++i) {
    const double rest = 1 - leverages[i];
    if (!(rest > least)) {
      alone.push_back(i);
      continue;
    }
    residuals.row(i) /= rest;
    largest = largest.cwiseMax(residuals.row(i).cwiseAbs());
  }
  if (10 * static_cast<Index>(alone.size()) > residuals.rows()) return {};
  for (const Index i : alone) residuals.row(i) = largest;
  return residuals;
}

// Places of rows, each as often as its weight says if weights are whole numbers; else once.
std::vector<Index> by_weight(Index rows, const std::vector<double>& weights) {
  constexpr double most = 1e7;  // rows in all
  double sum = 0;
  for (const double w : weights) sum += w == std::floor(w) ? w : 2 * most;
  std::vector<Index> places;
  for (Index i = 0; i < rows; ++i) {
    const Index times = weights.empty() || sum > most ? 1 : static_cast<Index>(weights[static_cast<std::size_t>(i)]);
    places.insert(places.end(), static_cast<std::size_t>(times), i);
  }
  return places;
}

// Intervals from the residuals, or why there are none.
void calibrate(Model& model, const std::optional<Eigen::MatrixXd>& residuals, const Eigen::MatrixXd& inputs,
               const IntervalOptions& options) {
  if (!residuals)
    model.set_no_intervals(
        "there are so many nodes that rows predict themselves; train with fewer nodes or with validation rows "
        "(--valid-fraction 0.2)");
  else if (!residuals->allFinite())
    model.set_no_intervals("some predictions are not finite");
  else
    model.set_intervals(Intervals::calibrate(*residuals, inputs, options));
}

// Intervals from the residuals of networks that had not seen the row, in the unit of the scaled targets.
void calibrate_held_out(Model& model, const Eigen::MatrixXd& held_out, const Eigen::MatrixXd& X,
                        const std::vector<Index>& places, const IntervalOptions& options) {
  std::vector<Index> rows;
  for (const Index i : places)
    if (!held_out.row(i).hasNaN()) rows.push_back(i);
  if (rows.empty()) {
    model.set_no_intervals("no row was held out: there are too few, or training was stopped early");
    return;
  }
  Eigen::MatrixXd residuals = held_out(rows, Eigen::all);
  for (Index q = 0; q < residuals.cols(); ++q)
    residuals.col(q) *= model.encoder().targets()[static_cast<std::size_t>(q)].scale;
  calibrate(model, residuals, X(rows, Eigen::all), options);
}

void remember_trials(std::vector<Trial> trials, ModelSummary& summary) {
  constexpr Index kRemembered = 5;  // of a round
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
    if (a.round != b.round || std::isnan(a.rmse)) return a.round < b.round;
    return a.rmse < b.rmse || std::isnan(b.rmse);  // those not tried last
  });
  for (Trial& trial : trials) {
    summary.tried.resize(static_cast<std::size_t>(trial.round) + 1);
    if (!std::isfinite(trial.rmse) && !trial.chosen) continue;  // not tried, because time was up
    if (++summary.tried.back() <= kRemembered) summary.trials.push_back(std::move(trial));
  }
}

// The rows of the table as one of the encoders sees them.
struct Encoded {
  Encoder encoder;
  Eigen::MatrixXd X, X_valid;
};

// One encoder, or those among which `auto` chooses.
std::vector<Encoded> fit_encoders(const Table& table, const FitOptions& options, const DistinctRows& teaching,
                                  std::vector<std::string>& warnings) {
  constexpr Index kMostInputs = 1000;  // of a table that is encoded in more than one way
  EncoderOptions encoder = options.encoder;
  const bool automatic = options.train.method == Method::automatic;
  const bool choice = automatic && encoder.scaling == Scaling::automatic;
  if (automatic) encoder.clip = true;
  if (encoder.scaling == Scaling::automatic) encoder.scaling = automatic ? Scaling::standard : Scaling::unit;
  std::vector<Encoded> encodings;
  const auto fit = [&](std::vector<std::string>& said) {
    return Encoder::fit(table, options.columns, encoder, teaching.rows, said, teaching.weights);
  };
  encodings.push_back({fit(warnings), {}, {}});
  const Index inputs = encodings.front().encoder.inputs();
  if (!choice || inputs < 2 || inputs > kMostInputs) return encodings;
  for (const Scaling scaling : {Scaling::both, Scaling::quantile}) {
    encoder.scaling = scaling;
    std::vector<std::string> same;
    encodings.push_back({fit(same), {}, {}});
  }
  return encodings;
}

// Writes checkpoints while a run grows, and finds where an earlier one stopped.
class Checkpoints {
 public:
  Checkpoints(const FitExtras& extras, std::map<std::string, std::string> settings)
      : extras_(extras), checkpoint_{std::move(settings), {}} {}

  std::vector<NodeRecord> earlier() {
    if (!extras_.resume || !std::filesystem::exists(extras_.checkpoint)) return {};
    Checkpoint saved = load_checkpoint(extras_.checkpoint);
    for (const auto& [name, text] : checkpoint_.settings) {
      const auto then = saved.settings.find(name);
      if (then == saved.settings.end() || then->second != text)
        throw std::invalid_argument(fmt::format("{} cannot be resumed: {} was {} then and is {} now",
                                                extras_.checkpoint, name,
                                                then == saved.settings.end() ? "not known" : then->second, text));
    }
    resumed_ = whole_steps_ = saved.history.size();
    return std::move(saved.history);
  }

  void on_step(const std::vector<NodeRecord>& history) {
    whole_steps_ = history.size();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - last_;
    if (passed.count() >= extras_.checkpoint_every) save(history);
  }

  // A checkpoint that cannot be written is no reason to lose the run: it is tried again later, and told at the end. One
  // with more nodes than this run has, because its limits were wider, is left as it is.
  void save(const std::vector<NodeRecord>& history) {
    const std::size_t whole = std::min(whole_steps_, history.size());
    if (resumed_ > 0 && whole <= resumed_) return;
    checkpoint_.history.assign(history.begin(), history.begin() + static_cast<std::ptrdiff_t>(whole));
    last_ = std::chrono::steady_clock::now();
    try {
      save_checkpoint(extras_.checkpoint, checkpoint_);
      error_.clear();
    } catch (const IoError& error) {
      error_ = error.what();
    }
  }

  const std::string& error() const { return error_; }  // of the last attempt, or empty

 private:
  const FitExtras& extras_;
  Checkpoint checkpoint_;
  std::size_t whole_steps_ = 0;  // nodes of the history that a run can go on from
  std::size_t resumed_ = 0;      // nodes of the checkpoint it went on from
  std::string error_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

std::uint64_t fit_memory(Index rows, Index inputs, Index outputs, Index valid_rows, const TrainOptions& options) {
  const auto encoded = static_cast<std::uint64_t>((rows + valid_rows) * (inputs + 3 * outputs)) * sizeof(double);
  return encoded + training_memory(rows, inputs, outputs, valid_rows, options);
}

Model::Model(Encoder encoder, Network network, TrainOptions options, double valid_fraction, ModelSummary summary)
    : encoder_(std::move(encoder)),
      network_(std::move(network)),
      options_(std::move(options)),
      valid_fraction_(valid_fraction),
      summary_(std::move(summary)) {
  if (network_.inputs() != encoder_.inputs() || network_.outputs() != encoder_.outputs())
    throw std::invalid_argument(
        fmt::format("model: the encoder makes {} inputs and {} outputs, the network has {} and {}", encoder_.inputs(),
                    encoder_.outputs(), network_.inputs(), network_.outputs()));
}

void Model::set_intervals(Intervals intervals) {
  const bool inputs_fit = !intervals.has_local() || intervals.scale().inputs() == network_.inputs();
  if (intervals.outputs() != network_.outputs() || !inputs_fit)
    throw std::invalid_argument(
        fmt::format("intervals for {} targets do not fit a network with {} inputs and {} outputs", intervals.outputs(),
                    network_.inputs(), network_.outputs()));
  intervals_ = std::move(intervals);
  no_intervals_.clear();
}

void Model::set_no_intervals(std::string why) {
  intervals_.reset();
  no_intervals_ = std::move(why);
}

Fitted Model::fit(const Table& table, const FitOptions& given, const FitExtras& extras) {
  FitOptions options = given;
  options.train = with_node_limit(given.train);
  validate(options.train);
  validate(options.encoder);
  if (!(options.valid_fraction >= 0 && options.valid_fraction < 1))
    throw std::invalid_argument(
        fmt::format("valid_fraction = {}: expected 0 <= valid_fraction < 1", options.valid_fraction));
  if ((options.valid_fraction > 0) + (extras.valid != nullptr) + !extras.valid_rows.empty() > 1)
    throw std::invalid_argument(
        "validation rows come from one place: a table of their own, a share of the rows, or rows that are named");
  if (extras.resume && extras.checkpoint.empty()) throw std::invalid_argument("to resume a run, name its checkpoint");

  if (!extras.checkpoint.empty()) {
    if (options.train.method == Method::mlp)
      throw std::invalid_argument("the MLP cannot be resumed: train it without a checkpoint");
    if (options.train.method == Method::automatic)
      throw std::invalid_argument(
          "the method auto cannot be resumed: train it without a checkpoint, or name a method (rmpi, say)");
    if (options.train.ensemble > 1)
      throw std::invalid_argument("an ensemble cannot be resumed: train it without a checkpoint");
  }

  Fitted fitted;
  fitted.warnings = table.warnings;
  // Which rows teach and which judge.
  const std::vector<Index> usable = extras.rows ? *extras.rows : rows_with_targets(table, options.columns);
  const Index without = extras.rows ? 0 : table.rows - static_cast<Index>(usable.size());
  if (without > 0)
    fitted.warnings.push_back(fmt::format("{} row{} without a target left out", without, without == 1 ? "" : "s"));
  if (without > 0 && usable.empty())
    throw DataError(fmt::format("{}: no row has a value for the target", table.source));
  DistinctRows teaching = distinct_rows(table, options.columns, usable, extras.weights);
  std::vector<Index> valid_rows = extras.valid_rows;
  const Table& valid_table = extras.valid ? *extras.valid : table;
  if (options.valid_fraction > 0) {
    const auto rows = static_cast<Index>(teaching.rows.size());
    const Parts parts = deal_share(rows, options.valid_fraction, options.train.seed);
    valid_rows = pick_rows(teaching.rows, parts.part);
    teaching = pick_rows(teaching, parts.others);
    if (valid_rows.empty() || teaching.rows.empty())
      throw DataError(fmt::format("{}: {} rows are too few to keep {} of them for validation", table.source, rows,
                                  options.valid_fraction));
  }
  const std::vector<Index>& train_rows = teaching.rows;
  const Eigen::Map<const Eigen::VectorXd> weights(teaching.weights.data(), static_cast<Index>(teaching.weights.size()));

  std::vector<Encoded> encodings = fit_encoders(table, options, teaching, fitted.warnings);
  const Encoder& first = encodings.front().encoder;  // all have the same targets, and none has fewer columns
  if (extras.valid) {
    ColumnChoice by_name;
    for (const TargetColumn& target : first.targets()) by_name.targets.push_back(target.name);
    valid_rows = rows_with_targets(valid_table, by_name);
    if (valid_rows.empty()) throw DataError(fmt::format("{}: no validation row has a target", valid_table.source));
  }
  check_description(first, options);
  for (const Encoded& encoding : encodings)
    check_memory(static_cast<Index>(train_rows.size()), static_cast<Index>(valid_rows.size()), encoding.encoder,
                 options.train, extras.memory_limit);

  const auto sentences = [&](const EncodeNotes& notes, std::string_view rows) {
    for (const auto& sentence : notes.sentences()) fitted.warnings.push_back(fmt::format("{}: {}", rows, sentence));
  };
  EncodeNotes train_notes, valid_notes;
  for (Encoded& encoding : encodings) {
    EncodeNotes* const notes = &encoding == &encodings.front() ? &train_notes : nullptr;
    encoding.X = encoding.encoder.inputs(table, train_rows, notes);
    if (!valid_rows.empty())
      encoding.X_valid = encoding.encoder.inputs(valid_table, valid_rows, notes ? &valid_notes : nullptr);
  }
  const Eigen::MatrixXd Y = first.scale_targets(first.targets(table, train_rows));
  sentences(train_notes, "training rows");
  Eigen::MatrixXd Y_valid;
  if (!valid_rows.empty()) {
    Y_valid = first.scale_targets(first.targets(valid_table, valid_rows));
    sentences(valid_notes, "validation rows");
  }

  const double unit = first.outputs() == 1 ? first.targets().front().scale : 1.0;  // of the errors reported
  const auto in_unit = [&](NodeRecord node) {
    node.train_rmse *= unit;
    node.valid_rmse *= unit;
    return node;
  };
  TrainOptions train_options = options.train;
  train_options.tolerance /= unit;
  Checkpoints checkpoints(
      extras, run_settings(options.train, first.options(), options.valid_fraction, Y.rows(), Y_valid.rows()));
  TrainExtras train_extras;
  if (!teaching.weights.empty()) train_extras.weights = weights;
  train_extras.keep_stages = extras.keep_stages;
  train_extras.X_valid = encodings.front().X_valid;
  for (std::size_t e = 1; e < encodings.size(); ++e) {
    train_extras.encodings.emplace_back(encodings[e].X);
    train_extras.encodings_valid.emplace_back(encodings[e].X_valid);
  }
  train_extras.Y_valid = Y_valid;
  train_extras.stop = extras.stop;
  train_extras.resume = checkpoints.earlier();
  if (extras.on_node) train_extras.on_node = [&](const NodeRecord& node) { extras.on_node(in_unit(node)); };
  const auto shown = [&](Trial trial) {
    trial.rmse *= unit;
    trial.scaling = option_text(encodings[static_cast<std::size_t>(trial.encoding)].encoder.options(), "scaling");
    return trial;
  };
  if (extras.on_trial)
    train_extras.on_trial = [&](const TrialProgress& progress) {
      extras.on_trial({shown(progress.trial), progress.rounds, progress.tried, progress.trials});
    };
  if (!extras.checkpoint.empty())
    train_extras.on_step = [&](const std::vector<NodeRecord>& history) { checkpoints.on_step(history); };

  TrainResult result = train(encodings.front().X, Y, train_options, train_extras);
  const Encoded& chosen = encodings[static_cast<std::size_t>(result.report.encoding)];
  const Encoder& encoder = chosen.encoder;
  const Eigen::MatrixXd &X = chosen.X, &X_valid = chosen.X_valid;
  fitted.report = std::move(result.report);
  if (!extras.checkpoint.empty()) checkpoints.save(fitted.report.history);
  fitted.checkpoint_error = checkpoints.error();
  fitted.report.initial_rmse *= unit;
  fitted.report.initial_valid_rmse *= unit;
  fitted.report.train_rmse *= unit;
  fitted.report.valid_rmse *= unit;
  fitted.report.held_out_rmse *= unit;
  for (NodeRecord& node : fitted.report.history) node = in_unit(node);
  for (Trial& trial : fitted.report.trials) trial = shown(std::move(trial));

  ModelSummary summary;
  summary.version = SCONET_VERSION;
  summary.method = fitted.report.method;
  summary.stop_reason = fitted.report.stop_reason;
  const auto predicted = [&](const Eigen::MatrixXd& inputs) {
    return encoder.unscale_targets(result.network.predict(inputs, options.train.threads));
  };
  const Eigen::MatrixXd targets = encoder.targets(table, train_rows), predictions = predicted(X);
  summary.train = measure(targets, predictions, weights);
  if (!teaching.copies.empty())
    summary.train.rows = std::accumulate(teaching.copies.begin(), teaching.copies.end(), Index{0});
  fitted.report.rows = summary.train.rows;
  Eigen::MatrixXd valid_targets, valid_predictions;
  if (!valid_rows.empty()) {
    valid_targets = encoder.targets(valid_table, valid_rows);
    valid_predictions = predicted(X_valid);
    summary.valid = measure(valid_targets, valid_predictions);
  }
  summary.train_rmse.push_back(fitted.report.initial_rmse);
  if (summary.valid) summary.valid_rmse.push_back(fitted.report.initial_valid_rmse);
  for (const NodeRecord& node : fitted.report.history) {
    summary.train_rmse.push_back(node.train_rmse);
    if (summary.valid) summary.valid_rmse.push_back(node.valid_rmse);
    summary.scales.push_back(node.scale);
  }
  remember_trials(fitted.report.trials, summary);
  summary.held_out_rmse = fitted.report.held_out_rmse;
  summary.members = fitted.report.members;
  if (options.explain)
    summary.explanation = explanation(encoder, result.network, table, train_rows, options.train, fitted.warnings);
  TrainOptions remembered = with_node_limit(options.train);
  remembered.threads = 0;  // the model does not depend on it
  fitted.model =
      Model(encoder, std::move(result.network), std::move(remembered), options.valid_fraction, std::move(summary));
  if (!options.intervals) return fitted;
  const IntervalOptions how{valid_rows.empty() ? ResidualSource::leave_one_out : ResidualSource::validation,
                            options.train.seed, options.train.threads};
  if (!valid_rows.empty())
    calibrate(fitted.model, valid_targets - valid_predictions, X_valid, how);
  else if (fitted.report.held_out.size() > 0)
    calibrate_held_out(fitted.model, fitted.report.held_out, X, by_weight(X.rows(), teaching.weights),
                       {ResidualSource::out_of_fold, how.seed, how.threads});
  else if (fitted.report.leverages.size() > 0) {
    auto residuals =
        leave_one_out((targets - predictions) * selection_factor(options.train, fitted.report.leverages.mean()),
                      fitted.report.leverages);
    const std::vector<Index> places = by_weight(X.rows(), teaching.weights);
    if (residuals) residuals = Eigen::MatrixXd((*residuals)(places, Eigen::all));
    calibrate(fitted.model, residuals, X(places, Eigen::all), how);
  } else
    fitted.model.set_no_intervals(fmt::format(
        "{} has no leave-one-out residuals; train with validation rows (--valid-fraction 0.2)", fitted.report.method));
  return fitted;
}

namespace {

// What is asked for beside predictions.
struct Asked {
  const Intervals& intervals;
  double level;
  IntervalKind kind;
  Eigen::MatrixXd half_width;  // n x m: the answer
};

Eigen::MatrixXd predict_bound(const Model& model, const Binding& binding, std::int64_t threads, EncodeNotes* notes,
                              Asked* asked = nullptr) {
  if (threads < 0 || threads > 4096)
    throw std::invalid_argument(fmt::format("threads = {}: expected 0 <= threads <= 4096", threads));
  const Index n = binding.rows(), chunks = (n + kChunk - 1) / kChunk;
  Eigen::MatrixXd Y(n, model.network().outputs());
  if (asked) asked->half_width.resize(n, Y.cols());
  ThreadPool pool(std::min<std::int64_t>(threads, std::max<Index>(chunks, 1)));
  std::vector<EncodeNotes> found(static_cast<std::size_t>(pool.size()), binding.empty_notes());
  std::vector<Eigen::MatrixXd> X(static_cast<std::size_t>(pool.size()));
  std::atomic<bool> good = true;
  pool.run(chunks, [&](Index chunk, int worker) {
    const Index first = chunk * kChunk, count = std::min(kChunk, n - first);
    Eigen::MatrixXd& inputs = X[static_cast<std::size_t>(worker)];
    inputs.resize(std::min(kChunk, n), model.network().inputs());
    if (!binding.encode(
            count, [&](Index i) { return first + i; }, inputs, found[static_cast<std::size_t>(worker)]))
      good = false;
    Y.middleRows(first, count) = model.encoder().unscale_targets(model.network().predict(inputs.topRows(count)));
    if (asked)
      asked->half_width.middleRows(first, count) =
          asked->intervals.half_width(inputs.topRows(count), asked->level, asked->kind);
  });
  if (!good) {
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    binding.check(rows);
  }
  if (notes)
    for (const EncodeNotes& part : found) notes->add(part);
  return Y;
}

IntervalPrediction interval_bound(const Model& model, const Binding& binding, double level,
                                  std::optional<IntervalKind> kind, std::int64_t threads, EncodeNotes* notes) {
  if (!model.intervals())
    throw std::invalid_argument(fmt::format("the model has no prediction intervals: {}", model.no_intervals()));
  const Intervals& intervals = *model.intervals();
  Asked asked{intervals, level, kind.value_or(intervals.best_kind()), {}};
  intervals.check(level, asked.kind);
  IntervalPrediction p;
  p.mean = predict_bound(model, binding, threads, notes, &asked);
  p.low = p.mean - asked.half_width;
  p.high = p.mean + asked.half_width;
  return p;
}

}  // namespace

IntervalPrediction Model::predict_interval(const Table& table, double level, std::optional<IntervalKind> kind,
                                           std::int64_t threads, EncodeNotes* notes) const {
  return interval_bound(*this, Binding(encoder_, table), level, kind, threads, notes);
}

IntervalPrediction Model::predict_interval(MatrixView X, double level, std::optional<IntervalKind> kind,
                                           std::int64_t threads) const {
  return interval_bound(*this, Binding(encoder_, X), level, kind, threads, nullptr);
}

Eigen::MatrixXd Model::predict(const Table& table, std::int64_t threads, EncodeNotes* notes) const {
  return predict_bound(*this, Binding(encoder_, table), threads, notes);
}

Eigen::MatrixXd Model::predict(MatrixView X, std::int64_t threads) const {
  return predict_bound(*this, Binding(encoder_, X), threads, nullptr);
}

}  // namespace sconet
