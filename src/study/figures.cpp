#include "study/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/schedule.hpp"
#include "study/plot.hpp"

namespace sconet::study {

namespace {

Figure finished(Plot plot, const std::string& caption) {
  plot.description = caption;
  std::string svg = draw(plot);
  return {std::move(plot.id), plain_text(plot.title), plain_text(caption), std::move(svg)};
}

std::vector<double> counted_from(double first, std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// "a", "a and b", "a, b and c"
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace

// --- Figure 1 -------------------------------------------------------------------------------------------------------

namespace {

// Lines of text about the middle of a box, whatever its shape.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;  // x, y: the middle
  std::vector<std::string> lines;
  bool question = false;  // a diamond with cut sides
};

class Diagram {
 public:
  void box(const Box& box) {
    const double l = box.x - box.width / 2, r = box.x + box.width / 2, t = box.y - box.height / 2,
                 b = box.y + box.height / 2;
    if (box.question) {
      const double cut = 22;
      body_ += fmt::format("<path class=\"sp-box\" d=\"M{},{}L{},{}H{}L{},{}L{},{}H{}z\"/>", coordinate(l),
                           coordinate(box.y), coordinate(l + cut), coordinate(t), coordinate(r - cut), coordinate(r),
                           coordinate(box.y), coordinate(r - cut), coordinate(b), coordinate(l + cut));
    } else {
      body_ += fmt::format("<rect class=\"sp-box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"7\"/>",
                           coordinate(l), coordinate(t), coordinate(box.width), coordinate(box.height));
    }
    double y = box.y - static_cast<double>(box.lines.size() - 1) * kPlotLineHeight / 2 + 5;
    for (const auto& line : box.lines) {
      body_ += svg_text(box.x, y, "middle", "sp-name", line);
      y += kPlotLineHeight;
    }
    body_ += '\n';
  }

  // Along the corners, with a tip at the last.
  void arrow(const std::vector<std::pair<double, double>>& corners) {
    std::string path;
    for (const auto& [x, y] : corners)
      path += fmt::format("{}{},{}", path.empty() ? "M" : "L", coordinate(x), coordinate(y));
    const auto [x, y] = corners.back();
    const auto [px, py] = corners[corners.size() - 2];
    const double dx = x > px ? 1 : x < px ? -1 : 0, dy = y > py ? 1 : y < py ? -1 : 0;
    body_ += fmt::format("<path class=\"sp-axis\" d=\"{}\"/><path class=\"sp-tip\" d=\"M{},{}l{},{}l{},{}z\"/>\n", path,
                         coordinate(x), coordinate(y), coordinate(-9 * dx + 4.5 * dy), coordinate(-9 * dy + 4.5 * dx),
                         coordinate(-9 * dy), coordinate(-9 * dx));
  }

  void label(double x, double y, std::string_view anchor, std::string_view text) {
    body_ += svg_text(x, y, anchor, "sp-name", text) + "\n";
  }

  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

}  // namespace

Figure training_diagram() {
  Figure figure{"fig1", "How a stochastic configuration network is trained",
                "Nodes are added one at a time. Of a batch of random candidates the supervisor takes the best that "
                "removes the demanded share 1 − r_{L} of the squared residual; when there is none, the candidates are "
                "drawn from a wider range, and at last less is demanded.",
                ""};
  Diagram d;
  constexpr double main = 164, side = 474, wide = 322, narrow = 196;
  const Box start{main, 34, wide, 48, {"Start: no nodes, residual e_{0} = Y"}, false};
  const Box sample{main, 128, wide, 66, {"Draw a batch of candidates:", "weights and biases from (−λ, λ)"}, false};
  const Box judge{main, 238, wide, 80, {"Supervisor: is any candidate", "admissible, score ≥ 1 − r_{L} ?"}, true};
  const Box widen{side, 238, narrow, 66, {"Next scale λ;", "after the last, relax r"}, false};
  const Box take{main, 352, wide, 66, {"Add the best as node L,", "refit the output weights"}, false};
  const Box enough{main, 466, wide, 80, {"Tolerance or L_{max} reached, or", "no better on validation rows?"}, true};
  const Box stop{main, 568, wide, 48, {"Stop: the network is ready"}, false};
  for (const Box& box : {start, sample, judge, widen, take, enough, stop}) d.box(box);
  const auto down = [&](const Box& from, const Box& to) {
    d.arrow({{from.x, from.y + from.height / 2}, {to.x, to.y - to.height / 2}});
  };
  down(start, sample);
  down(sample, judge);
  down(judge, take);
  down(take, enough);
  down(enough, stop);
  const auto right = [](const Box& box) { return box.x + box.width / 2; };
  d.arrow({{right(judge), judge.y}, {widen.x - widen.width / 2, widen.y}});
  d.arrow({{widen.x, widen.y - widen.height / 2}, {widen.x, sample.y + 14}, {right(sample), sample.y + 14}});
  // Back up for the next node, on the outside.
  constexpr double edge = kPlotWidth - 3;
  d.arrow({{right(enough), enough.y}, {edge, enough.y}, {edge, sample.y - 14}, {right(sample), sample.y - 14}});
  d.label(main + 10, judge.y + judge.height / 2 + 20, "start", "yes");
  d.label(main + 10, enough.y + enough.height / 2 + 20, "start", "yes");
  d.label(right(judge) + 11, judge.y - 9, "start", "no");
  d.label(right(enough) + 10, enough.y - 9, "start", "no: next node, L + 1");
  figure.svg = open_svg(figure.id, figure.title, figure.caption, 600) + d.body() + "</svg>\n";
  figure.caption = plain_text(figure.caption);
  return figure;
}

// --- Figure 2 -------------------------------------------------------------------------------------------------------

Figure demand_curves(double r, const std::vector<double>& alphas, Index nodes) {
  Plot plot{"fig2", "The demand r_{L} as the network grows", "", {}, 1, 250, true};
  Panel panel;
  panel.x.title = "nodes L";
  panel.x.scale = AxisScale::log;
  panel.x.min = 1;
  if (nodes > 1) panel.x.max = static_cast<double>(nodes);
  panel.y.title = "r_{L}";
  panel.y.guides = {r};
  double lowest = r;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    Series series{fmt::format("α = {}", number_text(alphas[i])),
                  fmt::format("ramp{}", i % 5 + 1),
                  Mark::line,
                  counted_from(1, static_cast<std::size_t>(std::max<Index>(nodes, 0))),
                  {},
                  {},
                  {}};
    for (const double L : series.x) series.y.push_back(demanded_r(Schedule::power, r, alphas[i], L));
    lowest = std::min(lowest, series.y.empty() ? r : series.y.front());
    panel.series.push_back(std::move(series));
  }
  panel.y.span = {lowest, r + 0.05 * (r - lowest)};  // the curves do not end at the edge
  plot.panels.push_back(std::move(panel));
  return finished(std::move(plot),
                  fmt::format("r_{{L}} = r^((1 + 1/L)^α) for r = {0} (Eq. 47). Every curve rises to r = {0} (dotted), "
                              "whatever α is; the paper gives r^α as the supremum, which belongs to r^(α(1 + 1/L)). A "
                              "larger α begins lower: it demands more of the first nodes.",
                              number_text(r)));
}

// --- Figures 3 and 7 ------------------------------------------------------------------------------------------------

namespace {

double root_mean_square_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return a.empty() ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(sum / static_cast<double>(a.size()));
}

std::pair<double, double> finite_range(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  return {low, high};
}

}  // namespace

Figure approximations(const std::string& id, const std::string& title, const std::vector<double>& x,
                      const std::vector<double>& truth, const std::vector<MethodValues>& methods) {
  const auto check = [&](const std::string& name, std::size_t size) {
    if (size != x.size())
      throw std::invalid_argument(fmt::format("{}: {} values of {} for {} points", id, size, name, x.size()));
  };
  check("the target", truth.size());
  for (const auto& method : methods) check(method.title, method.values.size());

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i])) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  const auto ordered = [&](const std::vector<double>& values) {
    std::vector<double> out;
    out.reserve(order.size());
    for (const std::size_t i : order) out.push_back(values[i]);
    return out;
  };

  // All panels alike. A method that runs away is cut off, lest the target become a flat line.
  auto [low, high] = finite_range(truth);
  const double room = (high - low) / 2;
  double lowest = low, highest = high;
  for (const auto& method : methods) {
    const auto [a, b] = finite_range(method.values);
    lowest = std::min(lowest, a);
    highest = std::max(highest, b);
  }
  const bool cut = lowest < low - room || highest > high + room;
  low = std::max(lowest, low - room);
  high = std::min(highest, high + room);

  Plot plot{id, title, "", {}, methods.size() > 1 ? 2 : 1, methods.size() > 1 ? 180.0 : 240.0, true};
  std::vector<std::string> errors;
  for (const auto& method : methods) {
    Panel panel;
    panel.title = method.title;
    panel.x.title = "x";
    panel.series.push_back({"target", "target", Mark::line, ordered(x), ordered(truth), {}, {}});
    panel.series.push_back({method.title, method.method, Mark::line, ordered(x), ordered(method.values), {}, {}});
    if (low < high) panel.y.span = {low, high};
    errors.push_back(
        fmt::format("{} for {}", number_text(root_mean_square_difference(method.values, truth)), method.title));
    plot.panels.push_back(std::move(panel));
  }
  std::string caption = fmt::format("The target (grey band) and what {} of it. Root mean square difference: {}.",
                                    methods.size() > 1 ? "each method made" : "the network made", joined(errors));
  if (cut) caption += " What leaves the panel is cut off.";
  return finished(std::move(plot), caption);
}

