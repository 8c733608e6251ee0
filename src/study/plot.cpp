#include "study/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sconet::study {

namespace {

// --- colours, dashes, marks -----------------------------------------------------------------------------------------

struct Colour {
  const char *name, *light, *dark;
};

constexpr std::array kColours = {
    Colour{"ink", "#222222", "#e8e8e8"},   Colour{"muted", "#666666", "#a8a8a8"}, Colour{"grid", "#e4e4e4", "#3a3a3a"},
    Colour{"paper", "#ffffff", "#171717"}, Colour{"box", "#f3f5f8", "#24282e"},
};

struct Style {
  const char *name, *light, *dark;
  const char* dash;   // of lines; empty: solid
  const char* shape;  // of marks: relative to their place
};

// Okabe and Ito's colours, the pale ones darkened to show on white. The ramp is viridis without its ends.
constexpr const char* kDisc = "m-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z";
constexpr const char* kSquare = "m-4,-4h8v8h-8z";
constexpr const char* kUp = "m0,-5.5l5,9h-10z";
constexpr const char* kDown = "m0,5.5l5,-9h-10z";
constexpr const char* kDiamond = "m0,-5.5l5.5,5.5l-5.5,5.5l-5.5,-5.5z";
constexpr const char* kBar = "m-2,-5.5h4v11h-4z";
constexpr std::array kStyles = {
    Style{"rmpi", "#0072b2", "#56b4e9", "", kDisc},
    Style{"scn3", "#d55e00", "#ff9147", "8 3", kSquare},
    Style{"scn1", "#8a5a44", "#d0a48f", "8 3 2 3 2 3", kBar},
    Style{"rvfl", "#008a64", "#3ccfa0", "3 3", kUp},
    Style{"irvfl", "#b0508a", "#e6a0ca", "8 3 2 3", kDiamond},
    Style{"mlp", "#9a6e00", "#f0c243", "14 4", kDown},
    Style{"target", "#777777", "#9a9a9a", "", kDisc},
    Style{"ramp1", "#440154", "#c8a6f5", "", kDisc},
    Style{"ramp2", "#3b528b", "#8fb4f5", "12 3", kSquare},
    Style{"ramp3", "#1f7f86", "#52cdd0", "7 3", kUp},
    Style{"ramp4", "#35924f", "#86dc8f", "3 3", kDiamond},
    Style{"ramp5", "#857f00", "#efe158", "8 3 2 3", kDown},
    Style{"plain", "#222222", "#e8e8e8", "", kDisc},
    Style{"other", "#444444", "#cccccc", "5 2 1 2", kBar},
};

const Style& style_of(std::string_view id) {
  id = id.substr(0, id.find(':'));
  const auto* found = std::ranges::find_if(kStyles, [&](const Style& style) { return id == style.name; });
  return found == kStyles.end() ? kStyles.back() : *found;
}

constexpr const char* kSheet =
    ".sconet-plot text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
    "font-size:13px;fill:var(--plot-ink,#222222)}"
    ".sconet-plot .sp-head{font-size:14.5px;font-weight:600}"
    ".sconet-plot .sp-name{font-size:13.5px}"
    ".sconet-plot .sp-sub{font-size:.72em}"
    ".sconet-plot .sp-grid{fill:none;stroke:var(--plot-grid,#e4e4e4)}"
    ".sconet-plot .sp-axis{fill:none;stroke:var(--plot-muted,#666666)}"
    ".sconet-plot .sp-guide{fill:none;stroke:var(--plot-muted,#666666);stroke-dasharray:1.5 3}"
    ".sconet-plot .sp-box{fill:var(--plot-box,#f3f5f8);stroke:var(--plot-muted,#666666);stroke-width:1.2}"
    ".sconet-plot .sp-tip{fill:var(--plot-muted,#666666)}"
    ".sconet-plot .sp-line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}"
    ".sconet-plot .sp-mark{fill:currentColor;stroke:var(--plot-paper,#ffffff);stroke-width:.8}"
    ".sconet-plot .sp-dots{fill:none;stroke:currentColor;stroke-width:3;stroke-linecap:round}"
    ".sconet-plot .sp-bars{fill:currentColor;stroke:var(--plot-paper,#ffffff);stroke-width:.5}"
    ".sconet-plot .sp-whisker{fill:none;stroke:currentColor;stroke-width:1.4}"
    ".sconet-plot .sp-second .sp-mark{fill:var(--plot-paper,#ffffff);stroke:currentColor;stroke-width:1.6}"
    ".sconet-plot .sp-target .sp-line{stroke-width:5;stroke-opacity:.45;stroke-linecap:round}";

std::string style_sheet() {
  std::string css = kSheet;
  const auto out = std::back_inserter(css);
  for (const Style& style : kStyles) {
    fmt::format_to(out, ".sconet-plot .sp-{}{{color:var(--plot-{},{})}}", style.name, style.name, style.light);
    if (*style.dash != '\0')
      fmt::format_to(out, ".sconet-plot .sp-{} .sp-line{{stroke-dasharray:{}}}", style.name, style.dash);
  }
  css += ".sconet-plot .sp-second .sp-line{stroke-dasharray:1.5 2.5}";
  // Only a figure that stands alone is a root; inside a page the page decides.
  css += ".sconet-plot:root{background:var(--plot-paper,#ffffff)}";
  fmt::format_to(out, "@media(prefers-color-scheme:dark){{.sconet-plot:root{{{}}}}}", plot_colours(true));
  css +=
      "@media(max-width:480px){.sconet-plot text,.sconet-plot .sp-name{font-size:16px}"
      ".sconet-plot .sp-head{font-size:17px}}";
  return css;
}

// --- text -----------------------------------------------------------------------------------------------------------

// The code point that begins at `at`, which moves behind it; U+FFFD for bytes that are not UTF-8.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const std::size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  constexpr char32_t bad = 0xfffd;
  if (first < 0xc2 || first > 0xf4 || text.size() - at < more) return bad;
  char32_t point = first & (0x3fU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return bad;
    point = point << 6 | (byte(at + i) & 0x3fU);
  }
  constexpr std::array<char32_t, 4> least = {0, 0x80, 0x800, 0x10000};
  if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return bad;
  at += more;
  return point;
}

