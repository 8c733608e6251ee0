#include "sconet/encoder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "data/binding.hpp"
#include "data/text_table.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

constexpr Index kMostNamed = 5;  // columns with numbers outside that are named one by one

std::string quoted(const std::string& text) { return '\'' + text + '\''; }

std::string cell_text(const Column& column, Index row) {
  const auto code = column.codes[static_cast<std::size_t>(row)];
  return code < 0 ? "" : column.levels[static_cast<std::size_t>(code)];
}

bool has_decimal_comma(const std::string& text) {
  Dialect comma;
  comma.decimal = ',';
  double value = 0;
  return text.find(',') != std::string::npos && is_number(text, comma, value);
}

// A column that should hold numbers and does not.
[[noreturn]] void refuse_text(const Table& table, Index c, std::string_view what) {
  const Column& column = table.columns[static_cast<std::size_t>(c)];
  Index row = std::max<Index>(column.first_text_row, 0);
  while (row < table.rows - 1 && column.codes[static_cast<std::size_t>(row)] < 0) ++row;
  const std::string token = cell_text(column, row);
  if (has_decimal_comma(token))
    throw DataError(fmt::format("{}: '{}' in column '{}' looks like a number with a decimal comma: say --decimal ,",
                                table.place(row, c), shown(token), shown(column.name)));
  throw DataError(
      fmt::format("{}: '{}' in column '{}' is not a number, {}; correct it, or say that it means missing "
                  "(--na '{}')",
                  table.place(row, c), shown(token), shown(column.name), what, shown(token)));
}

// The numbers of a column that are not missing, each with its weight; no weights: all have the same.
struct Sample {
  std::vector<double> values, weights;

  void add(double value, std::span<const double> all_weights, std::size_t i) {
    values.push_back(value);
    if (!all_weights.empty()) weights.push_back(all_weights[i]);
  }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

// Mean and standard deviation of numbers of any size.
struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments(const Sample& sample) {
  double largest = 0, heaviest = 0;
  for (std::size_t i = 0; i < sample.values.size(); ++i) {
    largest = std::max(largest, std::abs(sample.values[i]));
    heaviest = std::max(heaviest, sample.weight(i));
  }
  int exponent = 0, weight_exponent = 0;
  std::frexp(largest, &exponent);
  std::frexp(heaviest, &weight_exponent);
  double n = 0, sum = 0, squares = 0;
  const auto weight = [&](std::size_t i) {
    return sample.weights.empty() ? 1.0 : std::ldexp(sample.weights[i], -weight_exponent);
  };
  for (std::size_t i = 0; i < sample.values.size(); ++i) {
    n += weight(i);
    sum += weight(i) * std::ldexp(sample.values[i], -exponent);
  }
  const double mean = sum / n;
  for (std::size_t i = 0; i < sample.values.size(); ++i) {
    const double away = std::ldexp(sample.values[i], -exponent) - mean;
    squares += weight(i) * away * away;
  }
  return {std::ldexp(mean, exponent), std::ldexp(std::sqrt(squares / n), exponent)};
}

// Values by rank, as if each were there as often as its weight says; where weights are no whole numbers their mean
// counts as one.
class Ranked {
 public:
  explicit Ranked(const Sample& sample) : values_(sample.values), count_(static_cast<double>(values_.size())) {
    if (sample.weights.empty()) {
      std::sort(values_.begin(), values_.end());
      return;
    }
    std::vector<std::size_t> order(values_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sample.values[a] < sample.values[b]; });
    const auto whole = [](double w) { return w == std::floor(w); };
    double mean = 0;
    for (const double w : sample.weights) mean += w / count_;
    const double unit = std::all_of(sample.weights.begin(), sample.weights.end(), whole) ? 1 : mean;
    count_ = 0;
    upto_.reserve(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      values_[k] = sample.values[order[k]];
      upto_.push_back(count_ += sample.weights[order[k]] / unit);
    }
  }

