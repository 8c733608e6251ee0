// A table: named columns of numbers or of text, read from a file or made by the caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sconet/matrix_view.hpp"

namespace sconet {

enum class ColumnType { number, text };

struct Column {
  std::string name;
  ColumnType type = ColumnType::number;
  std::vector<double> numbers;      // type number: a value for each row, NaN where it is missing
  std::vector<std::int32_t> codes;  // type text: for each row its place in `levels`, -1 where it is missing
  std::vector<std::string> levels;  // type text: the distinct texts, in the order they appear

  // Type text, found by looking at the cells: how many of them are numbers, and the first row whose cell is not.
  Index numeric_cells = 0;
  Index first_text_row = -1;
};

struct TableOptions;

struct Table {
  std::string source;  // the file's name, "standard input", or empty
  Index rows = 0;
  std::vector<Column> columns;
  std::vector<Index> lines;           // for each row the line of the file it begins on, from 1; may be empty
  std::vector<std::string> outputs;   // the columns that the file itself (KEEL) calls outputs
  std::string description;            // how the file was read: "comma-separated text with a header line"
  std::vector<std::string> warnings;  // what the reader thought odd: "the text is not UTF-8 and was read as Latin-1"

  // "data.csv:7:3", the place of a cell (both counted from 0 here and from 1 there), for messages.
  std::string place(Index row, Index column) const;

  // The column a person means: its name, or else its number from 1, or "last". Throws DataError that lists the names
  // there are when there is no such column, or several of that name.
  Index column(std::string_view which) const;

  // How a table that belongs to this one is read: a column that is text here is text there, whatever it looks like.
  TableOptions same_types(TableOptions options) const;
};

// A table from matrices in memory, with columns x1, x2, ... unless names are given. Throws std::invalid_argument when
// the names do not fit.
Table make_table(MatrixView values, const std::vector<std::string>& names = {});

enum class TableFormat { automatic, text, arff, mat };  // arff: also KEEL's .dat
enum class Header { automatic, yes, no };

// How a file is read; what is left alone is found out by looking at the file.
struct TableOptions {
  TableFormat format = TableFormat::automatic;
  char delimiter = 0;  // 0: found out; ' ': runs of blanks
  char quote = 0;      // 0: found out; ' ' : there is no quoting
  char decimal = '.';  // or ','
  Header header = Header::automatic;
  std::vector<std::string> na = {};  // texts that mean missing, beside "", NA, N/A, NaN, null and ?
  std::vector<std::pair<std::string, ColumnType>> types =
      {};  // columns (as in Table::column) whose type is not inferred
  std::vector<std::pair<std::string, ColumnType>> known_types =
      {};                                   // the same by exact name, for columns that may lack
  std::vector<std::string> variables = {};  // .mat: the variables to take, in this order
};

// Reads a table: comma-, semicolon-, tab-, bar- or blank-separated text, ARFF, KEEL .dat or MATLAB .mat, plain or
// compressed by gzip or zstd. `path` "-" is standard input. Throws IoError when the file cannot be read, DataError with
// file, line, column and token when it cannot be understood, std::invalid_argument for options that make no sense.
Table read_table(const std::string& path, const TableOptions& options = {});

// The same for text that is in memory; `source` is what messages call it.
Table parse_table(std::string_view text, const std::string& source = "text", const TableOptions& options = {});

}  // namespace sconet
