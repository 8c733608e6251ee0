// The one list of training options, and everything that is made from it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/nearest.hpp"
#include "sconet/options.hpp"

namespace sconet {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Bounds {
  double low = -kNoLimit, high = kNoLimit;
  bool low_allowed = true, high_allowed = true;

  // Written so that NaN is outside.
  bool contain(double x) const {
    return (low_allowed ? x >= low : x > low) && (high_allowed ? x <= high : x < high) && std::isfinite(x);
  }
  bool none() const { return low == -kNoLimit && high == kNoLimit; }
  std::string text(std::string_view name) const {
    if (none()) return "";
    std::string s;
    if (low != -kNoLimit) s += fmt::format("{} {} ", low, low_allowed ? "<=" : "<");
    s += name;
    if (high != kNoLimit) s += fmt::format(" {} {}", high_allowed ? "<=" : "<", high);
    return s;
  }
};
constexpr Bounds at_least(double low) { return {low, kNoLimit, true, true}; }
constexpr Bounds above(double low) { return {low, kNoLimit, false, true}; }
constexpr Bounds between_open(double low, double high) { return {low, high, false, false}; }
constexpr Bounds between(double low, double high) { return {low, high, true, true}; }

template <class T>
struct Choices;
template <>
struct Choices<Method> {
  static constexpr std::array names = {"rmpi", "scn3", "scn1"};
};
template <>
struct Choices<Schedule> {
  static constexpr std::array names = {"power", "product"};
};
template <>
struct Choices<Criterion> {
  static constexpr std::array names = {"total", "per_output"};
};
template <>
struct Choices<WhenExhausted> {
  static constexpr std::array names = {"best", "relax", "stop"};
};
template <>
struct Choices<Activation> {
  static constexpr std::array names = {"sigmoid", "tanh", "sin", "gaussian", "relu"};
};
template <>
struct Choices<Isa> {
  static constexpr std::array names = {"auto", "portable", "v2", "v3", "v4"};
};

template <class T>
struct Option {
  std::string_view name, matlab_name;
  T TrainOptions::*field;
  Bounds bounds;
  std::string_view sentence;
};

// Name, name in the MATLAB release, field, bounds, sentence.
template <class Visit>
void for_each_option(Visit&& visit) {
  using O = TrainOptions;
  const auto option = [&]<class T>(std::string_view name, std::string_view matlab, T O::*field, Bounds bounds,
                                   std::string_view sentence) {
    visit(Option<T>{name, matlab, field, bounds, sentence});
  };
  option("method", "", &O::method, {}, "The supervisor: RMPI-SCN, SCN-III or SCN-I.");
  option("max_nodes", "L_max", &O::max_nodes, between(0, 1e6), "Largest number of nodes.");
  option("candidates", "T_max", &O::candidates, between(1, 1e7), "Random candidates drawn in a batch.");
  option("scales", "Lambdas", &O::scales, above(0),
         "Scales in the order they are tried; weights and bias are uniform on (-scale, scale).");
  option("r", "", &O::r, between_open(0, 1), "RMPI-SCN: base of the demand r_L, the share of |e|^2 a node may leave.");
  option("alpha", "", &O::alpha, above(0), "RMPI-SCN: how fast r_L rises with the number of nodes.");
  option("schedule", "", &O::schedule, {},
         "RMPI-SCN: r_L = r^((1+1/L)^alpha) (power, Eq. 47) or r^(alpha(1+1/L)) (product, Eq. 45).");
  option("r_ladder", "r", &O::r_ladder, between_open(0, 1),
         "SCN-III and SCN-I: values of r tried on each batch, in rising order.");
  option("criterion", "", &O::criterion, {},
         "Several outputs: the demand holds for all together (total) or for each (per_output).");
  option("when_exhausted", "", &O::when_exhausted, {},
         "No scale has an admissible candidate: take the best seen, relax r and search again, or stop.");
  option("rank_tolerance", "", &O::rank_tolerance, between(1e-13, 0.5),
         "A node is refused when |p|^2 <= rank_tolerance |h|^2, p being its part outside the span of the others.");
  option("ridge", "", &O::ridge, at_least(0), "Penalty: minimises mean squared error + ridge |output weights|^2.");
  option("intercept", "", &O::intercept, {}, "Fit a constant beside the nodes (without penalty).");
  option("activation", "", &O::activation, {}, "Activation of the nodes; gaussian is exp(-z^2).");
  option("nodes_per_step", "nB", &O::nodes_per_step, between(1, 1e6),
         "Nodes taken from an accepted batch, which must have as many admissible candidates; at most candidates.");
  option("tolerance", "tol", &O::tolerance, at_least(0), "Stop when the training RMSE is at or below this.");
  option("patience", "", &O::patience, between(0, 1e9),
         "With validation rows: stop after so many nodes without a better validation RMSE; 0: never.");
  option("time_limit", "", &O::time_limit, at_least(0), "Stop after so many seconds; 0: no limit.");
  option("seed", "", &O::seed, {}, "Seed of the random candidates.");
  option("threads", "", &O::threads, between(0, 4096),
         "Threads; 0: one per processor. The result does not depend on it.");
  option("isa", "", &O::isa, {},
         "Instruction level of the kernels: v2, v3, v4 are x86-64 levels; auto takes the best there is.");
}

template <class T>
constexpr bool kIsList = std::is_same_v<T, std::vector<double>>;

template <class T>
std::string to_text(const T& value) {
  if constexpr (kIsList<T>) {
    return fmt::format("{}", fmt::join(value, ","));
  } else if constexpr (std::is_enum_v<T>) {
    const auto i = static_cast<std::size_t>(value);
    return i < Choices<T>::names.size() ? Choices<T>::names[i] : fmt::format("{}", static_cast<int>(value));
  } else {
    return fmt::format("{}", value);
  }
}

template <class T>
std::string type_text() {
  if constexpr (kIsList<T>)
    return "numbers";
  else if constexpr (std::is_enum_v<T>)
    return fmt::format("{}", fmt::join(Choices<T>::names, "|"));
  else if constexpr (std::is_same_v<T, bool>)
    return "flag";
  else if constexpr (std::is_integral_v<T>)
    return "integer";
  else
    return "number";
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

template <class T>
bool from_text(std::string_view text, T& value) {
  if constexpr (kIsList<T>) {
    T list;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      if (!parse_number(text.substr(at, comma - at), list.emplace_back())) return false;
      at = comma + 1;
    }
    value = std::move(list);
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    const auto& names = Choices<T>::names;
    const auto it = std::find(names.begin(), names.end(), text);
    if (it != names.end()) value = static_cast<T>(it - names.begin());
    return it != names.end();
  } else if constexpr (std::is_same_v<T, bool>) {
    const bool yes = text == "true" || text == "1", no = text == "false" || text == "0";
    if (yes || no) value = yes;
    return yes || no;
  } else {
    return parse_number(text, value);
  }
}

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

template <class T>
void check(const Option<T>& option, const T& value) {
  if constexpr (kIsList<T>) {
    if (value.empty()) refuse(fmt::format("option {} is empty: give at least one number", option.name));
    for (std::size_t i = 0; i < value.size(); ++i)
      if (!option.bounds.contain(value[i]))
        refuse(
            fmt::format("option {}[{}] = {}: expected {}", option.name, i, value[i], option.bounds.text(option.name)));
  } else if constexpr (std::is_enum_v<T>) {
    if (static_cast<std::size_t>(value) >= Choices<T>::names.size())
      refuse(fmt::format("option {} = {}: expected {}", option.name, static_cast<int>(value), type_text<T>()));
  } else if constexpr (!std::is_same_v<T, bool>) {
    if (!option.bounds.none() && !option.bounds.contain(static_cast<double>(value)))
      refuse(fmt::format("option {} = {}: expected {}", option.name, value, option.bounds.text(option.name)));
  }
}

// Calls f(option) for the option of that name.
template <class F>
void with_option(std::string_view name, F&& f) {
  bool found = false;
  std::string_view nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for_each_option([&](const auto& option) {
    if (option.name == name) {
      found = true;
      f(option);
    } else if (const std::size_t away = distance(name, option.name); away < least) {
      least = away;
      nearest = option.name;
    }
  });
  if (!found) refuse(fmt::format("there is no option '{}'; did you mean '{}'?", name, nearest));
}

}  // namespace