// Widths as in Helvetica, in thousandths of the size.
int glyph_width(char32_t c) {
  if (c >= 0x2e80) return 1000;  // Chinese, Japanese, Korean
  if (c >= 0x80) return 610;
  const auto in = [&](std::string_view set) { return set.find(static_cast<char>(c)) != std::string_view::npos; };
  if (in("ijl'|")) return 225;
  if (in(" .,:;!/\\ftI[]()-`")) return 300;
  if (in("r\"*{}")) return 370;
  if (in("mMW%@")) return 880;
  if (in("w")) return 720;
  if (c >= 'A' && c <= 'Z') return 700;
  if (in("+<>=~&")) return 600;
  return 556;
}

// The text itself, or its beginning and end around an ellipsis when it is too wide.
std::string shortened(std::string_view text, double width, double size) {
  if (text_width(text, size) <= width) return std::string(text);
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); next_code_point(text, at)) starts.push_back(at);
  for (std::size_t kept = starts.size() - 1; kept > 1; --kept) {
    const std::size_t head = (kept + 1) / 2, tail = starts.size() - kept / 2;
    std::string tried = fmt::format("{}…{}", text.substr(0, starts[head]), text.substr(starts[tail]));
    if (text_width(tried, size) <= width) return tried;
  }
  return "…";
}

// --- numbers and ticks ----------------------------------------------------------------------------------------------

constexpr double kHuge = 1e300;  // beyond it differences overflow

bool drawable(double value, AxisScale scale) {
  return std::abs(value) <= kHuge && (scale == AxisScale::linear || value >= 1 / kHuge);
}

// Three digits to a group, and a real minus sign: "-12345.5" -> "−12,345.5".
std::string grouped(std::string_view digits) {
  std::string out;
  if (digits.starts_with('-')) {
    out = "−";
    digits.remove_prefix(1);
  }
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out.append(digits.substr(whole));
}

// "2.50e-05" -> "2.5e-5"; with_zeros keeps those of the fraction.
std::string scientific(double value, int decimals, bool with_zeros) {
  const std::string text = fmt::format("{:.{}e}", value, std::clamp(decimals, 0, 15));
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (!with_zeros && mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.ends_with('.')) mantissa.pop_back();
  }
  std::size_t digits = e + 2;
  while (digits + 1 < text.size() && text[digits] == '0') ++digits;
  return fmt::format("{}e{}{}", grouped(mantissa), text[e + 1] == '-' ? "-" : "", text.substr(digits));
}

struct Ticks {
  double min = 0, max = 1;  // of the axis
  std::vector<double> at;
  std::vector<std::string> labels;
  std::vector<double> minor;
};

struct Range {
  double min = 0, max = 1;
  bool fixed_min = false, fixed_max = false;
  bool whole = false;  // no ticks between whole numbers
};

// Multiples of 1, 2 or 5 times a power of ten, about `count` steps; the range is widened to them where it is not fixed.
Ticks linear_ticks(const Range& range, int count) {
  Ticks ticks{range.min, range.max, {}, {}, {}};
  const double raw = (range.max - range.min) / count;
  int exponent = static_cast<int>(std::floor(std::log10(raw)));
  const double fraction = raw / std::pow(10.0, exponent);
  int unit = fraction <= 1.0001 ? 1 : fraction <= 2.0001 ? 2 : fraction <= 5.0001 ? 5 : 10;
  if (unit == 10) {
    unit = 1;
    ++exponent;
  }
  if (range.whole && exponent < 0) {
    unit = 1;
    exponent = 0;
  }
  // For the nearest double of 0.3 divide by ten instead of multiplying with a tenth.
  const double power = std::pow(10.0, std::abs(exponent));
  const auto value = [&](double i) { return exponent < 0 ? i * unit / power : i * unit * power; };
  const double step = value(1);
  const auto in_steps = [&](double v) { return v / step; };
  constexpr double slack = 1e-6;
  const double first =
      range.fixed_min ? std::ceil(in_steps(range.min) - slack) : std::floor(in_steps(range.min) + slack);
  const double last =
      range.fixed_max ? std::floor(in_steps(range.max) + slack) : std::ceil(in_steps(range.max) - slack);
  if (!range.fixed_min) ticks.min = value(first);
  if (!range.fixed_max) ticks.max = value(last);
  const double largest = std::max(std::abs(ticks.min), std::abs(ticks.max));
  for (int k = 0; k <= static_cast<int>(last - first); ++k) {
    const double i = first + k, v = value(i);
    ticks.at.push_back(v);
    if (i == 0)
      ticks.labels.emplace_back("0");
    else if (largest >= 9.99e6 || step < 0.99e-4)
      ticks.labels.push_back(
          scientific(v, static_cast<int>(std::floor(std::log10(std::abs(v)) + 1e-9)) - exponent, true));
    else
      ticks.labels.push_back(grouped(fmt::format("{:.{}f}", v, std::max(0, -exponent))));
  }
  return ticks;
}

