// How options are declared once, as a list of (name, field, bounds, sentence), and everything that is made from such a
// list: validation, text in and out, description.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/nearest.hpp"
#include "sconet/options.hpp"

namespace sconet {

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

// The texts of an enumeration's values, in their order; specialised beside each list.
template <class T>
struct Choices;

template <class Struct, class T>
struct Option {
  std::string_view name, matlab_name;
  T Struct::*field;
  Bounds bounds;
  std::string_view sentence;
};

// The list of a struct's options: specialised with a static for_each(visit) that calls visit(Option) for each of them.
template <class Struct>
struct OptionList;

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

[[noreturn]] inline void refuse_option(const std::string& message) { throw std::invalid_argument(message); }

template <class Struct, class T>
void check_option(const Option<Struct, T>& option, const T& value) {
  if constexpr (kIsList<T>) {
    if (value.empty()) refuse_option(fmt::format("option {} is empty: give at least one number", option.name));
    for (std::size_t i = 0; i < value.size(); ++i)
      if (!option.bounds.contain(value[i]))
        refuse_option(
            fmt::format("option {}[{}] = {}: expected {}", option.name, i, value[i], option.bounds.text(option.name)));
  } else if constexpr (std::is_enum_v<T>) {
    if (static_cast<std::size_t>(value) >= Choices<T>::names.size())
      refuse_option(fmt::format("option {} = {}: expected {}", option.name, static_cast<int>(value), type_text<T>()));
  } else if constexpr (!std::is_same_v<T, bool>) {
    if (!option.bounds.none() && !option.bounds.contain(static_cast<double>(value)))
      refuse_option(fmt::format("option {} = {}: expected {}", option.name, value, option.bounds.text(option.name)));
  }
}

// Calls f(option) for the option of that name.
template <class Struct, class F>
void with_option(std::string_view name, F&& f) {
  bool found = false;
  std::vector<std::string_view> names;
  OptionList<Struct>::for_each([&](const auto& option) {
    names.push_back(option.name);
    if (option.name != name) return;
    found = true;
    f(option);
  });
  if (!found) refuse_option(fmt::format("there is no option '{}'; did you mean '{}'?", name, nearest(name, names)));
}

template <class Struct>
void validate_options(const Struct& options) {
  OptionList<Struct>::for_each([&](const auto& option) { check_option(option, options.*option.field); });
}

template <class Struct>
std::vector<OptionInfo> describe_list() {
  const Struct defaults;
  std::vector<OptionInfo> list;
  OptionList<Struct>::for_each([&]<class T>(const Option<Struct, T>& option) {
    list.push_back({std::string(option.name), std::string(option.matlab_name), type_text<T>(),
                    to_text(defaults.*option.field), option.bounds.text(option.name), std::string(option.sentence)});
  });
  return list;
}

template <class Struct>
std::string text_of_option(const Struct& options, std::string_view name) {
  std::string text;
  with_option<Struct>(name, [&](const auto& option) { text = to_text(options.*option.field); });
  return text;
}

template <class Struct>
void set_option_from_text(Struct& options, std::string_view name, std::string_view text) {
  with_option<Struct>(name, [&]<class T>(const Option<Struct, T>& option) {
    if (!from_text(text, options.*option.field))
      refuse_option(fmt::format("option {} = '{}': expected {}", name, text, type_text<T>()));
  });
}

}  // namespace sconet
