#include "study/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "study/page_style.hpp"

namespace sconet::study {

namespace {

// Text as it may stand between tags and in attributes.
std::string esc(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  return out;
}

// "1 set", "10 sets".
template <class Count>
std::string count(Count n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& items, std::string_view between, std::string_view before_last) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i)
    out.append(i == 0 ? "" : i + 1 == items.size() ? before_last : between).append(items[i]);
  return out;
}

// "DB1", "DB1 and DB2", "DB1, DB2 and DB3".
std::string listed(const std::vector<std::string>& items) { return joined(items, ", ", " and "); }

bool has_paper(const Results& results) {
  return std::any_of(results.cells.begin(), results.cells.end(),
                     [](const Cell& cell) { return cell.paper.has_value(); });
}

// "DB3"; of a user's table the name of its file, whose path stands among the data sets alone.
std::string short_name(const SetInfo& set) { return set.id.substr(set.id.find_last_of('/') + 1); }

std::string with_title(const std::string& name, const SetInfo& set) {
  return set.title.empty() || set.title == set.id || set.title == short_name(set) ? name : name + ' ' + set.title;
}

// "DB3 CCPP"; a user's table may have no title.
std::string name_of(const SetInfo& set) { return with_title(short_name(set), set); }
std::string full_name(const SetInfo& set) { return with_title(set.id, set); }

// --- numbers
// -------------------------------------------------------------------------------------------------------------

enum class Form { error, correlation, seconds, nodes };

// How a mean is written, and with it its deviation: value / 10^exponent with so many decimals.
struct Notation {
  int exponent = 0, decimals = 0;
};

// Four digits that count (three of seconds), whether it is 1.581e-4 or 37580; powers of ten only where zeros would be
// many. Correlations have four decimals.
Notation notation(double mean, Form form) {
  if (!std::isfinite(mean)) return {};
  if (form == Form::correlation) return {0, 4};
  if (form == Form::nodes) return {0, mean == std::round(mean) ? 0 : 1};
  const int digits = form == Form::seconds ? 3 : 4;
  const std::string text = fmt::format("{:.{}e}", mean, digits - 1);  // the exponent after rounding
  const int power = std::stoi(text.substr(text.find('e') + 1));
  if (mean != 0 && (power < (form == Form::seconds ? -4 : -3) || power > 6)) return {power, digits - 1};
  return {0, std::max(0, digits - 1 - power)};
}

// The decimals that `value` needs, up to `most`.
int decimals_needed(double value, int most) {
  int decimals = 0;
  while (decimals < most) {
    const double scaled = value * std::pow(10.0, decimals);
    if (std::abs(std::round(scaled) - scaled) < 1e-6) break;
    ++decimals;
  }
  return decimals;
}

std::string decimal(double value, const Notation& as) {
  std::string text = fmt::format("{:.{}f}", value / std::pow(10.0, as.exponent), as.decimals);
  if (text.front() == '-') text.replace(0, 1, "\u2212");
  return text;
}

std::string power_of_ten(int exponent) {
  return fmt::format("\u00d710<sup>{}{}</sup>", exponent < 0 ? "\u2212" : "", std::abs(exponent));
}

// "-" for what is not a number. A line may break before the deviation, but not after the mark.
std::string amount(double mean, std::optional<double> deviation, const Notation& as, std::string_view mark = "") {
  if (!std::isfinite(mean)) return "-";
  std::string out = decimal(mean, as);
  if (deviation && std::isfinite(*deviation)) {
    out += fmt::format("</span> <span class=\"num\">\u00b1\u00a0{}", decimal(*deviation, as));
    if (as.exponent != 0) out = '(' + out + ')';
  }
  if (as.exponent != 0) out += power_of_ten(as.exponent);
  return fmt::format("<span class=\"num\">{}{}</span>", mark, out);
}

// "1 h 12 min", "3 min 20 s", "4.2 s".
std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

// --- the columns of the table
// --------------------------------------------------------------------------------------------

enum class Better { lower, higher, neither };

struct Column {
  const char* name;
  Form form;
  Better best;    // which value is marked among the methods
  bool compared;  // with the paper's: not seconds, which depend on the machine, nor nodes, which are limited by choice
  Spread Cell::*ours;
  Spread (*paper)(const PaperRow&);
};

