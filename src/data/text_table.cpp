// Separated text. What the options leave open (delimiter, quote, header) is found out by looking at the first records.

#include "data/text_table.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <tuple>

#include "sconet/errors.hpp"

namespace sconet {
namespace {

constexpr std::size_t kSample = 1 << 16;  // bytes that are looked at
constexpr int kSampleRecords = 100;

// --- bytes that may be text ----------------------------------------------------------------------------------------
// Control characters that text does not have. NUL is one of them.
bool is_odd(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && (byte < '\t' || byte > '\r') && byte != 0x1B;
}

void refuse_binary(std::string_view bytes, const std::string& source) {
  const std::string name = source.empty() ? "" : source + ": ";
  if (bytes.substr(0, 2) == "\xFF\xFE" || bytes.substr(0, 2) == "\xFE\xFF")
    throw DataError(
        fmt::format("{}the text is UTF-16; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8", name));
  const std::string_view sample = bytes.substr(0, kSample);
  const auto odd = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), is_odd));
  std::size_t place = bytes.find('\0');
  if (place == std::string_view::npos && odd * 20 > sample.size())
    place = static_cast<std::size_t>(std::find_if(sample.begin(), sample.end(), is_odd) - sample.begin());
  if (place == std::string_view::npos) return;
  const char* hint = bytes.substr(0, 2) == "PK" ? "; if it is a spreadsheet, save it as CSV" : "";
  throw DataError(fmt::format("{}this is not a text table: there is a byte {:#04x} at offset {}{}", name,
                              static_cast<unsigned char>(bytes[place]), place, hint));
}

bool all_ascii(std::string_view text) {
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 64; at += 64, left -= 64) {
    std::uint64_t words[8], all = 0;
    std::memcpy(words, at, sizeof words);
    for (const std::uint64_t word : words) all |= word;
    if ((all & 0x8080808080808080U) != 0) return false;
  }
  return std::all_of(at, at + left, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_utf8(std::string_view text) {
  if (all_ascii(text)) return true;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t j) { return j < text.size() ? static_cast<unsigned char>(text[j]) : 0U; };
    const unsigned lead = byte(i);
    const std::size_t more = lead < 0x80                   ? 0
                             : lead >= 0xC2 && lead < 0xE0 ? 1
                             : lead >= 0xE0 && lead < 0xF0 ? 2
                             : lead >= 0xF0 && lead < 0xF5 ? 3
                                                           : 4;
    if (more == 4) return false;
    for (std::size_t j = 1; j <= more; ++j)
      if ((byte(i + j) & 0xC0U) != 0x80) return false;
    // Overlong forms, halves of surrogate pairs, and what is beyond Unicode.
    const unsigned second = byte(i + 1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F))
      return false;
    i += more + 1;
  }
  return true;
}

// Windows-1252 is Latin-1 with letters and signs where Latin-1 has control characters.
std::string from_latin1(std::string_view text) {
  static constexpr std::uint16_t kWindows[32] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                                 0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                                 0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    unsigned code = static_cast<unsigned char>(c);
    if (code >= 0x80 && code < 0xA0) code = kWindows[code - 0x80];
    if (code < 0x80) {
      out += c;
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      out += static_cast<char>(0xE0 | (code >> 12));
      out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return out;
}

// --- looking at the first records ----------------------------------------------------------------------------------
using Records = std::vector<std::vector<std::string>>;

// The first records, at most so many. When a quote is not closed they end before it: that is for the reader to complain
// about.
Records first_records(std::string_view text, const Dialect& dialect, int most) {
  Records records;
  const std::string nowhere;
  Scanner scanner(text, 1, dialect, nowhere);
  try {
    while (static_cast<int>(records.size()) < most && scanner.next_record()) {
      std::vector<std::string> record;
      do record.emplace_back(scanner.cell(0));
      while (scanner.next_cell());
      records.push_back(std::move(record));
    }
  } catch (const DataError&) {
  }
  return records;
}

// ' instead of " when cells of the sample open and close with it, and none opens with ".
char find_quote(std::string_view sample) {
  const auto separates = [](char c) { return std::strchr(",;\t|\n\r", c) != nullptr && c != 0; };
  std::size_t opened = 0, closed = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (sample[i] != '\'' && sample[i] != '"') continue;
    std::size_t before = i, behind = i + 1;
    while (before > 0 && sample[before - 1] == ' ') --before;
    while (behind < sample.size() && sample[behind] == ' ') ++behind;
    const bool opens = before == 0 || separates(sample[before - 1]);
    const bool closes = behind == sample.size() || separates(sample[behind]);
    if (sample[i] == '"' && opens) return '"';
    if (sample[i] == '\'') {
      opened += opens ? 1 : 0;
      closed += closes ? 1 : 0;
    }
  }
  return opened > 0 && opened == closed ? '\'' : '"';
}