  double count() const { return count_; }
  double largest() const { return values_.back(); }

  // Between whole ranks, which run from 0 to count() - 1, on a straight line.
  double at(double rank) const {
    const double below = std::floor(rank);
    return std::lerp(value(below), value(std::min(below + 1, count_ - 1)), rank - below);
  }

 private:
  double value(double rank) const {
    const auto last = values_.size() - 1;
    if (upto_.empty()) return values_[std::min(static_cast<std::size_t>(rank), last)];
    const auto after = std::upper_bound(upto_.begin(), upto_.end(), rank);
    return values_[std::min(static_cast<std::size_t>(after - upto_.begin()), last)];
  }

  std::vector<double> values_, upto_;  // rising; the sum of the weights up to each, unless all are one
  double count_;
};

double median(const Sample& sample) {
  const Ranked ranked(sample);
  return ranked.at(std::max(0.0, (ranked.count() - 1) / 2));
}

// Values at evenly spaced ranks; where several ranks have one value, it lies in their middle.
void set_quantiles(const Sample& sample, std::int64_t wanted, InputColumn& column) {
  const Ranked ranked(sample);
  const auto count =
      static_cast<std::size_t>(std::max(2.0, std::min(std::floor(ranked.count()), static_cast<double>(wanted))));
  std::vector<double> last;  // the largest position of each knot
  for (std::size_t k = 0; k < count; ++k) {
    const double position = static_cast<double>(k) / static_cast<double>(count - 1);
    const double x = k + 1 == count ? ranked.largest() : ranked.at(position * std::max(0.0, ranked.count() - 1));
    if (!column.knots.empty() && x <= column.knots.back()) {
      last.back() = position;
    } else {
      column.knots.push_back(x);
      column.positions.push_back(position);
      last.push_back(position);
    }
  }
  for (std::size_t k = 0; k < last.size(); ++k) column.positions[k] = (column.positions[k] + last[k]) / 2;
}

[[noreturn]] void refuse_missing(const Table& table, Index row, Index c) {
  throw DataError(
      fmt::format("{}: column '{}' has no value here, and missing values are refused (--missing mean or median "
                  "fills them in)",
                  table.place(row, c), table.columns[static_cast<std::size_t>(c)].name));
}

void fit_number(const Table& table, Index c, std::span<const Index> rows, std::span<const double> weights,
                const EncoderOptions& options, InputColumn& column, std::vector<std::string>& warnings) {
  const std::vector<double>& numbers = table.columns[static_cast<std::size_t>(c)].numbers;
  Sample sample;
  const std::vector<double>& values = sample.values;
  sample.values.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index row = rows[i];
    const double x = numbers[static_cast<std::size_t>(row)];
    if (std::isinf(x))
      throw DataError(fmt::format("{}: column '{}' is infinite here: remove the row or fill in a number",
                                  table.place(row, c), column.name));
    if (!std::isnan(x)) sample.add(x, weights, i);
    if (std::isnan(x) && options.missing == Missing::refuse) refuse_missing(table, row, c);
  }
  const bool has_missing = values.size() < rows.size();
  if (values.empty()) {
    column.used = false;
    warnings.push_back(fmt::format("column '{}' has no values and was left out", column.name));
    return;
  }
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  if (!std::isfinite(*largest - *least))
    throw DataError(fmt::format("column '{}' spans {} to {}, more than a number can hold: rescale it", column.name,
                                *least, *largest));
  column.least = *least;
  column.largest = *largest;
  const Moments m = moments(sample);
  if (!(*largest > *least) || !(m.deviation > 0)) {
    column.used = false;
    warnings.push_back(fmt::format("column '{}' is constant ({}{}) and was left out", column.name, values.front(),
                                   has_missing ? " or missing" : ""));
    return;
  }
  column.fill = options.missing == Missing::median ? median(sample) : m.mean;
  column.indicator = options.missing_indicator && has_missing;
  switch (options.scaling) {
    case Scaling::none: break;
    case Scaling::automatic:
    case Scaling::unit:
      column.offset = *least;
      column.scale = *largest - *least;
      break;
    case Scaling::standard:
      column.offset = m.mean;
      column.scale = m.deviation;
      break;
    case Scaling::quantile: set_quantiles(sample, options.quantiles, column); break;
    case Scaling::both:
      column.both = true;
      column.offset = m.mean;
      column.scale = m.deviation;
      set_quantiles(sample, options.quantiles, column);
      for (double& position : column.positions) position = (position - 0.5) * std::sqrt(12.0);
      break;
  }
}