const std::array kColumns = {
    Column{"Train RMSE", Form::error, Better::lower, true, &Cell::train_rmse,
           [](const PaperRow& row) { return row.train_rmse; }},
    Column{"Test RMSE", Form::error, Better::lower, true, &Cell::test_rmse,
           [](const PaperRow& row) { return row.test_rmse; }},
    Column{"Train R", Form::correlation, Better::higher, true, &Cell::train_r,
           [](const PaperRow& row) { return row.train_r; }},
    Column{"Test R", Form::correlation, Better::higher, true, &Cell::test_r,
           [](const PaperRow& row) { return row.test_r; }},
    Column{"Seconds", Form::seconds, Better::lower, false, &Cell::seconds,
           [](const PaperRow& row) { return row.seconds; }},
    Column{"Nodes", Form::nodes, Better::neither, false, &Cell::nodes,
           [](const PaperRow& row) {
             return Spread{row.nodes, 0};
           }},
};
constexpr std::size_t kTrainRmse = 0, kTestRmse = 1;

std::string mean_as_shown(double mean, const Column& column) { return amount(mean, {}, notation(mean, column.form)); }

// The cells of a set with the best value of a column. Those that look the same are all best; one method has no rival.
std::vector<const Cell*> best_cells(const Results& results, const SetInfo& set, const Column& column) {
  std::vector<const Cell*> rivals, best;
  for (const MethodInfo& method : results.methods)
    if (const Cell* cell = results.find(set.id, method.id); cell && std::isfinite((cell->*column.ours).mean))
      rivals.push_back(cell);
  if (rivals.size() < 2 || column.best == Better::neither) return {};
  const auto mean = [&](const Cell* cell) { return (cell->*column.ours).mean; };
  double top = mean(rivals.front());
  for (const Cell* cell : rivals)
    top = column.best == Better::lower ? std::min(top, mean(cell)) : std::max(top, mean(cell));
  for (const Cell* cell : rivals)
    if (mean_as_shown(mean(cell), column) == mean_as_shown(top, column)) best.push_back(cell);
  return best;
}

bool contains(const std::vector<const Cell*>& cells, const Cell* cell) {
  return std::find(cells.begin(), cells.end(), cell) != cells.end();
}

bool at_least_as_good(const Cell& cell, const Column& column) {
  if (!cell.paper) return false;
  const double ours = (cell.*column.ours).mean, paper = column.paper(*cell.paper).mean;
  return column.best == Better::lower ? ours <= paper : ours >= paper;
}

constexpr std::string_view kBestMark =
    "<span class=\"mark\" title=\"best\"><span aria-hidden=\"true\">\u2605</span><span class=\"hidden\">best: "
    "</span></span>";

std::string ranked(bool best, double mean, std::optional<double> deviation, const Notation& as) {
  return best ? fmt::format("<strong class=\"best\">{}</strong>", amount(mean, deviation, as, kBestMark))
              : fmt::format("<span>{}</span>", amount(mean, deviation, as));
}

std::string ours_text(const Cell& cell, const Column& column, bool best) {
  const Spread& value = cell.*column.ours;
  Notation as = notation(value.mean, column.form);
  if (column.form == Form::nodes && value.std > 0) as.decimals = 1;
  const bool spread = cell.runs.size() != 1 && !(column.form == Form::nodes && value.std == 0);
  return ranked(best, value.mean, spread ? std::optional(value.std) : std::nullopt, as);
}

// With no more decimals than the paper has.
std::string paper_text(const Cell& cell, const Column& column) {
  const Spread value = column.paper(*cell.paper);
  Notation as = notation(value.mean, column.form);
  const double scale = std::pow(10.0, as.exponent);
  if (std::isfinite(value.mean) && column.form != Form::correlation)
    as.decimals =
        std::max(decimals_needed(value.mean / scale, as.decimals), decimals_needed(value.std / scale, as.decimals));
  const bool spread = column.form != Form::nodes;
  std::string mark;
  if (column.compared && at_least_as_good(cell, column)) {
    const bool lower = column.best == Better::lower;
    mark = fmt::format(
        "<span title=\"ours is at or {} the paper's\"><span aria-hidden=\"true\">{} </span>"
        "<span class=\"hidden\">at or {} </span></span>",
        lower ? "below" : "above", lower ? "\u2264" : "\u2265", lower ? "below" : "above");
  }
  return fmt::format("<span class=\"paper\">{}<span class=\"hidden\">the paper&#39;s </span>{}</span>", mark,
                     amount(value.mean, spread ? std::optional(value.std) : std::nullopt, as));
}

