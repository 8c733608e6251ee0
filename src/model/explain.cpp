// Permutation importance and partial dependence. Rows are encoded once; a column is changed by changing its inputs.

#include "model/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/thread_pool.hpp"
#include "data/row_choice.hpp"
#include "kernels/philox.hpp"
#include "sconet/errors.hpp"
#include "sconet/model.hpp"

namespace sconet {
namespace {

constexpr Index kEffectRows = 500;
constexpr std::size_t kKeptEffects = 16;
constexpr double kQuickWork = 5e10;  // multiplications, about a second
constexpr double kFewRows = 100;

void check(const ExplainOptions& options) {
  const auto refuse = [](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
      throw std::invalid_argument(fmt::format("{0} = {1}: expected {2} <= {0} <= {3}", name, value, least, most));
  };
  refuse("repeats", options.repeats, 1, 10'000);
  refuse("threads", options.threads, 0, 4096);
  refuse("max_rows", options.max_rows, 1, std::int64_t{1} << 40);
  refuse("points", options.points, 2, 10'000);
}

// `most` of n rows, drawn by seed, in rising order.
std::vector<Index> sample(Index n, Index most, std::uint64_t seed) {
  std::vector<Index> rows = shuffled_rows(n, seed);
  if (n > most) rows.resize(static_cast<std::size_t>(most));
  std::sort(rows.begin(), rows.end());
  return rows;
}

// A shuffle of n rows that depends on nothing but its key. (Candidates' counters have a number of nodes in the last
// word.)
std::vector<Index> shuffle(Index n, std::uint64_t seed, Index column, Index repeat) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const std::array key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (Index i = n - 1; i > 0; --i) {
    const auto u = philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(column),
                               static_cast<std::uint32_t>(repeat), 0x80000000U},
                              key);
    const std::uint64_t bits = std::uint64_t{u[1]} << 32 | u[0];
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(bits % static_cast<std::uint64_t>(i + 1))]);
  }
  return order;
}

double rmse(const Eigen::MatrixXd& Y, const Eigen::MatrixXd& P) {
  double squares = 0;
  for (Index q = 0; q < Y.cols(); ++q)
    for (Index i = 0; i < Y.rows(); ++i) squares += (Y(i, q) - P(i, q)) * (Y(i, q) - P(i, q));
  return std::sqrt(squares / static_cast<double>(Y.rows()));
}

// A column of the model that has inputs, and where they are.
struct Block {
  Index column = 0;  // of the encoder
  Index first = 0, inputs = 0;
};

std::vector<Block> blocks(const Encoder& encoder) {
  std::vector<Block> list;
  list.reserve(encoder.columns().size());
  Index first = 0;
  for (std::size_t c = 0; c < encoder.columns().size(); ++c) {
    const Index inputs = encoder.columns()[c].inputs();
    if (inputs > 0) list.push_back({static_cast<Index>(c), first, inputs});
    first += inputs;
  }
  return list;
}

// Values of an effect and, for each, the inputs of the column.
struct Grid {
  Effect effect;
  Eigen::MatrixXd inputs;  // values x inputs of the column
};

// Evenly spaced ranks of the cells that are there: each is a cell of some row, whose inputs are taken with it.
Grid number_grid(const Block& block, const std::vector<double>& numbers, std::span<const Index> rows,
                 const Eigen::MatrixXd& X, Index points) {
  std::vector<Index> order;  // rows of X
  order.reserve(rows.size());
  const auto cell = [&](Index i) { return numbers[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])]; };
  for (Index i = 0; i < X.rows(); ++i)
    if (!std::isnan(cell(i))) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return cell(a) < cell(b); });
  const auto n = static_cast<Index>(order.size());
  std::vector<Index> chosen;
  chosen.reserve(static_cast<std::size_t>(points));
  for (Index k = 0; n > 0 && k < points; ++k) {
    const Index i = order[static_cast<std::size_t>((k * (n - 1) + (points - 1) / 2) / (points - 1))];
    if (chosen.empty() || cell(i) > cell(chosen.back())) chosen.push_back(i);
  }
  Grid grid;
  grid.inputs.resize(static_cast<Index>(chosen.size()), block.inputs);
  grid.effect.at.reserve(chosen.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    grid.effect.at.push_back(cell(chosen[k]));
    grid.inputs.row(static_cast<Index>(k)) = X.row(chosen[k]).segment(block.first, block.inputs);
  }
  return grid;
}

