// Tables: places and columns as people name them, and the way from a file to its reader.

#include "sconet/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <stdexcept>

#include "core/nearest.hpp"
#include "data/source.hpp"
#include "data/text_table.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

std::string list_of_names(const std::vector<Column>& columns) {
  constexpr std::size_t kMost = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(columns.size(), kMost); ++i)
    list += (i > 0 ? ", " : "") + shown(columns[i].name);
  if (columns.size() > kMost) list += fmt::format(", ... ({} in all)", columns.size());
  return list;
}

// Nothing when no name is near.
std::string nearest_name(const std::vector<Column>& columns, std::string_view which) {
  std::size_t least = std::max<std::size_t>(1, which.size() / 2) + 1;
  std::string nearest;
  for (const Column& column : columns)
    if (const std::size_t away = distance(which, column.name); away < least) {
      least = away;
      nearest = column.name;
    }
  return nearest;
}

Table read_text_or_arff(std::string_view bytes, const std::string& source, const TableOptions& options) {
  if (!options.variables.empty())
    throw std::invalid_argument(
        fmt::format("variables can be chosen in MATLAB files only, which {} is not", source.empty() ? "this" : source));
  std::string converted;
  std::vector<std::string> warnings;
  const std::string_view text = plain_text(bytes, source, converted, warnings);
  const bool arff = options.format == TableFormat::arff || (options.format == TableFormat::automatic && is_arff(text));
  Table table = arff ? read_arff(text, source, options) : read_text(text, source, options);
  table.warnings.insert(table.warnings.begin(), warnings.begin(), warnings.end());
  return table;
}

[[noreturn]] void refuse_mat(const std::string& source) {
  throw DataError(fmt::format("{}: a .mat file must be a plain file", source));
}

bool has_mat_name(std::string_view path) {
  return path.size() > 4 && same_but_for_case(path.substr(path.size() - 4), ".mat");
}

}  // namespace

std::string Table::place(Index row, Index column) const {
  if (source.empty()) return fmt::format("row {}, column {}", row + 1, column + 1);
  if (row >= 0 && row < static_cast<Index>(lines.size()))
    return text_place(source, lines[static_cast<std::size_t>(row)], column + 1);
  return fmt::format("{}: row {}, column {}", source, row + 1, column + 1);
}

Index Table::column(std::string_view which) const {
  const std::string in_source = source.empty() ? "" : " in " + source;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == which) found.push_back(i + 1);
  if (found.size() > 1)
    throw DataError(fmt::format("the name '{}' is that of several columns{}: numbers {}; give the number", shown(which),
                                in_source, fmt::join(found, ", ")));
  if (found.size() == 1) return static_cast<Index>(found.front()) - 1;
  const auto count = static_cast<Index>(columns.size());
  if (which == "last" && count > 0) return count - 1;
  Index number = 0;
  const auto [stop, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  if (stop == which.data() + which.size() && !which.empty() && error != std::errc::invalid_argument) {
    if (error == std::errc{} && number >= 1 && number <= count) return number - 1;
    throw DataError(
        fmt::format("there is no column {}{}; columns are counted from 1 to {}", shown(which), in_source, count));
  }
  const std::string nearest = nearest_name(columns, which);
  throw DataError(fmt::format("there is no column '{}'{}{}{}", shown(which), in_source,
                              nearest.empty() ? ". " : fmt::format("; did you mean '{}'? ", shown(nearest)),
                              "It has: " + list_of_names(columns)));
}

TableOptions Table::same_types(TableOptions options) const {
  for (const Column& column : columns)
    if (column.type == ColumnType::text) options.known_types.emplace_back(column.name, ColumnType::text);
  return options;
}

Table make_table(MatrixView values, const std::vector<std::string>& names) {
  if (!names.empty() && static_cast<Index>(names.size()) != values.cols())
    throw std::invalid_argument(fmt::format("{} names for a matrix of {} columns", names.size(), values.cols()));
  Table table;
  table.rows = values.rows();
  table.description = "matrix";
  for (Index c = 0; c < values.cols(); ++c) {
    Column& column = table.columns.emplace_back();
    column.name = names.empty() ? fmt::format("x{}", c + 1) : names[static_cast<std::size_t>(c)];
    column.numbers.reserve(static_cast<std::size_t>(values.rows()));
    for (Index r = 0; r < values.rows(); ++r) column.numbers.push_back(values(r, c));
  }
  return table;
}

Table read_table(const std::string& path, const TableOptions& options) {
  const bool automatic = options.format == TableFormat::automatic;
  // By its name alone, so that a large file is not read twice.
  if (path != "-" && (options.format == TableFormat::mat || (automatic && has_mat_name(path))))
    return read_mat(path, options);
  const Source source = read_source(path);
  if (options.format == TableFormat::mat || (automatic && is_mat(source.bytes.view()))) {
    if (!source.plain) refuse_mat(source.name);
    return read_mat(path, options);
  }
  Table table = read_text_or_arff(source.bytes.view(), source.name, options);
  if (!source.packing.empty()) table.description += ", " + source.packing;
  return table;
}

Table parse_table(std::string_view text, const std::string& source, const TableOptions& options) {
  if (options.format == TableFormat::mat || (options.format == TableFormat::automatic && is_mat(text)))
    refuse_mat(source.empty() ? "text" : source);
  return read_text_or_arff(text, source, options);
}

}  // namespace sconet