// --- pieces of tables
// ---------------------------------------------------------------------------------------------------- Roles are said,
// because a table that is shown as cards is no table to some browsers.

std::string open_table(std::string_view classes, std::string_view caption) {
  return fmt::format("<table class=\"{}\" role=\"table\">\n<caption>{}</caption>\n", classes, caption);
}

struct Heading {
  std::string text;
  bool is_text = false;  // of a column of text rather than numbers
};

std::string heading_row(const std::vector<Heading>& headings) {
  std::string out = "<thead role=\"rowgroup\"><tr role=\"row\">";
  for (const Heading& heading : headings)
    out += fmt::format("<th scope=\"col\" role=\"columnheader\"{}>{}</th>", heading.is_text ? " class=\"text\"" : "",
                       esc(heading.text));
  return out + "</tr></thead>\n<tbody role=\"rowgroup\">\n";
}

std::string row_heading(const std::string& html) {
  return fmt::format("<tr role=\"row\"><th scope=\"row\" role=\"rowheader\">{}</th>", html);
}

std::string data_cell(std::string_view label, const std::string& html, std::string_view classes = "") {
  return fmt::format("<td role=\"cell\"{} data-label=\"{}\">{}</td>",
                     classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), esc(label), html);
}

// --- sections
// ------------------------------------------------------------------------------------------------------------