void fit_text(const Table& table, Index c, std::span<const Index> rows, const EncoderOptions& options,
              InputColumn& column, std::vector<std::string>& warnings) {
  const Column& source = table.columns[static_cast<std::size_t>(c)];
  // A few words among many numbers are slips of the pen, not categories.
  Index filled = 0;
  for (const auto code : source.codes) filled += code >= 0;
  // Nor are numbers of another country, unless somebody says so.
  if (source.first_text_row >= 0) {
    std::vector<bool> comma(source.levels.size());
    std::transform(source.levels.begin(), source.levels.end(), comma.begin(), has_decimal_comma);
    Index first = -1, with_comma = 0;
    for (Index row = 0; row < table.rows; ++row) {
      const auto code = source.codes[static_cast<std::size_t>(row)];
      if (code < 0 || !comma[static_cast<std::size_t>(code)]) continue;
      if (first < 0) first = row;
      ++with_comma;
    }
    if (with_comma > 0 && 2 * (source.numeric_cells + with_comma) > filled)
      throw DataError(fmt::format(
          "{}: '{}' in column '{}' looks like a number with a decimal comma: say --decimal , (or, if it is a category, "
          "--text)",
          table.place(first, c), shown(cell_text(source, first)), shown(column.name)));
  }
  if (2 * source.numeric_cells > filled)
    refuse_text(table, c,
                fmt::format("but {} of its {} cells are (if all are meant as categories, say --text)",
                            source.numeric_cells, filled));
  std::vector<bool> seen(source.levels.size(), false);
  for (const Index row : rows) {
    const auto code = source.codes[static_cast<std::size_t>(row)];
    if (code < 0 && options.missing == Missing::refuse) refuse_missing(table, row, c);
    if (code >= 0)
      seen[static_cast<std::size_t>(code)] = true;
    else
      column.missing_level = true;
  }
  for (std::size_t level = 0; level < seen.size(); ++level)
    if (seen[level]) column.levels.push_back(source.levels[level]);
  std::sort(column.levels.begin(), column.levels.end());
  if (static_cast<std::int64_t>(column.levels.size()) > options.max_levels) {
    throw DataError(fmt::format(
        "{}: the text column '{}' has {} distinct values ('{}', ...), more than the {} that are allowed as categories: "
        "ignore it (--ignore), keep it as an identifier (--id) or allow more (--max-levels)",
        table.place(std::max<Index>(source.first_text_row, 0), c), column.name, column.levels.size(),
        shown(column.levels.front()), options.max_levels));
  }
  if (column.inputs() < 2) {
    column.used = false;
    warnings.push_back(column.levels.empty() ? fmt::format("column '{}' has no values and was left out", column.name)
                                             : fmt::format("column '{}' is constant ('{}') and was left out",
                                                           column.name, shown(column.levels.front())));
  }
}