// Ticks at `mantissas` times every `every`th power of ten; the range is widened to 1, 2 or 5 times a power of ten.
Ticks log_ticks(const Range& range, std::initializer_list<int> mantissas, int every) {
  const auto power = [](int e) { return e < 0 ? 1 / std::pow(10.0, -e) : std::pow(10.0, e); };
  const auto times = [&](int m, int e) { return e < 0 ? m / std::pow(10.0, -e) : m * power(e); };
  const int low = static_cast<int>(std::floor(std::log10(range.min))) - 1;
  const int high = static_cast<int>(std::ceil(std::log10(range.max))) + 1;
  Ticks ticks{range.min, range.max, {}, {}, {}};
  double below = 0, above = std::numeric_limits<double>::infinity();
  for (int e = low; e <= high; ++e) {
    for (const int m : {1, 2, 5}) {
      const double v = times(m, e);
      if (v <= range.min * (1 + 1e-9)) below = v;
      if (v >= range.max * (1 - 1e-9)) above = std::min(above, v);
    }
  }
  if (!range.fixed_min) ticks.min = below;
  if (!range.fixed_max) ticks.max = above;
  const auto inside = [&](double v) { return v >= ticks.min * (1 - 1e-9) && v <= ticks.max * (1 + 1e-9); };
  for (int e = low; e <= high; ++e) {
    for (const int m : mantissas) {
      if (const double v = times(m, e); e % every == 0 && inside(v)) {
        ticks.at.push_back(v);
        ticks.labels.push_back(number_text(v));
      }
    }
    if (high - low > 10) continue;
    for (int m = 1; m < 10; ++m)
      if (const double v = times(m, e); inside(v)) ticks.minor.push_back(v);
  }
  return ticks;
}

// Where a value stands: linear or log, from the frame's one edge to the other.
struct Mapping {
  AxisScale scale = AxisScale::linear;
  double min = 0, max = 1, from = 0, to = 1;

  double operator()(double v) const {
    if (scale == AxisScale::log)
      return from + (to - from) * (std::log(v) - std::log(min)) / (std::log(max) - std::log(min));
    return from + (to - from) * ((v - min) / (max - min));
  }
};

bool labels_fit(const Ticks& ticks, const Mapping& map, bool horizontal) {
  for (std::size_t i = 1; i < ticks.at.size(); ++i) {
    const double apart = std::abs(map(ticks.at[i]) - map(ticks.at[i - 1]));
    const double needed =
        horizontal
            ? (text_width(ticks.labels[i], kPlotTextSize) + text_width(ticks.labels[i - 1], kPlotTextSize)) / 2 + 10
            : kPlotTextSize * 1.5;
    if (apart < needed) return false;
  }
  return true;
}

// As many ticks as have room on `length` units.
Ticks choose_ticks(const Range& range, AxisScale scale, double length, bool horizontal) {
  const auto fits = [&](const Ticks& ticks) {
    return labels_fit(ticks, {scale, ticks.min, ticks.max, 0, length}, horizontal);
  };
  if (scale == AxisScale::log) {
    for (int every : {-1, 1, 2, 3, 5, 10, 20, 50, 100}) {
      Ticks ticks = every < 0 ? log_ticks(range, {1, 2, 5}, 1) : log_ticks(range, {1}, every);
      if (ticks.at.size() < 2 || (every < 0 && ticks.at.size() == 2 && ticks.max < 5.5 * ticks.min)) break;
      if (fits(ticks)) return ticks;
    }
  }
  Ticks ticks;
  for (int count = horizontal ? 7 : 6; count >= 1; --count) {
    ticks = linear_ticks(range, count);
    if (ticks.min > 0 || scale == AxisScale::linear) {
      if (fits(ticks)) return ticks;
    } else {  // a log axis cannot begin at zero
      Range from = range;
      from.fixed_min = true;
      ticks = linear_ticks(from, count);
      if (fits(ticks)) return ticks;
    }
  }
  return ticks;
}

