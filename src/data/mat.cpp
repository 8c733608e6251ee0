// MATLAB files, through libmatio: their real matrices become columns.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <unordered_map>

#ifdef SCONET_WITH_MATIO
#include <matio.h>
#ifdef SCONET_WITH_ZLIB
#include <zlib.h>
#endif
#endif

#include "data/source.hpp"
#include "data/text_table.hpp"
#include "sconet/errors.hpp"

namespace sconet {

bool is_mat(std::string_view bytes) {
  return bytes.substr(0, 19) == "MATLAB 5.0 MAT-file" || bytes.substr(0, 19) == "MATLAB 7.3 MAT-file";
}

#ifndef SCONET_WITH_MATIO

Table read_mat(const std::string& path, const TableOptions&) {
  check_readable(path);
  throw DataError(fmt::format("{}: it is a MATLAB file, and this sconet was built without matio", path));
}

#else
namespace {

using File = std::unique_ptr<mat_t, int (*)(mat_t*)>;
using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

thread_local bool complained = false;  // libmatio has met something it does not understand

void note_complaint(int, char*) { complained = true; }

[[noreturn]] void damaged(const std::string& path) {
  throw DataError(fmt::format("{}: it is not a MATLAB file, or it is damaged", path));
}

// Whether compressed bytes are whole and have the right checksum.
bool is_sound(std::string_view packed) {
#ifdef SCONET_WITH_ZLIB
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::vector<Bytef> out(std::size_t{1} << 16);
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    result = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END;
#else
  return !packed.empty();
#endif
}

// libmatio takes what it can get: it leaves out a variable that is cut off, and does not look at the checksums of
// compressed ones. So the elements of a version 5 file are walked through beforehand: each has its type and size in
// front, after a head of 128 bytes that ends with the order of bytes.
void check_elements(std::string_view bytes, const std::string& path) {
  constexpr std::size_t kHead = 128;
  const auto word = [&](std::size_t at) {
    const bool big_endian = bytes[kHead - 2] == 'M';
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = (value << 8) | static_cast<unsigned char>(bytes[at + (big_endian ? i : 3 - i)]);
    return value;
  };
  for (std::size_t at = kHead; at + 8 <= bytes.size();) {
    const std::uint32_t type = word(at), size = word(at + 4);
    at += 8;
    if (size > bytes.size() - at) throw DataError(fmt::format("{}: the file ends early (truncated download?)", path));
    if (type == MAT_T_COMPRESSED && !is_sound(bytes.substr(at, size))) damaged(path);
    at += size;
  }
}

// Why a variable cannot be columns of a table; nothing when it can.
const char* obstacle(const matvar_t& variable) {
  if (variable.class_type == MAT_C_SPARSE) return "sparse";
  if (variable.class_type == MAT_C_CHAR) return "text";
  if (variable.class_type == MAT_C_STRUCT || variable.class_type == MAT_C_OBJECT) return "a struct";
  if (variable.class_type == MAT_C_CELL) return "a cell array";
  if (variable.class_type < MAT_C_DOUBLE || variable.class_type > MAT_C_UINT64) return "not numeric";
  if (variable.isComplex != 0) return "complex";
  if (variable.rank != 2) return "not a matrix (it has more than two dimensions)";
  return nullptr;
}

std::string name_of(const matvar_t& variable) { return variable.name != nullptr ? variable.name : ""; }

std::string size_of(const matvar_t& variable) {
  return fmt::format("{} ({})", shown(name_of(variable)),
                     fmt::join(variable.dims, variable.dims + std::max(variable.rank, 0), " x "));
}

template <class T>
void append_columns(const matvar_t& variable, Table& table) {
  const std::size_t rows = variable.dims[0], width = variable.dims[1];
  const T* values = static_cast<const T*>(variable.data);
  for (std::size_t c = 0; c < width; ++c) {
    Column& column = table.columns.emplace_back();
    column.name = width == 1 ? name_of(variable) : fmt::format("{}_{}", name_of(variable), c + 1);
    column.numbers.reserve(rows);
    for (std::size_t r = 0; r < rows; ++r) column.numbers.push_back(static_cast<double>(values[c * rows + r]));
  }
}

void append(const matvar_t& variable, Table& table) {
  switch (variable.class_type) {
    case MAT_C_DOUBLE: return append_columns<double>(variable, table);
    case MAT_C_SINGLE: return append_columns<float>(variable, table);
    case MAT_C_INT8: return append_columns<std::int8_t>(variable, table);
    case MAT_C_UINT8: return append_columns<std::uint8_t>(variable, table);
    case MAT_C_INT16: return append_columns<std::int16_t>(variable, table);
    case MAT_C_UINT16: return append_columns<std::uint16_t>(variable, table);
    case MAT_C_INT32: return append_columns<std::int32_t>(variable, table);
    case MAT_C_UINT32: return append_columns<std::uint32_t>(variable, table);
    case MAT_C_INT64: return append_columns<std::int64_t>(variable, table);
    case MAT_C_UINT64: return append_columns<std::uint64_t>(variable, table);
    default: return;
  }
}

// A column of numbers that the caller wants as text: each number as it is written shortest.
void make_text(Column& column) {
  std::unordered_map<std::string, std::int32_t> codes;
  column.type = ColumnType::text;
  for (const double value : column.numbers) {
    if (std::isnan(value)) {
      column.codes.push_back(-1);
      continue;
    }
    const auto [at, is_new] = codes.emplace(fmt::format("{}", value), static_cast<std::int32_t>(codes.size()));
    if (is_new) column.levels.push_back(at->first);
    column.codes.push_back(at->second);
  }
  column.numbers = {};
}

// The heads of all variables, in the order of the file.
std::vector<Variable> list_variables(mat_t* file, const std::string& path) {
  double most = std::numeric_limits<double>::infinity();
  if (Mat_GetVersion(file) == MAT_FT_MAT5) {
    const Source source = read_source(path);
    check_elements(source.bytes.view(), path);
    // zlib makes at most 1032 bytes of one, and a double may be stored as a byte: a size beyond that is a broken one.
    most = 8.0 * 1032 * static_cast<double>(source.bytes.size());
  }
  std::vector<Variable> variables;
  for (;;) {
    Variable variable(Mat_VarReadNextInfo(file), Mat_VarFree);
    if (complained) damaged(path);
    if (variable == nullptr) return variables;
    if (variable->rank > 0 && variable->dims == nullptr) damaged(path);
    auto bytes = static_cast<double>(Mat_SizeOfClass(variable->class_type));
    for (int i = 0; i < variable->rank; ++i) bytes *= static_cast<double>(variable->dims[i]);
    if (obstacle(*variable) == nullptr && bytes > most) damaged(path);
    variables.push_back(std::move(variable));
  }
}

std::vector<matvar_t*> choose(const std::vector<Variable>& variables, const std::vector<std::string>& wanted,
                              const std::string& path) {
  std::vector<std::string> sizes;
  sizes.reserve(variables.size());
  for (const Variable& variable : variables) sizes.push_back(size_of(*variable));
  const std::string list = fmt::format("it has {}", fmt::join(sizes, ", "));
  std::vector<matvar_t*> chosen;
  for (const std::string& name : wanted) {
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return name_of(*v) == name; });
    if (found == variables.end())
      throw DataError(fmt::format("{}: there is no variable '{}'; {}", path, shown(name), list));
    if (const char* why = obstacle(**found))
      throw DataError(
          fmt::format("{}: the variable '{}' is {}; only real matrices can be read", path, shown(name), why));
    chosen.push_back(found->get());
  }
  if (wanted.empty())
    for (const Variable& variable : variables)
      if (obstacle(*variable) == nullptr) chosen.push_back(variable.get());
  if (chosen.empty())
    throw DataError(
        fmt::format("{}: there is no real matrix in it; {}", path, sizes.empty() ? "it has no variables" : list));
  for (const matvar_t* variable : chosen)
    if (variable->dims[0] != chosen.front()->dims[0])
      throw DataError(
          fmt::format("{}: the variables have different numbers of rows; {}; choose those that belong "
                      "together (--variables X,T)",
                      path, list));
  return chosen;
}

}  // namespace

