// Tables that cannot be used, or only with a warning: the message names the place and the token and says what to do.

#include <sys/stat.h>

#include <filesystem>

#include "cli/program.hpp"

namespace sconet::testing {
namespace {

// `sconet train t.csv -t y` on that text.
Ran train_on(const Folder& folder, const std::string& text, const Words& options = {"-t", "y"}) {
  folder.write("t.csv", text);
  return sconet_in(folder,
                   Words{"train", "t.csv", "-o", "m.sconet", "--method", "rmpi", "--max-nodes", "2", "-q"} + options);
}

struct Case {
  std::string name, text, message;
  Words options = {"-t", "y"};
};

TEST(BadTable, IsRefusedWithThePlaceTheTokenAndAWayOut) {
  std::string categories = "c,x,y\n";
  for (int i = 0; i < 65; ++i) categories += fmt::format("name {},{},{}\n", i, i, i * i);
  const std::string typo = "a,b,y\n1,2,3\n2,x3,4\n3,4,5\n4,5,6\n";
  const std::string correct_it = "; correct it, or say that it means missing (--na 'x3')";
  const std::vector<Case> cases = {
      {"too few", "a,b,y\n1,2,3\n2,3\n", "t.csv:3: 2 fields where the header has 3"},
      {"too many", "a,b,y\n1,2,3\n2,3,4,5\n", "t.csv:3: 4 fields where the header has 3"},
      {"too many, no header", "1,2,3\n2,3,4\n2,3,4,5\n", "t.csv:3: 4 fields where the first line has 3", {"-t", "3"}},
      {"typo among numbers", typo,
       "t.csv:3:2: 'x3' in column 'b' is not a number, but 3 of its 4 cells are (if all are meant as categories, say "
       "--text)" +
           correct_it},
      {"text in the target",
       typo,
       "t.csv:3:2: 'x3' in column 'b' is not a number, and a target must be one" + correct_it,
       {"-t", "b"}},
      {"text in a column of numbers",
       typo,
       "t.csv:3:2: 'x3' in column 'b' is not a number; correct it or say that it means missing (--na x3)",
       {"-t", "y", "--number", "b"}},
      {"no such target", typo, "there is no column 'yy' in t.csv; did you mean 'y'? It has: a, b, y", {"-t", "yy"}},
      {"no such target, nothing near",
       typo,
       "there is no column 'pressure' in t.csv. It has: a, b, y",
       {"-t", "pressure"}},
      {"no such number", typo, "there is no column 4 in t.csv; columns are counted from 1 to 3", {"-t", "4"}},
      {"no such column to ignore",
       "a,y\n1,2\n2,3\n",
       "there is no column 'b' in t.csv; did you mean 'a'? It has: a, y",
       {"-t", "y", "--ignore", "b"}},
      {"a column twice used",
       "a,y\n1,2\n2,3\n",
       "column 'y' cannot be both a target and ignored",
       {"-t", "y", "--ignore", "2"}},
      {"empty", "", "t.csv: the file is empty"},
      {"blank", " \n\n", "t.csv: the file is empty"},
      {"header only", "a,b,y\n", "t.csv: there is a header line but no rows"},
      {"binary",
       std::string("\x7f"
                   "ELF\x02\x01\x01\0\0\0\0\0\0\0",
                   14),
       "t.csv: this is not a text table: there is a byte 0x00 at offset 7"},
      {"spreadsheet", std::string("PK\x03\x04\x14\0\x06\0", 8),
       "t.csv: this is not a text table: there is a byte 0x00 at offset 5; if it is a spreadsheet, save it as CSV"},
      {"UTF-16",
       std::string("\xff\xfe"
                   "a\0,\0y\0",
                   8),
       "t.csv: the text is UTF-16; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"},
      {"infinite input", "a,y\n1,2\ninf,3\n2,1\n",
       "t.csv:3:1: column 'a' is infinite here: remove the row or fill in a number"},
      {"infinite target", "a,y\n1,2\n1,-Infinity\n2,1\n", "t.csv:3:2: target 'y' is infinite here: remove the row"},
      {"two of a name", "a,a,y\n1,2,3\n2,3,4\n3,1,1\n",
       "columns 1 and 2 of t.csv are both named 'a': rename one, or ignore both by their numbers (--ignore 1 --ignore "
       "2)"},
      {"two of a name, one ignored",
       "a,a,y\n1,2,3\n2,3,4\n3,1,1\n",
       "columns 1 and 2 of t.csv are both named 'a': rename one, or ignore both by their numbers (--ignore 1 --ignore "
       "2)",
       {"-t", "y", "--ignore", "2"}},
      {"a target of that name",
       "a,a,y\n1,2,3\n2,3,4\n3,1,1\n",
       "the name 'a' is that of several columns in t.csv: numbers 1, 2; give the number",
       {"-t", "a"}},
      {"too many categories", categories,
       "t.csv:2:1: the text column 'c' has 65 distinct values ('name 0', ...), more than the 64 that are allowed as "
       "categories: ignore it (--ignore), keep it as an identifier (--id) or allow more (--max-levels)"},
      {"no target in any row", "a,y\n1,\n2,NA\n", "t.csv: no row has a value for the target"},
      {"nothing to learn from", "a,y\n1,2\n1,3\n1,4\n",
       "t.csv: no input column is left beside the target (constant columns do not count)"},
      {"unclosed quote", "x,n,y\n1,\"abc,2\n2,b,3\n3,c,4\n", "t.csv:2:2: the quote \" that opens here is never closed"},
      {"text behind a quote", "x,n,y\n1,\"abc\"d,2\n2,b,3\n",
       "t.csv:2:2: 'd' follows the closing quote; a quote that is part of the text is written twice"},
      {"decimal commas in the target", "x;y\n1;2,5\n2;3,5\n3;4\n",
       "t.csv:2:2: '2,5' in column 'y' looks like a number with a decimal comma: say --decimal ,"},
      {"decimal commas in an input", "x;y\n1;2\n2,5;3\n3,5;4\n",
       "t.csv:3:1: '2,5' in column 'x' looks like a number with a decimal comma: say --decimal , (or, if it is a "
       "category, --text)"},
      {"missing, refused",
       "x,y\n1,2\n,3\n3,4\n",
       "t.csv:3:1: column 'x' has no value here, and missing values are refused (--missing mean or median fills them "
       "in)",
       {"-t", "y", "--missing", "refuse"}},
      {"too few to validate",
       "x,y\n1,2\n2,3\n3,4\n",
       "t.csv: 3 rows are too few to keep 0.01 of them for validation",
       {"-t", "y", "--valid-fraction", "0.01"}},
      {"wider than a number", "x,y\n-1e308,2\n1e308,3\n3,4\n",
       "column 'x' spans -1e+308 to 1e+308, more than a number can hold: rescale it"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Folder folder;
    expect_refused(train_on(folder, c.text, c.options), 3, c.message);
    EXPECT_EQ(folder.names(), Words{"t.csv"});
  }
}

TEST(BadTable, CompressedDataThatEndsEarly) {
  const Folder folder;
  folder.write("whole.csv", plant(300));
  const Ran gzip = run({"gzip", "-c", folder / "whole.csv"});
  ASSERT_EQ(gzip.exit, 0) << gzip.err;
  const std::string path = folder.write("t.csv.gz", gzip.out.substr(0, gzip.out.size() / 2));
  expect_refused(sconet_in(folder, {"train", "t.csv.gz", "-t", "y", "-o", "m"}), 3,
                 "t.csv.gz: the gzip data ends early (truncated download?)");
}

TEST(BadTable, LinesOfTenMegabytes) {
  const Folder folder;
  const std::string text(10'000'000, 'x'), shown = std::string(40, 'x') + "...";
  expect_refused(train_on(folder, "a,y\n1,2\n" + text + "\n3,4\n"), 3, "t.csv:3: 1 field where the header has 2");
  expect_refused(
      train_on(folder, "a,y\n1,2\n" + text + ",3\n3,4\n"), 3,
      fmt::format("t.csv:3:1: '{0}' in column 'a' is not a number, but 2 of its 3 cells are (if all are meant "
                  "as categories, say --text); correct it, or say that it means missing (--na '{0}')",
                  shown));
  expect_refused(train_on(folder, "a,y\n1,2\n2," + text + "\n3,4\n"), 3,
                 fmt::format("t.csv:3:2: '{0}' in column 'y' is not a number, and a target must be one; correct it, or "
                             "say that it means missing (--na '{0}')",
                             shown));
  const Ran constant = train_on(folder, "c,a,y\n" + text + ",1,2\n" + text + ",2,5\n");
  EXPECT_EQ(constant.exit, 0) << constant.err.substr(0, 1000);
  std::string wide = "a,y\n1,2\n3";
  for (int i = 0; i < 5'000'000; ++i) wide += ",1";
  expect_refused(train_on(folder, wide + "\n"), 3, "t.csv:3: 5000001 fields where the header has 2");
}

TEST(BadTable, FilesThatCannotBeRead) {
  const Folder folder;
  std::filesystem::create_directory(folder / "dir");
  expect_refused(sconet_in(folder, {"train", "none.csv", "-t", "y", "-o", "m"}), 5, "none.csv: no such file");
  expect_refused(sconet_in(folder, {"train", "dir", "-t", "y", "-o", "m"}), 5, "dir: is a directory");
  train_plant(folder);
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "none.csv"}), 5, "none.csv: no such file");
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "dir"}), 5, "dir: is a directory");
  expect_refused(sconet_in(folder, {"train", "plant.csv", "--valid", "none.csv", "-t", "y", "-o", "m", "-q"}), 5,
                 "none.csv: no such file");
  folder.write("secret.csv", plant(20));
  chmod((folder / "secret.csv").c_str(), 0);
  chmod(folder.path().c_str(), 0777);
  How how = in(folder);
  how.in_child = without_root;
  expect_refused(sconet({"train", "secret.csv", "-t", "y", "-o", "new"}, how), 5, "secret.csv: permission denied");
  expect_refused(sconet({"predict", "m.sconet", "secret.csv"}, how), 5, "secret.csv: permission denied");
}

