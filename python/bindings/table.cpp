// Tables from arrays: one copy, column by column.

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "bindings.hpp"
#include "data/cells.hpp"

namespace sconet::python {
namespace {

Column& add_column(Table& table, std::string name, ColumnType type, Index rows) {
  if (!table.columns.empty() && rows != table.rows)
    throw std::invalid_argument("column '" + name + "' has " + std::to_string(rows) + " rows, and the table " +
                                std::to_string(table.rows));
  table.rows = rows;
  Column& column = table.columns.emplace_back();
  column.name = std::move(name);
  column.type = type;
  return column;
}

// Some rows at a time, so that rows stored one after the other are read from memory once.
void add_numbers(Table& table, const std::vector<std::string>& names, const py::array& values) {
  constexpr Index block = 256;
  const MatrixView X = view(values);
  if (static_cast<Index>(names.size()) != X.cols())
    throw std::invalid_argument(std::to_string(names.size()) + " names for " + std::to_string(X.cols()) + " columns");
  const std::size_t first = table.columns.size();
  for (const std::string& name : names)
    add_column(table, name, ColumnType::number, X.rows()).numbers.resize(static_cast<std::size_t>(X.rows()));
  for (Index begin = 0; begin < X.rows(); begin += block) {
    const Index end = std::min(X.rows(), begin + block);
    for (Index c = 0; c < X.cols(); ++c) {
      double* const to = table.columns[first + static_cast<std::size_t>(c)].numbers.data();
      for (Index i = begin; i < end; ++i) to[i] = X(i, c);
    }
  }
}

// codes: for each row its place in `texts`, -1 where it is missing. Texts may repeat; those that mean missing in a file
// ("", "NA", ...) do so here.
void add_texts(Table& table, std::string name, const py::array_t<std::int32_t, py::array::forcecast>& codes,
               const std::vector<std::string>& texts) {
  if (codes.ndim() != 1) throw std::invalid_argument("expected a code for each row");
  const auto code = codes.unchecked<1>();
  const Dialect dialect;
  const auto count = static_cast<std::int32_t>(texts.size());
  std::vector<std::int32_t> level_of(texts.size(), -2);  // not met yet
  std::unordered_map<std::string_view, std::int32_t> levels;
  Column& column = add_column(table, std::move(name), ColumnType::text, codes.shape(0));
  column.codes.reserve(static_cast<std::size_t>(codes.shape(0)));
  for (py::ssize_t i = 0; i < codes.shape(0); ++i) {
    if (code(i) < -1 || code(i) >= count) throw std::invalid_argument("a code that is none of a text");
    if (code(i) < 0) {
      column.codes.push_back(-1);
      continue;
    }
    std::int32_t& level = level_of[static_cast<std::size_t>(code(i))];
    const std::string& text = texts[static_cast<std::size_t>(code(i))];
    if (level == -2) {
      if (is_missing(text, dialect)) {
        level = -1;
      } else {
        const auto [known, is_new] = levels.emplace(text, static_cast<std::int32_t>(column.levels.size()));
        level = known->second;
        if (is_new) column.levels.push_back(text);
      }
    }
    column.codes.push_back(level);
  }
}

}  // namespace

void bind_table(py::module_& m) {
  py::class_<Table>(m, "Table", "Named columns of numbers or of text, copied from arrays.")
      .def(py::init<>())
      .def_readonly("rows", &Table::rows)
      .def("add_numbers", &add_numbers, py::arg("names"), py::arg("values"),
           "Columns of a float64 array, NaN where a number is missing.")
      .def("add_texts", &add_texts, py::arg("name"), py::arg("codes"), py::arg("texts"),
           "A column of texts: for each row its place in `texts`, or -1.");
}

}  // namespace sconet::python