// The delimiter that cuts most records into as many cells as the first one, and most cells into numbers. Numbers with a
// decimal comma count too: 1,5;2,5 is two numbers and not three cells.
char find_delimiter(std::string_view sample, bool complete, Dialect dialect) {
  std::tuple<double, std::size_t> best = {0.0, 0};
  char found = ',';
  for (const char delimiter : {'\t', ';', '|', ',', ' '}) {
    if (delimiter == dialect.decimal) continue;
    dialect.delimiter = delimiter;
    Records records = first_records(sample, dialect, kSampleRecords + 1);
    // Where the sample ends in the middle of a record, that one does not count.
    if (records.size() > 1 && (!complete || records.size() > kSampleRecords)) records.pop_back();
    if (records.empty() || records.front().size() < 2) continue;
    std::size_t agree = 0, cells = 0, numbers = 0;
    for (const auto& record : records) {
      agree += record.size() == records.front().size() ? 1 : 0;
      cells += record.size();
      for (const std::string& cell : record) {
        double value = 0;
        Dialect comma;
        comma.decimal = ',';
        numbers +=
            is_missing(cell, dialect) || is_number(cell, dialect, value) || is_number(cell, comma, value) ? 1 : 0;
      }
    }
    if (2 * agree <= records.size()) continue;
    const std::tuple score = {static_cast<double>(agree) / static_cast<double>(records.size()) +
                                  static_cast<double>(numbers) / static_cast<double>(cells),
                              delimiter == ' ' ? 0 : records.front().size()};  // blanks may be part of a text
    if (score > best) {
      best = score;
      found = delimiter;
    }
  }
  return best == std::tuple<double, std::size_t>{0.0, 0} && dialect.decimal == ',' ? ';' : found;
}