TargetColumn fit_target(const Table& table, Index c, std::span<const Index> rows, std::span<const double> weights,
                        const EncoderOptions& options) {
  const Column& source = table.columns[static_cast<std::size_t>(c)];
  if (source.type == ColumnType::text) refuse_text(table, c, "and a target must be one");
  Sample sample;
  const std::vector<double>& values = sample.values;
  sample.values.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index row = rows[i];
    const double y = source.numbers[static_cast<std::size_t>(row)];
    if (std::isinf(y))
      throw DataError(
          fmt::format("{}: target '{}' is infinite here: remove the row", table.place(row, c), source.name));
    if (!std::isnan(y)) sample.add(y, weights, i);
  }
  TargetColumn target{source.name, 0, 1};
  if (values.empty()) throw DataError(fmt::format("target '{}' has no values in {}", source.name, table.source));
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  if (!std::isfinite(*largest - *least))
    throw DataError(fmt::format("target '{}' spans {} to {}, more than a number can hold: rescale it", source.name,
                                *least, *largest));
  const Moments m = moments(sample);
  if (options.target_scaling == TargetScaling::standard) target = {source.name, m.mean, m.deviation};
  if (options.target_scaling == TargetScaling::unit) target = {source.name, *least, *largest - *least};
  if (!std::isnormal(target.scale)) target.scale = 1;  // constant
  if (options.clip) {
    target.least = *least - (*largest - *least) / 10;
    target.largest = *largest + (*largest - *least) / 10;
  }
  return target;
}

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  shown.reserve(names.size());
  for (const auto& name : names) shown.push_back(quoted(name));
  return fmt::format("{}", fmt::join(shown, ", "));
}

}  // namespace

std::vector<Index> all_rows(const Table& table) {
  std::vector<Index> rows(static_cast<std::size_t>(table.rows));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

Index InputColumn::inputs() const {
  if (!used) return 0;
  if (type == ColumnType::number) return 1 + (both ? 1 : 0) + (indicator ? 1 : 0);
  return static_cast<Index>(levels.size()) + (missing_level ? 1 : 0);
}

void EncodeNotes::add(const EncodeNotes& other) {
  if (columns.empty())
    columns = other.columns;
  else
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].missing += other.columns[i].missing;
      columns[i].unseen += other.columns[i].unseen;
      columns[i].missing_text += other.columns[i].missing_text;
      columns[i].outside += other.columns[i].outside;
      columns[i].cells += other.columns[i].cells;
    }
}

std::vector<std::string> EncodeNotes::sentences() const {
  std::vector<std::string> list;
  const auto cells = [](Index n) { return fmt::format("{} cell{}", n, n == 1 ? "" : "s"); };
  for (const Column& c : columns) {
    if (c.missing > 0)
      list.push_back(fmt::format("column '{}': {} without a value filled in", c.name, cells(c.missing)));
    if (c.missing_text > 0)
      list.push_back(
          fmt::format("column '{}': {} without a value, which training did not see", c.name, cells(c.missing_text)));
    if (c.unseen > 0)
      list.push_back(fmt::format("column '{}': {} with a category that training did not see", c.name, cells(c.unseen)));
  }
  Index named = 0, others = 0;
  for (const Column& c : columns) {
    if (c.outside == 0) continue;
    if (++named > kMostNamed)
      ++others;
    else
      list.push_back(fmt::format(
          "column '{}': {} of {} outside the training rows' range [{:g}, {:g}]; predictions there are {}", c.name,
          c.outside, cells(c.cells), c.least, c.largest, c.held ? "held at its edge" : "extrapolated"));
  }
  if (others > 0)
    list.push_back(
        fmt::format("{} more column{} with cells outside the training rows' range", others, others == 1 ? "" : "s"));
  return list;
}

Encoder::Encoder(std::vector<InputColumn> columns, std::vector<TargetColumn> targets, std::vector<std::string> ids,
                 EncoderOptions options)
    : columns_(std::move(columns)), targets_(std::move(targets)), ids_(std::move(ids)), options_(options) {
  for (const InputColumn& column : columns_) inputs_ += column.inputs();
}