// The test error of every method on every set; of a single one the next table says it.
std::string glance(const Results& results) {
  if (results.cells.empty() || results.sets.size() < 2) return {};
  const Column& column = kColumns[kTestRmse];
  std::string out =
      open_table("stack glance",
                 "Mean test RMSE in the target&#39;s unit. <span aria-hidden=\"true\">\u2605</span> and bold: the "
                 "lowest of the set.");
  std::vector<Heading> headings = {{"Set", true}};
  for (const MethodInfo& method : results.methods) headings.push_back({method.title});
  out += heading_row(headings);
  for (std::size_t i = 0; i < results.sets.size(); ++i) {
    const SetInfo& set = results.sets[i];
    const auto best = best_cells(results, set, column);
    out += row_heading(fmt::format("<a href=\"#set-{}\">{}</a>", i + 1, esc(name_of(set))));
    for (const MethodInfo& method : results.methods) {
      const Cell* cell = results.find(set.id, method.id);
      const double mean = cell ? cell->test_rmse.mean : 0;
      out += cell ? data_cell(method.title, ranked(contains(best, cell), mean, {}, notation(mean, column.form)))
                  : data_cell(method.title, "<span>-</span>", "empty");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

// What stands below a set's name: "100 runs; 4 inputs; 4784 rows for training, ...; target in MW".
std::string set_line(const Results& results, const SetInfo& set, const PageFacts& facts) {
  std::string out = "Mean";
  if (facts.runs != 1) out += " \u00b1 standard deviation over " + count(facts.runs, "run");
  if (!set.unit.empty()) out += "; RMSE in " + set.unit;
  for (const Cell& cell : results.cells)
    if (cell.set == set.id && static_cast<std::int64_t>(cell.runs.size()) != facts.runs)
      for (const MethodInfo& method : results.methods)
        if (method.id == cell.method) out += fmt::format("; {}: {}", method.title, count(cell.runs.size(), "run"));
  return esc(out);
}

std::string set_table(const Results& results, const SetInfo& set, const PageFacts& facts) {
  std::array<std::vector<const Cell*>, kColumns.size()> best;
  for (std::size_t i = 0; i < kColumns.size(); ++i) best[i] = best_cells(results, set, kColumns[i]);
  std::string out = open_table("stack", set_line(results, set, facts));
  std::vector<Heading> headings = {{"Method", true}};
  for (const Column& column : kColumns) headings.push_back({column.name});
  out += heading_row(headings);
  for (const MethodInfo& method : results.methods) {
    const Cell* cell = results.find(set.id, method.id);
    if (!cell) continue;
    out +=
        row_heading(esc(method.title) + (cell->paper ? "<span class=\"paper\" aria-hidden=\"true\">paper</span>" : ""));
    for (std::size_t i = 0; i < kColumns.size(); ++i)
      out += data_cell(kColumns[i].name, ours_text(*cell, kColumns[i], contains(best[i], cell)) +
                                             (cell->paper ? paper_text(*cell, kColumns[i]) : ""));
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string tables(const Results& results, const PageFacts& facts) {
  if (results.cells.empty()) return {};
  std::string out =
      "<p class=\"small muted\"><span aria-hidden=\"true\">\u2605</span> and bold: the best of the set. R is the "
      "correlation of targets and predictions; seconds are those of one training.";
  if (has_paper(results))
    out +=
        " Below our value stands the paper&#39;s (Table 3); \u2264 or \u2265 before it: ours is at least as good. "
        "Seconds "
        "are not compared, the paper&#39;s are of another machine.";
  out += "</p>\n<div class=\"sets\">\n";
  for (std::size_t i = 0; i < results.sets.size(); ++i)
    out +=
        fmt::format("<section class=\"set\" aria-labelledby=\"set-{0}\"><h3 id=\"set-{0}\">{1}</h3>\n{2}</section>\n",
                    i + 1, esc(name_of(results.sets[i])), set_table(results, results.sets[i], facts));
  return out + "</div>\n";
}

std::string figure_list(const std::vector<Figure>& figures) {
  if (figures.empty()) return {};
  std::string out = "<div class=\"figures\">\n";
  for (std::size_t i = 0; i < figures.size(); ++i)
    out += fmt::format("<figure id=\"figure-{}\"><h3>{}</h3>\n{}\n<figcaption>{}</figcaption></figure>\n", i + 1,
                       esc(figures[i].title), figures[i].svg, esc(figures[i].caption));
  return out + "</div>\n";
}

struct VerdictWords {
  const char *name, *symbol, *words, *one, *many;
};

const VerdictWords& words_of(Verdict verdict) {
  static constexpr std::array words = {
      VerdictWords{"open", "\u25cb", "Not tested", "was not tested", "were not tested"},
      VerdictWords{"holds", "\u2713", "Holds", "holds", "hold"},
      VerdictWords{"part", "\u25d0", "Holds in part", "holds in part", "hold in part"},
      VerdictWords{"fails", "\u2717", "Does not hold", "does not hold", "do not hold"},
  };
  return words.at(static_cast<std::size_t>(verdict));
}

// "Of the paper's 12 claims 9 hold, 2 hold in part and 1 does not hold."
std::string claim_counts(const std::vector<Claim>& claims) {
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::holds, Verdict::holds_in_part, Verdict::does_not_hold, Verdict::not_tested}) {
    const auto n = std::count_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.verdict == verdict; });
    if (n > 0) parts.push_back(fmt::format("{} {}", n, n == 1 ? words_of(verdict).one : words_of(verdict).many));
  }
  return fmt::format("Of {} of the paper {}.", count(claims.size(), "claim"), listed(parts));
}

std::string claim_list(const std::vector<Claim>& claims) {
  if (claims.empty()) return {};
  std::string out = "<p>" + esc(claim_counts(claims)) + "</p>\n<ul class=\"claims\">\n";
  for (const Claim& claim : claims) {
    const VerdictWords& words = words_of(claim.verdict);
    out += fmt::format(
        "<li class=\"claim\"><span class=\"verdict {}\"><span aria-hidden=\"true\">{} "
        "</span>{}</span>\n<div><h3>{}</h3>\n",
        words.name, words.symbol, words.words, esc(claim.statement));
    if (!claim.finding.empty()) out += "<p>" + esc(claim.finding) + "</p>\n";
    if (!claim.evidence.empty()) {
      out += "<details><summary>Evidence</summary><ul>\n";
      for (const std::string& line : claim.evidence) out += "<li>" + esc(line) + "</li>\n";
      out += "</ul></details>\n";
    }
    out += "</div></li>\n";
  }
  return out + "</ul>\n";
}

std::string settings_of(const Settings& settings) {
  if (settings.empty()) return "<span>the defaults</span>";
  std::string out = "<span>";
  for (const auto& [name, value] : settings)
    out += fmt::format("<span class=\"option\"><code>{}={}</code></span> ", esc(name), esc(value));
  return out + "</span>";
}

std::string settings(const Results& results, const PageFacts& facts) {
  if (results.cells.empty()) return {};
  std::string out = "<div class=\"settings\"><p>Options that differ from the defaults.";
  if (facts.tuning > 0)
    out +=
        fmt::format(" They were chosen by the lowest mean RMSE on the validation rows of {}; test rows chose nothing.",
                    count(facts.tuning, "split"));
  out += "</p>\n";
  for (const SetInfo& set : results.sets) {
    out += fmt::format("<details><summary>{}</summary>\n{}{}", esc(name_of(set)),
                       open_table("stack", "Settings on " + esc(name_of(set))),
                       heading_row({{"Method", true}, {"Options", true}}));
    for (const MethodInfo& method : results.methods)
      if (const Cell* cell = results.find(set.id, method.id))
        out += row_heading(esc(method.title)) + data_cell("Options", settings_of(cell->chosen), "text") + "</tr>\n";
    out += "</tbody></table></details>\n";
  }
  return out + "</div>\n";
}

// Where a set's rows come from, which every one of its runs says.
std::string origin_of(const Results& results, const SetInfo& set) {
  for (const Cell& cell : results.cells)
    if (cell.set == set.id && !cell.runs.empty()) {
      const std::string& data = cell.runs.front().data;
      const bool checksum = data.size() == 64 && data.find_first_not_of("0123456789abcdef") == std::string::npos;
      return checksum ? "SHA-256 " + data : data;
    }
  return {};
}

std::string notes_list(const std::vector<std::string>& notes) {
  std::string out = "<ul class=\"notes\">";
  for (const std::string& note : notes) out += "<li>" + esc(note) + "</li>";
  return out + "</ul>";
}

std::string data_sets(const Results& results) {
  if (results.sets.empty()) return {};
  std::string out = open_table("stack", "Rows are those of a run&#39;s split.") + heading_row({{"Set", true},
                                                                                               {"Unit", true},
                                                                                               {"Inputs"},
                                                                                               {"Training rows"},
                                                                                               {"Validation rows"},
                                                                                               {"Test rows"},
                                                                                               {"Origin", true},
                                                                                               {"Notes", true}});
  for (const SetInfo& set : results.sets) {
    const auto text_cell = [](std::string_view label, const std::string& text) {
      return data_cell(label, "<span>" + esc(text) + "</span>", text.empty() ? "text empty" : "text");
    };
    const auto rows_cell = [](std::string_view label, Index rows) {
      return data_cell(label, fmt::format("<span>{}</span>", rows));
    };
    out +=
        row_heading(esc(full_name(set))) + text_cell("Unit", set.unit) + rows_cell("Inputs", set.inputs) +
        rows_cell("Training rows", set.train_rows) + rows_cell("Validation rows", set.valid_rows) +
        rows_cell("Test rows", set.test_rows) + text_cell("Origin", origin_of(results, set)) +
        data_cell("Notes", set.notes.empty() ? "" : notes_list(set.notes), set.notes.empty() ? "text empty" : "text") +
        "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string repeat(const PageFacts& facts) {
  std::string out;
  if (!facts.command.empty()) out += "<div class=\"command\"><pre>" + esc(facts.command) + "</pre></div>\n";
  out +=
      "<p>The seeds make every number come out the same, but for the seconds. Beside this page: "
      "<a href=\"runs.jsonl\">runs.jsonl</a> with a line for each run, its seed and settings among it; "
      "<a href=\"table.csv\">table.csv</a> and <a href=\"table.md\">table.md</a> with the means and deviations.</p>\n";
  return out;
}

// --- the head of the page
// ------------------------------------------------------------------------------------------------

// "RMPI-SCN on 8 of 10 sets; MLP-BP on DB6": who is best in a column.
std::string winners(const Results& results, const Column& column) {
  std::vector<std::vector<const Cell*>> contests;
  for (const SetInfo& set : results.sets)
    if (auto best = best_cells(results, set, column); !best.empty()) contests.push_back(std::move(best));
  std::vector<std::string> parts;
  for (const MethodInfo& method : results.methods) {
    std::vector<std::string> won;
    for (const auto& best : contests)
      for (const Cell* cell : best)
        if (cell->method == method.id) won.push_back(short_name(results.set(cell->set)));
    if (won.empty()) continue;
    std::string where;
    if (contests.size() > 1)
      where = won.size() == contests.size() ? fmt::format(" on all {} sets", won.size())
              : won.size() <= 2             ? " on " + listed(won)
                                            : fmt::format(" on {} of {} sets", won.size(), contests.size());
    parts.push_back(method.title + where);
  }
  return joined(parts, "; ", "; ");
}

// "RMPI-SCN on 8 of 10 sets; SCN-III on 7": whose mean test error is at or below the paper's.
std::string against_paper(const Results& results) {
  std::vector<std::string> parts;
  std::size_t said = 0;
  for (const MethodInfo& method : results.methods) {
    std::size_t given = 0, reached = 0;
    for (const Cell& cell : results.cells)
      if (cell.method == method.id && cell.paper) {
        ++given;
        reached += at_least_as_good(cell, kColumns[kTestRmse]) ? 1 : 0;
      }
    if (given == 0) continue;
    parts.push_back(fmt::format("{} on {}", method.title, reached));
    if (given != said) parts.back() += " of " + count(given, "set");
    said = given;
  }
  return joined(parts, "; ", "; ");
}

std::string summary(const Results& results, const std::vector<Claim>& claims, const PageFacts& facts) {
  std::string out =
      fmt::format("{} on {}", count(results.methods.size(), "method"),
                  results.sets.size() == 1 ? name_of(results.sets.front()) : count(results.sets.size(), "data set"));
  out += fmt::format(", {}{}.", count(facts.runs, "run"), results.cells.size() > 1 ? " each" : "");
  if (const std::string best = winners(results, kColumns[kTestRmse]); !best.empty())
    out += " Lowest mean test RMSE: " + best + ".";
  if (const std::string best = winners(results, kColumns[kTrainRmse]); !best.empty())
    out += " Lowest mean training RMSE: " + best + ".";
  if (const std::string reached = against_paper(results); !reached.empty())
    out += " Test RMSE at or below the paper's: " + reached + ".";
  if (!claims.empty()) out += ' ' + claim_counts(claims);
  return out;
}

std::string header(const Results& results, const std::vector<Claim>& claims, const PageFacts& facts) {
  std::string out = fmt::format("<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", esc(facts.title),
                                esc(summary(results, claims, facts)));
  if (!facts.notes.empty()) out += notes_list(facts.notes) + '\n';
  std::vector<std::pair<std::string, std::string>> facts_shown = {{"sconet", facts.version},
                                                                  {"Machine", facts.machine}};
  if (facts.seconds > 0) facts_shown.emplace_back("Time", duration(facts.seconds));
  out += "<dl class=\"facts\">";
  for (const auto& [name, value] : facts_shown)
    if (!value.empty()) out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, esc(value));
  return out + "</dl>\n</header>\n";
}

std::string head(const PageFacts& facts) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out += fmt::format("<title>{}</title>\n<style>{}", esc(facts.title), kPageStyle);
  if (!facts.plot_light.empty()) out += fmt::format(":root {{ {} }}\n", facts.plot_light);
  if (!facts.plot_dark.empty())
    out += fmt::format("@media screen and (prefers-color-scheme: dark) {{ :root {{ {} }} }}\n", facts.plot_dark);
  return out + "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n";
}

