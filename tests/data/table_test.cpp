// Separated text: what is found out about a file, what its cells mean, and what is said about a bad one.

#include "sconet/table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/text_table.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Table parse(const std::string& text, const TableOptions& options = {}) {
  return parse_table(text, "data.csv", options);
}

// What is said about a bad table.
std::string complaint(const std::string& text, const TableOptions& options = {}) {
  try {
    parse(text, options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "nothing";
}

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> list;
  for (const Column& column : table.columns) list.push_back(column.name);
  return list;
}

std::string text_at(const Column& column, std::size_t row) {
  const std::int32_t code = column.codes.at(row);
  return code < 0 ? "(missing)" : column.levels.at(static_cast<std::size_t>(code));
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

void expect_numbers(const Column& column, const std::vector<double>& expected) {
  ASSERT_EQ(column.type, ColumnType::number) << column.name;
  ASSERT_EQ(column.numbers.size(), expected.size()) << column.name;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(same(column.numbers[i], expected[i])) << column.name << " row " << i << ": " << column.numbers[i];
}

using Names = std::vector<std::string>;
const double kNaN = std::nan("");

TEST(Text, ReadsNumbersAndTexts) {
  const Table t = parse("a,b,c\n1,2.5,red\n-3e2,,blue\n+4,.5,red\n");
  EXPECT_EQ(names(t), (Names{"a", "b", "c"}));
  EXPECT_EQ(t.rows, 3);
  EXPECT_EQ(t.source, "data.csv");
  EXPECT_EQ(t.description, "comma-separated text with a header line");
  EXPECT_TRUE(t.warnings.empty());
  expect_numbers(t.columns[0], {1, -300, 4});
  expect_numbers(t.columns[1], {2.5, kNaN, 0.5});
  EXPECT_EQ(t.columns[2].type, ColumnType::text);
  EXPECT_EQ(t.columns[2].levels, (Names{"red", "blue"}));
  EXPECT_EQ(t.columns[2].codes, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(t.lines, (std::vector<Index>{2, 3, 4}));
  EXPECT_EQ(t.place(1, 2), "data.csv:3:3");
}

TEST(Text, FindsTheDelimiter) {
  for (const auto& [text, words] :
       std::vector<std::pair<std::string, std::string>>{{"a,b\n1,2\n", "comma-separated"},
                                                        {"a;b\n1;2\n", "semicolon-separated"},
                                                        {"a\tb\n1\t2\n", "tab-separated"},
                                                        {"a|b\n1|2\n", "bar-separated"},
                                                        {"a b\n1   2\n", "blank-separated"},
                                                        {"  a \t b  \n  1  2 \n", "blank-separated"},
                                                        {"a, b\n1, 2\n", "comma-separated"}}) {
    const Table t = parse(text);
    EXPECT_EQ(t.description, words + " text with a header line");
    EXPECT_EQ(names(t), (Names{"a", "b"})) << text;
    expect_numbers(t.columns[0], {1});
    expect_numbers(t.columns[1], {2});
  }
  EXPECT_EQ(parse("a b;c d\nx y;z w\n").columns.size(), 2u);  // blanks may be part of a text
  EXPECT_EQ(parse("unit price\n5\n6\n").description, "text with one column with a header line");
  EXPECT_EQ(names(parse("when,n\n2020-01-01 10:00,5\n2020-01-02 11:00,6\n")), (Names{"when", "n"}));
  EXPECT_EQ(parse("x;y\n1,5;2,5\n3,5;4,5\n").columns.size(), 2u);  // a decimal comma is no delimiter
  TableOptions options;
  options.delimiter = ':';
  EXPECT_EQ(names(parse("a:b\n1:2\n", options)), (Names{"a", "b"}));
}

TEST(Text, KnowsAHeader) {
  EXPECT_EQ(names(parse("1,2\n3,4\n")), (Names{"x1", "x2"}));
  EXPECT_EQ(parse("1,2\n3,4\n").description, "comma-separated text without a header line");
  EXPECT_EQ(names(parse("id,2020,2021,x\n1,2,3,4\n")), (Names{"id", "2020", "2021", "x"}));  // years: half of them
  EXPECT_EQ(parse("id,2020,2021\n1,2,3\n").rows, 2);                                         // more than half
  EXPECT_EQ(parse(",\n1,2\n").rows, 2);      // nothing but empty cells is a row
  EXPECT_EQ(parse("NA,NA\n1,2\n").rows, 2);  // missing tokens are not names
  EXPECT_EQ(parse("a,b\nc,d\n").rows, 1);    // without numbers the first line is a header
  EXPECT_EQ(names(parse("a,,\" c \"\n1,2,3\n")), (Names{"a", "column_2", "c"}));
  TableOptions options;
  options.header = Header::no;
  EXPECT_EQ(parse("a,b\n1,2\n", options).rows, 2);
  options.header = Header::yes;
  EXPECT_EQ(names(parse("1,2\n3,4\n", options)), (Names{"1", "2"}));
}

TEST(Text, TakesEveryLineEndAndSkipsBlankLines) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const Table t = parse(end + "a,b" + end + end + "1,2" + end + "  " + end + "3,4" + end + end);
    expect_numbers(t.columns[0], {1, 3});
    EXPECT_EQ(t.lines, (std::vector<Index>{4, 6}));
    EXPECT_EQ(parse("a,b" + end + "1,2").rows, 1);  // no end at the end
  }
  EXPECT_EQ(parse("\xEF\xBB\xBFx,y\n1,2\n").columns[0].name, "x");
  EXPECT_EQ(parse("a\n1\n\n3\n").rows, 2);
  expect_numbers(parse("a,b\n1,").columns[1], {kNaN});
}

TEST(Text, Quotes) {
  const Table t = parse("name,v\n\"a,b\",1\n\"say \"\"hi\"\"\",\"2\"\n\"two\nlines\" ,3\n 5\" pipe,4\n");
  EXPECT_EQ(t.columns[0].levels, (Names{"a,b", "say \"hi\"", "two\nlines", "5\" pipe"}));
  expect_numbers(t.columns[1], {1, 2, 3, 4});
  EXPECT_EQ(t.lines, (std::vector<Index>{2, 3, 4, 6}));
  EXPECT_EQ(parse("'a;b';'c'\n'x;y';1\n'z';2\n").columns[0].levels, (Names{"x;y", "z"}));
  EXPECT_EQ(parse("a b\n\"x y\" \"z\"\n").columns[0].levels, (Names{"x y"}));
  TableOptions options;
  options.quote = ' ';
  EXPECT_EQ(parse("a,b\n\"x\",1\n", options).columns[0].levels, (Names{"\"x\""}));
  options.quote = '\'';
  EXPECT_EQ(parse("a,b\n'x,\"y',1\n", options).columns[0].levels, (Names{"x,\"y"}));
}

TEST(Text, NumbersOfEveryForm) {
  const Table t = parse("v\n1e999\n-1e999\n1e-999\n-1e-999\ninf\n-Infinity\n0001\n-0\n1.\n.5\n+.5\n1E+3\n");
  expect_numbers(t.columns[0], {kInf, -kInf, 0, -0.0, kInf, -kInf, 1, -0.0, 1, 0.5, 0.5, 1000});
  const std::string zeros(400, '0');
  expect_numbers(parse("v\n1" + zeros + "\n0." + zeros + "1\n0." + zeros + "1e401\n1" + zeros + "e-400\n").columns[0],
                 {kInf, 0, 1, 1});
  for (const char* word :
       {"+-1", "--1", "+", "-", ".", "1e", "0x10", "1_0", "1 2", "nan(1)", "-nan", "1,5", "e5", "in"}) {
    const Table text = parse(fmt::format("v;w\n\"{}\";1\n", word));
    EXPECT_EQ(text.columns[0].type, ColumnType::text) << word;
    EXPECT_EQ(text.columns[0].levels, Names{word});
  }
}

TEST(Text, MissingTokens) {
  TableOptions options;
  options.na = {"-999", "none"};
  const Table t = parse("v,w\nNA,a\nn/a,NULL\nNaN,?\n?,b\n\"\",none\n-999,None\n5,c\nnull,\n", options);
  expect_numbers(t.columns[0], {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 5, kNaN});
  EXPECT_EQ(t.columns[1].codes, (std::vector<std::int32_t>{0, -1, -1, 1, -1, 2, 3, -1}));
  EXPECT_EQ(t.columns[1].levels, (Names{"a", "b", "None", "c"}));
  expect_numbers(parse("a,b\n1,\n2,NA\n").columns[1], {kNaN, kNaN});  // nothing but missing cells: numbers
}

TEST(Text, DecimalComma) {
  TableOptions options;
  options.decimal = ',';
  const Table t = parse("x;y\n1,5;-2\n\"3,25\";1.5\n", options);
  expect_numbers(t.columns[0], {1.5, 3.25});
  EXPECT_EQ(t.columns[1].type, ColumnType::text);  // a point is no part of a number then
  EXPECT_EQ(parse("1,5 2,5\n3,5 4,5\n", options).description, "blank-separated text without a header line");
  expect_numbers(parse("1,5\n2,5\n", options).columns.at(0), {1.5, 2.5});
  options.delimiter = ',';
  EXPECT_THROW(parse("1,5\n", options), std::invalid_argument);
}

TEST(Text, TypesCanBeForced) {
  TableOptions options;
  options.types = {{"code", ColumnType::text}, {"3", ColumnType::number}};
  const Table t = parse("n,code,temp\n1,01,5\n2,1,6\n3,01,NA\n", options);
  EXPECT_EQ(t.columns[1].type, ColumnType::text);
  EXPECT_EQ(t.columns[1].levels, (Names{"01", "1"}));
  EXPECT_EQ(t.columns[1].first_text_row, -1);
  EXPECT_EQ(complaint("n,code,temp\n1,01,5\n2,1,6\n\n3,1,abc\n", options),
            "data.csv:5:3: 'abc' in column 'temp' is not a number; correct it or say that it means missing (--na abc)");
  EXPECT_EQ(complaint("n,code,temp\n1,01,abc,9\n", options), "data.csv:2: 4 fields where the header has 3");
  options.types = {{"cod", ColumnType::text}};
  EXPECT_EQ(complaint("n,code\n1,2\n", options),
            "there is no column 'cod' in data.csv; did you mean 'code'? It has: n, code");
}

TEST(Text, SaysWhereAColumnOfNumbersBecameText) {
  const Column c = parse("v\n1\nNA\n2\noops\n3\n").columns[0];
  EXPECT_EQ(c.type, ColumnType::text);
  EXPECT_EQ(c.numeric_cells, 3);
  EXPECT_EQ(c.first_text_row, 3);
}

TEST(Text, RecordsOfTheWrongLength) {
  EXPECT_EQ(complaint("a,b,c,d\n1,2,3,4\n\n1,2,3,4,5\n"), "data.csv:4: 5 fields where the header has 4");
  EXPECT_EQ(complaint("1,2\n3,4\n5\n"), "data.csv:3: 1 field where the first line has 2");
  EXPECT_EQ(complaint("v\n1,2,3\n1,2,3\n"),
            "data.csv:2: 3 fields where the header has 1; what separates them? (--delimiter)");
  EXPECT_EQ(complaint("a,b\n1,2\n3,\"4\n5,6\n7,8\"\n9,\"10\n1\",2,3\n"),
            "data.csv:6: 4 fields where the header has 2; is a quote on that line not closed?");
  EXPECT_EQ(complaint("a,b\n1,2\n3,4\n5,\"6\n7,8\n"), "data.csv:4:2: the quote \" that opens here is never closed");
  EXPECT_EQ(complaint("a,b\n1,\"2\"3\n"),
            "data.csv:2:2: '3' follows the closing quote; a quote that is part of the text is written twice");
}

TEST(Text, FilesWithoutRows) {
  EXPECT_EQ(complaint(""), "data.csv: the file is empty");
  EXPECT_EQ(complaint("\xEF\xBB\xBF"), "data.csv: the file is empty");
  EXPECT_EQ(complaint(" \n\r\n"), "data.csv: the file is empty");
  EXPECT_EQ(complaint("a,b\n"), "data.csv: there is a header line but no rows");
  EXPECT_EQ(complaint("a,b"), "data.csv: there is a header line but no rows");
}

TEST(Text, BytesThatAreNoText) {
  EXPECT_EQ(complaint(std::string("a,b\n1,\0\n", 8)),
            "data.csv: this is not a text table: there is a byte 0x00 at offset 6");
  EXPECT_EQ(
      complaint(std::string("PK\3\4\0", 5)),
      "data.csv: this is not a text table: there is a byte 0x00 at offset 4; if it is a spreadsheet, save it as CSV");
  EXPECT_EQ(complaint("a\1\2\3\4\5"), "data.csv: this is not a text table: there is a byte 0x01 at offset 1");
  for (const std::string bom : {"\xFF\xFE", "\xFE\xFF"})
    EXPECT_EQ(complaint(bom + std::string("a\0,\0", 4)),
              "data.csv: the text is UTF-16; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8");
}

TEST(Text, Latin1IsConverted) {
  const Table t = parse(
      "gr\xF6\xDF"
      "e,ort\n1,M\xFCnchen\n2,\x80\n");
  EXPECT_EQ(t.columns[0].name, "größe");
  EXPECT_EQ(t.columns[1].levels, (Names{"München", "€"}));
  ASSERT_EQ(t.warnings.size(), 1u);
  EXPECT_EQ(t.warnings[0], "the text is not UTF-8 and was read as Latin-1 (Windows-1252)");
  EXPECT_TRUE(parse("größe,a\n1,日本𝄞\n").warnings.empty());
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF"})
    EXPECT_EQ(parse(fmt::format("a,b\n1,{}\n", bad)).warnings.size(), 1u);
}

TEST(Text, TokensInMessagesAreShortAndVisible) {
  EXPECT_EQ(shown("a\tb\n\x01"), "a\\tb\\n\\x01");
  std::string umlauts, forty;
  for (int i = 0; i < 60; ++i) umlauts += "ü";
  for (int i = 0; i < 40; ++i) forty += "ü";
  EXPECT_EQ(shown(umlauts), forty + "...");
  EXPECT_EQ(shown(forty), forty);
}

TEST(Text, TenMegabytesInALine) {
  const std::string big(10'000'000, 'x');
  EXPECT_EQ(parse("a,b\n1," + big + "\n").columns[1].levels.at(0).size(), big.size());
  EXPECT_EQ(parse(big + "\n1\n").columns[0].name.size(), big.size());
  EXPECT_EQ(complaint("a,b\n1,2\n" + big + "\n"), "data.csv:3: 1 field where the header has 2");
  TableOptions options;
  options.types = {{"b", ColumnType::number}};
  const std::string forty(40, 'x');
  EXPECT_EQ(complaint("a,b\n1," + big + "\n", options),
            fmt::format("data.csv:2:2: '{0}...' in column 'b' is not a number; correct it or say that it means missing "
                        "(--na {0}...)",
                        forty));
  EXPECT_EQ(complaint("a,b\n1,\"" + big), "data.csv:2:2: the quote \" that opens here is never closed");
  expect_numbers(parse("a,b\n1," + std::string(10'000'000, '1') + "\n").columns[1], {kInf});
  // A wide header and many lines must not ask for the room of a large table.
  EXPECT_EQ(complaint(std::string(300'000, ',') + "x\n" + std::string(300'000, '\n') + "1\n"),
            "data.csv:300002: 1 field where the header has 300001");
}

TEST(Text, OptionsThatMakeNoSense) {
  const auto refused = [](const auto& set) {
    TableOptions options;
    set(options);
    EXPECT_THROW(parse("a,b\n1,2\n", options), std::invalid_argument);
  };
  refused([](TableOptions& o) { o.delimiter = 'e'; });
  refused([](TableOptions& o) { o.delimiter = '.'; });
  refused([](TableOptions& o) { o.delimiter = '\n'; });
  refused([](TableOptions& o) { o.decimal = 'x'; });
  refused([](TableOptions& o) { o.quote = '5'; });
  refused([](TableOptions& o) { o.delimiter = o.quote = '\''; });
  refused([](TableOptions& o) { o.variables = {"X"}; });
}

// --- columns and places --------------------------------------------------------------------------------------------
TEST(Columns, AreFoundAsPeopleNameThem) {
  const Table t = parse("a,b,2,a\n1,2,3,4\n");
  const auto complaint_about = [](const Table& table, const char* which) -> std::string {
    try {
      table.column(which);
    } catch (const DataError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(t.column("b"), 1);
  EXPECT_EQ(t.column("2"), 2);  // a name comes before a number
  EXPECT_EQ(t.column("1"), 0);
  EXPECT_EQ(t.column("last"), 3);
  EXPECT_EQ(complaint_about(t, "a"),
            "the name 'a' is that of several columns in data.csv: numbers 1, 4; give the number");
  for (const char* number : {"0", "5", "-1", "99999999999999999999"})
    EXPECT_EQ(complaint_about(t, number),
              fmt::format("there is no column {} in data.csv; columns are counted from 1 to 4", number));
  EXPECT_EQ(complaint_about(t, "bb"), "there is no column 'bb' in data.csv; did you mean 'b'? It has: a, b, 2, a");
  EXPECT_EQ(complaint_about(t, "pressure"), "there is no column 'pressure' in data.csv. It has: a, b, 2, a");
  const Table wide = make_table(Eigen::MatrixXd(Eigen::MatrixXd::Zero(1, 30)));
  EXPECT_EQ(
      complaint_about(wide, "y1"),
      "there is no column 'y1'; did you mean 'x1'? It has: x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, "
      "x14, x15, x16, x17, x18, x19, x20, ... (30 in all)");
}

TEST(Columns, OfAMatrix) {
  Eigen::MatrixXd m(2, 2);
  m << 1, 2, 3, kNaN;
  const Table t = make_table(m, {"a", "b"});
  EXPECT_EQ(t.rows, 2);
  expect_numbers(t.columns[0], {1, 3});
  expect_numbers(t.columns[1], {2, kNaN});
  EXPECT_EQ(names(t), (Names{"a", "b"}));
  EXPECT_EQ(names(make_table(m)), (Names{"x1", "x2"}));
  EXPECT_THROW(make_table(m, {"a"}), std::invalid_argument);
  EXPECT_EQ(t.place(6, 2), "row 7, column 3");
  Table named = t;
  named.source = "data.mat";
  EXPECT_EQ(named.place(6, 2), "data.mat: row 7, column 3");
}

// --- properties ----------------------------------------------------------------------------------------------------
double any_double() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  const int kind = *rc::gen::inRange(0, 4);
  if (kind == 0) value = static_cast<double>(static_cast<std::int64_t>(bits) % 1'000'000) / 1000;
  if (kind == 1) value = static_cast<double>(static_cast<std::int64_t>(bits) % 10);
  return std::isnan(value) ? 0.5 : value;
}

// A text that means neither a number nor missing: it begins with a letter that no such token begins with.
std::string any_text(const std::string& alphabet) {
  return fmt::format("t{}", *rc::gen::container<std::string>(rc::gen::elementOf(alphabet)));
}

std::string in_quotes(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out += c == quote ? std::string(2, quote) : std::string(1, c);
  return out + quote;
}

RC_GTEST_PROP(TextProperty, WhatIsWrittenIsReadBack, ()) {
  const char delimiter = *rc::gen::elementOf(std::string(",;\t| "));
  const char quote = *rc::gen::elementOf(std::string("\"'"));
  const std::string end = *rc::gen::elementOf(std::vector<std::string>{"\n", "\r\n", "\r"});
  const bool header = *rc::gen::arbitrary<bool>(), last_end = *rc::gen::arbitrary<bool>();
  const auto width = *rc::gen::inRange<std::size_t>(1, 6), rows = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<bool> is_text(width);
  std::vector<std::vector<double>> numbers(width);
  std::vector<std::vector<std::string>> texts(width);
  std::string out;
  const auto separator = [&](std::size_t c) { return c + 1 < width ? std::string(1, delimiter) : end; };
  if (header)
    for (std::size_t c = 0; c < width; ++c) out += in_quotes(fmt::format("name {}", c), quote) + separator(c);
  for (std::size_t c = 0; c < width; ++c) is_text[c] = *rc::gen::arbitrary<bool>();
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < width; ++c) {
      std::string cell;
      if (is_text[c]) {
        cell = in_quotes(texts[c].emplace_back(any_text("ab \"',;\t|\n\r\\%#")), quote);
      } else {
        cell = fmt::format("{}", numbers[c].emplace_back(any_double()));
        if (*rc::gen::inRange(0, 5) == 0) cell = in_quotes(cell, quote);
      }
      if (delimiter != ' ' && *rc::gen::inRange(0, 5) == 0) cell = " " + cell + "  ";
      out += cell + separator(c);
    }
  if (!last_end) out.resize(out.size() - end.size());
  TableOptions options;
  options.delimiter = delimiter;
  options.quote = quote;
  options.header = header ? Header::yes : Header::no;
  const Table t = read_text(out, "data.csv", options);
  RC_ASSERT(t.rows == static_cast<Index>(rows));
  RC_ASSERT(t.columns.size() == width);
  for (std::size_t c = 0; c < width; ++c) {
    RC_ASSERT(t.columns[c].name == (header ? fmt::format("name {}", c) : fmt::format("x{}", c + 1)));
    RC_ASSERT((t.columns[c].type == ColumnType::text) == is_text[c]);
    for (std::size_t r = 0; r < rows; ++r) {
      if (is_text[c])
        RC_ASSERT(text_at(t.columns[c], r) == texts[c][r]);
      else
        RC_ASSERT(same(t.columns[c].numbers[r], numbers[c][r]));
    }
  }
}

// The table or the complaint, as text.
std::string outcome(const std::string& text, Index pieces, const TableOptions& options) {
  try {
    const Table t = read_text(text, "data.csv", options, pieces);
    std::string out = t.description;
    for (const Column& column : t.columns) {
      out += fmt::format("\n{} {} {} {}:", column.name, static_cast<int>(column.type), column.numeric_cells,
                         column.first_text_row);
      for (std::size_t r = 0; r < static_cast<std::size_t>(t.rows); ++r)
        out += column.type == ColumnType::text ? text_at(column, r) + ";" : fmt::format("{};", column.numbers.at(r));
    }
    for (const Index line : t.lines) out += fmt::format(" {}", line);
    return out;
  } catch (const DataError& error) {
    return error.what();
  }
}

RC_GTEST_PROP(TextProperty, PiecesDoNotMatter, ()) {
  TableOptions options;
  if (*rc::gen::inRange(0, 3) == 0) options.types = {{"1", ColumnType::number}};
  std::string text = "a,b,c\n";
  const int lines = *rc::gen::inRange(0, 60);
  for (int i = 0; i < lines; ++i) {
    const int kind = *rc::gen::inRange(0, 150);
    if (kind < 5)
      text += *rc::gen::elementOf(std::vector<std::string>{"", "  ", "\r", "1,2,3\r4,5,6"});
    else if (kind == 5)
      text += *rc::gen::elementOf(std::vector<std::string>{"1,2", "1,2,3,4", "word,1,2", "\"1\",2,3", "1,\"2\n\",3"});
    else
      text += fmt::format("{},{},{}", i, any_double(), *rc::gen::inRange(0, 30) == 0 ? "x" : "7");
    text += *rc::gen::elementOf(std::vector<std::string>{"\n", "\r\n"});
  }
  const std::string once = outcome(text, 1, options);
  for (const Index pieces : {2, 3, 7, 200}) RC_ASSERT(outcome(text, pieces, options) == once);
}

RC_GTEST_PROP(TextProperty, AnyBytesAreATableOrADataError, ()) {
  // Bytes that mean something come often.
  const std::string special = "\n\n\r,,;;\t|  \"\"''..--+eE0123456789aNn?@%{}\\\xC3\xBC\xFF";
  std::string text = *rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::elementOf(special), rc::gen::elementOf(special), rc::gen::arbitrary<char>()));
  if (*rc::gen::inRange(0, 4) == 0) text = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n" + text;
  try {
    const Table t = parse_table(text);
    RC_ASSERT(t.rows > 0);
    for (const Column& column : t.columns)
      RC_ASSERT(static_cast<Index>(column.type == ColumnType::text ? column.codes.size() : column.numbers.size()) ==
                t.rows);
  } catch (const DataError&) {
  }
}

// Every way a number can be read gives the double that the standard library gives.
RC_GTEST_PROP(TextProperty, NumbersAreReadExactly, ()) {
  const std::string digits = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789")));
  std::string text = (*rc::gen::arbitrary<bool>() ? "-1" : "7") + digits;
  text.insert(*rc::gen::inRange<std::size_t>(1, text.size() + 1), ".");
  if (text.rfind("-.", 0) != 0 && *rc::gen::inRange(0, 3) == 0)
    text += fmt::format("e{}", *rc::gen::inRange(-300, 300));
  double expected = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), expected);
  RC_PRE(result.ec == std::errc{});
  RC_ASSERT(same(parse("v\n" + text + "\n").columns[0].numbers[0], expected));
}

}  // namespace
}  // namespace sconet