Encoder Encoder::fit(const Table& table, const ColumnChoice& choice, const EncoderOptions& options,
                     std::span<const Index> rows, std::vector<std::string>& warnings, std::span<const double> weights) {
  validate(options);
  enum class Part { input, target, ignored, id };
  constexpr const char* kPart[] = {"an input", "a target", "ignored", "an identifier"};
  std::vector<Part> parts(table.columns.size(), Part::input);
  const auto assign = [&](const std::vector<std::string>& names, Part part) {
    std::vector<Index> found;
    for (const auto& name : names) {
      const Index c = table.column(name);
      Part& now = parts[static_cast<std::size_t>(c)];
      if (now == part) continue;
      if (now != Part::input)
        throw DataError(fmt::format("column '{}' cannot be both {} and {}",
                                    table.columns[static_cast<std::size_t>(c)].name, kPart[static_cast<int>(now)],
                                    kPart[static_cast<int>(part)]));
      now = part;
      found.push_back(c);
    }
    return found;
  };
  if (choice.targets.empty() && table.outputs.empty()) {
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.push_back(column.name);
    if (names.size() > 20) names = {names[0], names[1], names[2], "...", names[names.size() - 2], names.back()};
    throw std::invalid_argument(fmt::format("no target is named: say --target NAME (or its number, or last); {} has {}",
                                            table.source.empty() ? "the table" : table.source, fmt::join(names, ", ")));
  }
  const std::vector<Index> targets = assign(choice.targets.empty() ? table.outputs : choice.targets, Part::target);
  assign(choice.ignore, Part::ignored);
  const std::vector<Index> ids = assign(choice.ids, Part::id);

  // The model finds its columns by name, so a name that it needs must not be that of an ignored column either.
  std::map<std::string_view, std::size_t> names;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto [other, fresh] = names.emplace(table.columns[c].name, c);
    if (!fresh && (parts[c] != Part::ignored || parts[other->second] != Part::ignored))
      throw DataError(fmt::format(
          "columns {0} and {1} of {3} are both named '{2}': rename one, or ignore both by their numbers "
          "(--ignore {0} --ignore {1})",
          other->second + 1, c + 1, shown(table.columns[c].name), table.source.empty() ? "the table" : table.source));
  }

  if (rows.empty()) throw DataError(fmt::format("{}: no rows to learn from", table.source));
  std::vector<TargetColumn> target_columns;
  target_columns.reserve(targets.size());
  for (const Index c : targets) target_columns.push_back(fit_target(table, c, rows, weights, options));
  std::vector<InputColumn> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (parts[c] != Part::input) continue;
    InputColumn& column = columns.emplace_back();
    column.name = table.columns[c].name;
    column.type = table.columns[c].type;
    if (column.type == ColumnType::number)
      fit_number(table, static_cast<Index>(c), rows, weights, options, column, warnings);
    else
      fit_text(table, static_cast<Index>(c), rows, options, column, warnings);
  }
  std::vector<std::string> id_names;
  id_names.reserve(ids.size());
  for (const Index c : ids) id_names.push_back(table.columns[static_cast<std::size_t>(c)].name);
  Encoder encoder(std::move(columns), std::move(target_columns), std::move(id_names), options);
  if (encoder.inputs() == 0)
    throw DataError(fmt::format("{}: no input column is left beside the target{} (constant columns do not count)",
                                table.source, targets.size() == 1 ? "" : "s"));
  return encoder;
}

std::vector<std::string> Encoder::input_names() const {
  std::vector<std::string> names;
  for (const InputColumn& column : columns_) {
    if (!column.used) continue;
    if (column.type == ColumnType::number) {
      names.push_back(column.name);
      if (column.both) names.push_back(column.name + " by rank");
      if (column.indicator) names.push_back(column.name + " is missing");
    }
    for (const auto& level : column.levels) names.push_back(column.name + " = " + level);
    if (column.type == ColumnType::text && column.missing_level) names.push_back(column.name + " is missing");
  }
  return names;
}