struct Section {
  const char *id, *title;
  std::string body;  // empty: left out
};

std::string contents(const std::vector<Section>& sections) {
  std::string out = "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ul>\n";
  for (const Section& section : sections)
    if (!section.body.empty()) out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
  return out + "</ul>\n</nav>\n";
}

}  // namespace

std::string page(const Results& results, const std::vector<Claim>& claims, const std::vector<Figure>& figures,
                 const PageFacts& facts) {
  const std::vector<Section> sections = {
      {"glance", "Test error at a glance", glance(results)}, {"claims", "The paper&#39;s claims", claim_list(claims)},
      {"table", "All results", tables(results, facts)},      {"figures", "Figures", figure_list(figures)},
      {"settings", "Settings", settings(results, facts)},    {"data", "Data sets", data_sets(results)},
      {"repeat", "How to repeat it", repeat(facts)},
  };
  std::string out = head(facts) + header(results, claims, facts) + contents(sections);
  out += "<main id=\"main\" tabindex=\"-1\">\n";
  for (const Section& section : sections)
    if (!section.body.empty())
      out += fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", section.id,
                         section.title, section.body);
  out += fmt::format(
      "</main>\n<footer class=\"small muted\">Made by sconet {}.</footer>\n<script>{}</script>\n</body>\n</html>\n",
      esc(facts.version), kPageScript);
  return out;
}

}  // namespace sconet::study