// What an axis spans: the data, or what was asked for. Never empty.
Range axis_range(const Axis& axis, const std::vector<double>& values) {
  Range range{kHuge, -kHuge, false, false, axis.whole};
  for (const double v : axis.span.empty() ? values : axis.span) {
    if (!drawable(v, axis.scale)) continue;
    range.min = std::min(range.min, v);
    range.max = std::max(range.max, v);
  }
  if (range.min > range.max) range = {axis.scale == AxisScale::log ? 0.1 : 0.0, 1, false, false, axis.whole};
  if (axis.min && drawable(*axis.min, axis.scale)) {
    range.min = *axis.min;
    range.fixed_min = true;
  }
  if (axis.max && drawable(*axis.max, axis.scale)) {
    range.max = *axis.max;
    range.fixed_max = true;
  }
  // One value only: room around it.
  const double middle = range.fixed_max && !range.fixed_min ? range.max : range.min;
  if (axis.scale == AxisScale::log) {
    if (range.max > range.min * (1 + 1e-9)) return range;
    return {middle / 1.1, middle * 1.1, false, false, false};
  }
  const double size = std::max(std::abs(range.min), std::abs(range.max));
  if (range.max - range.min > std::max(size * 1e-9, 1e-290)) return range;
  const double room = size > 1e-280 ? size * 0.1 : 1;
  return {middle - room, middle + room, false, false, axis.whole};
}

// --- thinning -------------------------------------------------------------------------------------------------------

struct Point {
  double x = 0, y = 0;
};

double distance_to_segment(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  const double t = length2 > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// Of each run of points in the same half unit of x: the first, the lowest, the highest and the last.
std::vector<Point> extremes(const std::vector<Point>& points) {
  std::vector<Point> out;
  const auto column = [&](std::size_t i) { return std::floor(points[i].x * 2); };
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i, low = i, high = i;
    for (; end < points.size() && column(end) == column(i); ++end) {
      if (points[end].y < points[low].y) low = end;
      if (points[end].y > points[high].y) high = end;
    }
    std::array<std::size_t, 4> keep = {i, low, high, end - 1};
    std::ranges::sort(keep);
    for (std::size_t k = 0; k < keep.size(); ++k)
      if (k == 0 || keep[k] != keep[k - 1]) out.push_back(points[keep[k]]);
    i = end;
  }
  return out;
}

// The points from which all others follow to within `tolerance` (Douglas and Peucker).
std::vector<Point> simplified(const std::vector<Point>& points, double tolerance) {
  if (points.size() < 3) return points;
  std::vector<char> keep(points.size(), 0);
  keep.front() = keep.back() = 1;
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, points.size() - 1}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    std::size_t farthest = a;
    double most = tolerance;
    for (std::size_t i = a + 1; i < b; ++i) {
      const double d = distance_to_segment(points[i], points[a], points[b]);
      if (d > most) {
        most = d;
        farthest = i;
      }
    }
    if (farthest == a) continue;
    keep[farthest] = 1;
    open.emplace_back(a, farthest);
    open.emplace_back(farthest, b);
  }
  std::vector<Point> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (keep[i] != 0) out.push_back(points[i]);
  return out;
}

// --- panels ---------------------------------------------------------------------------------------------------------

constexpr double kHeadSize = 17;
constexpr double kTickLength = 4;
constexpr std::size_t kManyPoints = 150;  // beyond it marks become dots
constexpr std::size_t kLongLine = 3000;   // beyond it only the extremes of each half unit are drawn

void check_lengths(const Series& series) {
  const std::size_t wanted = series.mark == Mark::bars && !series.x.empty() ? series.x.size() - 1 : series.x.size();
  if (series.y.size() != wanted)
    throw std::invalid_argument(
        fmt::format("series {}: {} values of y for {} of x", series.name, series.y.size(), series.x.size()));
  for (const auto* ends : {&series.low, &series.high})
    if (!ends->empty() && ends->size() != series.x.size())
      throw std::invalid_argument(
          fmt::format("series {}: {} whiskers for {} points", series.name, ends->size(), series.x.size()));
}

Range rows_range(const Axis& axis) { return {-0.5, static_cast<double>(axis.names.size()) - 0.5, true, true, false}; }

Range x_range(const Panel& panel) {
  std::vector<double> values;
  for (const Series& series : panel.series) {
    for (const auto* part : {&series.x, &series.low, &series.high})
      values.insert(values.end(), part->begin(), part->end());
  }
  values.insert(values.end(), panel.x.guides.begin(), panel.x.guides.end());
  return axis_range(panel.x, values);
}

Range y_range(const Panel& panel) {
  if (!panel.y.names.empty()) return rows_range(panel.y);
  std::vector<double> values;
  for (const Series& series : panel.series) {
    values.insert(values.end(), series.y.begin(), series.y.end());
    if (series.mark == Mark::bars && panel.y.scale == AxisScale::linear) values.push_back(0);
  }
  values.insert(values.end(), panel.y.guides.begin(), panel.y.guides.end());
  return axis_range(panel.y, values);
}

struct Frame {
  double left = 0, right = 0, top = 0, bottom = 0;
};

struct Layout {
  Ticks x, y;
  Frame frame;
};

// Names of rows are cut at this width.
constexpr double kNameWidth = 190;