TableOptions Encoder::table_options(TableOptions options) const {
  options.known_types.clear();
  for (const InputColumn& column : columns_)
    if (column.used) options.known_types.emplace_back(column.name, column.type);
  for (const std::string& id : ids_) options.known_types.emplace_back(id, ColumnType::text);
  return options;
}

Eigen::MatrixXd Encoder::inputs(const Table& table, std::span<const Index> rows, EncodeNotes* notes) const {
  const Binding binding(*this, table);
  Eigen::MatrixXd X(static_cast<Index>(rows.size()), inputs_);
  EncodeNotes found = binding.empty_notes();
  const bool good = binding.encode(
      X.rows(), [&](Index i) { return rows[static_cast<std::size_t>(i)]; }, X, found);
  if (!good) binding.check(rows);
  if (notes) notes->add(found);
  return X;
}

Eigen::MatrixXd Encoder::targets(const Table& table, std::span<const Index> rows) const {
  Eigen::MatrixXd Y(static_cast<Index>(rows.size()), outputs());
  for (Index q = 0; q < outputs(); ++q) {
    const std::string& name = targets_[static_cast<std::size_t>(q)].name;
    const Index c = table.column(name);
    const Column& column = table.columns[static_cast<std::size_t>(c)];
    if (column.name != name)  // a name like "3" is not the third column here
      throw DataError(fmt::format("{} has no column named '{}', the target of the model",
                                  table.source.empty() ? "the table" : table.source, shown(name)));
    if (column.type == ColumnType::text) refuse_text(table, c, "and a target must be one");
    for (Index i = 0; i < Y.rows(); ++i) {
      const Index row = rows[static_cast<std::size_t>(i)];
      const double y = column.numbers[static_cast<std::size_t>(row)];
      if (std::isinf(y))
        throw DataError(
            fmt::format("{}: target '{}' is infinite here: remove the row", table.place(row, c), column.name));
      Y(i, q) = y;
    }
  }
  return Y;
}

Eigen::MatrixXd Encoder::scale_targets(const Eigen::MatrixXd& Y) const {
  Eigen::MatrixXd scaled(Y.rows(), Y.cols());
  for (Index q = 0; q < Y.cols(); ++q) {
    const TargetColumn& target = targets_[static_cast<std::size_t>(q)];
    for (Index i = 0; i < Y.rows(); ++i) scaled(i, q) = (Y(i, q) - target.offset) / target.scale;
  }
  return scaled;
}

Eigen::MatrixXd Encoder::unscale_targets(const Eigen::MatrixXd& Y) const {
  Eigen::MatrixXd own(Y.rows(), Y.cols());
  for (Index q = 0; q < Y.cols(); ++q) {
    const TargetColumn& target = targets_[static_cast<std::size_t>(q)];
    for (Index i = 0; i < Y.rows(); ++i)  // NaN stays
      own(i, q) = std::clamp(target.offset + target.scale * Y(i, q), target.least, target.largest);
  }
  return own;
}

