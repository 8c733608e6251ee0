// docs/model-format.md taken word for word: a reader and predictor that shares nothing with the library's.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace sconet::testing {

class LiteralModel {
 public:
  explicit LiteralModel(const std::string& bytes) {
    std::uint64_t n = 0;
    for (int i = 7; i >= 0; --i) n = n << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    const auto header = nlohmann::json::parse(bytes.substr(8, n));
    description_ = nlohmann::json::parse(header.at("__metadata__").at("model").get<std::string>());
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      const std::uint64_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
      arrays_[name].resize((end - begin) / 8);
      if (end > begin) std::memcpy(arrays_[name].data(), bytes.data() + 8 + n + begin, end - begin);
    }
  }

  // Cells as text, "" for missing, by the names of the columns.
  std::vector<double> predict(const std::map<std::string, std::string>& row) const {
    std::vector<double> inputs;
    std::size_t number = 0, knot = 0;
    for (const auto& column : description_["encoder"]["columns"]) {
      if (!column["used"].get<bool>()) continue;
      const std::string cell = row.at(column["name"].get<std::string>());
      if (column["type"] == "number") {
        const double* scales = arrays_.at("encoder.numbers").data() + 3 * number++;
        double x = cell.empty() ? scales[0] : std::stod(cell);
        if (clips()) {
          const double* range = arrays_.at("encoder.ranges").data() + 2 * (number - 1);
          x = x < range[0] ? range[0] : x > range[1] ? range[1] : x;
        }
        const bool both = column.value("both", false);
        if (both || !column.contains("knots")) inputs.push_back((x - scales[1]) / scales[2]);
        if (column.contains("knots")) {
          const auto count = column["knots"].get<std::size_t>();
          inputs.push_back(
              through(x, &arrays_.at("encoder.knots")[knot], &arrays_.at("encoder.positions")[knot], count));
          knot += count;
        }
        if (column["indicator"].get<bool>()) inputs.push_back(cell.empty() ? 1 : 0);
      } else {
        for (const auto& level : column["levels"]) inputs.push_back(!cell.empty() && cell == level.get<std::string>());
        if (column["missing_level"].get<bool>()) inputs.push_back(cell.empty() ? 1 : 0);
      }
    }
    const std::size_t m = description_["encoder"]["targets"].size(), L = arrays_.at("network.biases").size();
    std::vector<double> y;
    for (std::size_t q = 0; q < m; ++q) {
      double f = arrays_.at("network.intercept")[q];
      for (std::size_t j = 0; j < L; ++j) {
        double z = arrays_.at("network.biases")[j];
        if (arrays_.contains("network.weights")) {
          for (std::size_t k = 0; k < inputs.size(); ++k)
            z += arrays_.at("network.weights")[j * inputs.size() + k] * inputs[k];
        } else {
          std::size_t first = 0;
          for (std::size_t i = 0; i < j; ++i) first += static_cast<std::size_t>(arrays_.at("network.sparse_counts")[i]);
          const std::size_t last = first + static_cast<std::size_t>(arrays_.at("network.sparse_counts")[j]);
          for (std::size_t i = first; i < last; ++i)
            z += arrays_.at("network.sparse_values")[i] *
                 inputs[static_cast<std::size_t>(arrays_.at("network.sparse_inputs")[i])];
        }
        f += activation(z) * arrays_.at("network.output_weights")[j * m + q];
      }
      if (arrays_.contains("network.direct"))
        for (std::size_t k = 0; k < inputs.size(); ++k) f += inputs[k] * arrays_.at("network.direct")[k * m + q];
      double value = arrays_.at("encoder.targets")[2 * q] + arrays_.at("encoder.targets")[2 * q + 1] * f;
      if (clips()) {
        const double* range = arrays_.at("encoder.target_ranges").data() + 2 * q;
        value = value < range[0] ? range[0] : value > range[1] ? range[1] : value;
      }
      y.push_back(value);
    }
    return y;
  }

 private:
  bool clips() const { return description_["encoder"]["options"].value("clip", "false") == "true"; }

  static double through(double x, const double* knots, const double* positions, std::size_t count) {
    if (x <= knots[0]) return positions[0];
    for (std::size_t k = 1; k < count; ++k)
      if (x <= knots[k])
        return positions[k - 1] + (x - knots[k - 1]) / (knots[k] - knots[k - 1]) * (positions[k] - positions[k - 1]);
    return positions[count - 1];
  }

  double activation(double z) const {
    const std::string name = description_["network"]["activation"];
    if (name == "sigmoid") return 1 / (1 + std::exp(-z));
    if (name == "tanh") return std::tanh(z);
    if (name == "sin") return std::sin(z);
    if (name == "gaussian") return std::exp(-z * z);
    if (name == "relu") return std::max(0.0, z);
    throw std::runtime_error("activation " + name);
  }

  nlohmann::json description_;
  std::map<std::string, std::vector<double>> arrays_;
};

}  // namespace sconet::testing
