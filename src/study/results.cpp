#include "study/results.hpp"

#include <algorithm>
#include <cmath>

namespace sconet::study {

Spread spread(const std::vector<double>& values) {
  Spread s;
  for (const double v : values) s.mean += v;
  s.mean /= static_cast<double>(values.size());
  for (const double v : values) s.std += (v - s.mean) * (v - s.mean);
  s.std = values.size() > 1 ? std::sqrt(s.std / static_cast<double>(values.size() - 1)) : 0;
  return s;
}

const Cell* Results::find(std::string_view set, std::string_view method) const {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const Cell& c) { return c.set == set && c.method == method; });
  return found == cells.end() ? nullptr : &*found;
}

const SetInfo& Results::set(std::string_view id) const {
  return *std::find_if(sets.begin(), sets.end(), [&](const SetInfo& s) { return s.id == id; });
}

const MethodInfo& Results::method(std::string_view id) const {
  return *std::find_if(methods.begin(), methods.end(), [&](const MethodInfo& m) { return m.id == id; });
}

}  // namespace sconet::study
