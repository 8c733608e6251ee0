// A table with everything in it: numbers, categories, missing cells, a constant column, identifiers, two targets.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "sconet/model.hpp"
#include "support/problems.hpp"

namespace sconet::testing {

inline std::string mixed_csv(int rows, std::uint64_t seed = 1) {
  const Eigen::MatrixXd u = random_matrix(rows, 4, seed);
  std::string text = "name,temp,flow,grade,site,y,z\n";
  for (int i = 0; i < rows; ++i) {
    const double temp = 300 + 50 * u(i, 0), flow = std::exp(3 * u(i, 1));
    const int grade = static_cast<int>(1.5 * (u(i, 2) + 1));
    const std::string temp_text = i % 7 == 3 ? "NA" : fmt::format("{}", temp);
    text += fmt::format("row {},{},{},{},north,{},{}\n", i, temp_text, flow,
                        grade == 0   ? "low"
                        : grade == 1 ? "mid"
                                     : "high",
                        std::sin(temp / 20) + 0.1 * flow * grade + 0.01 * u(i, 3), 1e5 * flow + grade);
  }
  return text;
}

inline Table mixed_table(int rows, std::uint64_t seed = 1) { return parse_table(mixed_csv(rows, seed), "mixed.csv"); }

inline FitOptions mixed_options() {
  FitOptions o;
  o.train.method = Method::rmpi;
  o.columns = {.targets = {"y", "z"}, .ignore = {}, .ids = {"name"}};
  o.valid_fraction = 0.25;
  o.encoder.scaling = Scaling::quantile;
  o.encoder.missing_indicator = true;
  o.encoder.quantiles = 16;
  o.train.max_nodes = 12;
  o.train.candidates = 20;
  o.train.intercept = true;
  return o;
}

}  // namespace sconet::testing
