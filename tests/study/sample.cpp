#include "study/sample.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "study/paper.hpp"

namespace sconet::testing {

using namespace study;

namespace {

SetInfo known_set(int number) {
  struct Known {
    const char *title, *unit;
    Index inputs, train, valid, test;
  };
  static constexpr std::array known = {Known{"Highly nonlinear function", "", 1, 800, 200, 300},
                                       Known{"Two-dimensional function", "", 2, 600, 200, 400},
                                       Known{"CCPP", "MW", 4, 4784, 2392, 2392},
                                       Known{"Superconduct", "K", 81, 12757, 4253, 4253},
                                       Known{"Delta ailerons", "", 5, 3565, 1782, 1782},
                                       Known{"Yacht", "", 6, 154, 77, 77},
                                       Known{"California housing", "$", 8, 10320, 5160, 5160},
                                       Known{"Concrete", "MPa", 8, 515, 257, 258},
                                       Known{"Energy, heating", "kW", 8, 384, 192, 192},
                                       Known{"Energy, cooling", "kW", 8, 384, 192, 192}};
  const Known& k = known.at(static_cast<std::size_t>(number - 1));
  return {fmt::format("DB{}", number), k.title, k.unit, k.inputs, k.train, k.valid, k.test, {}};
}

// A few per cent off, now above, now below.
Spread changed(const Spread& value, std::size_t salt) {
  const double factor = 1 + 0.03 * std::sin(1.0 + 2.3 * static_cast<double>(salt));
  return {value.mean * factor, value.std * (2 - factor)};
}

Cell sample_cell(const std::string& set, const std::string& method, const PaperRow& row, std::size_t salt) {
  Cell cell;
  cell.set = set;
  cell.method = method;
  cell.chosen = {{"max_nodes", "100"}, {"scales", "0.5,1,5,10,30,50,100,150,200,250"}, {"r", "0.99"}, {"alpha", "0.5"}};
  cell.train_rmse = changed(row.train_rmse, salt);
  cell.test_rmse = changed(row.test_rmse, salt + 1);
  cell.train_r = {1 - changed({1 - row.train_r.mean, 0}, salt).mean, row.train_r.std};
  cell.test_r = {1 - changed({1 - row.test_r.mean, 0}, salt + 1).mean, row.test_r.std};
  cell.seconds = {row.seconds.mean / 9, row.seconds.std / 9};
  cell.nodes = {row.nodes, method == "rvfl" || method == "mlp" ? 0 : 2.34};
  Run run;
  run.set = set;
  run.method = method;
  run.data = set == "DB1" || set == "DB2" ? "generated, seed 1"
                                          : "5f2c0d1ab1e94c3d8e7f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5";
  for (run.run = 1; run.run <= 100; ++run.run) cell.runs.push_back(run);
  return cell;
}

// A stand-in: axes, a line and labels, in the variables that the page sets.
Figure sample_figure(const std::string& id, const std::string& title) {
  std::string path;
  for (int i = 0; i <= 100; ++i)
    path += fmt::format("{}{},{:.1f}", i == 0 ? 'M' : 'L', 60 + 5 * i, 240 - 200 * std::exp(-i / 25.0));
  static constexpr const char* svg =
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 300" role="img" aria-labelledby="{0}-title">
<title id="{0}-title">{0}</title>
<path d="M60,40H560M60,90H560M60,140H560M60,190H560" style="stroke:var(--plot-grid,#ddd)"/>
<path d="M60,20V250H570" fill="none" style="stroke:var(--plot-ink,#222)"/>
<path d="{1}" fill="none" stroke-width="2" style="stroke:var(--plot-rmpi,#0072b2)"/>
<g font-size="14" style="fill:var(--plot-ink,#222)"><text x="300" y="285">nodes</text>
<text x="20" y="45">0.1</text><text x="20" y="195">0.01</text></g></svg>)svg";
  return {id, title, "The error falls with every node; at 45 nodes it is 0.0014 & less than <half> of SCN-III's.",
          fmt::format(svg, id, path)};
}

std::vector<Claim> sample_claims() {
  std::vector<std::string> lines;
  for (int i = 1; i <= 10; ++i) lines.push_back(fmt::format("DB{}: 0.{}41 against 0.{}73", i, i, i));
  return {
      {"trains-lower", "RMPI-SCN trains to a lower RMSE than SCN-III on at least 9 of 10 sets", Verdict::holds,
       "It does on 10 of 10 sets, by 11 % in the median.", lines},
      {"tests-lower", "RMPI-SCN has the lowest test RMSE of all methods on at least 8 of 10 sets",
       Verdict::holds_in_part, "It has on 7 of 10 sets; MLP-BP is lower on DB6, RVFL on DB10.", lines},
      {"fewer-nodes", "SCN-III needs more than twice the nodes of RMPI-SCN", Verdict::does_not_hold,
       "The ratio is 1.02 in the median, and 1.48 at most (DB4).", lines},
      {"stable", "The result hardly depends on the seed", Verdict::not_tested, "", {}},
  };
}

}  // namespace

