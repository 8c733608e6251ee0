#include "study/plot.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <clocale>
#include <limits>
#include <set>

#include "support/svg.hpp"

namespace sconet::study {
namespace {

using test::all;
using test::Element;
using test::PanelView;
using test::XmlReader;
using test::XY;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Plot one_panel(Series series, AxisScale y_scale = AxisScale::linear, AxisScale x_scale = AxisScale::linear) {
  Plot plot{"test", "A title", "A description", {}, 1, 200, true};
  Panel panel;
  panel.title = "panel";
  panel.x.title = "x";
  panel.y.title = "y";
  panel.x.scale = x_scale;
  panel.y.scale = y_scale;
  panel.series.push_back(std::move(series));
  plot.panels.push_back(std::move(panel));
  return plot;
}

Series line(std::vector<double> x, std::vector<double> y) {
  return {"s", "rmpi", Mark::line, std::move(x), std::move(y), {}, {}};
}

std::vector<double> tick_values(const Element& root, const char* axis) {
  std::vector<double> values;
  for (const Element& e : all(root, [&](const Element& t) { return t.name == "text" && t.is(axis); })) {
    std::string text = all_text(e);
    std::erase(text, ',');
    if (text.starts_with("−")) text.replace(0, std::string("−").size(), "-");
    values.push_back(test::number(text));
  }
  return values;
}

// What must hold of every picture: sound XML, finite numbers, everything inside of the frame of the figure.
Element sound(const std::string& svg) {
  Element root = XmlReader::read(svg);
  EXPECT_EQ(root.name, "svg");
  EXPECT_EQ(root.at("role"), "img");
  const std::string& box = root.at("viewBox");
  const double height = test::number(box.substr(box.rfind(' ') + 1));
  std::set<std::string> ids;
  each(root, [&](const Element& e) {
    if (e.has("id")) {
      EXPECT_TRUE(ids.insert(e.at("id")).second) << e.at("id");
    }
    for (const auto& [key, value] : e.attributes) {
      if (key == "data-series" || key == "id") continue;
      EXPECT_EQ(value.find("nan"), std::string::npos) << key << '=' << value;
      EXPECT_EQ(value.find("inf"), std::string::npos) << key << '=' << value;
    }
    if (e.name != "text" || e.has("transform")) return;
    const double x = test::number(e.at("x")), y = test::number(e.at("y"));
    const double width = text_width(all_text(e), kPlotTextSize);
    const std::string anchor = e.has("text-anchor") ? e.at("text-anchor") : "start";
    const double left = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2;
    EXPECT_GE(left, -1) << all_text(e);
    EXPECT_LE(left + width, kPlotWidth + 1) << all_text(e);
    EXPECT_GT(y, 8) << all_text(e);
    EXPECT_LT(y, height) << all_text(e);
  });
  for (const char* axis : {"sp-x", "sp-y"}) {
    for (const PanelView& panel : test::panels(root)) {  // labels of ticks keep clear of each other
      double last = kNaN;
      for (const Element& e : all(panel.element, [&](const Element& t) { return t.is(axis); })) {
        const bool along_x = axis == std::string("sp-x");
        const double width = along_x ? text_width(all_text(e), kPlotTextSize) / 2 : kPlotTextSize / 2;
        const double at = test::number(e.at(along_x ? "x" : "y"));
        if (!std::isnan(last)) {
          EXPECT_GT(along_x ? at - last - width : std::abs(at - last) - 2 * width, 0) << all_text(e);
        }
        last = along_x ? at + width : at;
      }
    }
  }
  return root;
}

TEST(Plot, PointsOfALineMapBackToTheData) {
  for (const AxisScale x_scale : {AxisScale::linear, AxisScale::log}) {
    for (const AxisScale y_scale : {AxisScale::linear, AxisScale::log}) {
      const std::vector<double> x = {1, 2, 5, 9, 40}, y = {0.003, 7, 0.5, 90, 0.02};
      const Element root = sound(draw(one_panel(line(x, y), y_scale, x_scale)));
      const PanelView panel = test::panels(root).at(0);
      EXPECT_EQ(panel.x_log, x_scale == AxisScale::log);
      EXPECT_EQ(panel.y_log, y_scale == AxisScale::log);
      const auto runs = panel.runs("s");
      ASSERT_EQ(runs.size(), 1U);
      ASSERT_EQ(runs[0].size(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(runs[0][i].first, panel.px(x[i]), 0.011);
        EXPECT_NEAR(runs[0][i].second, panel.py(y[i]), 0.011);
      }
    }
  }
}

double distance(const XY& p, const std::vector<XY>& run) {
  double least = kInf;
  for (std::size_t i = 1; i < run.size(); ++i) {
    const double dx = run[i].first - run[i - 1].first, dy = run[i].second - run[i - 1].second;
    const double px = p.first - run[i - 1].first, py = p.second - run[i - 1].second;
    const double t = dx * dx + dy * dy > 0 ? std::clamp((px * dx + py * dy) / (dx * dx + dy * dy), 0.0, 1.0) : 0;
    least = std::min(least, std::hypot(px - t * dx, py - t * dy));
  }
  return least;
}

TEST(Plot, ThinnedLinesPassAllPoints) {
  for (const std::size_t n : {500U, 2500U, 100000U}) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(static_cast<double>(i) / static_cast<double>(n));
      y.push_back(std::sin(9 * x.back()));
    }
    y[n / 3] = 5;  // a single peak
    const std::string svg = draw(one_panel(line(x, y)));
    EXPECT_LT(svg.size(), 40000U);
    const PanelView panel = test::panels(sound(svg)).at(0);
    const auto runs = panel.runs("s");
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_LT(runs[0].size(), n);
    double most = 0;
    for (std::size_t i = 0; i < n; i += std::max<std::size_t>(1, n / 1000))
      most = std::max(most, distance({panel.px(x[i]), panel.py(y[i])}, runs[0]));
    EXPECT_LT(most, n > 3000 ? 0.6 : 0.1);
    const auto top = std::ranges::min(runs[0], {}, &XY::second);
    EXPECT_NEAR(panel.y(top.second), 5, 0.01);
  }
}

TEST(Plot, WhatCannotBeDrawnIsAGap) {
  const Element root = sound(draw(one_panel(line({0, 1, 2, 3, 4, 5, kInf, 7}, {1, 2, kNaN, 3, -kInf, 4, 5, 6}))));
  const auto runs = test::panels(root).at(0).runs("s");
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].size(), 2U);
  EXPECT_EQ(runs[1].size(), 1U);  // lone points are dots
  EXPECT_EQ(runs[2].size(), 1U);
  EXPECT_EQ(runs[3].size(), 1U);
}

