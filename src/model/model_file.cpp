// A model as a container and back. docs/model-format.md describes the contents; loading checks all of them.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/file.hpp"
#include "model/container.hpp"
#include "sconet/errors.hpp"
#include "sconet/model.hpp"

namespace sconet {
namespace {

using nlohmann::json;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::uint64_t kMostKnots = 1 << 20;  // of a column
constexpr int kDepthLimit = 8;                 // of the description
constexpr std::int64_t kValueLimit = 250'000;  // values in it
constexpr Index kMostSparse = 1 << 25;         // weights, zeros included, of a network that is stored without its zeros
constexpr Index kThreeEntries = 32;            // doubles that the header of three arrays takes
constexpr Index kMostScaleNodes = 1024;        // of the network of local intervals

bool is_used_number(const InputColumn& column) { return column.used && column.type == ColumnType::number; }

// --- writing -------------------------------------------------------------------------------------------------------
Array array(std::vector<std::int64_t> shape, std::vector<double> values) {
  return {std::move(shape), std::move(values)};
}

Array array(const std::vector<double>& values) { return array({static_cast<std::int64_t>(values.size())}, values); }

// Row by row, as the file has it.
Array array(const Eigen::MatrixXd& m) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(m.size()));
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) values.push_back(m(i, j));
  return array({m.rows(), m.cols()}, std::move(values));
}

// The weights of a network: all of them or, when that is shorter, those that are not zero. Zero is told by its bits, so
// that -0 comes back.
void write_weights(const Eigen::MatrixXd& W, Container& container) {
  const auto is_zero = [](double w) { return std::bit_cast<std::uint64_t>(w) == 0; };
  const Index zeros = std::count_if(W.data(), W.data() + W.size(), is_zero);
  if (W.cols() + 2 * (W.size() - zeros) + kThreeEntries >= W.size() || W.size() > kMostSparse) {
    container.arrays["network.weights"] = array(W.transpose());
    return;
  }
  std::vector<double> counts, inputs, values;
  counts.reserve(static_cast<std::size_t>(W.cols()));
  inputs.reserve(static_cast<std::size_t>(W.size() - zeros));
  values.reserve(static_cast<std::size_t>(W.size() - zeros));
  for (Index j = 0; j < W.cols(); ++j) {
    const std::size_t before = values.size();
    for (Index k = 0; k < W.rows(); ++k) {
      if (is_zero(W(k, j))) continue;
      inputs.push_back(static_cast<double>(k));
      values.push_back(W(k, j));
    }
    counts.push_back(static_cast<double>(values.size() - before));
  }
  container.arrays["network.sparse_counts"] = array(counts);
  container.arrays["network.sparse_inputs"] = array(inputs);
  container.arrays["network.sparse_values"] = array(values);
  container.version = 2;
}

json to_json(const Metrics& m) {
  return {{"rows", m.rows}, {"rmse", m.rmse}, {"mae", m.mae}, {"r", m.r}, {"r2", m.r2}};
}

template <class Options>
json to_json(const Options& options, const std::vector<OptionInfo>& list) {
  json texts = json::object();
  for (const OptionInfo& option : list) texts[option.name] = option_text(options, option.name);
  return texts;
}

json describe(const Encoder& encoder) {
  json columns = json::array(), targets = json::array();
  for (const InputColumn& c : encoder.columns()) {
    json column = {{"name", c.name}, {"type", c.type == ColumnType::number ? "number" : "text"}, {"used", c.used}};
    if (c.used && c.type == ColumnType::number) {
      column["indicator"] = c.indicator;
      if (!c.knots.empty()) column["knots"] = c.knots.size();
      if (c.both) column["both"] = true;
    }
    if (c.used && c.type == ColumnType::text) {
      column["levels"] = c.levels;
      column["missing_level"] = c.missing_level;
    }
    columns.push_back(std::move(column));
  }
  for (const TargetColumn& t : encoder.targets()) targets.push_back({{"name", t.name}});
  return {{"options", to_json(encoder.options(), describe_encoder_options())},
          {"columns", std::move(columns)},
          {"targets", std::move(targets)},
          {"ids", encoder.ids()}};
}

