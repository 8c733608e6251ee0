// How text is cut into records and cells, and what a cell means. Everything here is inline: reading a large table is
// this file's loops.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sconet/matrix_view.hpp"

namespace sconet {

// Text for a message: at most 40 characters of it, and those visible.
std::string shown(std::string_view text);

// "data.csv:7:3", a field (from 1) of the record that begins on a line; field 0: the line alone.
std::string text_place(const std::string& source, Index line, Index field = 0);

struct Dialect {
  char delimiter = ',';       // ' ': runs of blanks
  std::string quotes = "\"";  // the characters that may open a quoted cell
  char decimal = '.';
  char comment = 0;        // lines that begin with it are skipped
  bool backslash = false;  // in quotes it takes the next character as it is
  std::vector<std::string> missing = {"", "na", "n/a", "nan", "null", "?"};  // in small letters, whatever the case
  std::vector<std::string> na;                                               // more of them, as they are written
};

inline char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool same_but_for_case(std::string_view text, std::string_view small) {
  return text.size() == small.size() &&
         std::equal(text.begin(), text.end(), small.begin(), [](char a, char b) { return small_letter(a) == b; });
}

inline bool is_missing(std::string_view text, const Dialect& dialect) {
  if (text.empty()) return true;
  for (const std::string& token : dialect.missing)
    if (same_but_for_case(text, token)) return true;
  return std::find(dialect.na.begin(), dialect.na.end(), text) != dialect.na.end();
}

// What a number beyond the range of doubles stands for: infinity, or zero when it is too small.
inline double beyond_range(std::string_view number) {
  const bool negative = number.front() == '-';
  if (negative) number.remove_prefix(1);
  // The power of ten of its first digit that is not zero. Where that digit stands matters as much as the exponent does,
  // and an exponent that does not even fit is far beyond either way.
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size()), first = digits.find_first_of("123456789");
  double power = static_cast<double>(point) - static_cast<double>(first);
  if (e + 1 < number.size()) {
    std::string_view exponent = number.substr(e + 1);
    const bool down = exponent.front() == '-';
    if (exponent.front() == '-' || exponent.front() == '+') exponent.remove_prefix(1);
    double size = 0;
    for (const char c : exponent) size = 10 * size + (c - '0');
    power += down ? -size : size;
  }
  const double value = power > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -value : value;
}

// Most numbers in tables are short: digits and a point, together a whole number below 2^53 and a power of ten that a
// double has exactly, so one division gives the nearest double. That is std::from_chars's result in half its time.
// Returns null when the number is not of that kind, or may not be.
inline const char* short_number(const char* at, const char* end, double& value) {
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  const auto digit = [&] { return static_cast<unsigned>(static_cast<unsigned char>(*at)) - '0'; };
  std::uint64_t whole = 0;
  const char* first = at;
  for (; at != end && digit() < 10; ++at) whole = 10 * whole + digit();
  std::ptrdiff_t digits = at - first, behind = 0;
  if (at != end && *at == '.') {
    const char* point = ++at;
    for (; at != end && digit() < 10; ++at) whole = 10 * whole + digit();
    behind = at - point;
    digits += behind;
  }
  // Nineteen digits fit into 64 bits.
  if (digits == 0 || digits > 19 || whole > (std::uint64_t{1} << 53)) return nullptr;
  if (at != end && (*at == 'e' || *at == 'E')) return nullptr;
  value = static_cast<double>(whole) / kPowers[static_cast<std::size_t>(behind)];
  if (negative) value = -value;
  return at;
}

// The number at the front of [at, end): returns where it ends, or null when there is none. NaN is no number.
inline const char* front_number(const char* at, const char* end, double& value) {
  if (at != end && *at == '+') {
    ++at;
    if (at != end && *at == '-') return nullptr;
  }
  if (const char* stop = short_number(at, end, value)) return stop;
  const auto [stop, error] = std::from_chars(at, end, value);
  if (error == std::errc{}) return value == value ? stop : nullptr;  // NOLINT(misc-redundant-expression): not NaN
  if (error != std::errc::result_out_of_range) return nullptr;
  value = beyond_range({at, static_cast<std::size_t>(stop - at)});
  return stop;
}