TEST(Plot, ZeroHasNoPlaceOnALogAxis) {
  const auto plot = one_panel(line({0, 1, 2, 3}, {0, 1, 0.01, -3}), AxisScale::log);
  const PanelView panel = test::panels(sound(draw(plot))).at(0);
  EXPECT_GT(panel.y_min, 0);
  ASSERT_EQ(panel.runs("s").size(), 1U);
  EXPECT_EQ(panel.runs("s")[0].size(), 2U);
}

TEST(Plot, AwkwardInputs) {
  const std::vector<std::vector<double>> values = {{},
                                                   {3},
                                                   {0},
                                                   {2, 2, 2},
                                                   {0, 0},
                                                   {kNaN},
                                                   {kNaN, kInf, -kInf},
                                                   {-5, -5},
                                                   {1e-300, 1e300},
                                                   {1e16, 1e16 + 2},
                                                   {-1e308, 1e308},
                                                   {5e-324, 0},
                                                   {1e-320, 1e-310},
                                                   {1e9, 3e9},
                                                   {1e-9, 2e-9},
                                                   {0.99999, 1.00001},
                                                   {1, 1.3},
                                                   {0.2, 30},
                                                   {12345678, 12345679}};
  for (const AxisScale y_scale : {AxisScale::linear, AxisScale::log}) {
    for (const AxisScale x_scale : {AxisScale::linear, AxisScale::log}) {
      for (const auto& y : values) {
        for (const Mark mark : {Mark::line, Mark::points, Mark::bars}) {
          std::vector<double> x;
          for (std::size_t i = 0; i < y.size() + (mark == Mark::bars ? 1 : 0); ++i) x.push_back(static_cast<double>(i));
          sound(draw(one_panel({"s", "scn3", mark, x, y, {}, {}}, y_scale, x_scale)));
          if (mark == Mark::bars) continue;
          sound(draw(one_panel({"s", "scn3", mark, y, y, {}, {}}, y_scale, x_scale)));
          sound(draw(one_panel({"s", "scn3", mark, std::vector<double>(y.size(), 4), y, {}, {}}, y_scale, x_scale)));
        }
      }
    }
  }
  sound(draw({"none", "", "", {}, 2, 100, true}));
  sound(draw({"", "", "", {Panel{}}, 0, 100, true}));
}

