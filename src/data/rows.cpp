// The rows of a text table. Numbers go straight into the columns, in one pass; columns that turn out to be text are
// read in a second one. A large text without quotes is cut at line ends into pieces that are read side by side.

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <unordered_map>

#include "core/thread_pool.hpp"
#include "data/text_table.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kWorthAPiece = std::size_t{1} << 20;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A run of whole lines, and where its rows go.
struct Piece {
  std::string_view text;
  Index line = 1;               // the line it begins on
  Index first = 0;              // the first row, as if every line were a row
  Index room = 0;               // rows there can be
  Index rows = 0;               // rows there are
  std::vector<char> text_seen;  // for each column
  std::optional<std::string> error;
};

// A "\r\n" counts once. Blocks are short enough for a sum of bytes, which runs on vectors.
Index count_lines(std::string_view text) {
  if (text.empty()) return 0;
  constexpr std::size_t kBlock = 240;
  Index count = 0;
  for (std::size_t first = 0; first + 1 < text.size(); first += kBlock) {
    const char* here = text.data() + first;
    const std::size_t size = std::min(kBlock, text.size() - 1 - first);
    unsigned char ends = 0;
    for (std::size_t i = 0; i < size; ++i)
      ends = static_cast<unsigned char>(ends + ((here[i] == '\n') | ((here[i] == '\r') & (here[i + 1] != '\n'))));
    count += ends;
  }
  return count + static_cast<Index>(text.back() == '\n' || text.back() == '\r');
}

std::vector<Piece> cut(const Rows& rows, const Dialect& dialect) {
  const std::string_view text = rows.text;
  Index wanted = rows.pieces > 0 ? rows.pieces : static_cast<Index>(text.size() / kWorthAPiece);
  // In quotes a line end may be part of a cell, and only who reads from the start knows where quotes are.
  for (const char quote : dialect.quotes)
    if (wanted > 1 && text.find(quote) != std::string_view::npos) wanted = 1;
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  for (Index i = 1; i <= wanted && begin < text.size(); ++i) {
    std::size_t end = text.size();
    if (i < wanted) {
      end = text.find('\n', std::max(begin, text.size() / at(wanted) * at(i)));
      end = end == std::string_view::npos ? text.size() : end + 1;
    }
    pieces.emplace_back().text = text.substr(begin, end - begin);
    begin = end;
  }
  if (begin < text.size() || pieces.empty()) pieces.emplace_back().text = text.substr(begin);
  return pieces;
}

class RowReader {
 public:
  RowReader(const Rows& rows, const Dialect& dialect, Table& table)
      : rows_(rows), dialect_(dialect), table_(table), width_(static_cast<Index>(table.columns.size())) {
    // A text that means missing may look like a number, and with a decimal comma a number is not what it seems.
    double value = 0;
    plain_numbers_ = dialect.decimal == '.' && std::none_of(dialect.na.begin(), dialect.na.end(), [&](const auto& na) {
                       return is_number(na, dialect, value);
                     });
  }

  void read() {
    std::vector<Piece> pieces = cut(rows_, dialect_);
    ThreadPool pool(pieces.size() > 1 ? 0 : 1);
    const auto count = static_cast<Index>(pieces.size());
    pool.run(count, [&](Index i, int) { pieces[at(i)].room = count_lines(pieces[at(i)].text); });
    Index line = rows_.line, first = 0;
    for (Piece& piece : pieces) {
      piece.line = line;
      piece.first = first;
      line += piece.room;
      // The last line may have no end. A record has at least a byte for each cell, so that a wide header and many empty
      // lines do not ask for the room of a large table.
      piece.room = std::min(piece.room, static_cast<Index>(piece.text.size()) / width_) + 1;
      first += piece.room;
      piece.text_seen.assign(table_.columns.size(), 0);
    }
    table_.lines.resize(at(first));
    pool.run(width_, [&](Index c, int) {
      if (rows_.kinds[at(c)] != Kind::text) table_.columns[at(c)].numbers.resize(at(first));
    });
    pool.run(count, [&](Index i, int) { read_numbers(pieces[at(i)]); });
    for (const Piece& piece : pieces)
      if (piece.error) throw DataError(*piece.error);
    close_gaps(pieces, pool);
    if (table_.rows > 0) read_texts(pieces);
  }