TEST(BadTable, StandardInputIsCalledByItsName) {
  const Folder folder;
  How how = in(folder);
  how.input = "a,y\n1,2\n2\n";
  expect_refused(sconet({"train", "-", "-t", "y", "-o", "m"}, how), 3,
                 "standard input:3: 1 field where the header has 2");
  how.input = "";
  expect_refused(sconet({"train", "-", "-t", "y", "-o", "m"}, how), 3, "standard input: the file is empty");
}

// --- letters of all the world --------------------------------------------------------------------------------------
TEST(Letters, Utf8AndLatin1GiveTheSameModel) {
  const Folder folder;
  folder.write("utf8.csv",
               "gr\xc3\xb6\xc3\x9f"
               "e,farbe,\xc3\xbc\n1,r\xc3\xb6t,2\n2,bl\xc3\xa5,3\n3,r\xc3\xb6t,4\n4,bl\xc3\xa5,6\n");
  folder.write("latin1.csv",
               "gr\xf6\xdf"
               "e,farbe,\xfc\n1,r\xf6t,2\n2,bl\xe5,3\n3,r\xf6t,4\n4,bl\xe5,6\n");
  const auto train = [&](const std::string& name) {
    return sconet_in(folder, {"train", name + ".csv", "-t", "\xc3\xbc", "-o", name, "--method", "rmpi", "--max-nodes",
                              "2", "--json"});
  };
  const Ran utf8 = train("utf8"), latin1 = train("latin1");
  EXPECT_EQ(utf8.exit, 0);
  EXPECT_EQ(latin1.exit, 0);
  EXPECT_EQ(json::parse(utf8.out).at("inputs"), json::array({"gr\xc3\xb6\xc3\x9f"
                                                             "e",
                                                             "farbe = bl\xc3\xa5", "farbe = r\xc3\xb6t"}));
  EXPECT_EQ(json::parse(utf8.out).at("warnings"), json::array());
  EXPECT_EQ(json::parse(latin1.out).at("warnings"),
            json::array({"the text is not UTF-8 and was read as Latin-1 (Windows-1252)"}));
  EXPECT_EQ(bytes_of(folder / "utf8"), bytes_of(folder / "latin1"));
  const Ran predicted = sconet_in(folder, {"predict", "utf8", "latin1.csv"});
  EXPECT_EQ(predicted.err, "warning: the text is not UTF-8 and was read as Latin-1 (Windows-1252)\n");
  EXPECT_EQ(predicted.out, sconet_in(folder, {"predict", "latin1", "utf8.csv"}).out);
  EXPECT_EQ(lines_of(predicted.out).at(0), "\xc3\xbc");
  const json info = json::parse(sconet_in(folder, {"info", "latin1", "--json"}).out);
  EXPECT_EQ(info.at("columns")[1].at("levels"), json::array({"bl\xc3\xa5", "r\xc3\xb6t"}));
  EXPECT_EQ(sconet_in(folder, {"info", "latin1"}).exit, 0);
}