// The levels that occur in most rows, in the order of the model.
Grid text_grid(const Block& block, const InputColumn& column, const Eigen::MatrixXd& X, Index points) {
  const auto count = static_cast<Index>(column.levels.size());
  std::vector<Index> levels(static_cast<std::size_t>(count));
  std::iota(levels.begin(), levels.end(), Index{0});
  const auto rows_of = [&](Index level) { return (X.col(block.first + level).array() == 1).count(); };
  std::stable_sort(levels.begin(), levels.end(), [&](Index a, Index b) { return rows_of(a) > rows_of(b); });
  levels.resize(static_cast<std::size_t>(std::min(points, count)));
  std::sort(levels.begin(), levels.end());
  Grid grid;
  grid.inputs = Eigen::MatrixXd::Zero(static_cast<Index>(levels.size()), block.inputs);
  grid.effect.levels.reserve(levels.size());
  for (std::size_t k = 0; k < levels.size(); ++k) {
    grid.effect.levels.push_back(column.levels[static_cast<std::size_t>(levels[k])]);
    grid.inputs(static_cast<Index>(k), levels[k]) = 1;
  }
  return grid;
}

std::vector<Grid> grids(const Encoder& encoder, const Table& table, std::span<const Index> rows,
                        const Eigen::MatrixXd& X, const std::vector<Block>& used, Index points) {
  std::vector<Grid> list;
  list.reserve(used.size());
  for (const Block& block : used) {
    const InputColumn& column = encoder.columns()[static_cast<std::size_t>(block.column)];
    if (column.type == ColumnType::text) {
      list.push_back(text_grid(block, column, X, points));
    } else {
      const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                      [&](const Column& c) { return c.name == column.name; });
      list.push_back(number_grid(block, found->numbers, rows, X, points));
    }
    list.back().effect.column = column.name;
    list.back().effect.mean.resize(list.back().inputs.rows(), encoder.outputs());
  }
  return list;
}

}  // namespace

Explanation explain_rows(const Encoder& encoder, const Predictor& predict, const Table& table,
                         std::span<const Index> rows, const ExplainOptions& options, EncodeNotes* notes) {
  check(options);
  std::vector<Index> chosen = sample(static_cast<Index>(rows.size()), options.max_rows, options.seed);
  for (Index& i : chosen) i = rows[static_cast<std::size_t>(i)];
  const Eigen::MatrixXd X = encoder.inputs(table, chosen, notes);
  const Eigen::MatrixXd Y = encoder.scale_targets(encoder.targets(table, chosen));
  const Index n = X.rows();
  const double unit = encoder.outputs() == 1 ? encoder.targets().front().scale : 1.0;
  const std::vector<Block> used = blocks(encoder);

  Explanation result;
  result.rows = n;
  result.rmse = unit * rmse(Y, predict(X));
  result.importance.reserve(encoder.columns().size());
  for (const InputColumn& column : encoder.columns()) result.importance.push_back({column.name, 0, 0});
  std::vector<Grid> effects;
  Eigen::MatrixXd X_effect;
  std::vector<std::pair<std::size_t, Index>> values;  // of all effects: which, and which of its values
  if (options.effects) {
    effects = grids(encoder, table, chosen, X, used, options.points);
    const std::vector<Index> some = sample(n, kEffectRows, options.seed);
    X_effect = X(some, Eigen::all);
    for (std::size_t e = 0; e < effects.size(); ++e)
      for (Index k = 0; k < effects[e].inputs.rows(); ++k) values.emplace_back(e, k);
  }

  // One task for each shuffle and for each value of an effect; all leave the inputs as they found them.
  const auto shuffles = static_cast<Index>(used.size()) * options.repeats;
  const Index tasks = shuffles + static_cast<Index>(values.size());
  ThreadPool pool(std::min<std::int64_t>(options.threads, std::max<Index>(1, tasks)));
  std::vector<Eigen::MatrixXd> whole(static_cast<std::size_t>(pool.size()), X);
  std::vector<Eigen::MatrixXd> part(static_cast<std::size_t>(pool.size()), X_effect);
  std::vector<double> shuffled(static_cast<std::size_t>(shuffles));
  pool.run(tasks, [&](Index task, int worker) {
    if (task < shuffles) {
      const Block& block = used[static_cast<std::size_t>(task / options.repeats)];
      Eigen::MatrixXd& inputs = whole[static_cast<std::size_t>(worker)];
      const std::vector<Index> order = shuffle(n, options.seed, block.column, task % options.repeats);
      for (Index k = block.first; k < block.first + block.inputs; ++k)
        for (Index i = 0; i < n; ++i) inputs(i, k) = X(order[static_cast<std::size_t>(i)], k);
      shuffled[static_cast<std::size_t>(task)] = unit * rmse(Y, predict(inputs));
      inputs.middleCols(block.first, block.inputs) = X.middleCols(block.first, block.inputs);
      return;
    }
    const auto [e, k] = values[static_cast<std::size_t>(task - shuffles)];
    const Block& block = used[e];
    Eigen::MatrixXd& inputs = part[static_cast<std::size_t>(worker)];
    inputs.middleCols(block.first, block.inputs).rowwise() = effects[e].inputs.row(k);
    const Eigen::MatrixXd P = predict(inputs);
    for (Index q = 0; q < P.cols(); ++q) {
      double sum = 0;
      for (Index i = 0; i < P.rows(); ++i) sum += P(i, q);
      const TargetColumn& target = encoder.targets()[static_cast<std::size_t>(q)];
      effects[e].effect.mean(k, q) = target.offset + target.scale * (sum / static_cast<double>(P.rows()));
    }
    inputs.middleCols(block.first, block.inputs) = X_effect.middleCols(block.first, block.inputs);
  });

  const auto repeats = static_cast<double>(options.repeats);
  for (std::size_t u = 0; u < used.size(); ++u) {
    const double* of_column = shuffled.data() + u * static_cast<std::size_t>(options.repeats);
    double sum = 0, squares = 0;
    for (std::int64_t r = 0; r < options.repeats; ++r) sum += of_column[r] - result.rmse;
    Importance& importance = result.importance[static_cast<std::size_t>(used[u].column)];
    importance.mean = sum / repeats;
    for (std::int64_t r = 0; r < options.repeats; ++r) {
      const double away = of_column[r] - result.rmse - importance.mean;
      squares += away * away;
    }
    importance.std = std::sqrt(squares / repeats);
  }
  result.effects.reserve(effects.size());
  for (Grid& grid : effects)
    if (grid.inputs.rows() > 0) result.effects.push_back(std::move(grid.effect));
  return result;
}