std::string row_name(const std::string& name) { return shortened(name, kNameWidth, kPlotTextSize); }

Ticks row_ticks(const Axis& axis) {
  Ticks ticks{rows_range(axis).min, rows_range(axis).max, {}, {}, {}};
  for (std::size_t i = 0; i < axis.names.size(); ++i) {
    ticks.at.push_back(static_cast<double>(i));
    ticks.labels.push_back(row_name(axis.names[i]));
  }
  return ticks;
}

double widest(const Ticks& ticks) {
  double width = 0;
  for (const auto& label : ticks.labels) width = std::max(width, text_width(label, kPlotTextSize));
  return width;
}

// Series by name, in the order in which they appear, and whether an earlier one has the same style.
struct Entry {
  std::string name;
  const Style* style = nullptr;
  Mark mark = Mark::line;
  bool second = false;
};

std::vector<Entry> legend_of(const Plot& plot) {
  std::vector<Entry> entries;
  for (const Panel& panel : plot.panels) {
    for (const Series& series : panel.series) {
      if (std::ranges::any_of(entries, [&](const Entry& e) { return e.name == series.name; })) continue;
      const Style* style = &style_of(series.style);
      const bool second = plot.legend && std::ranges::any_of(entries, [&](const Entry& e) { return e.style == style; });
      entries.push_back({series.name, style, series.mark, second});
    }
  }
  return entries;
}

std::string classes_of(const std::vector<Entry>& entries, const Series& series) {
  const auto entry = std::ranges::find_if(entries, [&](const Entry& e) { return e.name == series.name; });
  const bool second = entry != entries.end() && entry->second;
  return fmt::format("sp-{}{}", style_of(series.style).name, second ? " sp-second" : "");
}

// A picture under way: text is appended to `out`.
class Canvas {
 public:
  Canvas(const Plot& plot, std::string& out) : plot_(plot), entries_(legend_of(plot)), out_(out) {}

  void panel(const Panel& panel, const Layout& layout, std::size_t number) {
    const auto& [left, right, top, bottom] = layout.frame;
    const Mapping x{panel.x.scale, layout.x.min, layout.x.max, left, right};
    const bool rows = !panel.y.names.empty();
    const Mapping y{panel.y.scale, layout.y.min, layout.y.max, rows ? top : bottom, rows ? bottom : top};
    add("<g class=\"sp-panel\" data-x-min=\"{}\" data-x-max=\"{}\" data-x-scale=\"{}\" ", x.min, x.max,
        scale_name(x.scale));
    // data-y-min is the value at the bottom: of rows, which are counted from the top, the largest.
    add("data-y-min=\"{}\" data-y-max=\"{}\" data-y-scale=\"{}\" ", rows ? y.max : y.min, rows ? y.min : y.max,
        scale_name(y.scale));
    add("data-left=\"{}\" data-right=\"{}\" data-top=\"{}\" data-bottom=\"{}\">\n", coordinate(left), coordinate(right),
        coordinate(top), coordinate(bottom));
    axes(panel, layout, x, y);
    if (goes_outside(panel, layout)) {
      const std::string id = fmt::format("{}-svg-clip{}", safe_id(plot_.id), number);
      add("<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n", id, coordinate(left),
          coordinate(top), coordinate(right - left), coordinate(bottom - top));
      add("<g clip-path=\"url(#{})\">\n", id);
      for (const Series& series : panel.series) draw_series(series, x, y);
      add("</g>\n");
    } else {
      for (const Series& series : panel.series) draw_series(series, x, y);
    }
    add("</g>\n");
  }