void validate(const TrainOptions& options) {
  for_each_option([&](const auto& option) { check(option, options.*option.field); });
  if (options.nodes_per_step > options.candidates)
    refuse(fmt::format("option nodes_per_step = {}: expected at most candidates = {}", options.nodes_per_step,
                       options.candidates));
  for (std::size_t i = 1; i < options.r_ladder.size(); ++i)
    if (!(options.r_ladder[i] > options.r_ladder[i - 1]))
      refuse(fmt::format("option r_ladder[{}] = {}: expected above {}, the value before it", i, options.r_ladder[i],
                         options.r_ladder[i - 1]));
}

std::vector<OptionInfo> describe_options() {
  const TrainOptions defaults;
  std::vector<OptionInfo> list;
  for_each_option([&]<class T>(const Option<T>& option) {
    list.push_back({std::string(option.name), std::string(option.matlab_name), type_text<T>(),
                    to_text(defaults.*option.field), option.bounds.text(option.name), std::string(option.sentence)});
  });
  return list;
}

std::string option_text(const TrainOptions& options, std::string_view name) {
  std::string text;
  with_option(name, [&](const auto& option) { text = to_text(options.*option.field); });
  return text;
}

void set_option(TrainOptions& options, std::string_view name, std::string_view text) {
  with_option(name, [&]<class T>(const Option<T>& option) {
    if (!from_text(text, options.*option.field))
      refuse(fmt::format("option {} = '{}': expected {}", name, text, type_text<T>()));
  });
}

}  // namespace sconet
