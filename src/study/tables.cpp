#include "study/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sconet::study {
namespace {

// Four digits that count: 0.001612, 37580, 1.581e-04.
std::string four_digits(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e7) return fmt::format("{:.0f}", value);
  if (size < 1e-3 && size > 0) return fmt::format("{:.3e}", value);
  return fmt::format("{:#.4g}", value);
}

std::string correlation(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-"; }

// The deviation in the form of its mean: as many decimals, the same power of ten.
std::string with_deviation(const Spread& s) {
  std::string mean = four_digits(s.mean);
  const std::size_t power = mean.find('e'), point = mean.find('.');
  if (mean == "-" || !std::isfinite(s.std)) return mean;
  const std::size_t digits = power == std::string::npos ? mean.size() : power;
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(digits - point - 1);
  if (power == std::string::npos) return fmt::format("{} ± {:.{}f}", mean, s.std, decimals);
  const double unit = std::pow(10.0, std::stoi(mean.substr(power + 1)));
  return fmt::format("({} ± {:.{}f}){}", mean.substr(0, power), s.std / unit, decimals, mean.substr(power));
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

// A bar would end the cell.
std::string md_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string title(const SetInfo& set) {
  return set.title.empty() || set.title == set.id ? set.id : set.id + ' ' + set.title;
}

}  // namespace

std::string table_csv(const Results& results) {
  std::string s =
      "set,title,method,runs,train_rmse,train_rmse_std,test_rmse,test_rmse_std,train_r,train_r_std,test_r,test_r_std,"
      "nodes,nodes_std,seconds,seconds_std,paper_train_rmse,paper_train_rmse_std,paper_test_rmse,paper_test_rmse_std,"
      "paper_train_r,paper_test_r,paper_nodes,paper_seconds,settings\n";
  for (const Cell& c : results.cells) {
    s += fmt::format("{},{},{},{}", csv_text(c.set), csv_text(results.set(c.set).title), csv_text(c.method),
                     c.runs.size());
    for (const Spread& value : {c.train_rmse, c.test_rmse, c.train_r, c.test_r, c.nodes, c.seconds})
      s += fmt::format(",{},{}", csv_number(value.mean), csv_number(value.std));
    if (c.paper)
      s += fmt::format(",{},{},{},{},{},{},{},{}", c.paper->train_rmse.mean, c.paper->train_rmse.std,
                       c.paper->test_rmse.mean, c.paper->test_rmse.std, c.paper->train_r.mean, c.paper->test_r.mean,
                       c.paper->nodes, c.paper->seconds.mean);
    else
      s += std::string(8, ',');
    std::string settings;
    for (const auto& [name, text] : c.chosen)
      settings += fmt::format("{}{}={}", settings.empty() ? "" : ";", name, text);
    s += ',' + csv_text(settings) + '\n';
  }
  return s;
}

std::string table_md(const Results& results) {
  std::string s =
      "| set | method | training RMSE | test RMSE | training R | test R | nodes | seconds | paper: training RMSE | "
      "test "
      "RMSE | nodes | seconds |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const SetInfo& set : results.sets) {
    // The lowest errors of the set are in bold.
    double train = INFINITY, test = INFINITY;
    for (const Cell& c : results.cells)
      if (c.set == set.id) train = std::min(train, c.train_rmse.mean), test = std::min(test, c.test_rmse.mean);
    const auto marked = [](const Spread& value, double best) {
      return value.mean == best ? "**" + with_deviation(value) + "**" : with_deviation(value);
    };
    for (const Cell& c : results.cells) {
      if (c.set != set.id) continue;
      s += fmt::format("| {} | {} | {} | {} | {} | {} | {:.1f} | {:.3g} |", md_text(title(set)),
                       md_text(results.method(c.method).title), marked(c.train_rmse, train), marked(c.test_rmse, test),
                       correlation(c.train_r.mean), correlation(c.test_r.mean), c.nodes.mean, c.seconds.mean);
      if (c.paper)
        s += fmt::format(" {} | {} | {:g} | {:.3g} |\n", with_deviation(c.paper->train_rmse),
                         with_deviation(c.paper->test_rmse), c.paper->nodes, c.paper->seconds.mean);
      else
        s += " | | | |\n";
    }
  }
  return s;
}

std::string table_text(const Results& results) {
  std::size_t widest = 6;
  for (const MethodInfo& method : results.methods) widest = std::max(widest, method.title.size());
  const bool paper = std::any_of(results.cells.begin(), results.cells.end(), [](const Cell& c) { return c.paper; });
  std::string s;
  for (const SetInfo& set : results.sets) {
    s += fmt::format("\n{}: {} training, {} validation, {} test rows, {} input{}\n", title(set), set.train_rows,
                     set.valid_rows, set.test_rows, set.inputs, set.inputs == 1 ? "" : "s");
    s += fmt::format("  {:<{}}  {:>10}  {:>22}  {:>7}  {:>6}  {:>8}{}\n", "method", widest, "train RMSE", "test RMSE",
                     "test R", "nodes", "seconds", paper ? "  paper's test RMSE" : "");
    for (const Cell& c : results.cells) {
      if (c.set != set.id) continue;
      s += fmt::format("  {:<{}}  {:>10}  {:>22}  {:>7}  {:>6.1f}  {:>8.3g}{}\n", results.method(c.method).title,
                       widest, four_digits(c.train_rmse.mean), with_deviation(c.test_rmse), correlation(c.test_r.mean),
                       c.nodes.mean, c.seconds.mean,
                       c.paper ? fmt::format("  {:>17}", four_digits(c.paper->test_rmse.mean)) : "");
    }
  }
  return s;
}

}  // namespace sconet::study