// --- Figures 4, 8 and 9 ---------------------------------------------------------------------------------------------

Figure error_curves(const std::string& id, const std::string& title, const std::vector<ErrorPanel>& panels) {
  Plot plot{id, title, "", {}, panels.size() > 1 ? 2 : 1, panels.size() > 1 ? 210.0 : 250.0, true};
  std::vector<std::string> ends;
  std::size_t logs = 0;
  for (const auto& from : panels) {
    Panel panel;
    panel.title = panels.size() > 1 ? from.title : "";
    panel.x.title = "nodes L";
    panel.x.whole = true;
    panel.y.title = from.y_title;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::vector<std::string> last;
    for (const auto& method : from.methods) {
      panel.series.push_back(
          {method.title, method.method, Mark::line, counted_from(0, method.values.size()), method.values, {}, {}});
      for (const double v : method.values) {
        if (!std::isfinite(v) || v <= 0) continue;
        least = std::min(least, v);
        most = std::max(most, v);
      }
      if (!method.values.empty())
        last.push_back(
            fmt::format("{} {} ({} nodes)", method.title, number_text(method.values.back()), method.values.size() - 1));
    }
    if (most > 10 * least) {
      panel.y.scale = AxisScale::log;
      ++logs;
    }
    if (!last.empty()) ends.push_back(fmt::format("on {} {}", from.title, joined(last)));
    plot.panels.push_back(std::move(panel));
  }
  std::string caption = fmt::format("Training RMSE as nodes are added{}.",
                                    logs > 0 && logs == panels.size() ? ", on a logarithmic axis" : "");
  for (std::size_t i = 0; i < ends.size(); ++i) caption += (i == 0 ? " At the end: " : "; ") + ends[i];
  if (!ends.empty()) caption += '.';
  return finished(std::move(plot), caption);
}

