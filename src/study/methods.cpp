#include "study/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "study/paper.hpp"

namespace sconet::study {
namespace {

bool is_setting(const std::string& name) {
  return name != "method" && name != "seed" && name != "threads" && name != "isa" && name != "time_limit";
}

bool names(const std::vector<OptionInfo>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const OptionInfo& option) { return option.name == name; });
}

// As many candidates in a batch as the size of the table leaves time for.
std::string candidates(const SetInfo& set) {
  const Index cells = set.train_rows * set.inputs;
  return cells <= 22'000 ? "1000" : cells <= 100'000 ? "500" : cells <= 500'000 ? "300" : "100";
}

}  // namespace

void set_any_option(FitOptions& options, const std::string& name, const std::string& text) {
  if (names(describe_encoder_options(), name))
    set_option(options.encoder, name, text);
  else
    set_option(options.train, name, text);
}

FitOptions fit_options(const Settings& settings) {
  FitOptions options;
  for (const auto& [name, text] : settings) set_any_option(options, name, text);
  validate(options.train);
  validate(options.encoder);
  return options;
}

Settings settings_of(const FitOptions& options) {
  static const FitOptions kUsual;
  Settings settings;
  const auto add = [&](const std::string& name, const std::string& text, const std::string& usual) {
    if (name == "method" || (is_setting(name) && text != usual)) settings.emplace_back(name, text);
  };
  for (const OptionInfo& o : describe_options())
    add(o.name, option_text(options.train, o.name), option_text(kUsual.train, o.name));
  for (const OptionInfo& o : describe_encoder_options())
    add(o.name, option_text(options.encoder, o.name), option_text(kUsual.encoder, o.name));
  return settings;
}

std::string text_of(const Settings& settings) {
  std::string s;
  for (const auto& [name, text] : settings)
    if (name != "method") s += fmt::format("{}{}={}", s.empty() ? "" : ", ", name, text);
  return s;
}

MethodInfo MethodSpec::info() const {
  static const std::map<Method, std::string> kTitles = {
      {Method::automatic, "auto"}, {Method::rmpi, "RMPI-SCN"}, {Method::scn3, "SCN-III"}, {Method::scn1, "SCN-I"},
      {Method::rvfl, "RVFL"},      {Method::irvfl, "IRVFL"},   {Method::mlp, "MLP-BP"}};
  std::string title = kTitles.at(method);
  for (const auto& [name, text] : fixed) title += fmt::format(", {} {}", name, text);
  return {id, title};
}

MethodSpec parse_method(const std::string& text) {
  MethodSpec spec;
  spec.id = text;
  FitOptions options;
  std::size_t begin = 0;
  for (bool first = true; begin <= text.size(); first = false) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    if (first) {
      set_option(options.train, "method", part);
      spec.method = options.train.method;
      continue;
    }
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw std::invalid_argument(
          fmt::format("method '{}': expected METHOD or METHOD:option=value, as in rvfl:range=60", text));
    const std::string name = part.substr(0, equals);
    std::string value = part.substr(equals + 1);
    std::replace(value.begin(), value.end(), '/', ',');  // commas come between methods
    if (names(describe_options(), name) && !is_setting(name))
      throw std::invalid_argument(fmt::format("method '{}': {} cannot be fixed for a method", text, name));
    const auto again = [&](const auto& entry) { return entry.first == name; };
    if (std::any_of(spec.fixed.begin(), spec.fixed.end(), again))
      throw std::invalid_argument(fmt::format("method '{}': {} is fixed twice", text, name));
    set_any_option(options, name, value);
    spec.fixed.emplace_back(name, value);
  }
  validate(options.train);
  validate(options.encoder);
  return spec;
}

bool Entrant::runs_on(const std::string& set) const {
  return only.empty() || std::find(only.begin(), only.end(), set) != only.end();
}