Table read_mat(const std::string& path, const TableOptions& options) {
  check_readable(path);
  static const int silent = Mat_LogInitFunc("sconet", note_complaint);
  static_cast<void>(silent);
  complained = false;
  const File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), Mat_Close);
  if (file == nullptr || complained) damaged(path);
  const std::vector<Variable> variables = list_variables(file.get(), path);
  Table table;
  table.source = path;
  table.description = "MATLAB file";
  for (matvar_t* variable : choose(variables, options.variables, path)) {
    const std::size_t rows = variable->dims[0], width = variable->dims[1];
    table.rows = static_cast<Index>(rows);
    if (rows > 0 && width > 0) {
      if (Mat_VarReadDataAll(file.get(), variable) != 0 || complained || variable->data == nullptr ||
          variable->nbytes / Mat_SizeOfClass(variable->class_type) / width < rows)
        damaged(path);
    }
    append(*variable, table);
  }
  if (table.rows == 0 || table.columns.empty())
    throw DataError(fmt::format("{}: there are no rows; the variables are empty", path));
  for (const auto& [name, type] : options.known_types)
    for (Column& column : table.columns)
      if (type == ColumnType::text && column.name == name) make_text(column);
  for (const auto& [which, type] : options.types)
    if (type == ColumnType::text) make_text(table.columns[static_cast<std::size_t>(table.column(which))]);
  return table;
}

#endif

}  // namespace sconet