// Columns and levels by their places in the encoder, so that all of it is numbers.
void write_explanation(const Explanation& explanation, const Encoder& encoder, std::map<std::string, Array>& arrays) {
  const auto& columns = encoder.columns();
  const auto refuse = [] {
    throw std::invalid_argument("the model cannot be saved: its explanation is of other columns");
  };
  std::vector<double> importance, which, at, mean;
  importance.reserve(2 * columns.size());
  for (const Importance& i : explanation.importance) importance.insert(importance.end(), {i.mean, i.std});
  if (explanation.importance.size() != columns.size()) refuse();
  for (const Effect& effect : explanation.effects) {
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const InputColumn& c) { return c.name == effect.column; });
    if (column == columns.end() || effect.mean.cols() != encoder.outputs() ||
        effect.mean.rows() != static_cast<Index>(effect.at.size() + effect.levels.size()))
      refuse();
    which.insert(which.end(), {static_cast<double>(column - columns.begin()), static_cast<double>(effect.mean.rows())});
    at.insert(at.end(), effect.at.begin(), effect.at.end());
    for (const std::string& level : effect.levels) {
      const auto found = std::lower_bound(column->levels.begin(), column->levels.end(), level);
      if (found == column->levels.end() || *found != level) refuse();
      at.push_back(static_cast<double>(found - column->levels.begin()));
    }
    for (Index i = 0; i < effect.mean.rows(); ++i)
      for (Index q = 0; q < effect.mean.cols(); ++q) mean.push_back(effect.mean(i, q));
  }
  const auto points = static_cast<std::int64_t>(at.size());
  arrays["explanation.importance"] = array({static_cast<std::int64_t>(columns.size()), 2}, std::move(importance));
  const auto effects = static_cast<std::int64_t>(explanation.effects.size());
  arrays["explanation.effects"] = array({effects, 2}, std::move(which));
  arrays["explanation.at"] = array(at);
  arrays["explanation.mean"] = array({points, encoder.outputs()}, std::move(mean));
}

std::vector<OptionInfo> describe(const TrainOptions&) { return describe_options(); }
std::vector<OptionInfo> describe(const EncoderOptions&) { return describe_encoder_options(); }