// A file's name may be any bytes; what is printed as JSON stays JSON.
TEST(Letters, AFileNameThatIsNotUtf8) {
  const Folder folder;
  folder.write("t.csv", "x,y\n1,2\n2,3\n3,5\n");
  const std::string name = "m\xe4.sconet";
  const Ran train =
      sconet_in(folder, {"train", "t.csv", "-t", "y", "-o", name, "--method", "rmpi", "--max-nodes", "1", "--json"});
  EXPECT_EQ(train.exit, 0) << train.err;
  EXPECT_EQ(json::parse(train.out).at("model"), "m\xef\xbf\xbd.sconet");
  EXPECT_EQ(json::parse(sconet_in(folder, {"info", name, "--json"}).out).at("nodes"), 1);
  EXPECT_EQ(json::parse(sconet_in(folder, {"check", name, "--json"}).out).at("nodes"), 1);
}

// --- odd tables that do --------------------------------------------------------------------------------------------
TEST(OddTable, WhatIsLeftOutOrFilledInIsSaid) {
  const Folder folder;
  folder.write("t.csv", "a,empty,same,y\n1,,7,3\n2,,7,4\n,,7,5\n4,,7,\n5,,7,\n6,,7,1\n");
  const Ran ran =
      sconet_in(folder, {"train", "t.csv", "-t", "y", "-o", "m.sconet", "--method", "rmpi", "--max-nodes", "1"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err,
            "t.csv: 6 rows, 4 columns, comma-separated text with a header line\n"
            "warning: 2 rows without a target left out\n"
            "warning: column 'empty' has no values and was left out\n"
            "warning: column 'same' is constant (7) and was left out\n"
            "warning: training rows: column 'a': 1 cell without a value filled in\n");
  // Columns that were left out are not asked for again.
  folder.write("new.csv", "a\n1\n");
  EXPECT_EQ(sconet_in(folder, {"predict", "m.sconet", "new.csv"}).err, "");
}

TEST(OddTable, MissingValuesByEachPolicy) {
  const Folder folder;
  const std::string text = "x,y\n0,2\n0,3\n,4\n9,5\n3,6\n";  // mean 3, median 1.5
  const std::vector<std::pair<std::string, std::string>> policies = {{"mean", "3"}, {"median", "1.5"}};
  for (const auto& [policy, value] : policies) {
    ASSERT_EQ(train_on(folder, text, {"-t", "y", "--missing", policy}).exit, 0);
    folder.write("gap.csv", "x\nNA\n");
    folder.write("full.csv", "x\n" + value + "\n");
    const Ran gap = sconet_in(folder, {"predict", "m.sconet", "gap.csv"});
    EXPECT_EQ(gap.err, "warning: column 'x': 1 cell without a value filled in\n");
    EXPECT_EQ(gap.out, sconet_in(folder, {"predict", "m.sconet", "full.csv"}).out) << policy;
  }
  ASSERT_EQ(train_on(folder, "x,y\n0,2\n1,3\n9,5\n3,6\n", {"-t", "y", "--missing", "refuse"}).exit, 0);
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "gap.csv"}), 3,
                 "gap.csv:2:1: column 'x' has no value here, and the model refuses that: remove the row or fill in a "
                 "number");
  const Ran told = train_on(folder, text, {"-t", "y", "--missing-indicator", "--json"});
  EXPECT_EQ(json::parse(told.out).at("inputs"), json::array({"x", "x is missing"}));
  const Ran own = train_on(folder, "x,y\n0,2\n-999,3\n9,-999\n3,6\n", {"-t", "y", "--na", "-999", "--json"});
  EXPECT_EQ(json::parse(own.out).at("train").at("rows"), 3);
}