RC_GTEST_PROP(Plot, TicksCoverTheRange, ()) {
  const auto value = [] { return *rc::gen::inRange(-1000000, 1000000) * std::pow(10.0, *rc::gen::inRange(-9, 5)); };
  const double a = value(), b = value();
  RC_PRE(std::abs(a - b) > 1e-6 * std::max(std::abs(a), std::abs(b)));
  const bool log = *rc::gen::arbitrary<bool>();
  if (log) RC_PRE(a != 0 && b != 0);
  const double y0 = log ? std::abs(a) : a, y1 = log ? std::abs(b) : b;
  RC_PRE(std::abs(y0 - y1) > 1e-6 * std::max(std::abs(y0), std::abs(y1)));
  const Element root = sound(draw(one_panel(line({0, 1}, {y0, y1}), log ? AxisScale::log : AxisScale::linear)));
  const PanelView panel = test::panels(root).at(0);
  RC_ASSERT(panel.y_min <= std::min(y0, y1) * (1 + 1e-9) || !log);
  RC_ASSERT(panel.y_max >= std::max(y0, y1) * (1 - 1e-9) || !log);
  const auto ticks = tick_values(root, "sp-y");
  RC_ASSERT(ticks.size() >= 2U);
  RC_ASSERT(std::ranges::is_sorted(ticks) && std::ranges::adjacent_find(ticks) == ticks.end());
  // The labels say where their ticks are.
  const auto labels = all(root, [](const Element& t) { return t.is("sp-y"); });
  for (std::size_t i = 0; i < ticks.size(); ++i)
    RC_ASSERT(std::abs(panel.py(ticks[i]) + 5 - test::number(labels[i].at("y"))) < 0.02);
  if (!log) {  // the ends are ticks
    const double slack = 1e-6 * (panel.y_max - panel.y_min);
    RC_ASSERT(std::abs(ticks.front() - panel.y_min) < slack && std::abs(ticks.back() - panel.y_max) < slack);
    RC_ASSERT(panel.y_min <= std::min(y0, y1) + slack && panel.y_max >= std::max(y0, y1) - slack);
  }
}

TEST(Plot, LogAxesHaveDecades) {
  const Element root = sound(draw(one_panel(line({0, 1}, {2e-6, 300}), AxisScale::log)));
  for (const double v : tick_values(root, "sp-y")) EXPECT_NEAR(std::log10(v), std::round(std::log10(v)), 1e-9) << v;
  const Element narrow = sound(draw(one_panel(line({0, 1}, {0.3, 7}), AxisScale::log)));
  EXPECT_EQ(tick_values(narrow, "sp-y"), (std::vector<double>{0.2, 0.5, 1, 2, 5, 10}));
}

TEST(Plot, NodesAreWhole) {
  for (const double last : {0.0, 1.0, 2.0, 3.0, 17.0}) {
    Plot plot = one_panel(line({0, last}, {0, 1}));
    plot.panels[0].x.whole = true;
    for (const double v : tick_values(sound(draw(plot)), "sp-x")) EXPECT_EQ(v, std::round(v));
  }
}