 private:
  // An error is kept, not thrown: the first one in the file counts, not the first one that is found.
  void read_numbers(Piece& piece) {
    try {
      std::vector<double*> out;
      for (Column& column : table_.columns)
        out.push_back(column.numbers.empty() ? nullptr : column.numbers.data() + piece.first);
      Index* lines = table_.lines.data() + piece.first;
      Scanner scanner(piece.text, piece.line, dialect_, table_.source);
      for (Index row = 0; scanner.next_record(); ++row, ++piece.rows) {
        lines[row] = scanner.record_line();
        Index c = 0;
        do {
          if (c == width_) {
            scanner.cell(c);
            wrong_count(scanner, all_fields(scanner, c + 1));
          }
          double value = kMissing;
          if (plain_numbers_ && rows_.kinds[at(c)] != Kind::text && scanner.number(value)) {
            out[at(c)][row] = value;
          } else {
            const std::string_view cell = scanner.cell(c);
            if (rows_.kinds[at(c)] != Kind::text && piece.text_seen[at(c)] == 0) {
              if (is_missing(cell, dialect_)) {
                out[at(c)][row] = kMissing;
              } else if (is_number(cell, dialect_, value)) {
                out[at(c)][row] = value;
              } else if (rows_.kinds[at(c)] == Kind::inferred) {
                piece.text_seen[at(c)] = 1;
              } else {
                no_number(scanner, c, std::string(cell));
              }
            }
          }
          ++c;
        } while (scanner.next_cell());
        if (c != width_) wrong_count(scanner, c);
      }
    } catch (const DataError& error) {
      piece.error = error.what();
    }
  }

  // The fields of a record of which so many are behind us; reads to its end.
  static Index all_fields(Scanner& scanner, Index fields) {
    for (; scanner.next_cell(); ++fields) scanner.cell(fields);
    return fields;
  }

  [[noreturn]] void wrong_count(const Scanner& scanner, Index fields) const {
    std::string hint;
    if (scanner.line() > scanner.record_line() + 1)
      hint = "; is a quote on that line not closed?";
    else if (width_ == 1)
      hint = "; what separates them? (--delimiter)";
    throw DataError(fmt::format("{}: {} {} where {}{}", text_place(table_.source, scanner.record_line()), fields,
                                fields == 1 ? "field" : "fields", rows_.expected, hint));
  }

  [[noreturn]] void no_number(Scanner& scanner, Index c, const std::string& cell) const {
    // Cells too many or too few are the better explanation of one that does not fit.
    if (const Index fields = all_fields(scanner, c + 1); fields != width_) wrong_count(scanner, fields);
    throw DataError(
        fmt::format("{}: '{}' in column '{}' is not a number; correct it or say that it means missing (--na {})",
                    text_place(table_.source, scanner.record_line(), c + 1), shown(cell),
                    shown(table_.columns[at(c)].name), shown(cell)));
  }

  // Lines that were no rows (blank ones) left gaps.
  void close_gaps(const std::vector<Piece>& pieces, ThreadPool& pool) {
    for (const Piece& piece : pieces) table_.rows += piece.rows;
    const auto close = [&]<class T>(std::vector<T>& values) {
      if (values.empty()) return;
      T* to = values.data();
      for (const Piece& piece : pieces) {
        if (to != values.data() + piece.first) std::copy_n(values.data() + piece.first, piece.rows, to);
        to += piece.rows;
      }
      values.resize(at(table_.rows));
    };
    close(table_.lines);
    pool.run(width_, [&](Index c, int) {
      Column& column = table_.columns[at(c)];
      if (rows_.kinds[at(c)] == Kind::text ||
          std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.text_seen[at(c)] != 0; })) {
        column.type = ColumnType::text;
        column.numbers = {};
      } else {
        close(column.numbers);
      }
    });
  }

  // Finds the level of a text without making a string of it first.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct Levels {
    std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes;
    std::vector<char> is_number;  // of each level
  };

  void read_texts(const std::vector<Piece>& pieces) {
    std::vector<Levels> levels(table_.columns.size());
    if (std::none_of(table_.columns.begin(), table_.columns.end(),
                     [](const Column& column) { return column.type == ColumnType::text; }))
      return;
    for (Column& column : table_.columns)
      if (column.type == ColumnType::text) column.codes.reserve(at(table_.rows));
    Scanner scanner(rows_.text, pieces.front().line, dialect_, table_.source);
    for (Index row = 0; scanner.next_record(); ++row) {
      Index c = 0;
      do {
        const std::string_view cell = scanner.cell(c);
        if (table_.columns[at(c)].type == ColumnType::text) add(cell, row, c, levels[at(c)]);
        ++c;
      } while (scanner.next_cell());
    }
  }

  void add(std::string_view cell, Index row, Index c, Levels& levels) {
    Column& column = table_.columns[at(c)];
    const auto known = levels.codes.find(cell);
    std::int32_t code = known != levels.codes.end() ? known->second : -1;
    if (known == levels.codes.end() && !is_missing(cell, dialect_)) {
      if (!rows_.allowed.empty() && !rows_.allowed[at(c)].empty()) check_allowed(cell, row, c);
      code = static_cast<std::int32_t>(column.levels.size());
      double value = 0;
      levels.is_number.push_back(static_cast<char>(is_number(cell, dialect_, value)));
      levels.codes.emplace(cell, code);
      column.levels.emplace_back(cell);
    }
    column.codes.push_back(code);
    if (code < 0 || rows_.kinds[at(c)] != Kind::inferred) return;
    if (levels.is_number[static_cast<std::size_t>(code)] != 0)
      ++column.numeric_cells;
    else if (column.first_text_row < 0)
      column.first_text_row = row;
  }

  void check_allowed(std::string_view cell, Index row, Index c) const {
    const auto& allowed = rows_.allowed[at(c)];
    if (std::find(allowed.begin(), allowed.end(), cell) == allowed.end())
      throw DataError(fmt::format("{}: '{}' is not among the values that column '{}' is declared to have",
                                  table_.place(row, c), shown(cell), shown(table_.columns[at(c)].name)));
  }

  const Rows& rows_;
  const Dialect& dialect_;
  Table& table_;
  const Index width_;
  bool plain_numbers_ = true;  // a cell that looks like a number is one
};

}  // namespace