std::vector<Entrant> usual_methods() {
  std::vector<Entrant> methods;
  for (const char* id : {"rmpi", "scn3", "rvfl", "irvfl"}) methods.push_back({parse_method(id)});
#if defined(SCONET_WITH_LBFGSPP)
  methods.push_back({parse_method("mlp")});
#endif
  for (const char* id : {"rvfl:range=1", "rvfl:range=60"}) methods.push_back({parse_method(id), {"DB1"}});
  return methods;
}

Grid grid(const MethodSpec& method, const SetInfo& set) {
  Grid grid;
  FitOptions options;
  options.train.method = method.method;
  const std::string name = option_text(options.train, "method");
  grid.base = {{"method", name}};
  if (method.method != Method::automatic) grid.base.emplace_back("scaling", "standard");
  if (method.method != Method::mlp && method.method != Method::automatic) {
    const auto paper = paper_row(set.id, name == "irvfl" ? "rvfl" : name == "scn1" ? "scn3" : name);
    if (paper)
      grid.base.insert(grid.base.end(),
                       {{"max_nodes", fmt::format("{:.0f}", std::floor(paper->nodes))}, {"keep_all", "true"}});
    grid.base.emplace_back("patience", "0");
  }
  switch (method.method) {
    case Method::automatic: grid.lists = {{}}; break;  // nothing is left to choose
    case Method::rmpi:
      grid.base.emplace_back("candidates", candidates(set));
      grid.lists = {
          {{"scales", {"2,5", "1,2,5,10", "1,5,25,100,250"}}, {"r", {"0.9", "0.99"}}, {"ridge", {"0", "0.0003"}}}};
      break;
    case Method::scn3:
    case Method::scn1:
      // They rarely go beyond the first scale.
      grid.base.emplace_back("candidates", candidates(set));
      grid.lists = {{{"scales", {"1,5,25,100,250", "2,5,25,100,250", "5,25,100,250", "10,25,100,250", "25,100,250"}},
                     {"ridge", {"0", "0.0003"}}}};
      break;
    case Method::rvfl:
    case Method::irvfl:
      grid.lists = {{{"range", {"0.5", "1", "2", "5", "10", "60"}}, {"ridge", {"0", "0.0003"}}}};
      break;
    case Method::mlp:
      grid.base.insert(grid.base.end(), {{"iterations", "2000"}, {"patience", "50"}});
      grid.lists = {{{"max_nodes", {"5", "10", "15", "20", "25", "30", "50"}}}};
      break;
  }
  // What is fixed is not chosen.
  for (const auto& [fixed, text] : method.fixed) {
    const auto of_name = [&fixed = fixed](const auto& entry) { return entry.first == fixed; };
    for (Grid::Choices& choices : grid.lists) std::erase_if(choices, of_name);
    std::erase_if(grid.base, of_name);
    grid.base.emplace_back(fixed, text);
  }
  return grid;
}

std::vector<Settings> Grid::settings() const {
  std::vector<Settings> all;
  for (const Choices& choices : lists) {
    std::vector<Settings> combined = {base};
    for (const auto& [name, texts] : choices) {
      std::vector<Settings> longer;
      longer.reserve(combined.size() * texts.size());
      for (const Settings& settings : combined)
        for (const std::string& text : texts) {
          longer.push_back(settings);
          longer.back().emplace_back(name, text);
        }
      combined = std::move(longer);
    }
    for (const Settings& settings : combined) {
      Settings plain = settings_of(fit_options(settings));
      if (std::find(all.begin(), all.end(), plain) == all.end()) all.push_back(std::move(plain));
    }
  }
  return all;
}

std::string Grid::text() const {
  std::string s;
  for (std::size_t i = 1; i < base.size(); ++i)  // the first is the method
    s += fmt::format("{}{} {}", i == 1 ? "" : ", ", base[i].first, base[i].second);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (!lists[i].empty()) s += i == 0 ? "; " : " or ";
    for (std::size_t k = 0; k < lists[i].size(); ++k)
      s += fmt::format("{}{} {}", k == 0 ? "" : ", ", lists[i][k].first, fmt::join(lists[i][k].second, "|"));
  }
  return s.empty() ? "settles everything itself" : s;
}

}  // namespace sconet::study