  // Rows of names below everything; returns the y below them.
  double legend(double y) {
    if (!plot_.legend || entries_.empty()) return y;
    constexpr double gap = 7, apart = 20, edge = 6;
    const bool any_line = std::ranges::any_of(entries_, [](const Entry& e) { return e.mark == Mark::line; });
    const double swatch = any_line ? 34 : 16;
    const double room = kPlotWidth - 2 * edge;
    struct Placed {
      const Entry* entry;
      std::string text;
      double x;
    };
    std::vector<std::vector<Placed>> lines(1);
    std::vector<double> widths = {0};
    for (const Entry& entry : entries_) {
      std::string text = shortened(entry.name, room - swatch - gap, kPlotTextSize);
      const double width = swatch + gap + text_width(text, kPlotTextSize);
      if (!lines.back().empty() && widths.back() + apart + width > room) {
        lines.emplace_back();
        widths.push_back(0);
      }
      const double start = lines.back().empty() ? 0 : widths.back() + apart;
      lines.back().push_back({&entry, std::move(text), start});
      widths.back() = start + width;
    }
    add("<g class=\"sp-legend\">\n");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double middle = y + 12;
      for (const auto& [entry, text, start] : lines[i]) {
        const double x = (kPlotWidth - widths[i]) / 2 + start;
        add("<g class=\"sp-{}{}\">", entry->style->name, entry->second ? " sp-second" : "");
        if (entry->mark == Mark::line)
          add("<path class=\"sp-line\" d=\"M{},{}h{}\"/>", coordinate(x), coordinate(middle), swatch);
        else if (entry->mark == Mark::points)
          add("<path class=\"sp-mark\" d=\"M{},{}{}\"/>", coordinate(x + swatch / 2), coordinate(middle),
              entry->style->shape);
        else
          add("<rect class=\"sp-bars\" x=\"{}\" y=\"{}\" width=\"16\" height=\"12\"/>", coordinate(x + swatch - 16),
              coordinate(middle - 6));
        add("</g>{}\n", svg_text(x + swatch + gap, middle + 5, "start", "sp-name", text));
      }
      y += kPlotLineHeight + 4;
    }
    add("</g>\n");
    return y;
  }

  static std::string safe_id(std::string_view id) {
    std::string out;
    for (const char c : id) {
      const bool plain =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
      out += plain ? c : '-';
    }
    return out.empty() ? "plot" : out;
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static const char* scale_name(AxisScale scale) { return scale == AxisScale::log ? "log" : "linear"; }

  void axes(const Panel& panel, const Layout& layout, const Mapping& x, const Mapping& y) {
    const auto& [left, right, top, bottom] = layout.frame;
    const bool rows = !panel.y.names.empty();
    std::string grid, ticks;
    const auto l = coordinate(left), r = coordinate(right), t = coordinate(top), b = coordinate(bottom);
    for (const double v : layout.x.at) grid += fmt::format("M{},{}V{}", coordinate(x(v)), t, b);
    for (const double v : layout.y.at)
      if (!rows) grid += fmt::format("M{},{}H{}", l, coordinate(y(v)), r);
    for (std::size_t i = 1; rows && i < layout.y.at.size(); ++i)  // between the rows
      grid += fmt::format("M{},{}H{}", l, coordinate(y(layout.y.at[i] - 0.5)), r);
    for (const double v : layout.x.at) ticks += fmt::format("M{},{}v{}", coordinate(x(v)), b, kTickLength);
    for (const double v : layout.x.minor) ticks += fmt::format("M{},{}v{}", coordinate(x(v)), b, kTickLength / 2);
    if (!rows) {
      for (const double v : layout.y.at) ticks += fmt::format("M{},{}h{}", l, coordinate(y(v)), -kTickLength);
      for (const double v : layout.y.minor) ticks += fmt::format("M{},{}h{}", l, coordinate(y(v)), -kTickLength / 2);
    }
    if (!grid.empty()) add("<path class=\"sp-grid\" d=\"{}\"/>\n", grid);
    std::string frame = fmt::format("M{},{}V{}H{}", l, t, b, r);
    if (y.scale == AxisScale::linear && !rows && y.min < 0 && y.max > 0)  // the zero line
      frame += fmt::format("M{},{}H{}", l, coordinate(y(0)), r);
    add("<path class=\"sp-axis\" d=\"{}{}\"/>\n", frame, ticks);
    std::string guides;
    for (const double v : panel.x.guides)
      if (drawable(v, x.scale)) guides += fmt::format("M{},{}V{}", coordinate(x(v)), t, b);
    for (const double v : panel.y.guides)
      if (drawable(v, y.scale)) guides += fmt::format("M{},{}H{}", l, coordinate(y(v)), r);
    if (!guides.empty()) add("<path class=\"sp-guide\" d=\"{}\"/>\n", guides);

    for (std::size_t i = 0; i < layout.x.at.size(); ++i)
      out_ += svg_text(x(layout.x.at[i]), bottom + kTickLength + 14, "middle", "sp-x", layout.x.labels[i]) + "\n";
    for (std::size_t i = 0; i < layout.y.at.size(); ++i)
      out_ += svg_text(left - kTickLength - 4, y(layout.y.at[i]) + 5, "end", "sp-y", layout.y.labels[i]) + "\n";
    if (!panel.title.empty())
      out_ += svg_text((left + right) / 2, top - 10, "middle", "sp-head",
                       shortened(panel.title, right - left + 30, kHeadSize * 1.07)) +
              "\n";
    if (!panel.x.title.empty())
      out_ += svg_text((left + right) / 2, bottom + kTickLength + 36, "middle", "sp-name",
                       shortened(panel.x.title, right - left + 30, kPlotTextSize)) +
              "\n";
    if (!panel.y.title.empty()) {
      const double at = left - kTickLength - 4 - widest(layout.y) - 10, middle = (top + bottom) / 2;
      std::string text =
          svg_text(at, middle, "middle", "sp-name", shortened(panel.y.title, bottom - top + 40, kPlotTextSize));
      text.insert(5, fmt::format(" transform=\"rotate(-90 {} {})\"", coordinate(at), coordinate(middle)));
      out_ += text + "\n";
    }
  }

  static bool goes_outside(const Panel& panel, const Layout& layout) {
    const auto outside = [](double v, const Ticks& ticks) {
      return std::isfinite(v) && (v < ticks.min || v > ticks.max);
    };
    return std::ranges::any_of(panel.series, [&](const Series& series) {
      return std::ranges::any_of(series.x, [&](double v) { return outside(v, layout.x); }) ||
             std::ranges::any_of(series.y, [&](double v) { return series.mark != Mark::bars && outside(v, layout.y); });
    });
  }

  void draw_series(const Series& series, const Mapping& x, const Mapping& y) {
    add("<g class=\"{}\" data-series=\"{}\"><title>{}</title>", classes_of(entries_, series),
        escape_xml(plain_text(series.name)), escape_xml(plain_text(series.name)));
    switch (series.mark) {
      case Mark::line: line(series, x, y); break;
      case Mark::points: points(series, x, y); break;
      case Mark::bars: bars(series, x, y); break;
    }
    add("</g>\n");
  }

  // Far outside of the frame a coordinate is of no use; near enough for the slope to look right.
  static Point place(double vx, double vy, const Mapping& x, const Mapping& y) {
    return {std::clamp(x(vx), -1e5, 1e5), std::clamp(y(vy), -1e5, 1e5)};
  }

  void line(const Series& series, const Mapping& x, const Mapping& y) {
    std::vector<Point> run;
    const auto finish = [&] {
      if (run.size() == 1) {
        add("<path class=\"sp-dots\" d=\"M{},{}h0\"/>", coordinate(run[0].x), coordinate(run[0].y));
      } else if (run.size() > 1) {
        out_ += "<polyline class=\"sp-line\" points=\"";
        const char* between = "";
        for (const Point& p : simplified(run.size() > kLongLine ? extremes(run) : run, 0.08)) {
          add("{}{},{}", between, coordinate(p.x), coordinate(p.y));
          between = " ";
        }
        out_ += "\"/>";
      }
      run.clear();
    };
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (drawable(series.x[i], x.scale) && drawable(series.y[i], y.scale))
        run.push_back(place(series.x[i], series.y[i], x, y));
      else
        finish();
    }
    finish();
  }

  void points(const Series& series, const Mapping& x, const Mapping& y) {
    const bool many = series.x.size() > kManyPoints;
    std::string marks, whiskers;
    std::vector<std::pair<std::int64_t, std::int64_t>> cells;  // one dot for each square unit is enough
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!drawable(series.x[i], x.scale) || !drawable(series.y[i], y.scale)) continue;
      const Point p = place(series.x[i], series.y[i], x, y);
      if (many) {
        cells.emplace_back(std::llround(p.x), std::llround(p.y));
        continue;
      }
      marks += fmt::format("M{},{}{}", coordinate(p.x), coordinate(p.y), style_of(series.style).shape);
      if (series.low.empty() || series.high.empty() || std::isnan(series.low[i]) || std::isnan(series.high[i]))
        continue;
      const auto end = [&](double v) {
        return drawable(v, x.scale) ? std::clamp(x(v), x.from, x.to) : v > 0 ? x.to : x.from;
      };
      whiskers +=
          fmt::format("M{},{}H{}", coordinate(end(series.low[i])), coordinate(p.y), coordinate(end(series.high[i])));
    }
    std::ranges::sort(cells);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    for (const auto& [cx, cy] : cells) marks += fmt::format("M{},{}h0", cx, cy);
    if (!whiskers.empty()) add("<path class=\"sp-whisker\" d=\"{}\"/>", whiskers);
    if (!marks.empty()) add("<path class=\"{}\" d=\"{}\"/>", many ? "sp-dots" : "sp-mark", marks);
  }

  void bars(const Series& series, const Mapping& x, const Mapping& y) {
    const double base = y.scale == AxisScale::log ? y.min : std::clamp(0.0, y.min, y.max);
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      const double a = series.x[i], b = series.x[i + 1], v = series.y[i];
      if (!drawable(a, x.scale) || !drawable(b, x.scale) || !drawable(v, y.scale) || v == base) continue;
      const double left = std::min(x(a), x(b)), right = std::max(x(a), x(b));
      const double top = std::min(y(v), y(base)), bottom = std::max(y(v), y(base));
      add("<rect class=\"sp-bars\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", coordinate(left), coordinate(top),
          coordinate(right - left), coordinate(bottom - top));
    }
  }

  const Plot& plot_;
  std::vector<Entry> entries_;
  std::string& out_;
};