TEST(Plot, NumbersAsPeopleWriteThem) {
  EXPECT_EQ(number_text(0.001), "0.001");
  EXPECT_EQ(number_text(1e-5), "1e-5");
  EXPECT_EQ(number_text(40000), "40,000");
  EXPECT_EQ(number_text(-6385.2), "−6,385");
  EXPECT_EQ(number_text(2.5e-12), "2.5e-12");
  EXPECT_EQ(number_text(0.99996), "1");
  EXPECT_EQ(number_text(999999.7), "1e6");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(kNaN), "–");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(12.345), "12.35");
  EXPECT_EQ(coordinate(100), "100");
}

TEST(Plot, BarsStandOnZero) {
  const Element root = sound(draw(one_panel({"s", "rmpi", Mark::bars, {-1, 0, 2, 3}, {4, 0, 1}, {}, {}})));
  const PanelView panel = test::panels(root).at(0);
  const auto bars = all(panel.series("s"), [](const Element& e) { return e.name == "rect"; });
  ASSERT_EQ(bars.size(), 2U);  // nothing of the empty one
  EXPECT_NEAR(panel.y(test::number(bars[0].at("y"))), 4, 0.01);
  EXPECT_NEAR(test::number(bars[0].at("y")) + test::number(bars[0].at("height")), panel.py(0), 0.02);
  EXPECT_NEAR(panel.x(test::number(bars[1].at("x"))), 2, 0.01);
  EXPECT_NEAR(test::number(bars[1].at("width")), panel.px(3) - panel.px(2), 0.02);
}

TEST(Plot, TextsAreEscapedAndShortened) {
  const std::string wild = "a<b> & \"c\" 'd' \x01\xff é _{sub} ]]> --";
  Series series = line({0, 1}, {0, 1});
  series.name = wild;
  Plot plot = one_panel(series);
  plot.title = plot.description = plot.panels[0].title = wild;
  plot.panels[0].x.title = plot.panels[0].y.title = std::string(300, 'w');
  plot.id = "a \"b\"<";
  const Element root = sound(draw(plot));
  EXPECT_EQ(all(root, [](const Element& e) { return e.name == "title"; })[0].text,
            "a<b> & \"c\" 'd' \xef\xbf\xbd é _sub ]]> --");
  plot.panels[0].y.names = {std::string(400, 'M'), "äöü" + std::string(100, 'x') + "äöü", ""};
  sound(draw(plot));
}

TEST(Plot, SubscriptsAreLoweredAndRaisedAgain) {
  const std::string text = svg_text(1, 2, "middle", "c", "r_{L} is");
  EXPECT_EQ(text,
            "<text x=\"1\" y=\"2\" text-anchor=\"middle\" class=\"c\">r<tspan class=\"sp-sub\" dy=\"3\">L</tspan>"
            "<tspan dy=\"-3\"> is</tspan></text>");
  EXPECT_EQ(svg_text(1, 2, "start", "", "a_{b"), "<text x=\"1\" y=\"2\">a_{b</text>");
}

TEST(Plot, PanelsKeepClearOfEachOtherAndOfTheLegend) {
  Plot plot{"grid", "", "", {}, 2, 150, true};
  for (int i = 0; i < 5; ++i) {
    Panel panel = one_panel(line({0, 40000}, {1e-5, 3})).panels[0];
    panel.series[0].name = std::string("a rather long name ") + static_cast<char>('a' + i);
    plot.panels.push_back(panel);
  }
  const Element root = sound(draw(plot));
  const auto panels = test::panels(root);
  ASSERT_EQ(panels.size(), 5U);
  EXPECT_LT(panels[0].right, panels[1].left);
  EXPECT_EQ(panels[0].top, panels[1].top);
  EXPECT_LT(panels[0].bottom, panels[2].top);
  const Element legend = all(root, [](const Element& e) { return e.is("sp-legend"); }).at(0);
  std::vector<XY> places;
  for (const Element& e : all(legend, [](const Element& t) { return t.name == "text"; })) {
    EXPECT_GT(test::number(e.at("y")) - kPlotTextSize, panels[4].bottom + 30);
    places.emplace_back(test::number(e.at("y")), test::number(e.at("x")));
  }
  EXPECT_EQ(places.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(places));
}