// --- Figure 5 -------------------------------------------------------------------------------------------------------

Figure weight_histograms(const std::vector<MethodValues>& methods) {
  double largest = 0;
  for (const auto& method : methods)
    for (const double w : method.values)
      if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  if (!(largest > 1e-290)) largest = 1;
  // Bins of 1, 2, 2.5 or 5 times a power of ten, about forty of them, with an edge at zero.
  const double raw = largest / 20;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double width = 10 * power;
  for (const double unit : {5.0, 2.5, 2.0, 1.0})
    if (unit * power >= raw * (1 - 1e-9)) width = unit * power;
  const auto half = static_cast<std::ptrdiff_t>(std::ceil(largest / width - 1e-9));
  std::vector<double> edges;
  for (std::ptrdiff_t k = -half; k <= half; ++k) edges.push_back(static_cast<double>(k) * width);

  Plot plot{"fig5", "Input weights", "", {}, methods.size() > 1 ? 2 : 1, 200, false};
  std::vector<std::string> sentences;
  double most = 0;
  for (const auto& method : methods) {
    std::vector<double> counts(edges.size() - 1, 0.0), sizes;
    for (const double w : method.values) {
      if (!std::isfinite(w)) continue;
      const auto bin = static_cast<std::ptrdiff_t>(std::floor(w / width)) + half;
      counts[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(bin, 0, 2 * half - 1))] += 1;
      sizes.push_back(std::abs(w));
    }
    for (const double count : counts) most = std::max(most, count);
    std::ranges::sort(sizes);
    if (!sizes.empty())
      sentences.push_back(fmt::format("of the {} weights of {} the median size is {}, the largest {}", sizes.size(),
                                      method.title, number_text(sizes[(sizes.size() - 1) / 2]),
                                      number_text(sizes.back())));
    Panel panel;
    panel.title = method.title;
    panel.x.title = "input weight";
    panel.y.title = "count";
    panel.x.span = {edges.front(), edges.back()};
    panel.y.whole = true;
    panel.series.push_back({method.title, method.method, Mark::bars, edges, std::move(counts), {}, {}});
    plot.panels.push_back(std::move(panel));
  }
  const bool log = most > 60;  // a single weight would be too low to see
  for (Panel& panel : plot.panels) {
    panel.y.scale = log ? AxisScale::log : AxisScale::linear;
    if (log) panel.y.min = 0.5;
    panel.y.span = {log ? 1.0 : 0.0, std::max(most, 1.0)};
  }
  std::string caption = fmt::format("Histograms of the nodes' input weights, all in the same bins{}.",
                                    log ? " and with counts on a logarithmic axis" : "");
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    std::string sentence = sentences[i];
    if (i == 0) sentence.front() = 'O';
    caption += (i == 0 ? " " : "; ") + sentence;
  }
  if (!sentences.empty()) caption += '.';
  return finished(std::move(plot), caption);
}