// --- reading -------------------------------------------------------------------------------------------------------
// Looks through a JSON text for what would make it costly, before anything is built from it. (The library's parser with
// a callback would do both at once, but searches a list anew for each object in it.)
class WithinLimits : public nlohmann::json_sax<json> {
 public:
  bool exceeded() const { return exceeded_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool key(string_t&) override { return value(); }
  bool start_object(std::size_t) override { return down(); }
  bool start_array(std::size_t) override { return down(); }
  bool end_object() override { return up(); }
  bool end_array() override { return up(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool value() {
    exceeded_ = ++values_ > kValueLimit;
    return !exceeded_;
  }
  bool down() {
    exceeded_ = ++depth_ > kDepthLimit || ++values_ > kValueLimit;
    return !exceeded_;
  }
  bool up() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::int64_t values_ = 0;
  bool exceeded_ = false;
};

// Reads what a file claims; every wrong claim is a ModelFileError that says where it is.
class Reader {
 public:
  Reader(Container container, const std::string& source) : container_(std::move(container)), source_(source) {}

  Model model();

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw ModelFileError(fmt::format("{}: {}", source_, what));
  }

  json description() const;
  const json& member(const json& object, const char* name, json::value_t type) const;
  std::string text(const json& object, const char* name) const {
    return member(object, name, json::value_t::string).get<std::string>();
  }
  bool flag(const json& object, const char* name) const {
    return member(object, name, json::value_t::boolean).get<bool>();
  }
  std::vector<std::string> texts(const json& object, const char* name) const;
  double figure(const json& object, const char* name) const;  // null stands for NaN
  Index row_count(const json& object) const;
  Index count(const json& object, const char* name) const;  // at most a billion
  std::vector<Index> counts(const json& object, const char* name) const;
  Metrics metrics(const json& object) const;

  template <class Options>
  Options options(const json& object) const;

  // The array of that name, which must have that shape (-1: any size) and finite values, unless errors may overflow.
  const std::vector<double>& array(const std::string& name, const std::vector<std::int64_t>& shape,
                                   bool finite = true) const;
  std::int64_t rows_of(const std::string& name) const;
  void check_sparse_weights(Index nodes, Index inputs) const;
  bool sparse_weights() const {
    return container_.arrays.contains("network.sparse_counts") && !container_.arrays.contains("network.weights");
  }
  Eigen::MatrixXd weights(Index nodes,
                          Index inputs) const;  // of a file that has been checked  // the first of its sizes

  std::vector<InputColumn> columns(const json& description);  // without their numbers, which are arrays
  std::vector<TargetColumn> targets(const json& description) const;
  void read_numbers(std::vector<InputColumn>& columns) const;
  void read_ranges(std::vector<InputColumn>& columns, bool needed) const;
  void read_numbers(std::vector<TargetColumn>& targets, bool clipped) const;
  ModelSummary summary(const json& description) const;
  Explanation explanation(const json& description, const std::vector<InputColumn>& columns, Index outputs) const;
  Intervals intervals(const json& description, Index inputs, Index outputs) const;

  struct Knots {
    std::size_t column = 0, count = 0;
  };
  std::vector<Knots> knots_;  // the columns that have them, in order
  Container container_;
  const std::string& source_;
};

json Reader::description() const {
  const auto kind = container_.metadata.find("kind");
  if (kind == container_.metadata.end() || kind->second != "model") refuse("is a sconet file but no model");
  const auto found = container_.metadata.find("model");
  if (found == container_.metadata.end()) refuse("the description of the model is missing");
  WithinLimits limits;
  const bool sound = json::sax_parse(found->second, &limits);
  if (limits.exceeded()) refuse("the description of the model is too large");
  if (!sound) refuse("the description of the model is not JSON");
  return json::parse(found->second);
}

const json& Reader::member(const json& object, const char* name, json::value_t type) const {
  const auto is = [&](const json& v) {
    return v.type() == type || (type == json::value_t::number_float && v.is_number()) ||
           (type == json::value_t::number_unsigned && v.is_number_integer() && v.is_number_unsigned());
  };
  if (!object.is_object() || !object.contains(name)) refuse(fmt::format("the description lacks '{}'", name));
  const json& value = object.at(name);
  if (!is(value)) refuse(fmt::format("'{}' in the description is not what it should be", name));
  return value;
}

std::vector<std::string> Reader::texts(const json& object, const char* name) const {
  std::vector<std::string> list;
  for (const json& v : member(object, name, json::value_t::array)) {
    if (!v.is_string()) refuse(fmt::format("'{}' in the description is not a list of texts", name));
    list.push_back(v.get<std::string>());
  }
  return list;
}

double Reader::figure(const json& object, const char* name) const {
  if (object.is_object() && object.contains(name) && object.at(name).is_null()) return std::nan("");
  return member(object, name, json::value_t::number_float).get<double>();
}

Index Reader::row_count(const json& object) const {
  const auto rows = member(object, "rows", json::value_t::number_unsigned).get<std::uint64_t>();
  if (rows > std::uint64_t{1} << 53) refuse(fmt::format("the summary tells of {} rows", rows));
  return static_cast<Index>(rows);
}

Metrics Reader::metrics(const json& object) const {
  Metrics m;
  m.rows = row_count(object);
  m.rmse = figure(object, "rmse");
  m.mae = figure(object, "mae");
  m.r = figure(object, "r");
  m.r2 = figure(object, "r2");
  return m;
}

template <class Options>
Options Reader::options(const json& object) const {
  Options options;
  const std::vector<OptionInfo> known = describe(Options());
  for (const auto& [name, value] : object.items()) {
    const auto same_name = [&, &wanted = name](const OptionInfo& option) { return option.name == wanted; };
    if (std::none_of(known.begin(), known.end(), same_name)) continue;  // a later version's
    if (!value.is_string()) refuse(fmt::format("option '{}' is not a text", name));
    try {
      set_option(options, name, value.template get<std::string>());
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
    }
  }
  try {
    validate(options);
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
  return options;
}

const std::vector<double>& Reader::array(const std::string& name, const std::vector<std::int64_t>& shape,
                                         bool finite) const {
  const auto found = container_.arrays.find(name);
  if (found == container_.arrays.end()) refuse(fmt::format("the array '{}' is missing", name));
  const Array& array = found->second;
  bool fits = array.shape.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || array.shape[i] == shape[i];
  if (!fits) refuse(fmt::format("the array '{}' does not have the shape it should have", name));
  const auto bad = std::find_if(array.values.begin(), array.values.end(), [](double v) { return !std::isfinite(v); });
  if (finite && bad != array.values.end())
    refuse(fmt::format("the array '{}' has {} at place {}", name, *bad, bad - array.values.begin()));
  return array.values;
}

std::int64_t Reader::rows_of(const std::string& name) const {
  const auto found = container_.arrays.find(name);
  return found == container_.arrays.end() || found->second.shape.empty() ? -1 : found->second.shape.front();
}

void Reader::check_sparse_weights(Index nodes, Index inputs) const {
  if (nodes > 0 && inputs > kMostSparse / nodes)
    refuse(fmt::format("{} nodes of {} inputs are too many for weights stored without zeros", nodes, inputs));
  const std::int64_t stored = std::max<std::int64_t>(0, rows_of("network.sparse_values"));
  const std::vector<double>& counts = array("network.sparse_counts", {nodes});
  const std::vector<double>& places = array("network.sparse_inputs", {stored});
  array("network.sparse_values", {stored});
  std::int64_t at = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const auto left = static_cast<double>(std::min<std::int64_t>(inputs, stored - at));
    if (!(counts[j] >= 0 && counts[j] <= left) || std::floor(counts[j]) != counts[j])
      refuse(fmt::format("the array 'network.sparse_counts' has {} at place {}", counts[j], j));
    double last = -1;
    for (const std::int64_t end = at + static_cast<std::int64_t>(counts[j]); at < end; ++at) {
      const double k = places[static_cast<std::size_t>(at)];
      if (!(k > last && k < static_cast<double>(inputs)) || std::floor(k) != k)
        refuse(fmt::format("the array 'network.sparse_inputs' has {} at place {}", k, at));
      last = k;
    }
  }
  if (at != stored) refuse("the array 'network.sparse_counts' does not count all weights");
}

Eigen::MatrixXd Reader::weights(Index nodes, Index inputs) const {
  if (!sparse_weights())
    return Eigen::Map<const RowMajor>(array("network.weights", {nodes, inputs}).data(), nodes, inputs).transpose();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(inputs, nodes);
  const double* count = container_.arrays.at("network.sparse_counts").values.data();
  const double* input = container_.arrays.at("network.sparse_inputs").values.data();
  const double* value = container_.arrays.at("network.sparse_values").values.data();
  for (Index j = 0; j < nodes; ++j, ++count)
    for (auto i = static_cast<Index>(*count); i > 0; --i) W(static_cast<Index>(*input++), j) = *value++;
  return W;
}

std::vector<InputColumn> Reader::columns(const json& description) {
  std::vector<InputColumn> columns;
  for (const json& entry : member(description, "columns", json::value_t::array)) {
    InputColumn& column = columns.emplace_back();
    column.name = text(entry, "name");
    const std::string type = text(entry, "type");
    if (type != "number" && type != "text") refuse(fmt::format("column '{}' has the type '{}'", column.name, type));
    column.type = type == "number" ? ColumnType::number : ColumnType::text;
    column.used = flag(entry, "used");
    if (!column.used) continue;
    if (column.type == ColumnType::number) {
      column.indicator = flag(entry, "indicator");
      column.both = entry.contains("both") && flag(entry, "both");
      if (column.both && !entry.contains("knots"))
        refuse(fmt::format("column '{}' has no knots for its second input", column.name));
      if (!entry.contains("knots")) continue;
      const auto count = member(entry, "knots", json::value_t::number_unsigned).get<std::uint64_t>();
      if (count < 2 || count > kMostKnots) refuse(fmt::format("column '{}' has {} knots", column.name, count));
      knots_.push_back({columns.size() - 1, static_cast<std::size_t>(count)});
    } else {
      column.levels = texts(entry, "levels");
      column.missing_level = flag(entry, "missing_level");
      if (!std::is_sorted(column.levels.begin(), column.levels.end()) ||
          std::adjacent_find(column.levels.begin(), column.levels.end()) != column.levels.end())
        refuse(fmt::format("the levels of column '{}' are not in order", column.name));
    }
  }
  return columns;
}

std::vector<TargetColumn> Reader::targets(const json& description) const {
  std::vector<TargetColumn> targets;
  for (const json& entry : member(description, "targets", json::value_t::array))
    targets.push_back({text(entry, "name"), 0, 1});
  if (targets.empty()) refuse("the model has no target");
  return targets;
}

void Reader::read_numbers(std::vector<InputColumn>& columns) const {
  const auto numbers = std::count_if(columns.begin(), columns.end(), is_used_number);
  std::size_t all_knots = 0;
  for (const Knots& knots : knots_) all_knots += knots.count;
  const std::vector<double>& scales = array("encoder.numbers", {numbers, 3});
  const std::vector<double>& values = array("encoder.knots", {static_cast<std::int64_t>(all_knots)});
  const std::vector<double>& positions = array("encoder.positions", {static_cast<std::int64_t>(all_knots)});
  std::size_t at = 0;
  for (InputColumn& column : columns) {
    if (!is_used_number(column)) continue;
    column.fill = scales[at];
    column.offset = scales[at + 1];
    column.scale = scales[at + 2];
    at += 3;
    if (!(column.scale > 0)) refuse(fmt::format("column '{}' has the scale {}", column.name, column.scale));
  }
  at = 0;
  for (const Knots& knots : knots_) {
    InputColumn& column = columns[knots.column];
    for (std::size_t k = at + 1; k < at + knots.count; ++k)
      if (!(values[k] > values[k - 1]) || !(positions[k] > positions[k - 1]) ||
          !std::isfinite(values[k] - values[k - 1]))
        refuse(fmt::format("the quantiles of column '{}' do not rise", column.name));
    column.knots.assign(values.data() + at, values.data() + at + knots.count);
    column.positions.assign(positions.data() + at, positions.data() + at + knots.count);
    at += knots.count;
  }
}

// Models from before ranges were kept have none.
void Reader::read_ranges(std::vector<InputColumn>& columns, bool needed) const {
  if (!needed && !container_.arrays.contains("encoder.ranges")) return;
  const auto numbers = std::count_if(columns.begin(), columns.end(), is_used_number);
  const std::vector<double>& ranges = array("encoder.ranges", {numbers, 2});
  std::size_t at = 0;
  for (InputColumn& column : columns) {
    if (!is_used_number(column)) continue;
    column.least = ranges[at];
    column.largest = ranges[at + 1];
    at += 2;
    if (!column.knows_range())
      refuse(fmt::format("column '{}' has the range {} to {}", column.name, column.least, column.largest));
  }
}

void Reader::read_numbers(std::vector<TargetColumn>& targets, bool clipped) const {
  const std::vector<double>& scales = array("encoder.targets", {static_cast<std::int64_t>(targets.size()), 2});
  for (std::size_t q = 0; q < targets.size(); ++q) {
    targets[q].offset = scales[2 * q];
    targets[q].scale = scales[2 * q + 1];
    if (!(targets[q].scale > 0)) refuse(fmt::format("target '{}' has the scale {}", targets[q].name, targets[q].scale));
  }
  if (!clipped) return;
  const std::vector<double>& ranges = array("encoder.target_ranges", {static_cast<std::int64_t>(targets.size()), 2});
  for (std::size_t q = 0; q < targets.size(); ++q) {
    targets[q].least = ranges[2 * q];
    targets[q].largest = ranges[2 * q + 1];
    if (!(targets[q].least <= targets[q].largest))
      refuse(fmt::format("target '{}' has the range {} to {}", targets[q].name, targets[q].least, targets[q].largest));
  }
}

ModelSummary Reader::summary(const json& description) const {
  ModelSummary summary;
  summary.version = text(description, "version");
  summary.method = text(description, "method");
  const std::string reason = text(description, "stop_reason");
  const auto known = stop_reason(reason);
  if (!known) refuse(fmt::format("the stop reason '{}' is not known", reason));
  summary.stop_reason = *known;
  summary.train = metrics(member(description, "train", json::value_t::object));
  if (description.contains("valid")) summary.valid = metrics(member(description, "valid", json::value_t::object));
  if (description.contains("held_out_rmse")) summary.held_out_rmse = figure(description, "held_out_rmse");
  if (description.contains("members")) summary.members = counts(description, "members");
  if (description.contains("trials")) {
    summary.tried = counts(description, "tried");
    for (const json& entry : member(description, "trials", json::value_t::array)) {
      if (!entry.is_object()) refuse("a trial of the summary is no object");
      Trial trial;
      trial.round = static_cast<int>(count(entry, "round"));
      if (static_cast<std::size_t>(trial.round) >= summary.tried.size())
        refuse(fmt::format("the summary tells of a trial in round {} of {}", trial.round, summary.tried.size()));
      trial.scaling = text(entry, "scaling");
      trial.candidates = texts(entry, "candidates");
      trial.rows = count(entry, "rows");
      trial.pool = count(entry, "pool");
      trial.nodes = count(entry, "nodes");
      trial.ridge = figure(entry, "ridge");
      trial.rmse = figure(entry, "rmse");
      trial.chosen = flag(entry, "chosen");
      summary.trials.push_back(std::move(trial));
    }
  }
  return summary;
}

Index Reader::count(const json& object, const char* name) const {
  const auto n = member(object, name, json::value_t::number_unsigned).get<std::uint64_t>();
  if (n > 1'000'000'000) refuse(fmt::format("the summary tells of {} {}", n, name));
  return static_cast<Index>(n);
}

std::vector<Index> Reader::counts(const json& object, const char* name) const {
  std::vector<Index> numbers;
  for (const json& entry : member(object, name, json::value_t::array)) {
    if (!entry.is_number_unsigned() || entry.get<std::uint64_t>() > 1'000'000'000)
      refuse(fmt::format("the list '{}' of the summary has an entry that is no count", name));
    numbers.push_back(static_cast<Index>(entry.get<std::uint64_t>()));
  }
  return numbers;
}

Explanation Reader::explanation(const json& description, const std::vector<InputColumn>& columns, Index outputs) const {
  Explanation explanation;
  explanation.rows = row_count(description);
  explanation.rmse = figure(description, "rmse");
  const auto count = static_cast<std::int64_t>(columns.size());
  const std::vector<double>& importance = array("explanation.importance", {count, 2}, false);
  const std::vector<double>& which = array("explanation.effects", {-1, 2});
  const std::vector<double>& at = array("explanation.at", {-1});
  const std::vector<double>& mean = array("explanation.mean", {static_cast<std::int64_t>(at.size()), outputs}, false);
  const auto is_below = [](double v, std::size_t limit) {
    return v >= 0 && v < static_cast<double>(limit) && std::floor(v) == v;
  };
  explanation.importance.reserve(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    explanation.importance.push_back({columns[c].name, importance[2 * c], importance[2 * c + 1]});
  // Columns and their values come once each, so that names and levels are not copied more often than they are there.
  std::size_t first = 0;
  explanation.effects.reserve(std::min(which.size() / 2, columns.size()));
  for (std::size_t e = 0; e < which.size() / 2; ++e) {
    if (!is_below(which[2 * e], columns.size()) || !is_below(which[2 * e + 1], at.size() - first + 1) ||
        (e > 0 && !(which[2 * e] > which[2 * e - 2])))
      refuse(fmt::format("effect {} of the explanation has {} values of column {}", e, which[2 * e + 1], which[2 * e]));
    const InputColumn& column = columns[static_cast<std::size_t>(which[2 * e])];
    const auto points = static_cast<std::size_t>(which[2 * e + 1]);
    Effect& effect = explanation.effects.emplace_back();
    effect.column = column.name;
    effect.mean.resize(static_cast<Index>(points), outputs);
    for (std::size_t k = first; k < first + points; ++k) {
      if (k > first && !(at[k] > at[k - 1]))
        refuse(fmt::format("the explanation's values of column '{}' do not rise", column.name));
      if (column.type == ColumnType::number)
        effect.at.push_back(at[k]);
      else if (is_below(at[k], column.levels.size()))
        effect.levels.push_back(column.levels[static_cast<std::size_t>(at[k])]);
      else
        refuse(fmt::format("the explanation tells of level {} of column '{}'", at[k], column.name));
      for (Index q = 0; q < outputs; ++q)
        effect.mean(static_cast<Index>(k - first), q) =
            mean[k * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(q)];
    }
    first += points;
  }
  if (first != at.size()) refuse(fmt::format("the explanation has {} values too many", at.size() - first));
  return explanation;
}

Intervals Reader::intervals(const json& description, Index d, Index m) const {
  const auto rows = member(description, "rows", json::value_t::number_unsigned).get<std::uint64_t>();
  if (rows > std::uint64_t{1} << 53) refuse(fmt::format("the intervals tell of {} rows", rows));
  const std::string from = text(description, "source");
  const auto source = residual_source(from);
  if (!source) refuse(fmt::format("the source '{}' of the intervals is not known", from));
  const bool local = flag(description, "local");
  const Index K = std::clamp<Index>(rows_of("intervals.ranks"), 1, Intervals::kMostQuantiles);
  const std::vector<double>& ranks = array("intervals.ranks", {K});
  const std::vector<double>& constant_errors = array("intervals.constant", {m, K});
  const std::vector<double> none;
  const std::vector<double>& local_errors = local ? array("intervals.local", {m, K}) : none;
  Network scale;
  if (local) {
    const Index L = std::clamp<Index>(rows_of("intervals.weights"), 0, kMostScaleNodes);
    const std::vector<double>& weights = array("intervals.weights", {L, d});
    const std::vector<double>& biases = array("intervals.biases", {L});
    const std::vector<double>& output_weights = array("intervals.output_weights", {L, m});
    const std::vector<double>& intercept = array("intervals.intercept", {m});
    scale = Network(Eigen::Map<const RowMajor>(weights.data(), L, d).transpose(),
                    Eigen::Map<const Eigen::VectorXd>(biases.data(), L),
                    Eigen::Map<const RowMajor>(output_weights.data(), L, m),
                    Eigen::Map<const Eigen::RowVectorXd>(intercept.data(), m), Activation::sigmoid);
  }
  try {
    return {static_cast<Index>(rows),
            *source,
            ranks,
            Eigen::Map<const RowMajor>(constant_errors.data(), m, K),
            Eigen::Map<const RowMajor>(local_errors.data(), local ? m : 0, local ? K : 0),
            std::move(scale)};
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
}

// First everything is checked, then the arrays are copied: a file that is refused never takes more than its own size.
Model Reader::model() {
  const json all = description();
  const json& encoding = member(all, "encoder", json::value_t::object);
  const auto encoder_options = options<EncoderOptions>(member(encoding, "options", json::value_t::object));
  std::vector<InputColumn> inputs = columns(encoding);
  std::vector<TargetColumn> outputs = targets(encoding);
  std::vector<std::string> ids = texts(encoding, "ids");
  std::set<std::string> names(ids.begin(), ids.end());
  Index d = 0;
  for (const InputColumn& column : inputs) {
    if (!names.insert(column.name).second) refuse(fmt::format("two columns are named '{}'", column.name));
    d += column.inputs();
  }
  for (const TargetColumn& target : outputs)
    if (!names.insert(target.name).second) refuse(fmt::format("two columns are named '{}'", target.name));
  if (d == 0) refuse("the model has no inputs");

  const json& train = member(all, "train", json::value_t::object);
  auto train_options = options<TrainOptions>(member(train, "options", json::value_t::object));
  const double valid_fraction = member(train, "valid_fraction", json::value_t::number_float).get<double>();
  if (!(valid_fraction >= 0 && valid_fraction < 1)) refuse(fmt::format("valid_fraction is {}", valid_fraction));
  TrainOptions named;
  try {
    set_option(named, "activation", text(member(all, "network", json::value_t::object), "activation"));
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
  ModelSummary summary = this->summary(member(all, "summary", json::value_t::object));

  const auto m = static_cast<Index>(outputs.size());
  const bool sparse = sparse_weights();
  const Index L = std::max<Index>(0, rows_of(sparse ? "network.sparse_counts" : "network.weights"));
  if (sparse)
    check_sparse_weights(L, d);
  else
    array("network.weights", {L, d});
  const std::vector<double>& biases = array("network.biases", {L});
  const std::vector<double>& output_weights = array("network.output_weights", {L, m});
  const std::vector<double>& intercept = array("network.intercept", {m});
  const bool has_direct = container_.arrays.contains("network.direct");
  const std::vector<double> no_direct;
  const std::vector<double>& direct = has_direct ? array("network.direct", {d, m}) : no_direct;
  const Index sizes = std::max<Index>(1, rows_of("summary.train_rmse"));
  const std::vector<double>& train_rmse = array("summary.train_rmse", {sizes}, false);
  const std::vector<double>& scales = array("summary.scales", {sizes - 1});
  if (summary.valid) summary.valid_rmse = array("summary.valid_rmse", {sizes}, false);
  read_numbers(inputs);
  read_ranges(inputs, encoder_options.clip);
  read_numbers(outputs, encoder_options.clip);
  const json& summarised = all.at("summary");
  if (summarised.contains("explanation"))
    summary.explanation = explanation(member(summarised, "explanation", json::value_t::object), inputs, m);

  std::optional<Intervals> intervals;
  std::string no_intervals;
  if (all.contains("intervals")) {
    const json& entry = member(all, "intervals", json::value_t::object);
    if (entry.contains("none"))
      no_intervals = text(entry, "none");
    else
      intervals = this->intervals(entry, d, m);
  }

  summary.train_rmse = train_rmse;
  summary.scales = scales;
  Network network(weights(L, d), Eigen::Map<const Eigen::VectorXd>(biases.data(), L),
                  Eigen::Map<const RowMajor>(output_weights.data(), L, m),
                  Eigen::Map<const Eigen::RowVectorXd>(intercept.data(), m), named.activation,
                  Eigen::Map<const RowMajor>(direct.data(), has_direct ? d : 0, has_direct ? m : 0));
  Model model(Encoder(std::move(inputs), std::move(outputs), std::move(ids), encoder_options), std::move(network),
              std::move(train_options), valid_fraction, std::move(summary));
  if (intervals) model.set_intervals(std::move(*intervals));
  if (!no_intervals.empty()) model.set_no_intervals(std::move(no_intervals));
  return model;
}

}  // namespace

std::string Model::to_bytes() const {
  Container container;
  TrainOptions named;  // for the name of the activation
  named.activation = network_.activation();
  json summary = {{"version", summary_.version},
                  {"method", summary_.method},
                  {"stop_reason", name(summary_.stop_reason)},
                  {"train", to_json(summary_.train)}};
  if (summary_.valid) summary["valid"] = to_json(*summary_.valid);
  if (!summary_.trials.empty()) {
    summary["tried"] = summary_.tried;
    summary["trials"] = json::array();
    for (const Trial& trial : summary_.trials)
      summary["trials"].push_back({{"round", trial.round},
                                   {"scaling", trial.scaling},
                                   {"candidates", trial.candidates},
                                   {"rows", trial.rows},
                                   {"pool", trial.pool},
                                   {"nodes", trial.nodes},
                                   {"ridge", trial.ridge},
                                   {"rmse", trial.rmse},
                                   {"chosen", trial.chosen}});
  }
  if (!std::isnan(summary_.held_out_rmse)) summary["held_out_rmse"] = summary_.held_out_rmse;
  if (!summary_.members.empty()) summary["members"] = summary_.members;
  if (summary_.explanation)
    summary["explanation"] = {{"rows", summary_.explanation->rows}, {"rmse", summary_.explanation->rmse}};
  json description = {
      {"encoder", describe(encoder_)},
      {"network", {{"activation", option_text(named, "activation")}}},
      {"train", {{"options", to_json(options_, describe_options())}, {"valid_fraction", valid_fraction_}}},
      {"summary", std::move(summary)}};
  if (intervals_)
    description["intervals"] = {
        {"rows", intervals_->rows()}, {"source", name(intervals_->source())}, {"local", intervals_->has_local()}};
  else if (no_intervals_ != kIntervalsNotAskedFor)
    description["intervals"] = {{"none", no_intervals_}};
  container.metadata["kind"] = "model";
  try {
    container.metadata["model"] = description.dump();
  } catch (const json::exception&) {
    throw std::invalid_argument("the model cannot be saved: the name of a column or a category is not UTF-8");
  }

  std::vector<double> numbers, ranges, knots, positions, targets;
  bool all_ranges = true, needs_two = encoder_.options().clip;
  for (const InputColumn& c : encoder_.columns()) {
    if (!is_used_number(c)) continue;
    numbers.insert(numbers.end(), {c.fill, c.offset, c.scale});
    ranges.insert(ranges.end(), {c.least, c.largest});
    all_ranges = all_ranges && c.knows_range();
    needs_two = needs_two || c.both;
    knots.insert(knots.end(), c.knots.begin(), c.knots.end());
    positions.insert(positions.end(), c.positions.begin(), c.positions.end());
  }
  for (const TargetColumn& t : encoder_.targets()) targets.insert(targets.end(), {t.offset, t.scale});
  auto& arrays = container.arrays;
  const auto used = static_cast<std::int64_t>(numbers.size() / 3);
  arrays["encoder.numbers"] = array({used, 3}, std::move(numbers));
  if (all_ranges) arrays["encoder.ranges"] = array({used, 2}, std::move(ranges));
  if (needs_two) container.version = 2;
  arrays["encoder.knots"] = array(knots);
  arrays["encoder.positions"] = array(positions);
  arrays["encoder.targets"] = array({encoder_.outputs(), 2}, std::move(targets));
  if (encoder_.options().clip) {
    std::vector<double> bounds;
    bounds.reserve(2 * encoder_.targets().size());
    for (const TargetColumn& t : encoder_.targets()) bounds.insert(bounds.end(), {t.least, t.largest});
    arrays["encoder.target_ranges"] = array({encoder_.outputs(), 2}, std::move(bounds));
  }
  write_weights(network_.weights(), container);
  arrays["network.biases"] = array({network_.nodes()}, {network_.biases().begin(), network_.biases().end()});
  arrays["network.output_weights"] = array(network_.output_weights());
  arrays["network.intercept"] = array({network_.outputs()}, {network_.intercept().begin(), network_.intercept().end()});
  if (network_.direct().size() > 0) arrays["network.direct"] = array(network_.direct());
  arrays["summary.train_rmse"] = array(summary_.train_rmse);
  if (summary_.valid) arrays["summary.valid_rmse"] = array(summary_.valid_rmse);
  arrays["summary.scales"] = array(summary_.scales);
  if (summary_.explanation) write_explanation(*summary_.explanation, encoder_, arrays);
  if (intervals_) {
    arrays["intervals.ranks"] = array(intervals_->ranks());
    arrays["intervals.constant"] = array(intervals_->constant());
  }
  if (intervals_ && intervals_->has_local()) {
    const Network& scale = intervals_->scale();
    arrays["intervals.local"] = array(intervals_->local());
    arrays["intervals.weights"] = array(scale.weights().transpose());
    arrays["intervals.biases"] = array({scale.nodes()}, {scale.biases().begin(), scale.biases().end()});
    arrays["intervals.output_weights"] = array(scale.output_weights());
    arrays["intervals.intercept"] = array({scale.outputs()}, {scale.intercept().begin(), scale.intercept().end()});
  }
  return sconet::to_bytes(container);
}

void Model::save(const std::string& path) const { write_file(path, to_bytes()); }

Model Model::load(const std::string& path) { return Reader(read_container(path), path).model(); }

Model Model::from_bytes(std::string_view bytes, const std::string& source) {
  return Reader(parse_container(bytes, source), source).model();
}

}  // namespace sconet