SampleStudy sample_study() {
  SampleStudy s;
  s.results.methods = {
      {"rmpi", "RMPI-SCN"}, {"scn3", "SCN-III"}, {"rvfl", "RVFL"}, {"irvfl", "IRVFL"}, {"mlp", "MLP-BP"}};
  for (int i = 1; i <= 10; ++i) s.results.sets.push_back(known_set(i));
  s.results.sets[3].notes = {"the file's checksum is not the catalogue's", "7 rows with missing values were left out"};
  s.results.sets.push_back({kAwkwardPath, "", "", 7, 1200, 300, 500, {"the target is \"y <1>\""}});
  std::size_t salt = 0;
  for (int i = 1; i <= 10; ++i)
    for (const std::string method : {"rmpi", "scn3", "rvfl", "mlp"}) {
      const std::string set = fmt::format("DB{}", i);
      const PaperRow row = paper_row(set, method).value();
      s.results.cells.push_back(sample_cell(set, method, row, ++salt));
      s.results.cells.back().paper = row;
      if (set == "DB1" && method == "rvfl") s.results.cells.push_back(sample_cell("DB1", "irvfl", row, 77));
    }
  for (const char* method : {"rmpi", "scn3"})
    s.results.cells.push_back(sample_cell(kAwkwardPath, method, *paper_row("DB1", "rmpi"), ++salt));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  s.results.cells.back().test_r = {nan, nan};
  s.results.cells.back().chosen.clear();
  s.claims = sample_claims();
  for (const char* title : {"Training error on DB1", "Predictions on DB1", "Input weights", "Test error by set"})
    s.figures.push_back(sample_figure(fmt::format("fig{}", s.figures.size() + 1), title));
  s.facts.title = "RMPI-SCN against its rivals on ten data sets";
  s.facts.command = "sconet study --data data --runs 100 --tuning 3 --seed 1 --output study";
  s.facts.version = "0.1.0";
  s.facts.runs = 100;
  s.facts.tuning = 3;
  s.facts.machine = "2 threads, x86-64-v4";
  s.facts.seconds = 5432.1;
  return s;
}

SampleStudy sample_of_one_set() {
  SampleStudy s = sample_study();
  s.results.sets = {s.results.sets.back()};
  std::erase_if(s.results.cells, [](const Cell& cell) { return cell.set != kAwkwardPath; });
  std::erase_if(s.results.methods, [](const MethodInfo& method) { return method.id != "rmpi" && method.id != "scn3"; });
  s.claims.clear();
  s.figures.resize(1);
  s.facts.title = kAwkwardPath;
  s.facts.command = "sconet study '" + kAwkwardPath + "' --methods rmpi,scn3 --output study";
  return s;
}

}  // namespace sconet::testing