// --- Figure 6 -------------------------------------------------------------------------------------------------------

Figure derivatives() {
  // c exp(-z^2) with z = a x - b: its derivatives are -2 a z c exp(-z^2) and a^2 (4 z^2 - 2) c exp(-z^2).
  struct Bump {
    double c, a, b;
  };
  constexpr std::array<Bump, 3> bumps = {Bump{0.2, 10, 4}, Bump{0.5, 80, 40}, Bump{0.3, 80, 20}};
  constexpr int steps = 2000;
  std::array<std::vector<double>, 3> f;
  std::vector<double> x;
  for (int i = 0; i <= steps; ++i) {
    const double at = static_cast<double>(i) / steps;
    std::array<double, 3> sum = {0, 0, 0};
    for (const auto& [c, a, b] : bumps) {
      const double z = a * at - b, bump = c * std::exp(-z * z);
      sum[0] += bump;
      sum[1] += -2 * a * z * bump;
      sum[2] += a * a * (4 * z * z - 2) * bump;
    }
    x.push_back(at);
    for (std::size_t k = 0; k < 3; ++k) f[k].push_back(sum[k]);
  }
  Plot plot{"fig6", "DB1's function and its derivatives", "", {}, 1, 150, false};
  constexpr std::array<const char*, 3> names = {"f", "f′", "f″"};
  for (std::size_t k = 0; k < 3; ++k) {
    Panel panel;
    panel.title = fmt::format("{}(x)", names[k]);
    if (k == 2) panel.x.title = "x";
    panel.series.push_back({names[k], "plain", Mark::line, x, f[k], {}, {}});
    plot.panels.push_back(std::move(panel));
  }
  const auto [f1_low, f1_high] = std::ranges::minmax(f[1]);
  const auto [f2_low, f2_high] = std::ranges::minmax(f[2]);
  return finished(std::move(plot),
                  fmt::format("The target of DB1 (Eq. 61) and its first two derivatives. f′ runs from {} to {}, f″ "
                              "from {} to {}: the steep, narrow peaks are what small weights cannot follow.",
                              number_text(f1_low), number_text(f1_high), number_text(f2_low), number_text(f2_high)));
}

