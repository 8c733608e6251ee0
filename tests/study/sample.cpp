#include "study/sample.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace sconet::testing {

using namespace study;

namespace {

struct PaperLine {
  const char *set, *method;
  PaperRow row;
};

const std::array kPaper = {
    PaperLine{"DB1",
              "rmpi",
              {{0.0014, 0.0009}, {0.9998, 0.0003}, {0.0016, 0.0010}, {0.9998, 0.0003}, {0.5093, 0.0719}, 45.1}},
    PaperLine{"DB1",
              "scn3",
              {{0.0029, 0.0023}, {0.9992, 0.0013}, {0.0032, 0.0025}, {0.9992, 0.0012}, {0.5521, 0.0642}, 57.9}},
    PaperLine{
        "DB1", "rvfl", {{0.0441, 0.0002}, {0.8743, 0.0029}, {0.0515, 0.0004}, {0.8607, 0.0020}, {0.0034, 0.0014}, 100}},
    PaperLine{
        "DB1", "mlp", {{0.0026, 0.0064}, {0.9972, 0.0125}, {0.0030, 0.0074}, {0.9972, 0.0128}, {0.8521, 0.4259}, 20}},
    PaperLine{"DB2",
              "rmpi",
              {{0.0059, 0.0004}, {0.9999, 0.0000}, {0.0344, 0.0053}, {0.9980, 0.0005}, {0.4878, 0.0132}, 119.6}},
    PaperLine{"DB2",
              "scn3",
              {{0.0083, 0.0005}, {0.9998, 0.0000}, {0.0537, 0.0011}, {0.9951, 0.0019}, {0.4215, 0.0459}, 119.8}},
    PaperLine{
        "DB2", "rvfl", {{0.0203, 0.0018}, {0.9989, 0.0002}, {0.0628, 0.0196}, {0.9928, 0.0044}, {0.0052, 0.0004}, 120}},
    PaperLine{
        "DB2", "mlp", {{0.0079, 0.0027}, {0.9998, 0.0001}, {0.0394, 0.0276}, {0.9960, 0.0077}, {0.8979, 0.3536}, 15}},
    PaperLine{"DB3",
              "rmpi",
              {{3.7412, 0.0272}, {0.9841, 0.0004}, {3.9136, 0.0243}, {0.9771, 0.0003}, {0.6268, 0.0224}, 65.4}},
    PaperLine{"DB3",
              "scn3",
              {{3.9124, 0.0183}, {0.9730, 0.0003}, {3.9635, 0.0171}, {0.9742, 0.0002}, {0.8955, 0.0269}, 69.3}},
    PaperLine{
        "DB3", "rvfl", {{4.0662, 0.0151}, {0.9708, 0.0002}, {4.0980, 0.0205}, {0.9724, 0.0003}, {0.0123, 0.0008}, 70}},
    PaperLine{
        "DB3", "mlp", {{3.9225, 0.0482}, {0.9729, 0.007}, {3.9696, 0.0466}, {0.9741, 0.0006}, {0.7117, 0.1259}, 30}},
    PaperLine{"DB4",
              "rmpi",
              {{11.4750, 0.4574}, {0.9425, 0.0047}, {12.4767, 0.2500}, {0.9306, 0.0029}, {43.031, 21.826}, 268.3}},
    PaperLine{"DB4",
              "scn3",
              {{12.2079, 0.0516}, {0.9348, 0.0006}, {13.1137, 0.0925}, {0.9230, 0.0011}, {24.3728, 0.7779}, 398.3}},
    PaperLine{"DB4",
              "rvfl",
              {{14.7074, 0.0838}, {0.9039, 0.0012}, {15.1686, 0.1007}, {0.8954, 0.0015}, {0.4347, 0.0301}, 400}},
    PaperLine{"DB4",
              "mlp",
              {{12.1200, 0.3880}, {0.9358, 0.0042}, {13.1899, 0.2068}, {0.9224, 0.0025}, {52.942, 11.0015}, 50}},
    PaperLine{
        "DB5",
        "rmpi",
        {{1.6605e-4, 1.4833e-6}, {0.8433, 0.0031}, {1.5809e-4, 8.5239e-7}, {0.8486, 0.0018}, {0.5302, 0.1247}, 24.9}},
    PaperLine{
        "DB5",
        "scn3",
        {{1.6581e-4, 1.9459e-6}, {0.8468, 0.0041}, {1.6260e-4, 1.6255e-6}, {0.8392, 0.0035}, {0.5054, 0.0204}, 39.1}},
    PaperLine{
        "DB5",
        "rvfl",
        {{1.6953e-4, 8.1211e-7}, {0.8360, 0.0017}, {1.6059e-4, 1.2586e-6}, {0.8433, 0.0026}, {0.0063, 0.0012}, 50}},
    PaperLine{
        "DB5",
        "mlp",
        {{1.6687e-4, 2.1296e-6}, {0.8419, 0.0043}, {1.6001e-4, 2.8199e-6}, {0.8451, 0.0054}, {0.5670, 0.0596}, 10}},
    PaperLine{"DB6",
              "rmpi",
              {{0.9707, 0.0153}, {0.9827, 0.0011}, {1.3385, 0.0531}, {0.9647, 0.0028}, {0.1600, 0.0230}, 57.3}},
    PaperLine{"DB6",
              "scn3",
              {{1.0670, 0.0482}, {0.9790, 0.0020}, {1.4321, 0.0553}, {0.9595, 0.0032}, {0.1295, 0.0014}, 62.5}},
    PaperLine{
        "DB6", "rvfl", {{1.6097, 0.1193}, {0.9513, 0.0074}, {1.9211, 0.1586}, {0.9252, 0.0129}, {0.0015, 0.0031}, 70}},
    PaperLine{
        "DB6", "mlp", {{1.2004, 0.2749}, {0.9720, 0.0153}, {1.3043, 0.2883}, {0.9646, 0.0189}, {0.5288, 0.1162}, 5}},
    PaperLine{
        "DB7", "rmpi", {{33359, 224.00}, {0.7751, 0.0035}, {37580, 339.47}, {0.7046, 0.0059}, {5.4222, 0.8891}, 193.5}},
    PaperLine{"DB7",
              "scn3",
              {{34011, 182.58}, {0.7648, 0.0029}, {37892, 291.18}, {0.6979, 0.0052}, {5.3493, 0.2413}, 195.02}},
    PaperLine{
        "DB7", "rvfl", {{39091, 68.92}, {0.6721, 0.0056}, {40586, 295.58}, {0.6379, 0.0066}, {0.1171, 0.0092}, 200}},
    PaperLine{
        "DB7", "mlp", {{34570, 1078.44}, {0.7559, 0.0181}, {37604, 802.91}, {0.7063, 0.0142}, {6.6683, 0.2345}, 30}},
    PaperLine{"DB8",
              "rmpi",
              {{4.4220, 0.2642}, {0.9639, 0.0045}, {6.1905, 0.1836}, {0.9300, 0.0042}, {0.3268, 0.0253}, 87.61}},
    PaperLine{"DB8",
              "scn3",
              {{4.8125, 0.3487}, {0.9570, 0.0066}, {6.4926, 0.1559}, {0.9231, 0.0037}, {0.2593, 0.0106}, 84.88}},
    PaperLine{"DB8",
              "rvfl",
              {{6.6387, 0.2381}, {0.9168, 0.0062}, {8.0629, 0.4721}, {0.8785, 0.01398}, {0.0017, 0.0002}, 100}},
    PaperLine{
        "DB8", "mlp", {{4.9908, 0.5138}, {0.9542, 0.0099}, {6.6900, 0.6973}, {0.9193, 0.0153}, {0.5340, 0.0607}, 25}},
    PaperLine{"DB9",
              "rmpi",
              {{0.4532, 0.0446}, {0.9975, 0.0005}, {0.8009, 0.0472}, {0.9927, 0.0009}, {0.3806, 0.0254}, 101.9}},
    PaperLine{"DB9",
              "scn3",
              {{0.5575, 0.0471}, {0.9962, 0.0006}, {0.8103, 0.0426}, {0.9925, 0.0008}, {0.2212, 0.0015}, 101.7}},
    PaperLine{
        "DB9", "rvfl", {{0.7677, 0.0299}, {0.9928, 0.0006}, {0.9202, 0.0577}, {0.9903, 0.0013}, {0.0017, 0.0002}, 100}},
    PaperLine{
        "DB9", "mlp", {{0.6966, 0.0628}, {0.9942, 0.0010}, {0.8807, 0.0667}, {0.9912, 0.0014}, {0.4757, 0.0556}, 30}},
    PaperLine{"DB10",
              "rmpi",
              {{0.8915, 0.0232}, {0.9981, 0.0001}, {1.4124, 0.0510}, {0.9949, 0.0004}, {0.3336, 0.1025}, 88.40}},
    PaperLine{"DB10",
              "scn3",
              {{0.9901, 0.0764}, {0.9977, 0.0004}, {1.4618, 0.0594}, {0.9946, 0.0004}, {0.1979, 0.0017}, 79.8}},
    PaperLine{"DB10",
              "rvfl",
              {{0.9988, 0.0152}, {0.9976, 0.0001}, {1.3750, 0.0392}, {0.9952, 0.0003}, {0.0022, 0.0003}, 100}},
    PaperLine{
        "DB10", "mlp", {{1.0004, 0.0572}, {0.9975, 0.0003}, {1.6140, 0.4030}, {0.9930, 0.0042}, {0.4296, 0.0140}, 20}},
};

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
  for (const PaperLine& line : kPaper) {
    s.results.cells.push_back(sample_cell(line.set, line.method, line.row, ++salt));
    s.results.cells.back().paper = line.row;
    if (std::string(line.set) == "DB1" && std::string(line.method) == "rvfl")
      s.results.cells.push_back(sample_cell("DB1", "irvfl", line.row, 77));
  }
  for (const char* method : {"rmpi", "scn3"})
    s.results.cells.push_back(sample_cell(kAwkwardPath, method, kPaper.front().row, ++salt));
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