std::int64_t rows_to_explain(const Encoder& encoder, double weights, const ExplainOptions& options) {
  const auto columns = static_cast<double>(blocks(encoder).size());
  const double packing = 20 * static_cast<double>(encoder.inputs());  // of the inputs, however few nodes there are
  const double rows = kQuickWork / std::max(1.0, columns * static_cast<double>(options.repeats) * (weights + packing));
  if (rows >= static_cast<double>(options.max_rows)) return options.max_rows;
  return rows < kFewRows ? 0 : static_cast<std::int64_t>(rows);
}

Explanation keep_most_important(Explanation explanation) {
  if (explanation.effects.size() <= kKeptEffects) return explanation;
  const auto importance = [&](const std::string& column) {
    const auto found = std::find_if(explanation.importance.begin(), explanation.importance.end(),
                                    [&](const Importance& i) { return i.column == column; });
    return std::isnan(found->mean) ? 0 : found->mean;
  };
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(explanation.effects.size());
  for (std::size_t e = 0; e < explanation.effects.size(); ++e)
    order.emplace_back(-importance(explanation.effects[e].column), e);
  std::sort(order.begin(), order.end());
  std::vector<bool> kept(explanation.effects.size(), false);
  for (std::size_t e = 0; e < kKeptEffects; ++e) kept[order[e].second] = true;
  std::vector<Effect> effects;
  effects.reserve(kKeptEffects);
  for (std::size_t e = 0; e < kept.size(); ++e)
    if (kept[e]) effects.push_back(std::move(explanation.effects[e]));
  explanation.effects = std::move(effects);
  return explanation;
}

Explanation explain(const Model& model, const Table& table, const ExplainOptions& options, EncodeNotes* notes) {
  check(options);
  const Eigen::MatrixXd Y = model.encoder().targets(table, all_rows(table));
  std::vector<Index> rows;
  rows.reserve(static_cast<std::size_t>(Y.rows()));
  for (Index i = 0; i < Y.rows(); ++i)
    if (!Y.row(i).hasNaN()) rows.push_back(i);
  if (rows.empty())
    throw DataError(
        fmt::format("{}: no row has a target to compare with", table.source.empty() ? "the table" : table.source));
  return explain_rows(
      model.encoder(), [&](MatrixView X) { return model.network().predict(X); }, table, rows, options, notes);
}

}  // namespace sconet