// --- test errors ----------------------------------------------------------------------------------------------------

Figure test_errors(const Results& results) {
  Panel panel;
  panel.x.title = "test RMSE / that of the best method";
  panel.x.guides = {1};
  std::map<std::string, double> best;
  for (const Cell& cell : results.cells) {
    if (!std::isfinite(cell.test_rmse.mean)) continue;
    const auto [at, is_new] = best.emplace(cell.set, cell.test_rmse.mean);
    if (!is_new) at->second = std::min(at->second, cell.test_rmse.mean);
  }
  for (const SetInfo& set : results.sets)
    panel.y.names.push_back(set.title.empty() || set.title == set.id ? set.id : set.id + " " + set.title);

  double most = 1;
  std::map<std::string, int> wins;
  const auto count = static_cast<double>(results.methods.size());
  for (std::size_t m = 0; m < results.methods.size(); ++m) {
    const MethodInfo& method = results.methods[m];
    Series series{method.title, method.id, Mark::points, {}, {}, {}, {}};
    for (std::size_t row = 0; row < results.sets.size(); ++row) {
      const auto cell = std::ranges::find_if(
          results.cells, [&](const Cell& c) { return c.set == results.sets[row].id && c.method == method.id; });
      if (cell == results.cells.end() || !std::isfinite(cell->test_rmse.mean)) continue;
      const double least = best.at(cell->set);
      if (cell->test_rmse.mean == least) ++wins[method.id];
      const auto relative = [&](double v) { return v == least ? 1.0 : v / least; };
      const auto& [mean, std] = cell->test_rmse;
      series.x.push_back(relative(mean));
      series.low.push_back(relative(mean - std));
      series.high.push_back(relative(mean + std));
      // Each method has its own height within the row.
      series.y.push_back(static_cast<double>(row) + 0.72 * ((static_cast<double>(m) + 0.5) / count - 0.5));
      if (std::isfinite(series.x.back())) most = std::max(most, series.x.back());
    }
    panel.series.push_back(std::move(series));
  }
  if (most > 4) {
    panel.x.scale = AxisScale::log;
    // Whiskers down to zero would have no end.
    double least = 1;
    for (const Series& series : panel.series)
      for (const double v : series.low)
        if (v > 0.5) least = std::min(least, v);
    panel.x.min = least < 0.8 ? 0.5 : 0.8;
  }
  std::vector<std::string> first;
  for (const MethodInfo& method : results.methods)
    if (wins[method.id] > 0) first.push_back(fmt::format("{} on {}", method.title, wins[method.id]));
  const double height = std::max(1.0, static_cast<double>(results.sets.size())) * std::max(34.0, 10 * count + 10);
  Plot plot{"errors", "Test errors", "", {std::move(panel)}, 1, height, true};
  std::string caption = fmt::format(
      "Mean test RMSE of each method as a multiple of the best method's on the same set{}; whiskers are one standard "
      "deviation over the runs.",
      most > 4 ? ", on a logarithmic axis" : "");
  if (!first.empty()) caption += fmt::format(" Lowest: {} of {} sets.", joined(first), results.sets.size());
  return finished(std::move(plot), caption);
}

}  // namespace sconet::study