// --- finding the columns -------------------------------------------------------------------------------------------
Binding::Binding(const Encoder& encoder, const Table& table)
    : table_(&table),
      refuse_missing_(encoder.options().missing == Missing::refuse),
      clip_(encoder.options().clip),
      rows_(table.rows) {
  std::map<std::string_view, Index> by_name;
  std::set<std::string_view> twice;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (!by_name.emplace(table.columns[c].name, static_cast<Index>(c)).second) twice.insert(table.columns[c].name);
  std::vector<std::string> lacking;
  for (const InputColumn& column : encoder.columns())
    if (column.used && !by_name.contains(column.name)) lacking.push_back(column.name);
  if (!lacking.empty())
    throw DataError(fmt::format("{} lacks {} column{} that the model needs: {}",
                                table.source.empty() ? "the table" : table.source, lacking.size(),
                                lacking.size() == 1 ? "" : "s", listed(lacking)));
  for (const InputColumn& column : encoder.columns()) {
    if (!column.used) continue;
    if (twice.contains(column.name))
      throw DataError(fmt::format("{} has several columns named '{}', which the model needs: rename all but one",
                                  table.source.empty() ? "the table" : table.source, column.name));
    const Index c = by_name.at(column.name);
    const Column& found = table.columns[static_cast<std::size_t>(c)];
    Source source;
    source.column = &column;
    source.place = c;
    if (column.type == ColumnType::number) {
      if (found.type == ColumnType::text) refuse_text(table, c, "and the model takes it as one");
      source.numbers = found.numbers.data();
      sources_.push_back(std::move(source));
      continue;
    }
    const auto level = [&](const std::string& text) {
      const auto at = std::lower_bound(column.levels.begin(), column.levels.end(), text);
      return at != column.levels.end() && *at == text ? static_cast<std::int32_t>(at - column.levels.begin()) : -1;
    };
    if (found.type == ColumnType::text) {
      for (const std::string& text : found.levels) source.level_of_code.push_back(level(text));
      source.codes = found.codes.data();
    } else {  // numbers that are meant as text: compared as they are written shortest
      std::map<double, std::int32_t> codes;
      for (const double x : found.numbers) {
        if (std::isnan(x)) {
          source.own_codes.push_back(-1);
          continue;
        }
        const auto [at, fresh] = codes.emplace(x, static_cast<std::int32_t>(codes.size()));
        if (fresh) source.level_of_code.push_back(level(fmt::format("{}", x)));
        source.own_codes.push_back(at->second);
      }
      source.codes = source.own_codes.data();
    }
    sources_.push_back(std::move(source));
  }
}

Binding::Binding(const Encoder& encoder, MatrixView X)
    : refuse_missing_(encoder.options().missing == Missing::refuse), clip_(encoder.options().clip), rows_(X.rows()) {
  const auto& columns = encoder.columns();
  if (X.cols() != static_cast<Index>(columns.size()))
    throw std::invalid_argument(fmt::format("X has {} columns and the model takes {}", X.cols(), columns.size()));
  for (Index c = 0; c < X.cols(); ++c) {
    const InputColumn& column = columns[static_cast<std::size_t>(c)];
    if (!column.used) continue;
    if (column.type == ColumnType::text)
      throw std::invalid_argument(
          fmt::format("column '{}' of the model is text: give a table instead of a matrix", column.name));
    Source source;
    source.column = &column;
    source.place = c;
    source.numbers = X.data() + c * X.col_stride();
    source.stride = X.row_stride();
    sources_.push_back(std::move(source));
  }
}

void Binding::check(std::span<const Index> rows) const {
  for (const Source& source : sources_)
    for (const Index row : rows) {
      const bool infinite = source.numbers && std::isinf(source.numbers[row * source.stride]);
      const bool missing = source.numbers ? std::isnan(source.numbers[row * source.stride]) : source.codes[row] < 0;
      if (!infinite && !(missing && refuse_missing_)) continue;
      const std::string what = infinite ? "is infinite here" : "has no value here, and the model refuses that";
      if (table_)
        throw DataError(fmt::format("{}: column '{}' {}: remove the row or fill in a {}",
                                    table_->place(row, source.place), source.column->name, what,
                                    source.numbers ? "number" : "value"));
      throw std::invalid_argument(fmt::format(
          "X in row {}, column {} (counted from 0) {}: remove the row or fill in a number", row, source.place, what));
    }
}

EncodeNotes Binding::empty_notes() const {
  EncodeNotes notes;
  notes.columns.reserve(sources_.size());
  for (const Source& source : sources_) {
    const InputColumn& column = *source.column;
    EncodeNotes::Column& note = notes.columns.emplace_back();
    note.name = column.name;
    note.least = column.least;
    note.largest = column.largest;
    note.held = clip_ || (!column.knots.empty() && !column.both);
  }
  return notes;
}

}  // namespace sconet
