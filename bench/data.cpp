// Our side of the comparison with pandas and scikit-learn. peers/tables.py asks and times it in turns with them: a
// request is a line of JSON on standard input, its answer a line of JSON on standard output.
//
//   {"do": "write", "path": CSV}                           writes the table that is read
//   {"do": "read", "path": CSV, "threads": T}              reads it; T = 0: all processors, or else 1
//   {"do": "inputs", "path": FILE}                         makes the rows to predict, and writes them
//   {"do": "network", "activation": NAME}                  makes the model, and answers with its function of raw rows
//   {"do": "predict", "what": "model" or "network", "threads": T}
//   {"do": "peak", "threads": T}                           the multiply-add peak
//
// read and predict answer with their seconds, and write their values (f64, row by row) to "values" when that is given.

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "data/source.hpp"
#include "data/text_table.hpp"
#include "kernels/dispatch.hpp"
#include "measure.hpp"
#include "sconet/model.hpp"
#include "sconet/table.hpp"
#include "support/problems.hpp"

namespace sconet::bench {
namespace {

using nlohmann::json;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index kTableRows = 21263, kTableColumns = 82;  // the size of a well-known table
constexpr Index kPredictRows = 1'000'000, kPredictInputs = 16, kNodes = 100;

void write_values(const std::string& path, const RowMajor& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size()) * static_cast<std::streamsize>(sizeof(double)));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

// Three columns in four have 15 significant digits, the fourth small whole numbers.
json write_table(const std::string& path) {
  const Eigen::MatrixXd values = testing::random_matrix(kTableRows, kTableColumns, 11);
  std::string text;
  for (Index c = 0; c < kTableColumns; ++c) text += fmt::format("{}x{}", c == 0 ? "" : ",", c + 1);
  text += '\n';
  constexpr double kSizes[] = {200, 1, 10, 100};
  for (Index r = 0; r < kTableRows; ++r) {
    for (Index c = 0; c < kTableColumns; ++c) {
      if (c > 0) text += ',';
      const double value = values(r, c) * kSizes[c % 4];
      if (c % 4 == 0)
        text += fmt::format("{}", static_cast<int>(value));
      else
        text += fmt::format("{:.15g}", value);
    }
    text += '\n';
  }
  std::ofstream file(path, std::ios::binary);
  if (!(file << text).flush()) throw std::runtime_error("cannot write " + path);
  return {{"bytes", text.size()}};
}

// read_table uses all processors. The same steps on a text that is not cut use one.
Table read_on_one_thread(const std::string& path) {
  const Source source = read_source(path);
  std::string converted;
  std::vector<std::string> warnings;
  return read_text(plain_text(source.bytes.view(), path, converted, warnings), path, {}, 1);
}

json read(const json& request) {
  const std::string path = request.at("path");
  const bool one = request.at("threads") == 1;
  const double start = now();
  const Table table = one ? read_on_one_thread(path) : read_table(path);
  const double seconds = now() - start;
  if (request.contains("values")) {
    RowMajor values(table.rows, static_cast<Index>(table.columns.size()));
    for (Index c = 0; c < values.cols(); ++c) {
      const Column& column = table.columns[static_cast<std::size_t>(c)];
      if (column.type != ColumnType::number) throw std::runtime_error("column " + column.name + " is text");
      values.col(c) = Eigen::Map<const Eigen::VectorXd>(column.numbers.data(), table.rows);
    }
    write_values(request.at("values"), values);
  }
  return {{"seconds", seconds}, {"rows", table.rows}, {"columns", table.columns.size()}};
}

// The rows to predict and the model that predicts them.
struct Prediction {
  RowMajor X;
  Model model;

  json inputs(const json& request) {
    X = testing::random_matrix(kPredictRows, kPredictInputs, 1, -3, 5);
    write_values(request.at("path"), X);
    return {{"rows", X.rows()}, {"columns", X.cols()}};
  }

  json network(const json& request) {
    const Eigen::MatrixXd weights = testing::random_matrix(kPredictInputs, kNodes, 2, -2, 2);
    const Eigen::VectorXd biases = testing::random_matrix(kNodes, 1, 3, -2, 2);
    const Eigen::VectorXd output_weights = testing::random_matrix(kNodes, 1, 4);
    std::vector<InputColumn> columns(kPredictInputs);
    for (InputColumn& column : columns) {
      column.name = fmt::format("x{}", &column - columns.data() + 1);
      column.offset = -3;
      column.scale = 8;
    }
    TargetColumn target{"y", 200, 2};
    const Activation activation = request.at("activation") == "relu" ? Activation::relu : Activation::sigmoid;
    model = Model(Encoder(columns, {target}, {}, {}),
                  Network(weights, biases, output_weights, Eigen::RowVectorXd::Zero(1), activation), {}, 0, {});
    // A network alone has no scaling: it is part of the weights.
    const Eigen::MatrixXd raw_weights = weights / 8;
    const Eigen::VectorXd raw_biases = biases + 3 * raw_weights.colwise().sum().transpose();
    const auto list = [](const auto& values) {
      return std::vector<double>(values.data(), values.data() + values.size());
    };
    return {{"weights", list(raw_weights)},  // node by node
            {"biases", list(raw_biases)},
            {"output_weights", list((output_weights * target.scale).eval())},
            {"intercept", target.offset}};
  }

  json predict(const json& request) const {
    const std::int64_t threads = request.at("threads");
    const bool alone = request.at("what") == "network";
    const double start = now();
    const Eigen::MatrixXd Y = alone ? model.network().predict(X, threads) : model.predict(X, threads);
    const double seconds = now() - start;
    if (request.contains("values")) write_values(request.at("values"), Y);
    return {{"seconds", seconds}};
  }
};

json peak(const json& request) {
  ThreadPool pool(request.at("threads").get<int>());
  const auto& kernels = select_kernels(Isa::automatic);
  return {{"gflops", fma_peak(kernels, pool) * 1e-9}, {"level", kernels.name}, {"threads", pool.size()}};
}

json answer(const json& request, Prediction& prediction) {
  const std::string what = request.at("do");
  if (what == "write") return write_table(request.at("path"));
  if (what == "read") return read(request);
  if (what == "inputs") return prediction.inputs(request);
  if (what == "network") return prediction.network(request);
  if (what == "predict") return prediction.predict(request);
  if (what == "peak") return peak(request);
  throw std::runtime_error("there is no request " + what);
}

}  // namespace
}  // namespace sconet::bench

int main() {
  try {
    sconet::bench::Prediction prediction;
    for (std::string line; std::getline(std::cin, line);)
      std::cout << sconet::bench::answer(nlohmann::json::parse(line), prediction).dump() << std::endl;
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_data: {}\n", error.what());
    return 1;
  }
}
