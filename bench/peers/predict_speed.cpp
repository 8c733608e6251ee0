// Microseconds a model takes to predict a row, on one thread and without reading text.
//
//   bench_predict_speed MODEL TABLE
//
// The rows of the table are repeated until there are kRows. Prints one line of JSON.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.hpp"
#include "sconet/model.hpp"
#include "sconet/table.hpp"

namespace sconet::bench {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index kRows = 10'000;
constexpr int kLeast = 5;         // runs, and
constexpr double kSeconds = 0.3;  // at least so long

// The inputs of the model, in its order.
RowMajor repeated_inputs(const Model& model, const Table& table) {
  if (table.rows == 0) throw std::runtime_error(table.source + ": has no rows");
  const std::vector<InputColumn>& columns = model.encoder().columns();
  RowMajor X(kRows, static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Column& column = table.columns[static_cast<std::size_t>(table.column(columns[k].name))];
    if (column.type != ColumnType::number) throw std::runtime_error("column " + column.name + " is text");
    for (Index i = 0; i < kRows; ++i)
      X(i, static_cast<Index>(k)) = column.numbers[static_cast<std::size_t>(i % table.rows)];
  }
  return X;
}

// The rows of a batch get what they get from the table, and the same again in a repeat.
void verify(const Model& model, const Table& table, const RowMajor& X) {
  const Eigen::MatrixXd expected = model.predict(table), batch = model.predict(X), again = model.predict(X);
  for (Index i = 0; i < X.rows(); ++i)
    if (batch.row(i) != expected.row(i % table.rows) || batch.row(i) != again.row(i))
      throw std::runtime_error(fmt::format("the predictions of row {} differ", i + 1));
}

double median_seconds(const Model& model, const RowMajor& X) {
  std::vector<double> seconds;
  const double end = now() + kSeconds;
  while (seconds.size() < kLeast || now() < end) {
    const double start = now();
    const Eigen::MatrixXd Y = model.predict(X);
    seconds.push_back(now() - start);
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace
}  // namespace sconet::bench

int main(int count, char** arguments) {
  using namespace sconet;
  try {
    if (count != 3) throw std::runtime_error("usage: bench_predict_speed MODEL TABLE");
    const Model model = Model::load(arguments[1]);
    const Table table = read_table(arguments[2], model.encoder().table_options({}));
    const bench::RowMajor X = bench::repeated_inputs(model, table);
    bench::verify(model, table, X);
    const double seconds = bench::median_seconds(model, X);
    const nlohmann::json result = {{"rows", X.rows()},
                                   {"microseconds_per_row", seconds * 1e6 / static_cast<double>(X.rows())}};
    fmt::print("{}\n", result.dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_predict_speed: {}\n", error.what());
    return 1;
  }
}