TEST(OddTable, CategoriesThatTrainingDidNotSeeAreCounted) {
  const Folder folder;
  train_plant(folder);
  folder.write("new.csv", "temp,flow,grade\n30,1,A\n30,1,D\n30,1,E\n30,1,\n30,1,B\n");
  const Ran ran = sconet_in(folder, {"predict", "m.sconet", "new.csv"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err,
            "warning: column 'grade': 1 cell without a value, which training did not see\n"
            "warning: column 'grade': 2 cells with a category that training did not see\n");
  const auto y = numbers_of(ran.out);
  ASSERT_EQ(y.size(), 5U);
  EXPECT_EQ(y[1], y[2]);
  EXPECT_EQ(y[1], y[3]);
  EXPECT_NE(y[0], y[1]);
}

TEST(OddTable, ColumnsThatTheModelNeedsAreAllListedWhenTheyLack) {
  const Folder folder;
  train_plant(folder);
  folder.write("new.csv", "temp,other\n30,1\n");
  for (const std::string command : {"predict", "evaluate"})
    expect_refused(sconet_in(folder, {command, "m.sconet", "new.csv"}), 3,
                   "new.csv lacks 2 columns that the model needs: 'flow', 'grade'");
  folder.write("new.csv", "temp,flow,grade\n30,1,A\nwarm,1,B\n");
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "new.csv"}), 3,
                 "new.csv:3:1: 'warm' in column 'temp' is not a number; correct it or say that it means missing (--na "
                 "warm)");
  folder.write("new.csv", "temp,flow,grade,temp\n30,1,A,31\n");
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "new.csv"}), 3,
                 "new.csv has several columns named 'temp', which the model needs: rename all but one");
  folder.write("new.csv", "temp,flow,grade,z\n30,1,A,3\n");
  expect_refused(sconet_in(folder, {"evaluate", "m.sconet", "new.csv"}), 3,
                 "there is no column 'y' in new.csv; did you mean 'z'? It has: temp, flow, grade, z");
  folder.write("new.csv", "temp,flow,grade,y\n30,1,A,\n");
  expect_refused(sconet_in(folder, {"evaluate", "m.sconet", "new.csv"}), 3,
                 "new.csv: no row has a target to compare with");
}

TEST(OddTable, NoTwoFilesInOneForPredictionsEither) {
  const Folder folder;
  train_plant(folder);
  const std::string table = bytes_of(folder / "plant.csv"), model = bytes_of(folder / "m.sconet");
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "plant.csv", "-o", "./plant.csv"}), 2,
                 "plant.csv: is the table; the predictions need a file of their own");
  expect_refused(sconet_in(folder, {"predict", "m.sconet", "plant.csv", "-o", "m.sconet"}), 2,
                 "m.sconet: is the model; the predictions need a file of their own");
  EXPECT_EQ(bytes_of(folder / "plant.csv"), table);
  EXPECT_EQ(bytes_of(folder / "m.sconet"), model);
}

}  // namespace
}  // namespace sconet::testing
