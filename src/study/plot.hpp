// Plots as SVG text: panels in a grid, a legend below them, colours that follow the page.
//
// Every coordinate is absolute, in user units. A panel's group says how data become coordinates: data-x-min,
// data-x-max, data-x-scale ("linear" or "log"), data-left and data-right, and the same with y, data-top and
// data-bottom; the group of a series has data-series, its name. A line is drawn through points of the data and passes
// the others by no more than a tenth of a unit (half a unit when there are thousands); every mark begins with "Mx,y"; a
// bar is a rect.
//
// Texts may have a subscript: "r_{L}". What cannot be drawn (NaN, infinities, zero on a log axis) leaves a gap.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sconet::study {

enum class Mark {
  line,    // through (x[i], y[i])
  points,  // a mark at (x[i], y[i])
  bars,    // from x[i] to x[i + 1], as high as y[i]: one more x than y
};

struct Series {
  std::string name;
  // A method's id ("rmpi", "rvfl:range=60"), "target" (a broad pale line), "plain", or "ramp1" to "ramp5" for what has
  // an order: colour, dashes and shape of the mark. Under a legend, names of the same style are told apart by a second
  // pattern.
  std::string style;
  Mark mark = Mark::line;
  std::vector<double> x, y;
  std::vector<double> low, high;  // of points: whiskers from x = low[i] to high[i]; or empty
};

enum class AxisScale { linear, log };

struct Axis {
  std::string title;
  AxisScale scale = AxisScale::linear;
  std::vector<double> span;        // the axis holds these values, widened to ticks; none: the data
  std::optional<double> min, max;  // or ends exactly here
  bool whole = false;              // ticks at whole numbers only: nodes, counts (on a linear axis)
  std::vector<std::string> names;  // of rows instead of numbers: names[i] stands at i, the first on top (y only)
  std::vector<double> guides;      // values marked by a dotted line across the panel
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
};

struct Plot {
  std::string id;  // of the figure: begins every id inside
  std::string title, description;
  std::vector<Panel> panels;
  int columns = 1;
  double height = 200;  // of a panel's frame
  bool legend = true;
};

// A complete SVG document without an XML declaration. Throws std::invalid_argument when a series' lengths differ.
std::string draw(const Plot& plot);

// The colours as CSS declarations, "--plot-ink:#222;--plot-rmpi:...;", for a page that holds figures and has two
// themes. A figure that stands alone follows the reader's system by itself.
std::string plot_colours(bool dark);

// --- for drawings of another kind -----------------------------------------------------------------------------------
inline constexpr double kPlotWidth = 600;    // of every figure, in user units
inline constexpr double kPlotTextSize = 16;  // the largest that ordinary text gets (on a narrow screen)
inline constexpr double kPlotLineHeight = 20;

// The opening tag with title, description and style; the document ends with "</svg>".
std::string open_svg(std::string_view id, std::string_view title, std::string_view description, double height);

std::string escape_xml(std::string_view text);  // also drops what XML cannot hold
std::string plain_text(std::string_view text);  // without the marks of subscripts
std::string svg_text(double x, double y, std::string_view anchor, std::string_view classes, std::string_view text);
double text_width(std::string_view text, double size);  // about, and rather too much
std::string coordinate(double value);                   // rounded to two decimals

// A number as people write it: 0.001, 1e-5, 40,000, of so many digits at most.
std::string number_text(double value, int digits = 3);

}  // namespace sconet::study
