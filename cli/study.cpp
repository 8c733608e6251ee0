// `sconet study`: the methods against each other on the paper's sets or on a user's own tables.

#include "study/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "commands.hpp"
#include "interrupt.hpp"
#include "kernels/dispatch.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "study/claims.hpp"
#include "study/gallery.hpp"
#include "study/page.hpp"
#include "study/plot.hpp"
#include "study/tables.hpp"

namespace sconet::cli {
namespace {

namespace fs = std::filesystem;

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// As a shell reads it.
std::string quoted(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_./:=,+").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// How many runs are done, for a person who is watching.
class RunsDone {
 public:
  explicit RunsDone(Progress::Style style) : style_(style) {}
  ~RunsDone() { clear(); }
  RunsDone(const RunsDone&) = delete;
  RunsDone& operator=(const RunsDone&) = delete;

  void show(const study::StudyProgress& p) {
    const auto now = std::chrono::steady_clock::now();
    const auto pause = std::chrono::milliseconds(style_ == Progress::Style::bar ? 200 : 10'000);
    if (style_ == Progress::Style::none || (now - last_ < pause && p.done < p.total)) return;
    last_ = now;
    const std::string left = p.seconds_left < 0 ? "" : fmt::format(", about {} left", duration(p.seconds_left));
    const std::string text = fmt::format("{}/{} runs{}  ({})", p.done, p.total, left, visible(p.now));
    if (style_ == Progress::Style::plain) {
      tell(text + '\n');
      return;
    }
    constexpr std::int64_t kWidth = 20;
    const auto filled =
        static_cast<std::size_t>(std::min(kWidth, kWidth * p.done / std::max<std::int64_t>(p.total, 1)));
    tell(fmt::format("\r[{}{}] {}\033[K", std::string(filled, '#'), std::string(kWidth - filled, '-'), text));
    drawn_ = true;
  }
  void clear() {
    if (drawn_) tell("\r\033[K");
    drawn_ = false;
  }

 private:
  Progress::Style style_;
  std::chrono::steady_clock::time_point last_{};
  bool drawn_ = false;
};

struct StudyCommand {
  std::string data, out = "study", target, progress = "auto";
  std::vector<std::string> sets, methods, ignore;
  std::int64_t runs = 100, tuning = 3, jobs = 0;
  std::uint64_t seed = 1;
  bool strict = false;
  TableArguments table;
  Verbosity verbosity;

  int run();

 private:
  std::vector<study::StudySet> load() const;
  study::StudyOptions options() const;
  std::string reading() const;  // how tables are read other than usual, as options
  std::string command() const;  // that does the same again
  void keep_apart(const std::vector<study::StudySet>& tables) const;
  void say_what_is_missing() const;
  Json plan(const std::vector<study::StudySet>& tables, const study::StudyOptions& options) const;
  void check() const;
};

void StudyCommand::check() const {
  const auto at_least_one = [](const char* option, std::int64_t value) {
    if (value < 1) throw UsageError(fmt::format("{} {}: expected at least 1", option, value));
  };
  at_least_one("--runs", runs);
  at_least_one("--tuning", tuning);
  if (jobs < 0 || jobs > 1024) throw UsageError(fmt::format("--jobs {}: expected 0 to 1024", jobs));
  if (out.empty()) throw UsageError("--out '': expected the name of a folder");
  if (!data.empty() && !fs::is_directory(data)) throw IoError(fmt::format("--data {}: there is no such folder", data));
}

std::vector<study::StudySet> StudyCommand::load() const {
  study::SetSource source;
  source.folder = data;
  source.target = target;
  source.ignore = ignore;
  source.table = table.options();
  source.reading = reading();
  source.strict = strict;
  std::vector<study::StudySet> tables;
  if (sets.empty()) say_what_is_missing();
  const std::vector<std::string> wanted = sets.empty() ? study::available_sets(data) : sets;
  tables.reserve(wanted.size());
  for (const std::string& set : wanted) {
    tables.push_back(study::load_set(set, source));
    const auto same = [&](const study::StudySet& other) { return other.info.id == tables.back().info.id; };
    if (std::count_if(tables.begin(), tables.end(), same) > 1)
      throw UsageError(fmt::format("--sets names {} twice", tables.back().info.id));
    if (study::known_set(set) == nullptr) check_splits(tables.back(), seed, std::max(runs, tuning));
  }
  const auto own = [](const study::StudySet& set) { return study::known_set(set.info.id) == nullptr; };
  if (!target.empty() && std::none_of(tables.begin(), tables.end(), own))
    throw UsageError(fmt::format("--target {}: the sets of the catalogue have their own", target));
  return tables;
}

void StudyCommand::say_what_is_missing() const {
  const std::vector<std::string> there = study::available_sets(data);
  std::string missing;
  for (const study::KnownSet& known : study::known_sets())
    if (!known.file.empty() && std::find(there.begin(), there.end(), known.id) == there.end())
      missing += fmt::format("{}{} ({})", missing.empty() ? "" : ", ", known.id, known.file);
  if (!missing.empty()) say(verbosity, fmt::format("Without {}: docs/datasets.md says where to get them", missing));
}

// No table is overwritten by what the study leaves, and no file of another kind.
void StudyCommand::keep_apart(const std::vector<study::StudySet>& tables) const {
  const fs::path folder = out;
  for (const char* name : {"study.json", "runs.jsonl", "table.csv", "table.md", "index.html"}) {
    const std::string path = (folder / name).string();
    for (const study::StudySet& set : tables)
      if (same_file(set.info.id, path))
        throw UsageError(
            fmt::format("{}: is one of the tables; the study needs a folder of its own (--out DIR)", path));
    if (fs::exists(path) && !fs::exists(folder / "runs.jsonl"))
      throw UsageError(
          fmt::format("{}: is there already and is not of a study; name another folder (--out DIR)", path));
  }
}

std::string StudyCommand::reading() const {
  const TableArguments usual;
  std::string s;
  const auto add = [&](const char* option, const std::string& value) {
    s += fmt::format("{}--{} {}", s.empty() ? "" : " ", option, quoted(value));
  };
  const auto one = [&](const char* option, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) add(option, value);
  };
  one("delimiter", table.delimiter, usual.delimiter);
  one("quote", table.quote, usual.quote);
  one("decimal", table.decimal, usual.decimal);
  one("header", table.header, usual.header);
  one("format", table.format, usual.format);
  for (const std::string& value : table.na) add("na", value);
  for (const std::string& value : table.number) add("number", value);
  for (const std::string& value : table.text) add("text", value);
  for (const std::string& value : table.variables) add("variables", value);
  for (const std::string& value : ignore) add("ignore", value);
  return s;
}

study::StudyOptions StudyCommand::options() const {
  study::StudyOptions options;
  options.runs = runs;
  options.tuning = tuning;
  options.seed = seed;
  options.jobs =
      jobs > 0 ? static_cast<int>(jobs) : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (methods.empty()) options.methods = study::usual_methods();
  for (const std::string& method : methods) {
    options.methods.push_back({study::parse_method(method)});
    if (std::count(methods.begin(), methods.end(), method) > 1)
      throw UsageError(fmt::format("--methods names {} twice", method));
  }
  return options;
}

std::string StudyCommand::command() const {
  std::string s = "sconet study";
  if (!data.empty()) s += " --data DIR";
  if (!sets.empty()) s += " --sets " + quoted(fmt::format("{}", fmt::join(sets, ",")));
  if (!target.empty()) s += " --target " + quoted(target);
  if (!methods.empty()) s += " --methods " + quoted(fmt::format("{}", fmt::join(methods, ",")));
  if (!reading().empty()) s += ' ' + reading();
  if (strict) s += " --strict";
  s += fmt::format(" --runs {}", runs);
  if (tuning != StudyCommand().tuning) s += fmt::format(" --tuning {}", tuning);
  if (seed != 1) s += fmt::format(" --seed {}", seed);
  return s;
}

// What will be done, with every grid.
Json StudyCommand::plan(const std::vector<study::StudySet>& tables, const study::StudyOptions& options) const {
  Json json = {{"version", SCONET_VERSION}, {"command", command()}, {"runs", runs}, {"tuning", tuning}, {"seed", seed}};
  for (const study::StudySet& set : tables)
    json["sets"].push_back({{"id", set.info.id},
                            {"data", set.data},
                            {"train_rows", set.info.train_rows},
                            {"valid_rows", set.info.valid_rows},
                            {"test_rows", set.info.test_rows},
                            {"notes", set.info.notes}});
  for (const study::StudySet& set : tables)
    for (const study::Entrant& entrant : options.methods)
      if (entrant.runs_on(set.info.id))
        json["grids"][set.info.id][entrant.method.id] = study::grid(entrant.method, set.info).text();
  return json;
}

Json to_json(const study::Results& results, const std::vector<study::Claim>& claims) {
  Json json;
  const auto pair = [](const study::Spread& s) { return Json{{"mean", s.mean}, {"std", s.std}}; };
  for (const study::Cell& c : results.cells) {
    Json settings = Json::object();
    for (const auto& [name, text] : c.chosen) settings[name] = text;
    json["table"].push_back({{"set", c.set},
                             {"method", c.method},
                             {"runs", c.runs.size()},
                             {"train_rmse", pair(c.train_rmse)},
                             {"test_rmse", pair(c.test_rmse)},
                             {"train_r", pair(c.train_r)},
                             {"test_r", pair(c.test_r)},
                             {"nodes", pair(c.nodes)},
                             {"seconds", pair(c.seconds)},
                             {"settings", settings}});
  }
  for (const study::Claim& claim : claims)
    json["claims"].push_back({{"id", claim.id},
                              {"statement", claim.statement},
                              {"verdict", study::word(claim.verdict)},
                              {"finding", claim.finding}});
  return json;
}

int StudyCommand::run() {
  check();
  const auto began = std::chrono::steady_clock::now();
  const study::StudyOptions how = options();
  const std::vector<study::StudySet> tables = load();
  for (const study::StudySet& set : tables) warn(verbosity, set.info.notes);

  std::error_code error;
  fs::create_directories(out, error);
  if (error) throw IoError(fmt::format("{}: cannot be made: {}", out, error.message()));
  keep_apart(tables);
  const fs::path folder = out;
  study::RunFile file((folder / "runs.jsonl").string());
  const Json planned = plan(tables, how);
  print(planned.dump(2, ' ', false, Json::error_handler_t::replace) + '\n', (folder / "study.json").string());
  say(verbosity, "Settings are chosen on validation rows from these grids:");
  for (const auto& [set, grids] : planned["grids"].items())
    for (const auto& [method, text] : grids.items())
      say(verbosity, fmt::format("  {} {}: {}", set, method, text.get<std::string>()));

  const bool from_the_beginning = file.runs().empty();
  if (!from_the_beginning) say(verbosity, fmt::format("{} runs are there already", file.runs().size()));
  Interrupt interrupt;
  RunsDone bar(Progress::style(progress, verbosity.quiet));
  const auto results =
      run_study(tables, how, file, interrupt.token(), [&](const study::StudyProgress& p) { bar.show(p); });
  bar.clear();
  if (!results) {
    say(verbosity, fmt::format("interrupted: {} finished runs are in {}; the same command goes on from there",
                               file.runs().size(), (folder / "runs.jsonl").string()));
    return kInterrupted;
  }

  const std::vector<study::Claim> claims = study::check_claims(*results);
  const std::vector<study::Figure> figures = study::paper_figures(*results, tables);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  study::PageFacts facts;
  facts.title = "RMPI-SCN and its rivals";
  facts.command = command();
  facts.version = SCONET_VERSION;
  facts.runs = runs;
  facts.tuning = tuning;
  facts.machine = fmt::format("{} run{} at a time, each on one thread, {}", how.jobs, how.jobs == 1 ? "" : "s",
                              select_kernels(Isa::automatic).name);
  facts.seconds = from_the_beginning ? passed.count() : 0;
  facts.plot_light = study::plot_colours(false);
  facts.plot_dark = study::plot_colours(true);
  print(study::table_csv(*results), (folder / "table.csv").string());
  print(study::table_md(*results), (folder / "table.md").string());
  for (const study::Figure& figure : figures) print(figure.svg, (folder / (figure.id + ".svg")).string());
  const std::string page = (folder / "index.html").string();
  print(study::page(*results, claims, figures, facts), page);

  Json json = to_json(*results, claims);
  json["page"] = page;
  std::string text = study::table_text(*results);
  const auto tested = [](const study::Claim& claim) { return claim.verdict != study::Verdict::not_tested; };
  if (std::any_of(claims.begin(), claims.end(), tested)) text += "\nThe paper's claims:\n";
  for (const study::Claim& claim : claims)
    if (tested(claim)) text += fmt::format("  {}: {} {}\n", study::word(claim.verdict), claim.statement, claim.finding);
  text += fmt::format("\n{} of each method on each set in {}; the page is {}\n",
                      runs == 1 ? "1 run" : fmt::format("{} runs", runs), duration(passed.count()), page);
  print(verbosity, json, text);
  return kOk;
}

}  // namespace

void add_study(CLI::App& app, Commands& commands) {
  auto study = std::make_shared<StudyCommand>();
  auto* command = app.add_subcommand(
      "study",
      "Compare the methods over many runs, on the paper's sets or on tables of your own: table, figures, page");
  command->add_option("--data", study->data, "Folder with the files of DB3 to DB10 (docs/datasets.md)")
      ->type_name("DIR");
  command
      ->add_option("--sets", study->sets,
                   "DB1 to DB10, friedman, or tables of your own (all of the paper's that are there)")
      ->type_name("SET,...")
      ->delimiter(',');
  command->add_option("-t,--target", study->target, "Column to predict in tables of your own")->type_name("COLUMN");
  command->add_option("--ignore", study->ignore, "A column to leave out in tables of your own; repeatable")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--methods", study->methods,
          "auto, rmpi, scn3, scn1, rvfl, irvfl, mlp; or with options fixed, as rvfl:range=60 (those of the paper)")
      ->type_name("METHOD,...")
      ->delimiter(',');
  command->add_option("--runs", study->runs, "Runs of each method on each set, each with a new split")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--tuning", study->tuning, "Runs whose validation rows choose the settings")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", study->seed, "Seed of the first run; run k has seed + k - 1")
      ->type_name("N")
      ->check(at_least_zero())
      ->capture_default_str();
  command
      ->add_option("--out", study->out,
                   "Folder for runs, table, figures and page; finished runs in it are not repeated")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--jobs", study->jobs, "Runs at a time; 0: one per processor. The numbers do not depend on it.")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--strict", study->strict, "Refuse a file whose checksum is not the catalogue's");
  command->add_option("--progress", study->progress, "Progress on standard error; auto: a bar if that is a terminal")
      ->type_name("auto|bar|plain|none")
      ->check(one_of({"auto", "bar", "plain", "none"}));
  study->table.add_to(*command);
  study->verbosity.add_to(*command);
  commands[command] = [study] { return study->run(); };
}

}  // namespace sconet::cli
