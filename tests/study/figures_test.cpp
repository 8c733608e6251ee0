#include "study/figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/schedule.hpp"
#include "sconet/generators.hpp"
#include "study/plot.hpp"
#include "support/svg.hpp"

namespace sconet::study {
namespace {

using test::all;
using test::Element;
using test::PanelView;
using test::XmlReader;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> column(const Eigen::MatrixXd& m) { return {m.data(), m.data() + m.size()}; }

Element read(const Figure& figure) {
  EXPECT_FALSE(figure.id.empty());
  EXPECT_FALSE(figure.caption.empty());
  EXPECT_LT(figure.svg.size(), 40000U) << figure.id;
  EXPECT_EQ(figure.caption.find("_{"), std::string::npos);
  EXPECT_EQ(figure.caption.find("nan"), std::string::npos) << figure.caption;
  return XmlReader::read(figure.svg);
}

Results some_results(double rvfl_on_a) {
  Results results;
  results.sets = {{"A", "first", "", 1, 2, 3, 4, {}}, {"path/to/b.csv", "", "", 1, 2, 3, 4, {}}};
  results.methods = {{"rmpi", "RMPI-SCN"}, {"rvfl", "RVFL"}, {"rvfl:range=60", "RVFL, range 60"}};
  const auto cell = [](const char* set, const char* method, double mean, double std) {
    Cell c;
    c.set = set;
    c.method = method;
    c.test_rmse = {mean, std};
    return c;
  };
  results.cells = {cell("A", "rmpi", 2, 0.1), cell("A", "rvfl", rvfl_on_a, 0.5), cell("path/to/b.csv", "rmpi", 30, 3),
                   cell("path/to/b.csv", "rvfl", 20, 30), cell("path/to/b.csv", "rvfl:range=60", kNaN, kNaN)};
  return results;
}

std::vector<Figure> every_figure() {
  const Dataset db1 = generate_db1(300);
  const std::vector<double> x = column(db1.X), y = column(db1.Y);
  std::vector<double> off = y;
  for (double& v : off) v += 0.01;
  return {training_diagram(),
          demand_curves(),
          approximations("fig3", "Approximations", x, y, {{"rmpi", "RMPI-SCN", y}, {"rvfl", "RVFL", off}}),
          error_curves("fig4", "Errors", {{"DB1", "RMSE", {{"rmpi", "RMPI-SCN", {1, 0.1, 0.001}}}}}),
          weight_histograms({{"rmpi", "RMPI-SCN", {1, -2, 3, 150}}, {"scn3", "SCN-III", {0.5}}}),
          derivatives(),
          test_errors(some_results(100))};
}

TEST(Figures, DiagramTextsFitTheirBoxes) {
  const Element root = read(training_diagram());
  // Boxes and the texts within come one after the other.
  double left = 0, right = 0;
  bool inside = false;
  int texts = 0;
  for (const Element& e : root.children) {
    if (e.is("sp-box")) {
      inside = true;
      if (e.name == "rect") {
        left = test::number(e.at("x"));
        right = left + test::number(e.at("width"));
      } else {
        const std::string& d = e.at("d");
        left = test::number(d.substr(1, d.find(',') - 1)) + 10;
        right = 2 * 164 - left;
      }
    } else if (e.name == "text" && inside) {
      const double x = test::number(e.at("x")), width = text_width(all_text(e), kPlotTextSize);
      if (!e.has("text-anchor")) continue;  // beside an arrow
      EXPECT_GT(x - width / 2, left + 4) << all_text(e);
      EXPECT_LT(x + width / 2, right - 4) << all_text(e);
      ++texts;
    } else {
      inside = false;
    }
  }
  EXPECT_EQ(texts, 12);
}

TEST(Figures, DemandsAreTheSchedules) {
  const PanelView panel = test::panels(read(demand_curves(0.9, {0.1, 0.9}, 50))).at(0);
  for (const double alpha : {0.1, 0.9}) {
    const auto runs = panel.runs(alpha == 0.1 ? "α = 0.1" : "α = 0.9");
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_NEAR(panel.x(runs[0].front().first), 1, 0.01);
    EXPECT_NEAR(panel.x(runs[0].back().first), 50, 0.01);
    for (const auto& [px, py] : runs[0]) {
      const double L = std::round(panel.x(px));
      EXPECT_NEAR(panel.x(px), L, 0.01);
      EXPECT_NEAR(py, panel.py(demanded_r(Schedule::power, 0.9, alpha, L)), 0.011);
      EXPECT_LT(panel.y(py), 0.9);
    }
  }
  read(demand_curves(0.5, {}, 0));
  read(demand_curves(0.5, {1, 2, 3, 4, 5, 6, 7}, 1));
}

TEST(Figures, ApproximationsAreOrderedAndMapBack) {
  const std::vector<double> x = {0.5, 0, 1, 0.25, kNaN}, truth = {1, 0, 4, 2, 9}, y = {1.5, 0, 3, kNaN, 9};
  const Figure figure = approximations("fig7", "Title", x, truth, {{"rvfl", "RVFL", y}});
  const PanelView panel = test::panels(read(figure)).at(0);
  const auto target = panel.runs("target");
  ASSERT_EQ(target.size(), 1U);
  ASSERT_EQ(target[0].size(), 4U);
  const std::array<std::array<double, 2>, 4> sorted = {{{0, 0}, {0.25, 2}, {0.5, 1}, {1, 4}}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(target[0][i].first, panel.px(sorted[i][0]), 0.011);
    EXPECT_NEAR(target[0][i].second, panel.py(sorted[i][1]), 0.011);
  }
  EXPECT_EQ(panel.runs("RVFL").size(), 2U);  // a gap where nothing is known
  EXPECT_THROW(approximations("a", "b", {1, 2}, {1}, {}), std::invalid_argument);
  EXPECT_THROW(approximations("a", "b", {1}, {1}, {{"rmpi", "R", {1, 2}}}), std::invalid_argument);
  read(approximations("a", "b", {}, {}, {{"rmpi", "R", {}}}));
  read(approximations("a", "b", {}, {}, {}));
}

TEST(Figures, ARunawayDoesNotFlattenTheTarget) {
  const Figure figure =
      approximations("fig3", "", {0, 1, 2}, {0, 1, 0}, {{"rmpi", "a", {0, 1, 0}}, {"rvfl", "b", {0, 1000, -1000}}});
  for (const PanelView& panel : test::panels(read(figure))) {
    EXPECT_LE(panel.y_max, 2);
    EXPECT_GE(panel.y_min, -1);
  }
  EXPECT_NE(figure.caption.find("cut off"), std::string::npos);
  const auto calm = approximations("fig3", "", {0, 1, 2}, {0, 1, 0}, {{"rmpi", "a", {0, 1, 0}}});
  EXPECT_EQ(calm.caption.find("cut off"), std::string::npos);
  EXPECT_NE(calm.caption.find("0 for a"), std::string::npos) << calm.caption;
}

TEST(Figures, ErrorCurvesChooseTheirAxis) {
  const Figure figure = error_curves("fig8", "t",
                                     {{"steep", "RMSE", {{"rmpi", "R", {5, 0.3, 0.01}}, {"scn3", "S", {5, 1, 0.2, 0}}}},
                                      {"flat", "RMSE", {{"rmpi", "R", {50000, 40000, 39000}}}},
                                      {"empty", "RMSE", {{"rmpi", "R", {}}}}});
  const auto panels = test::panels(read(figure));
  ASSERT_EQ(panels.size(), 3U);
  EXPECT_TRUE(panels[0].y_log);
  EXPECT_FALSE(panels[1].y_log);
  const auto runs = panels[0].runs("R");
  ASSERT_EQ(runs.at(0).size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(panels[0].x(runs[0][i].first), static_cast<double>(i), 0.01);
  EXPECT_NEAR(runs[0][1].second, panels[0].py(0.3), 0.011);
  EXPECT_NE(figure.caption.find("on steep R 0.01 (2 nodes)"), std::string::npos) << figure.caption;
  EXPECT_NE(figure.caption.find("on flat R 39,000 (2 nodes)"), std::string::npos) << figure.caption;
}

TEST(Figures, EveryWeightIsCountedOnce) {
  for (const double scale : {1e-3, 1.0, 187.3}) {
    for (const int spike : {0, 500}) {  // with and without a log axis
      std::vector<double> a, b;
      for (int i = 0; i < 137; ++i) a.push_back(scale * std::sin(i * i));
      for (int i = 0; i < 40; ++i) b.push_back(-scale * i / 40.0);
      b.insert(b.end(), static_cast<std::size_t>(spike), 0.0);
      b.push_back(kNaN);
      const auto panels = test::panels(read(weight_histograms({{"rmpi", "a", a}, {"scn3", "b", b}})));
      ASSERT_EQ(panels.size(), 2U);
      EXPECT_EQ(panels[0].x_min, panels[1].x_min);
      EXPECT_EQ(panels[0].x_min, -panels[0].x_max);
      EXPECT_EQ(panels[0].y_log, spike > 0);
      const auto counted = [](const PanelView& panel, const char* name) {
        double sum = 0;
        for (const Element& bar : all(panel.series(name), [](const Element& e) { return e.name == "rect"; })) {
          const double count = panel.y(test::number(bar.at("y")));
          EXPECT_NEAR(count, std::round(count), 0.001 * count + 0.02);
          sum += std::round(count);
        }
        return sum;
      };
      EXPECT_EQ(counted(panels[0], "a"), 137);
      EXPECT_EQ(counted(panels[1], "b"), 40 + spike);
    }
  }
  read(weight_histograms({}));
  read(weight_histograms({{"rmpi", "a", {}}, {"rmpi", "b", {0, 0}}}));
  read(weight_histograms({{"rmpi", "a", {1e308}}}));
}

TEST(Figures, DerivativesAreThoseOfTheGenerator) {
  const auto panels = test::panels(read(derivatives()));
  ASSERT_EQ(panels.size(), 3U);
  const Dataset grid = generate_db1(20001);  // ten steps to one of the figure
  const double h = 1.0 / 20000;
  const auto f = [&](Index i) { return grid.Y(std::clamp<Index>(i, 0, 20000), 0); };
  const std::array<const char*, 3> names = {"f", "f′", "f″"};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto runs = panels[k].runs(names[k]);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_GT(runs[0].size(), 50U);
    for (const auto& [px, py] : runs[0]) {
      const auto i = static_cast<Index>(std::llround(panels[k].x(px) * 2000)) * 10;
      if (i == 0 || i == 20000) continue;
      const double expected = k == 0   ? f(i)
                              : k == 1 ? (f(i + 1) - f(i - 1)) / (2 * h)
                                       : (f(i + 1) - 2 * f(i) + f(i - 1)) / (h * h);
      EXPECT_NEAR(py, panels[k].py(expected), 0.02) << names[k] << " at " << panels[k].x(px);
    }
  }
}

TEST(Figures, TestErrorsAreMultiplesOfTheBest) {
  const Figure figure = test_errors(some_results(3));
  const PanelView panel = test::panels(read(figure)).at(0);
  EXPECT_FALSE(panel.x_log);
  const auto rmpi = panel.runs("RMPI-SCN").at(0), rvfl = panel.runs("RVFL").at(0);
  ASSERT_EQ(rmpi.size(), 2U);
  EXPECT_NEAR(panel.x(rmpi[0].first), 1, 0.01);
  EXPECT_NEAR(panel.x(rmpi[1].first), 1.5, 0.01);
  EXPECT_NEAR(panel.x(rvfl[0].first), 1.5, 0.01);
  EXPECT_NEAR(panel.x(rvfl[1].first), 1, 0.01);
  EXPECT_EQ(std::round(panel.y(rmpi[0].second)), 0);
  EXPECT_EQ(std::round(panel.y(rmpi[1].second)), 1);
  EXPECT_TRUE(panel.runs("RVFL, range 60").empty());
  EXPECT_NE(figure.caption.find("RMPI-SCN on 1 and RVFL on 1 of 2 sets"), std::string::npos) << figure.caption;
  EXPECT_TRUE(test::panels(read(test_errors(some_results(100)))).at(0).x_log);
  read(test_errors(some_results(0)));
  read(test_errors({}));
}

TEST(Figures, ManyInOnePageDoNotDisturbEachOther) {
  std::set<std::string> ids;
  std::string sheet;
  for (const Figure& figure : every_figure()) {
    const Element root = read(figure);
    each(root, [&](const Element& e) {
      if (e.has("id")) {
        EXPECT_TRUE(ids.insert(e.at("id")).second) << e.at("id");
      }
      if (e.name == "style") {
        EXPECT_TRUE(sheet.empty() || sheet == e.text);
        sheet = e.text;
      }
    });
  }
  EXPECT_FALSE(ids.contains("fig3"));  // which a page may give to the whole figure
}

TEST(Figures, AreTheSameEveryTime) {
  const auto once = every_figure(), again = every_figure();
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].svg, again[i].svg);
    EXPECT_EQ(once[i].caption, again[i].caption);
  }
}

}  // namespace
}  // namespace sconet::study