void read_rows(const Rows& rows, const Dialect& dialect, Table& table) { RowReader(rows, dialect, table).read(); }

void force_types(const TableOptions& options, const Table& table, std::vector<Kind>& kinds) {
  const auto kind = [](ColumnType type) { return type == ColumnType::number ? Kind::number : Kind::text; };
  for (const auto& [name, type] : options.known_types)
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].name == name) kinds[c] = kind(type);
  for (const auto& [which, type] : options.types) kinds[at(table.column(which))] = kind(type);
}

std::string_view Scanner::quoted(Index column) {
  const char quote = *at_;
  const Index opened = line_;
  const char* begin = ++at_;
  bool copied = false;
  const auto keep = [&](const char* stop) {  // what came before a character that is left out
    if (!copied) unquoted_.clear();
    copied = true;
    unquoted_.append(begin, stop);
  };
  for (;; ++at_) {
    if (at_ == end_)
      throw DataError(fmt::format("{}: the quote {} that opens here is never closed",
                                  text_place(*source_, opened, column + 1), quote));
    if (*at_ == quote) {
      if (at_ + 1 == end_ || at_[1] != quote) break;
      keep(at_);
      begin = ++at_;
    } else if (*at_ == '\\' && dialect_->backslash && at_ + 1 != end_) {
      keep(at_);
      begin = ++at_;
    }
    if (*at_ == '\n' || (*at_ == '\r' && (at_ + 1 == end_ || at_[1] != '\n'))) ++line_;
  }
  if (copied) keep(at_);
  const char* stop = at_++;
  skip_blanks();
  if (at_ != end_ && !ends_cell_[byte(*at_)]) {
    const char* behind = at_;
    while (at_ != end_ && !ends_cell_[byte(*at_)]) ++at_;
    // For blanks as delimiter the blanks are skipped already, and the next cell may begin here.
    if (dialect_->delimiter == ' ' && is_blank(behind[-1])) {
      at_ = behind;
    } else {
      throw DataError(fmt::format(
          "{}: '{}' follows the closing quote; a quote that is part of the text is written twice",
          text_place(*source_, line_, column + 1), shown({behind, static_cast<std::size_t>(at_ - behind)})));
    }
  }
  if (copied) return unquoted_;
  return {begin, static_cast<std::size_t>(stop - begin)};
}

std::string text_place(const std::string& source, Index line, Index field) {
  std::string place = source.empty() ? fmt::format("line {}", line) : fmt::format("{}:{}", source, line);
  if (field > 0) place += source.empty() ? fmt::format(", field {}", field) : fmt::format(":{}", field);
  return place;
}

std::string shown(std::string_view text) {
  std::string out;
  int characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool inside = (byte & 0xC0) == 0x80;  // a UTF-8 sequence, which is not cut
    if ((!inside && ++characters > 40) || out.size() > 400) return out + "...";
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

}  // namespace sconet
