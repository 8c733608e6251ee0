#include "study/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "study/sample.hpp"

namespace sconet::study {
namespace {

using sconet::testing::kAwkwardPath;
using sconet::testing::sample_of_one_set;
using sconet::testing::sample_study;
using sconet::testing::SampleStudy;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What stands between two marks; empty when either is missing.
std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t begin = text.find(first);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(last, begin + first.size());
  return end == std::string::npos ? std::string() : text.substr(begin + first.size(), end - begin - first.size());
}

// The row of a method in the big table of the set with this number; empty when there is none.
std::string row(const std::string& html, std::size_t set, const std::string& method) {
  const std::string table = between(html, "<h3 id=\"set-" + std::to_string(set) + "\">", "</table>");
  return between(table, "role=\"rowheader\">" + method + "<", "</tr>");
}

std::string cell(const std::string& html, std::size_t set, const std::string& method, const std::string& column) {
  return between(row(html, set, method), "data-label=\"" + column + "\">", "</td>");
}

// As it is read: without tags and with plain spaces.
std::string read(const std::string& html) {
  std::string text;
  bool tag = false;
  for (const char c : html) {
    tag = tag || c == '<';
    if (!tag) text += c;
    tag = tag && c != '>';
  }
  for (std::size_t at = 0; (at = text.find("\u00a0")) != std::string::npos;) text.replace(at, 2, " ");
  return text;
}

// Everything between the first mark and the next of the last.
std::vector<std::string> all_between(const std::string& text, const std::string& first, const std::string& last) {
  std::vector<std::string> all;
  for (std::size_t at = 0; (at = text.find(first, at)) != std::string::npos;) {
    at += first.size();
    all.push_back(text.substr(at, text.find(last, at) - at));
  }
  return all;
}

std::size_t count(const std::string& text, const std::string& part) { return all_between(text, part, "").size(); }

// Two methods on one set, with these test errors.
SampleStudy duel(Spread first, Spread second) {
  SampleStudy s;
  s.results.sets = {{"DB1", "One", "", 1, 10, 5, 5, {}}};
  s.results.methods = {{"rmpi", "RMPI-SCN"}, {"scn3", "SCN-III"}};
  for (const char* method : {"rmpi", "scn3"}) {
    Cell one;
    one.set = "DB1";
    one.method = method;
    one.runs.resize(3);
    s.results.cells.push_back(one);
  }
  s.results.cells[0].test_rmse = first;
  s.results.cells[1].test_rmse = second;
  s.facts.runs = 3;
  return s;
}

std::string shown(Spread value) { return read(cell(duel(value, {1e9, 0}).page(), 1, "RMPI-SCN", "Test RMSE")); }

TEST(Page, IsOneFileOfModestSize) {
  const std::string html = sample_study().page();
  EXPECT_LT(html.size(), 2'000'000u);
  EXPECT_TRUE(html.starts_with("<!doctype html>\n"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
  for (const std::string& link : all_between(html, "href=\"", "\""))
    EXPECT_TRUE(link.starts_with('#') || link == "runs.jsonl" || link == "table.csv" || link == "table.md") << link;
  for (const char* loading : {"src=", "url(", "@import", "<link", "<iframe", "<img"}) EXPECT_FALSE(has(html, loading));
}

TEST(Page, SameInputSameBytes) { EXPECT_EQ(sample_study().page(), sample_study().page()); }

TEST(Page, EscapesWhatIsNotItsOwn) {
  const std::string bad = "<script>alert(\"1\" & '2')</script>";
  const std::string good = "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;";
  SampleStudy s = sample_study();
  const std::size_t known = count(s.page(), "<script");
  s.facts.title = s.facts.command = s.facts.version = s.facts.machine = bad;
  s.facts.notes = {bad};
  s.results.sets[0].title = s.results.sets[0].unit = bad;
  s.results.sets[0].notes = {bad};
  for (MethodInfo& method : s.results.methods) method.title = bad;
  s.results.cells[0].chosen = {{bad, bad}};
  s.results.cells[0].runs[0].data = bad;
  s.claims[0].statement = s.claims[0].finding = s.claims[0].evidence[0] = bad;
  s.figures[0].title = s.figures[0].caption = bad;
  const std::string html = s.page();
  EXPECT_EQ(count(html, "<script"), known);
  EXPECT_TRUE(has(html, "<title>" + good + "</title>"));
  EXPECT_TRUE(has(html, "<pre>" + good + "</pre>"));
  EXPECT_TRUE(has(html, "<code>" + good + "=" + good + "</code>"));
  EXPECT_TRUE(has(html, "<figcaption>" + good));
}

TEST(Page, KeepsAnAwkwardPath) {
  const std::string html = sample_of_one_set().page();
  EXPECT_FALSE(has(html, kAwkwardPath));
  EXPECT_TRUE(has(html, "/home/user/m\u00fcller &amp; s\u00f6hne/&lt;b&gt;&quot;plant 7&quot;&lt;/b&gt;/measurements"));
  EXPECT_TRUE(has(html, "<h3 id=\"set-1\">measurements_of"));
}

TEST(Page, MarksTheBestOfEachColumn) {
  const SampleStudy s = sample_study();
  const std::string html = s.page();
  struct Wanted {
    const char* column;
    Spread Cell::*value;
    double sign;
  };
  for (const Wanted& wanted : {Wanted{"Train RMSE", &Cell::train_rmse, 1}, Wanted{"Test RMSE", &Cell::test_rmse, 1},
                               Wanted{"Test R", &Cell::test_r, -1}, Wanted{"Seconds", &Cell::seconds, 1}})
    for (std::size_t i = 0; i < 10; ++i) {
      double best = std::numeric_limits<double>::infinity();
      for (const Cell& c : s.results.cells)
        if (c.set == s.results.sets[i].id) best = std::min(best, wanted.sign * (c.*wanted.value).mean);
      int marked = 0;
      for (const MethodInfo& method : s.results.methods) {
        const std::string text = cell(html, i + 1, method.title, wanted.column);
        const bool mark = has(text, "class=\"mark\"");
        EXPECT_EQ(mark, has(text, "<strong")) << "bold and mark go together";
        EXPECT_EQ(mark, has(text, "best: ")) << "and say it in words";
        marked += mark ? 1 : 0;
        for (const Cell& c : s.results.cells)
          if (c.set == s.results.sets[i].id && c.method == method.id && wanted.sign * (c.*wanted.value).mean == best) {
            EXPECT_TRUE(mark) << s.results.sets[i].id << ' ' << method.title << ' ' << wanted.column;
          }
      }
      EXPECT_GE(marked, 1);
      EXPECT_LT(marked, 4);
    }
  EXPECT_FALSE(has(cell(html, 1, "MLP-BP", "Nodes"), "class=\"mark\""));
}

TEST(Page, MarksAllThatLookBestAndNoneWithoutARival) {
  const auto marks = [](const SampleStudy& s, const char* method) {
    return has(cell(s.page(), 1, method, "Test RMSE"), "class=\"mark\"");
  };
  EXPECT_TRUE(marks(duel({1.00001, 0.1}, {1.00002, 0.1}), "SCN-III"));
  EXPECT_FALSE(marks(duel({1.001, 0.1}, {1.002, 0.1}), "SCN-III"));
  SampleStudy alone = duel({1, 0}, {2, 0});
  alone.results.cells.pop_back();
  EXPECT_FALSE(marks(alone, "RMPI-SCN"));
}

TEST(Page, ComparesWithThePaper) {
  SampleStudy s = duel({1.5, 0.1}, {2.5, 0.1});
  s.results.cells[0].paper = PaperRow{};
  s.results.cells[0].paper->test_rmse = {1.5, 0.25};
  s.results.cells[1].paper = PaperRow{};
  s.results.cells[1].paper->test_rmse = {2.4, 0.2};
  const std::string html = s.page();
  EXPECT_TRUE(has(read(cell(html, 1, "RMPI-SCN", "Test RMSE")), "\u2264 at or below the paper&#39;s 1.50 \u00b1 0.25"));
  EXPECT_TRUE(has(read(cell(html, 1, "SCN-III", "Test RMSE")), "the paper&#39;s 2.4 \u00b1 0.2"));
  EXPECT_FALSE(has(cell(html, 1, "SCN-III", "Test RMSE"), "\u2264"));
  EXPECT_TRUE(has(html, "Test RMSE at or below the paper&#39;s: RMPI-SCN on 1 of 1 set; SCN-III on 0."));
  EXPECT_FALSE(has(duel({1, 0}, {2, 0}).page(), "Table 3"));
}

TEST(Page, WritesNumbersOfEverySize) {
  const std::string best = "\u2605best: ";
  EXPECT_EQ(shown({1.5809e-4, 8.6e-7}), best + "(1.581 \u00b1 0.009)\u00d710\u22124");
  EXPECT_EQ(shown({0.00145, 0.0009}), best + "0.001450 \u00b1 0.000900");
  EXPECT_EQ(shown({0.99996, 0.002}), best + "1.000 \u00b1 0.002");
  EXPECT_EQ(shown({3.74123, 0.0272}), best + "3.741 \u00b1 0.027");
  EXPECT_EQ(shown({37580.4, 339.47}), best + "37580 \u00b1 339");
  EXPECT_EQ(shown({12345678, 1e6}), best + "(1.235 \u00b1 0.100)\u00d7107");
  EXPECT_EQ(shown({0, 0}), best + "0.000 \u00b1 0.000");
}

TEST(Page, WritesNoDeviationOfOneRun) {
  SampleStudy s = duel({1.5, 0}, {2.5, 0});
  for (Cell& c : s.results.cells) c.runs.resize(1);
  s.facts.runs = 1;
  EXPECT_EQ(read(cell(s.page(), 1, "SCN-III", "Test RMSE")), "2.500");
}

TEST(Page, ShowsWhatIsNotANumberAsADash) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    const std::string html = duel({bad, bad}, {2, 0.1}).page();
    EXPECT_EQ(read(cell(html, 1, "RMPI-SCN", "Test RMSE")), "-");
    EXPECT_FALSE(has(cell(html, 1, "SCN-III", "Test RMSE"), "class=\"mark\"")) << "no rival";
  }
  SampleStudy s = duel({1, nan}, {2, 0.1});
  s.results.cells[0].paper = PaperRow{};
  s.results.cells[0].paper->test_rmse = {nan, nan};
  EXPECT_EQ(read(cell(s.page(), 1, "RMPI-SCN", "Test RMSE")), "\u2605best: 1.000the paper&#39;s -");
}

TEST(Page, LeavesOutWhatDidNotRun) {
  const std::string html = sample_study().page();
  EXPECT_NE(row(html, 1, "IRVFL"), "");
  EXPECT_EQ(row(html, 2, "IRVFL"), "");
  EXPECT_NE(row(html, 11, "RMPI-SCN"), "");
  EXPECT_EQ(row(html, 11, "MLP-BP"), "");
}

TEST(Page, SumsUpWhoWins) {
  SampleStudy s = duel({1, 0.1}, {2, 0.1});
  EXPECT_TRUE(has(s.page(), "2 methods on DB1 One, 3 runs each. Lowest mean test RMSE: RMPI-SCN. "));
  for (const char* set : {"DB2", "DB3", "DB4"}) {
    s.results.sets.push_back({set, "", "", 1, 10, 5, 5, {}});
    for (std::size_t i = 0; i < 2; ++i) {
      s.results.cells.push_back(s.results.cells[i]);
      s.results.cells.back().set = set;
    }
  }
  EXPECT_TRUE(has(s.page(), "2 methods on 4 data sets, 3 runs each. Lowest mean test RMSE: RMPI-SCN on all 4 sets. "));
  s.results.cells.back().test_rmse.mean = 0.5;
  EXPECT_TRUE(has(s.page(), "Lowest mean test RMSE: RMPI-SCN on 3 of 4 sets; SCN-III on DB4. "));
}

TEST(Page, HoldsEveryFigure) {
  const SampleStudy s = sample_study();
  const std::string html = s.page();
  for (const Figure& figure : s.figures) {
    EXPECT_TRUE(has(html, figure.svg));
    EXPECT_TRUE(has(html, "<h3>" + figure.title + "</h3>"));
  }
}

TEST(Page, TakesTheFiguresColours) {
  SampleStudy s = sample_study();
  s.facts.plot_light = "--plot-rmpi:#123456;";
  s.facts.plot_dark = "--plot-rmpi:#fedcba;";
  const std::string html = s.page();
  EXPECT_TRUE(has(html, ":root { --plot-rmpi:#123456; }"));
  EXPECT_TRUE(has(html, "@media screen and (prefers-color-scheme: dark) { :root { --plot-rmpi:#fedcba; } }"));
}

TEST(Page, SaysVerdictsInWords) {
  const std::string html = sample_study().page();
  std::vector<std::string> verdicts;
  for (const std::string& verdict : all_between(html, "<span class=\"verdict ", "\n"))
    verdicts.push_back(read('<' + verdict));
  EXPECT_EQ(verdicts, (std::vector<std::string>{"\u2713 Holds", "\u25d0 Holds in part", "\u2717 Does not hold",
                                                "\u25cb Not tested"}));
  EXPECT_TRUE(has(html, "Of 4 claims of the paper 1 holds, 1 holds in part, 1 does not hold and 1 was not tested."));
  EXPECT_TRUE(has(html, "<li>DB3: 0.341 against 0.373</li>"));
}

TEST(Page, HeadingsDescendByOneAndAnchorsExist) {
  for (const SampleStudy& s : {sample_study(), sample_of_one_set(), SampleStudy()}) {
    const std::string html = s.page();
    int level = 0;
    for (const std::string& heading : all_between(html, "<h", ">")) {
      if (heading.find_first_of("123456") != 0) continue;  // html, head, header
      EXPECT_LE(heading.front() - '0', level + 1) << heading;
      level = heading.front() - '0';
    }
    for (const std::string& anchor : all_between(html, "href=\"#", "\""))
      EXPECT_EQ(count(html, " id=\"" + anchor + '"'), 1u) << anchor;
    EXPECT_EQ(count(html, "<table"), count(html, "<caption"));
    for (const std::string element :
         {"table", "tr", "td", "th", "section", "details", "ul", "li", "span", "strong", "div"})
      EXPECT_EQ(count(html, '<' + element + ' ') + count(html, '<' + element + '>'), count(html, "</" + element + '>'))
          << element;
  }
}

}  // namespace
}  // namespace sconet::study