TEST(Plot, WhatLeavesTheAxesIsCutOff) {
  Plot plot = one_panel(line({0, 1, 2}, {0, 1e200, 1}));
  plot.panels[0].y.min = 0;
  plot.panels[0].y.max = 2;
  const Element root = sound(draw(plot));
  ASSERT_EQ(all(root, [](const Element& e) { return e.name == "clipPath"; }).size(), 1U);
  const Element inside = sound(draw(one_panel(line({0, 1, 2}, {0, 1, 2}))));
  EXPECT_TRUE(all(inside, [](const Element& e) { return e.name == "clipPath"; }).empty());
}

TEST(Plot, WhiskersEndInTheFrame) {
  Series series{"s", "mlp", Mark::points, {1, 2, 3}, {0, 1, 1.2}, {0.5, -3, kNaN}, {2, kInf, 4}};
  Plot plot = one_panel(series, AxisScale::linear, AxisScale::log);
  plot.panels[0].y.names = {"first", "second"};
  const PanelView panel = test::panels(sound(draw(plot))).at(0);
  EXPECT_EQ(panel.runs("s").at(0).size(), 3U);
  const Element whiskers = all(panel.series("s"), [](const Element& e) { return e.is("sp-whisker"); }).at(0);
  const auto starts = test::coordinates(whiskers.at("d"), true);
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_NEAR(panel.x(starts[0].first), 0.5, 0.01);
  EXPECT_NEAR(starts[1].first, panel.left, 0.01);
  EXPECT_NEAR(panel.y(starts[0].second), 0, 0.01);  // the first row is on top
  EXPECT_LT(starts[0].second, starts[1].second);
}

TEST(Plot, ManyPointsBecomeDots) {
  std::vector<double> x, y;
  for (int i = 0; i < 20000; ++i) {
    x.push_back(i % 100);
    y.push_back(i % 7);
  }
  const std::string svg = draw(one_panel({"s", "rvfl", Mark::points, x, y, {}, {}}));
  EXPECT_LT(svg.size(), 40000U);
  EXPECT_EQ(test::panels(sound(svg)).at(0).runs("s").at(0).size(), 700U);
}

TEST(Plot, LengthsMustAgree) {
  EXPECT_THROW(draw(one_panel(line({1, 2}, {1}))), std::invalid_argument);
  EXPECT_THROW(draw(one_panel({"s", "", Mark::bars, {1, 2}, {1, 2}, {}, {}})), std::invalid_argument);
  EXPECT_THROW(draw(one_panel({"s", "", Mark::points, {1}, {1}, {1, 2}, {1, 2}})), std::invalid_argument);
}

TEST(Plot, ColoursFollowThePage) {
  const std::string svg = draw(one_panel(line({0, 1}, {0, 1})));
  const Element root = sound(svg);
  const std::string css = all(root, [](const Element& e) { return e.name == "style"; }).at(0).text;
  EXPECT_NE(css.find("var(--plot-rmpi,#0072b2)"), std::string::npos);
  EXPECT_NE(css.find("@media(prefers-color-scheme:dark){.sconet-plot:root{" + plot_colours(true)), std::string::npos);
  EXPECT_NE(plot_colours(false), plot_colours(true));
  each(root, [](const Element& e) {  // no colour but through a class
    for (const char* key : {"fill", "stroke", "color"}) EXPECT_FALSE(e.has(key)) << e.name;
  });
}

TEST(Plot, NeitherLocaleNorRepetitionChangesABit) {
  const Plot plot = one_panel(line({0, 1000, 20000}, {0.5, 1e-5, 1234.5}), AxisScale::log);
  const std::string once = draw(plot);
  EXPECT_EQ(draw(plot), once);
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, name);  // where there is one
    EXPECT_EQ(draw(plot), once);
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace sconet::study