// Frames side by side in `columns`, with equal margins, and the ticks they have room for. Returns the y below the last.
double arrange(const Plot& plot, std::vector<Layout>& layouts) {
  const auto columns = static_cast<std::size_t>(std::max(1, plot.columns));
  const double column = kPlotWidth / static_cast<double>(columns);
  const auto any = [&](auto of) { return std::ranges::any_of(plot.panels, of); };
  const double head = any([](const Panel& p) { return !p.title.empty(); }) ? 28 : 10;
  const double y_title = any([](const Panel& p) { return !p.y.title.empty(); }) ? 26 : 2;

  layouts.resize(plot.panels.size());
  double labels = 0;
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    const Panel& panel = plot.panels[i];
    layouts[i].y =
        panel.y.names.empty() ? choose_ticks(y_range(panel), panel.y.scale, plot.height, false) : row_ticks(panel.y);
    labels = std::max(labels, widest(layouts[i].y));
  }
  const double left = y_title + labels + kTickLength + 6;
  double right = 8;
  for (int pass = 0; pass < 2; ++pass) {  // the last label may stand out on the right
    double outside = 8;
    for (std::size_t i = 0; i < plot.panels.size(); ++i) {
      Layout& layout = layouts[i];
      const double width = std::max(60.0, column - left - right);
      layout.x = choose_ticks(x_range(plot.panels[i]), plot.panels[i].x.scale, width, true);
      layout.frame.left = static_cast<double>(i % columns) * column + left;
      layout.frame.right = layout.frame.left + width;
      if (layout.x.at.empty()) continue;
      const Mapping x{plot.panels[i].x.scale, layout.x.min, layout.x.max, 0, width};
      outside =
          std::max(outside, x(layout.x.at.back()) + text_width(layout.x.labels.back(), kPlotTextSize) / 2 - width + 2);
    }
    right = outside;
  }
  double y = 0;
  for (std::size_t first = 0; first < layouts.size(); first += columns) {
    bool titled = false;
    for (std::size_t i = first; i < std::min(first + columns, layouts.size()); ++i) {
      layouts[i].frame.top = y + head;
      layouts[i].frame.bottom = y + head + plot.height;
      titled = titled || !plot.panels[i].x.title.empty();
    }
    y += head + plot.height + kTickLength + (titled ? 44 : 22) + 8;
  }
  return y;
}

}  // namespace

