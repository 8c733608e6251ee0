// ARFF (Weka, OpenML) and KEEL's .dat: a head of lines that begin with @ declares the columns, then come
// comma-separated records.

#include <fmt/format.h>

#include "data/text_table.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// Takes one word off the front of `text`: a quoted one, or one that ends at a blank or at one of `stops`.
std::string take_word(std::string_view& text, std::string_view stops) {
  text = trimmed(text);
  std::string word;
  std::size_t i = 0;
  if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
    for (i = 1; i < text.size() && text[i] != text[0]; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      word += text[i];
    }
    ++i;
  } else {
    while (i < text.size() && kBlanks.find(text[i]) == std::string_view::npos &&
           stops.find(text[i]) == std::string_view::npos)
      word += text[i++];
  }
  text = trimmed(text.substr(std::min(i, text.size())));
  return word;
}

class ArffReader {
 public:
  ArffReader(std::string_view text, const std::string& source, const TableOptions& options)
      : text_(text), options_(options) {
    table_.source = source;
  }

  Table read() {
    read_head();
    const std::size_t width = table_.columns.size();
    if (width == 0) throw DataError(fmt::format("{}there is no @attribute line before @data", name()));
    rows_.expected = fmt::format("{} {} declared", width, width == 1 ? "attribute is" : "attributes are");
    force_types(options_, table_, rows_.kinds);

    Dialect dialect;
    dialect.quotes = "\"'";
    dialect.comment = '%';
    dialect.backslash = true;
    dialect.missing = {"", "?", "<null>", "nan"};
    dialect.na = options_.na;
    Scanner scanner(rows_.text, rows_.line, dialect, table_.source);
    if (!scanner.next_record()) throw DataError(fmt::format("{}there are no rows after @data", name()));
    if (*scanner.at() == '{')
      throw DataError(fmt::format("{}: sparse rows, {{index value, ...}}, are not supported; write every value",
                                  text_place(table_.source, scanner.record_line())));
    read_rows(rows_, dialect, table_);
    table_.description = keel_ ? "KEEL file" : "ARFF file";
    return std::move(table_);
  }

 private:
  std::string name() const { return table_.source.empty() ? "" : table_.source + ": "; }

  [[noreturn]] void refuse(Index line, const std::string& what) const {
    throw DataError(fmt::format("{}: {}", text_place(table_.source, line), what));
  }

  void read_head() {
    Index line = 0;
    for (std::size_t at = 0; at < text_.size();) {
      ++line;
      const std::size_t stop = std::min(text_.find_first_of("\n\r", at), text_.size());
      std::string_view words = trimmed(text_.substr(at, stop - at));
      at = std::min(text_.size(), text_.substr(stop, 2) == "\r\n" ? stop + 2 : stop + 1);
      if (words.empty() || words.front() == '%') continue;
      if (words.front() != '@')
        refuse(line, fmt::format("'{}' stands before @data; expected a line that begins with @", shown(words)));
      const std::string keyword = take_word(words, "");
      if (same_but_for_case(keyword, "@data")) {
        rows_.text = text_.substr(at);
        rows_.line = line + 1;
        return;
      }
      if (same_but_for_case(keyword, "@attribute")) {
        add_attribute(words, line);
      } else if (same_but_for_case(keyword, "@inputs") || same_but_for_case(keyword, "@input")) {
        keel_ = true;
      } else if (same_but_for_case(keyword, "@outputs") || same_but_for_case(keyword, "@output")) {
        keel_ = true;
        while (!words.empty()) {
          table_.outputs.push_back(take_word(words, ","));
          if (!words.empty() && words.front() == ',') words.remove_prefix(1);
        }
      } else if (!same_but_for_case(keyword, "@relation")) {
        refuse(line, fmt::format("'{}' is not known; expected @relation, @attribute, @inputs, @outputs or @data",
                                 shown(keyword)));
      }
    }
    throw DataError(fmt::format("{}there is no @data line", name()));
  }

  // name type, name {a, b}, or KEEL's name real [0, 1].
  void add_attribute(std::string_view words, Index line) {
    std::string column = take_word(words, "{");
    if (column.empty()) refuse(line, "@attribute without a name");
    Kind kind = Kind::text;
    std::vector<std::string> allowed;
    if (!words.empty() && words.front() == '{') {
      words.remove_prefix(1);
      for (words = trimmed(words); !words.empty() && words.front() != '}';) {
        allowed.push_back(take_value(words));
        if (!words.empty() && words.front() == ',') words.remove_prefix(1);
        words = trimmed(words);
      }
      if (words.empty()) refuse(line, fmt::format("the values of '{}' are not closed by }}", shown(column)));
      if (allowed.empty()) refuse(line, fmt::format("'{}' has no values between {{ and }}", shown(column)));
    } else {
      const std::string type = take_word(words, "[");
      if (!words.empty() && words.front() == '[') keel_ = true;
      if (same_but_for_case(type, "numeric") || same_but_for_case(type, "real") || same_but_for_case(type, "integer"))
        kind = Kind::number;
      else if (!same_but_for_case(type, "string") && !same_but_for_case(type, "date"))
        refuse(line,
               fmt::format("'{}' has the type '{}'; expected numeric, real, integer, string, date or {{a, b, ...}}",
                           shown(column), shown(type)));
    }
    table_.columns.emplace_back().name = std::move(column);
    rows_.kinds.push_back(kind);
    rows_.allowed.push_back(std::move(allowed));
  }

  // A value of a set may have blanks in it even without quotes.
  static std::string take_value(std::string_view& words) {
    if (words.front() == '\'' || words.front() == '"') return take_word(words, ",}");
    const std::size_t stop = std::min(words.find_first_of(",}"), words.size());
    std::string value(trimmed(words.substr(0, stop)));
    words.remove_prefix(stop);
    return value;
  }

  std::string_view text_;
  const TableOptions& options_;
  Table table_;
  Rows rows_;
  bool keel_ = false;
};

}  // namespace

bool is_arff(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find_first_of("\n\r", at), text.size());
    const std::string_view line = trimmed(text.substr(at, stop - at));
    if (!line.empty() && line.front() != '%') return line.front() == '@';
    at = stop + 1;
  }
  return false;
}

Table read_arff(std::string_view text, const std::string& source, const TableOptions& options) {
  return ArffReader(text, source, options).read();
}

}  // namespace sconet