// Whether all of a cell's text is a number.
inline bool is_number(std::string_view text, const Dialect& dialect, double& value) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text = text.substr(first, text.find_last_not_of(" \t") + 1 - first);
  if (dialect.decimal == '.') {
    const char* end = text.data() + text.size();
    return front_number(text.data(), end, value) == end && !text.empty();
  }
  if (text.find('.') != std::string_view::npos) return false;
  std::string with_point(text);
  std::replace(with_point.begin(), with_point.end(), dialect.decimal, '.');
  const char* end = with_point.data() + with_point.size();
  return front_number(with_point.data(), end, value) == end && !text.empty();
}

// Walks through the records of a text, cell by cell:
//   while (scanner.next_record())
//     do scanner.cell(column) while (scanner.next_cell());
class Scanner {
 public:
  Scanner(std::string_view text, Index line, const Dialect& dialect, const std::string& source)
      : at_(text.data()), end_(text.data() + text.size()), line_(line), dialect_(&dialect), source_(&source) {
    ends_cell_[byte('\n')] = ends_cell_[byte('\r')] = ends_cell_[byte(dialect.delimiter)] = true;
    if (dialect.delimiter == ' ') ends_cell_[byte('\t')] = true;
  }

  // Goes to the next record that is not blank and no comment; false when there is none.
  bool next_record() {
    for (;;) {
      const char* first = at_;
      while (first != end_ && is_blank(*first)) ++first;
      if (first == end_) return false;
      if (*first == '\n' || *first == '\r') {
        at_ = first;
      } else if (dialect_->comment != 0 && *first == dialect_->comment) {
        at_ = std::find_if(first, end_, [](char c) { return c == '\n' || c == '\r'; });
      } else {
        if (dialect_->delimiter == ' ') at_ = first;
        record_line_ = line_;
        return true;
      }
      end_line();
    }
  }

  // If the cell here is an unquoted number, takes it.
  bool number(double& value) {
    skip_blanks();
    const char* stop = front_number(at_, end_, value);
    if (stop == nullptr) return false;
    if (dialect_->delimiter != ' ')
      while (stop != end_ && is_blank(*stop)) ++stop;
    if (stop != end_ && !ends_cell_[byte(*stop)]) return false;
    at_ = stop;
    return true;
  }

  // Takes the cell here: its text without quotes and without the blanks around it, good until the next call. Throws
  // DataError when a quote is not closed; `column` (from 0) is for the message.
  std::string_view cell(Index column) {
    skip_blanks();
    if (at_ != end_ && dialect_->quotes.find(*at_) != std::string::npos) return quoted(column);
    const char* begin = at_;
    while (at_ != end_ && !ends_cell_[byte(*at_)]) ++at_;
    const char* stop = at_;
    while (stop != begin && is_blank(stop[-1])) --stop;
    return {begin, static_cast<std::size_t>(stop - begin)};
  }

  // Behind a cell: goes to the next one of this record, or else over the end of the line and returns false.
  bool next_cell() {
    if (dialect_->delimiter == ' ') skip_blanks();
    if (at_ == end_) return false;
    if (*at_ == '\n' || *at_ == '\r') {
      end_line();
      return false;
    }
    if (dialect_->delimiter != ' ') ++at_;
    return true;
  }

  Index record_line() const { return record_line_; }  // where the record begins
  Index line() const { return line_; }
  const char* at() const { return at_; }

 private:
  static std::size_t byte(char c) { return static_cast<unsigned char>(c); }
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && dialect_->delimiter != '\t'); }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  void end_line() {
    if (at_ == end_) return;
    if (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n') ++at_;
    ++at_;
    ++line_;
  }
  std::string_view quoted(Index column);

  const char *at_, *end_;
  Index line_, record_line_ = 0;
  const Dialect* dialect_;
  const std::string* source_;
  std::array<bool, 256> ends_cell_{};
  std::string unquoted_;  // the text of a cell that is not the file's own bytes
};

}  // namespace sconet
