// Tables that are text: what the readers of the text formats share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/cells.hpp"
#include "sconet/table.hpp"

namespace sconet {

enum class Kind : char { inferred, number, text };

// The rows of a table whose columns are known.
struct Rows {
  std::string_view text;                          // the records
  Index line = 1;                                 // the line they begin on
  std::string expected;                           // for messages: "the header has 4"
  std::vector<Kind> kinds;                        // one for each column
  std::vector<std::vector<std::string>> allowed;  // for each column the texts it may have; nothing: any
  Index pieces = 0;  // how many are read side by side; 0: as many as the size is worth. The result is the same.
};

// Fills the columns of `table`, which have their names. Throws DataError about the first bad cell or record.
void read_rows(const Rows& rows, const Dialect& dialect, Table& table);

// What options.types and options.known_types say about each column of `table`; `kinds` has what is known without it.
void force_types(const TableOptions& options, const Table& table, std::vector<Kind>& kinds);

// The text without a byte order mark and in UTF-8; when it must be converted, `converted` holds it and `warnings` says
// so. Throws DataError when the bytes are no text.
std::string_view plain_text(std::string_view bytes, const std::string& source, std::string& converted,
                            std::vector<std::string>& warnings);

// Separated text. `pieces` as in Rows.
Table read_text(std::string_view text, const std::string& source, const TableOptions& options, Index pieces = 0);

// ARFF and KEEL; is_arff looks at the first line that says something.
bool is_arff(std::string_view text);
Table read_arff(std::string_view text, const std::string& source, const TableOptions& options);

// MATLAB files.
bool is_mat(std::string_view bytes);
Table read_mat(const std::string& path, const TableOptions& options);

}  // namespace sconet