std::string plot_colours(bool dark) {
  std::string css;
  for (const Colour& c : kColours) css += fmt::format("--plot-{}:{};", c.name, dark ? c.dark : c.light);
  for (const Style& s : kStyles) css += fmt::format("--plot-{}:{};", s.name, dark ? s.dark : s.light);
  return css;
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (c == 0xfffd)
      out += "\xef\xbf\xbd";
    else if (c < 0x20 || c == 0xfffe || c == 0xffff)
      out += c == '\t' || c == '\n' || c == '\r' ? " " : "";
    else
      out += text.substr(start, at - start);
  }
  return out;
}

std::string plain_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.substr(at).starts_with("_{") ? text.find('}', at) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += text[at++];
    } else {
      out.append("_").append(text.substr(at + 2, end - at - 2));
      at = end + 1;
    }
  }
  return out;
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view classes, std::string_view text) {
  std::string out = fmt::format("<text x=\"{}\" y=\"{}\"", coordinate(x), coordinate(y));
  if (anchor != "start") out += fmt::format(" text-anchor=\"{}\"", anchor);
  if (!classes.empty()) out += fmt::format(" class=\"{}\"", classes);
  out += '>';
  bool lowered = false;
  while (!text.empty()) {
    const std::size_t sub = text.find("_{");
    const std::size_t end = sub == std::string_view::npos ? sub : text.find('}', sub);
    const bool has_sub = end != std::string_view::npos;
    const std::string before = escape_xml(text.substr(0, has_sub ? sub : text.size()));
    // What follows a subscript must be raised again.
    if (!before.empty()) out += lowered ? fmt::format("<tspan dy=\"-3\">{}</tspan>", before) : before;
    if (!before.empty()) lowered = false;
    if (!has_sub) break;
    out += fmt::format("<tspan class=\"sp-sub\" dy=\"{}\">{}</tspan>", lowered ? 0 : 3,
                       escape_xml(text.substr(sub + 2, end - sub - 2)));
    lowered = true;
    text.remove_prefix(end + 1);
  }
  return out + "</text>";
}

double text_width(std::string_view text, double size) {
  const std::string plain = plain_text(text);
  double width = 0;
  for (std::size_t at = 0; at < plain.size();) width += glyph_width(next_code_point(plain, at));
  return width * size / 1000 * 1.14;  // other fonts are wider
}

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value == 0) return "0";
  digits = std::clamp(digits, 1, 15);
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);  // 9.99 may become 10
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (exponent < -3 || exponent >= 6) return scientific(value, digits - 1, false);
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return grouped(text);
}

std::string open_svg(std::string_view id, std::string_view title, std::string_view description, double height) {
  const std::string safe = Canvas::safe_id(id);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sconet-plot\" viewBox=\"0 0 {1} {2}\" width=\"100%\" "
      "style=\"max-width:700px;height:auto\" role=\"img\" aria-labelledby=\"{0}-svg-title {0}-svg-desc\">\n"
      "<title id=\"{0}-svg-title\">{3}</title>\n<desc id=\"{0}-svg-desc\">{4}</desc>\n<style>{5}</style>\n",
      safe, kPlotWidth, coordinate(height), escape_xml(plain_text(title)), escape_xml(plain_text(description)),
      style_sheet());
}

std::string draw(const Plot& plot) {
  for (const Panel& panel : plot.panels)
    for (const Series& series : panel.series) check_lengths(series);
  std::vector<Layout> layouts;
  double y = arrange(plot, layouts);
  std::string body;
  Canvas canvas(plot, body);
  for (std::size_t i = 0; i < plot.panels.size(); ++i) canvas.panel(plot.panels[i], layouts[i], i + 1);
  y = canvas.legend(y);
  return open_svg(plot.id, plot.title, plot.description, y + 4) + body + "</svg>\n";
}

}  // namespace sconet::study
