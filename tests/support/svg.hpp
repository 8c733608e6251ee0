// Reads SVG text back: a strict little XML reader, and the data that panels and series were drawn from.
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sconet::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // its own, without that of children
  std::vector<Element> children;

  const std::string& at(const std::string& key) const {
    const auto found = attributes.find(key);
    if (found == attributes.end()) throw std::runtime_error(name + " has no " + key);
    return found->second;
  }
  bool has(const std::string& key) const { return attributes.contains(key); }
  bool is(std::string_view wanted) const {  // of the class
    return has("class") && (" " + at("class") + " ").find(" " + std::string(wanted) + " ") != std::string::npos;
  }
};

class XmlReader {
 public:
  static Element read(std::string_view text) {
    XmlReader reader{text};
    Element root = reader.element();
    reader.skip_space();
    if (reader.at_ != text.size()) reader.fail("text after the root");
    return root;
  }

 private:
  explicit XmlReader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("XML: " + what + " at byte " + std::to_string(at_));
  }
  char peek() const {
    if (at_ >= text_.size()) fail("end");
    return text_[at_];
  }
  void expect(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) fail("expected " + std::string(token));
    at_ += token.size();
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  std::string word() {
    const std::size_t start = at_;
    while (std::string_view(" \n=/>\"<&").find(peek()) == std::string_view::npos) ++at_;
    if (at_ == start) fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }
  std::string until(char end) {
    std::string out;
    while (peek() != end) {
      if (peek() == '<') fail("a bare <");
      if (peek() != '&') {
        if (static_cast<unsigned char>(peek()) < 0x20 && peek() != '\n') fail("a control character");
        out += text_[at_++];
        continue;
      }
      const std::map<std::string_view, char> entities = {
          {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
      const auto size = text_.find(';', at_);
      const auto found = entities.find(text_.substr(at_, size == std::string_view::npos ? 1 : size - at_ + 1));
      if (found == entities.end()) fail("a bare &");
      out += found->second;
      at_ += found->first.size();
    }
    return out;
  }
  Element element() {
    Element e;
    expect("<");
    e.name = word();
    for (skip_space(); peek() != '>' && peek() != '/'; skip_space()) {
      const std::string key = word();
      expect("=\"");
      if (!e.attributes.emplace(key, until('"')).second) fail("twice " + key);
      expect("\"");
    }
    if (peek() == '/') {
      expect("/>");
      return e;
    }
    expect(">");
    for (;;) {
      e.text += until('<');
      if (text_.substr(at_).starts_with("</")) break;
      e.children.push_back(element());
    }
    expect("</" + e.name + ">");
    return e;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

template <class Visit>
void each(const Element& element, const Visit& visit) {
  visit(element);
  for (const Element& child : element.children) each(child, visit);
}

template <class Wanted>
std::vector<Element> all(const Element& root, const Wanted& wanted) {
  std::vector<Element> found;
  each(root, [&](const Element& e) {
    if (wanted(e)) found.push_back(e);
  });
  return found;
}

inline std::string all_text(const Element& e) {
  std::string text = e.text;
  for (const Element& child : e.children) text += all_text(child);
  return text;
}

inline double number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("not a number: " + std::string(text));
  return value;
}

using XY = std::pair<double, double>;

// The numbers of "x,y x,y ..." or, of a path, those behind each M.
inline std::vector<XY> coordinates(std::string_view text, bool path) {
  std::vector<XY> points;
  while (!text.empty()) {
    if (path) {
      const auto m = text.find('M');
      if (m == std::string_view::npos) break;
      text.remove_prefix(m + 1);
    }
    const auto comma = text.find(',');
    const auto end = text.find_first_not_of("-0123456789.", comma + 1);
    points.emplace_back(number(text.substr(0, comma)), number(text.substr(comma + 1, end - comma - 1)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : path ? end : end + 1);
  }
  return points;
}

// A panel's frame and axes, from its attributes.
struct PanelView {
  explicit PanelView(const Element& e)
      : element(e),
        x_min(number(e.at("data-x-min"))),
        x_max(number(e.at("data-x-max"))),
        y_min(number(e.at("data-y-min"))),
        y_max(number(e.at("data-y-max"))),
        left(number(e.at("data-left"))),
        right(number(e.at("data-right"))),
        top(number(e.at("data-top"))),
        bottom(number(e.at("data-bottom"))),
        x_log(e.at("data-x-scale") == "log"),
        y_log(e.at("data-y-scale") == "log") {}

  static double between(bool log, double a, double b, double t) {
    return log ? a * std::pow(b / a, t) : a + (b - a) * t;
  }
  static double share(bool log, double a, double b, double v) {
    return log ? std::log(v / a) / std::log(b / a) : (v - a) / (b - a);
  }
  double x(double px) const { return between(x_log, x_min, x_max, (px - left) / (right - left)); }
  double y(double py) const { return between(y_log, y_min, y_max, (bottom - py) / (bottom - top)); }
  double px(double v) const { return left + (right - left) * share(x_log, x_min, x_max, v); }
  double py(double v) const { return bottom - (bottom - top) * share(y_log, y_min, y_max, v); }

  Element series(const std::string& name) const {
    const auto found =
        all(element, [&](const Element& e) { return e.has("data-series") && e.at("data-series") == name; });
    if (found.size() != 1) throw std::runtime_error("not one series " + name);
    return found[0];
  }

  // Vertices of a series' lines, in user units, each run apart; a lone point is a run of one.
  std::vector<std::vector<XY>> runs(const std::string& name) const {
    std::vector<std::vector<XY>> out;
    for (const Element& e : series(name).children) {
      if (e.name == "polyline") out.push_back(coordinates(e.at("points"), false));
      if (e.is("sp-dots") || e.is("sp-mark")) out.push_back(coordinates(e.at("d"), true));
    }
    return out;
  }

  Element element;
  double x_min, x_max, y_min, y_max, left, right, top, bottom;
  bool x_log, y_log;
};

inline std::vector<PanelView> panels(const Element& root) {
  std::vector<PanelView> out;
  for (const Element& e : all(root, [](const Element& each_one) { return each_one.is("sp-panel"); }))
    out.emplace_back(e);
  return out;
}

}  // namespace sconet::test
