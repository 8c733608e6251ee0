// ARFF and KEEL files.

#include <gtest/gtest.h>

#include <cmath>

#include "sconet/errors.hpp"
#include "sconet/table.hpp"

namespace sconet {
namespace {

std::string complaint(const std::string& text) {
  try {
    parse_table(text, "d.arff");
  } catch (const DataError& error) {
    return error.what();
  }
  return "nothing";
}

using Names = std::vector<std::string>;

TEST(Arff, ReadsDeclaredColumns) {
  const Table t = parse_table(
      "% a comment\n\n@RELATION r\n@attribute 'my name' NUMERIC\n@ATTRIBUTE kind {red, 'dark blue', light green}\n"
      "@attribute note string\n@attribute n integer\n@attribute when date \"yyyy\"\n@DATA\n"
      "1.5,red,'it\\'s',01,2020\n% another\n\n?, 'dark blue' ,\"b\",<null>,2021\n2,light green,?,3,2022\n",
      "d.arff");
  EXPECT_EQ(t.description, "ARFF file");
  ASSERT_EQ(t.columns.size(), 5u);
  EXPECT_EQ(t.rows, 3);
  EXPECT_EQ(t.columns[0].name, "my name");
  EXPECT_EQ(t.columns[0].numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(t.columns[0].numbers[1]));
  EXPECT_EQ(t.columns[1].levels, (Names{"red", "dark blue", "light green"}));
  EXPECT_EQ(t.columns[2].levels, (Names{"it's", "b"}));
  EXPECT_EQ(t.columns[2].codes, (std::vector<std::int32_t>{0, 1, -1}));
  EXPECT_EQ(t.columns[3].numbers[0], 1);
  EXPECT_TRUE(std::isnan(t.columns[3].numbers[1]));
  EXPECT_EQ(t.columns[4].type, ColumnType::text);
  EXPECT_EQ(t.lines, (std::vector<Index>{10, 13, 14}));
  EXPECT_TRUE(t.outputs.empty());
}

TEST(Arff, ReadsKeel) {
  const Table t = parse_table(
      "@relation r\r\n@attribute x real [0.0, 1.0]\r\n@attribute y integer[0,9]\r\n@attribute c{a,b}\r\n"
      "@inputs x, c\r\n@outputs y\r\n@data\r\n0.5, 3, a\r\n0.25, 4, b\r\n",
      "d.dat");
  EXPECT_EQ(t.description, "KEEL file");
  EXPECT_EQ(t.outputs, Names{"y"});
  EXPECT_EQ(t.columns[0].numbers, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(t.columns[1].numbers, (std::vector<double>{3, 4}));
  EXPECT_EQ(t.columns[2].levels, (Names{"a", "b"}));
}

TEST(Arff, TypesCanBeForced) {
  TableOptions options;
  options.types = {{"a", ColumnType::text}, {"b", ColumnType::number}};
  const Table t = parse_table("@attribute a numeric\n@attribute b {1,2}\n@data\n01,2\n", "d.arff", options);
  EXPECT_EQ(t.columns[0].levels, Names{"01"});
  EXPECT_EQ(t.columns[1].numbers, std::vector<double>{2});
}

TEST(Arff, SaysWhatIsWrong) {
  const std::string head = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n";
  EXPECT_EQ(complaint(head + "1,x\nabc,x\n"),
            "d.arff:6:1: 'abc' in column 'a' is not a number; correct it or say that it means missing (--na abc)");
  EXPECT_EQ(complaint(head + "1,x\n% c\n2,z\n"),
            "d.arff:7:2: 'z' is not among the values that column 'b' is declared to have");
  EXPECT_EQ(complaint(head + "1,x,2\n"), "d.arff:5: 3 fields where 2 attributes are declared");
  EXPECT_EQ(complaint(head + "{0 1, 1 x}\n"),
            "d.arff:5: sparse rows, {index value, ...}, are not supported; write every value");
  EXPECT_EQ(complaint(head + "\n% nothing\n"), "d.arff: there are no rows after @data");
  EXPECT_EQ(complaint("@relation r\n@attribute a real\n"), "d.arff: there is no @data line");
  EXPECT_EQ(complaint("@relation r\n@data\n1\n"), "d.arff: there is no @attribute line before @data");
  EXPECT_EQ(complaint("@relation r\n@attribute a complex\n@data\n1\n"),
            "d.arff:2: 'a' has the type 'complex'; expected numeric, real, integer, string, date or {a, b, ...}");
  EXPECT_EQ(complaint("@attribute a {x,y\n@data\nx\n"), "d.arff:1: the values of 'a' are not closed by }");
  EXPECT_EQ(complaint("@attribute a {}\n@data\nx\n"), "d.arff:1: 'a' has no values between { and }");
  EXPECT_EQ(complaint("@attribute\n@data\nx\n"), "d.arff:1: @attribute without a name");
  EXPECT_EQ(complaint("@attributes a real\n@data\nx\n"),
            "d.arff:1: '@attributes' is not known; expected @relation, @attribute, @inputs, @outputs or @data");
  EXPECT_EQ(complaint("@relation r\n1,2\n"), "d.arff:2: '1,2' stands before @data; expected a line that begins with @");
}

}  // namespace
}  // namespace sconet