// A header has no numbers, or at least clearly fewer than the records below it.
bool find_header(const Records& records, const Dialect& dialect) {
  const auto numbers = [&](const std::vector<std::string>& record) {
    return std::count_if(record.begin(), record.end(), [&](const std::string& cell) {
      double value = 0;
      return !cell.empty() && (is_missing(cell, dialect) || is_number(cell, dialect, value));
    });
  };
  const auto& first = records.front();
  if (std::all_of(first.begin(), first.end(), [](const std::string& cell) { return cell.empty(); })) return false;
  const auto here = numbers(first);
  if (here == 0) return true;
  std::ptrdiff_t below = 0;
  for (std::size_t i = 1; i < records.size(); ++i) below = std::max(below, numbers(records[i]));
  return here < below && 2 * here <= static_cast<std::ptrdiff_t>(first.size());
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

// --- options -------------------------------------------------------------------------------------------------------
void check_options(const TableOptions& options) {
  const auto refuse = [](const std::string& message) { throw std::invalid_argument(message); };
  const auto separates = [](char c) {
    return c == '\t' || (c >= ' ' && c != 0x7F && std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' &&
                         c != '+' && c != '-');
  };
  if (options.decimal != '.' && options.decimal != ',')
    refuse(fmt::format("decimal '{}': expected . or ,", shown({&options.decimal, 1})));
  if (options.delimiter != 0 && !separates(options.delimiter))
    refuse(fmt::format("delimiter '{}': expected a character that is not part of numbers or names",
                       shown({&options.delimiter, 1})));
  if (options.quote != 0 && !separates(options.quote))
    refuse(fmt::format("quote '{}': expected a sign such as \" or '", shown({&options.quote, 1})));
  if (options.delimiter != 0 && options.delimiter == options.decimal)
    refuse("the delimiter and the decimal sign cannot both be ','");
  if (options.delimiter != 0 && options.delimiter != ' ' && options.delimiter == options.quote)
    refuse(fmt::format("the delimiter and the quote cannot both be '{}'", options.delimiter));
}

Dialect find_dialect(std::string_view text, const TableOptions& options) {
  const std::string_view sample = text.substr(0, kSample);
  Dialect dialect;
  dialect.decimal = options.decimal;
  dialect.na = options.na;
  if (options.quote == ' ')
    dialect.quotes.clear();
  else
    dialect.quotes = std::string(1, options.quote != 0 ? options.quote : find_quote(sample));
  dialect.delimiter =
      options.delimiter != 0 ? options.delimiter : find_delimiter(sample, sample.size() == text.size(), dialect);
  return dialect;
}

std::string describe(char delimiter, std::size_t width, bool header) {
  const std::string separated = width == 1          ? "text with one column"
                                : delimiter == ','  ? "comma-separated text"
                                : delimiter == ';'  ? "semicolon-separated text"
                                : delimiter == '\t' ? "tab-separated text"
                                : delimiter == '|'  ? "bar-separated text"
                                : delimiter == ' '  ? "blank-separated text"
                                                    : fmt::format("text separated by '{}'", delimiter);
  return fmt::format("{} {} a header line", separated, header ? "with" : "without");
}

}  // namespace

std::string_view plain_text(std::string_view bytes, const std::string& source, std::string& converted,
                            std::vector<std::string>& warnings) {
  refuse_binary(bytes, source);
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);
  if (is_utf8(bytes)) return bytes;
  converted = from_latin1(bytes);
  warnings.emplace_back("the text is not UTF-8 and was read as Latin-1 (Windows-1252)");
  return converted;
}

Table read_text(std::string_view text, const std::string& source, const TableOptions& options, Index pieces) {
  check_options(options);
  const std::string name = source.empty() ? "" : source + ": ";
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw DataError(fmt::format("{}the file is empty", name));

  const Dialect dialect = find_dialect(text, options);
  Table table;
  table.source = source;
  Scanner scanner(text, 1, dialect, table.source);
  scanner.next_record();
  const char* first_record = scanner.at();
  const Index first_line = scanner.line();
  std::vector<std::string> first;
  do first.emplace_back(scanner.cell(static_cast<Index>(first.size())));
  while (scanner.next_cell());

  const bool header = options.header == Header::automatic ? find_header(first_records(text, dialect, 11), dialect)
                                                          : options.header == Header::yes;
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::string column = header ? trimmed(first[i]) : fmt::format("x{}", i + 1);
    if (column.empty()) column = fmt::format("column_{}", i + 1);
    table.columns.emplace_back().name = std::move(column);
  }
  Rows rows;
  const char* begin = header ? scanner.at() : first_record;
  rows.text = text.substr(static_cast<std::size_t>(begin - text.data()));
  rows.line = header ? scanner.line() : first_line;
  rows.expected = fmt::format("{} has {}", header ? "the header" : "the first line", first.size());
  rows.kinds.assign(first.size(), Kind::inferred);
  rows.pieces = pieces;
  force_types(options, table, rows.kinds);
  read_rows(rows, dialect, table);
  if (table.rows == 0) throw DataError(fmt::format("{}there is a header line but no rows", name));
  table.description = describe(dialect.delimiter, first.size(), header);
  return table;
}

}  // namespace sconet
