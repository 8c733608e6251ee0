#include "arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>

namespace sconet::cli {

void Verbosity::add_to(CLI::App& command) {
  command.add_flag("-q,--quiet", quiet, "No messages but errors");
  command.add_flag("--json", json, "The result as one JSON object on standard output");
}

CLI::Validator one_of(const std::vector<std::string>& texts) { return CLI::IsMember(texts).description(""); }

CLI::Validator at_least_zero() {
  return {[](const std::string& text) {
            double number = -1;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
            const bool good = error == std::errc{} && end == text.data() + text.size() && number >= 0;
            return good ? std::string() : fmt::format("'{}': expected a number from 0 up", text);
          },
          ""};
}

CLI::Validator is_level() {
  return {[](const std::string& text) {
            double number = -1;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
            const bool good = error == std::errc{} && end == text.data() + text.size() && number > 0 && number < 1;
            return good ? std::string() : fmt::format("'{}': expected a number between 0 and 1, as 0.9", text);
          },
          ""};
}

// --- tables --------------------------------------------------------------------------------------------------------
void TableArguments::add_to(CLI::App& command) {
  const auto group = "How tables are read";
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* meaning, const char* type) {
    command.add_option(name, values, meaning)->group(group)->type_name(type)->allow_extra_args(false);
  };
  command
      .add_option("--delimiter", delimiter,
                  "Between fields: comma, semicolon, tab, blank, bar or a character (found out)")
      ->group(group)
      ->type_name("CHAR");
  command.add_option("--quote", quote, "Around fields: double, single, none or a character (found out)")
      ->group(group)
      ->type_name("CHAR");
  command.add_option("--decimal", decimal, "Decimal sign: . or ,")->group(group)->type_name("CHAR");
  command.add_option("--header", header, "Is the first line a header? (found out)")
      ->group(group)
      ->type_name("auto|yes|no")
      ->check(one_of({"auto", "yes", "no"}));
  command.add_option("--format", format, "Format of the file (found out); arff is KEEL's .dat too")
      ->group(group)
      ->type_name("auto|text|arff|mat")
      ->check(one_of({"auto", "text", "arff", "mat"}));
  list("--na", na, "A text that means missing, beside NA, N/A, NaN, null, ? and nothing; repeatable", "TEXT");
  list("--number", number, "A column that must be numbers; repeatable", "COLUMN");
  list("--text", text, "A column that is categories, whatever it looks like; repeatable", "COLUMN");
  command.add_option("--variables", variables, "MATLAB files: the variables to take, as X,T")
      ->group(group)
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->delimiter(',');
}

namespace {

char one_character(const std::string& option, const std::string& text, const std::map<std::string, char>& names) {
  if (text.empty()) return 0;
  if (const auto named = names.find(text); named != names.end()) return named->second;
  if (text.size() == 1) return text.front();
  throw UsageError(fmt::format("{} '{}': expected one character or its name", option, text));
}

}  // namespace

TableOptions TableArguments::options() const {
  TableOptions o;
  o.delimiter = one_character(
      "--delimiter", delimiter,
      {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"\\t", '\t'}, {"blank", ' '}, {"space", ' '}, {"bar", '|'}});
  o.quote = one_character("--quote", quote, {{"double", '"'}, {"single", '\''}, {"none", ' '}});
  o.decimal = one_character("--decimal", decimal, {{"point", '.'}, {"comma", ','}});
  if (o.decimal != '.' && o.decimal != ',') throw UsageError(fmt::format("--decimal '{}': expected . or ,", decimal));
  o.header = header == "yes" ? Header::yes : header == "no" ? Header::no : Header::automatic;
  o.format = format == "text"   ? TableFormat::text
             : format == "arff" ? TableFormat::arff
             : format == "mat"  ? TableFormat::mat
                                : TableFormat::automatic;
  o.na = na;
  for (const auto& column : number) o.types.emplace_back(column, ColumnType::number);
  for (const auto& column : text) o.types.emplace_back(column, ColumnType::text);
  o.variables = variables;
  return o;
}

// --- training ------------------------------------------------------------------------------------------------------
std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

namespace {

std::string help_of(const OptionInfo& o) {
  std::vector<std::string> facts;
  if (!o.bounds.empty()) facts.push_back(o.bounds);
  facts.push_back("default " + o.default_value);
  if (!o.matlab_name.empty()) facts.push_back("MATLAB: " + o.matlab_name);
  return fmt::format("{} ({})", o.sentence, fmt::join(facts, "; "));
}

// Options of one list of the library, set by name from text.
template <class Options>
void add_list(CLI::App& command, const std::vector<OptionInfo>& list, Options& options, const char* group,
              const std::function<bool(const OptionInfo&)>& special) {
  for (const OptionInfo& info : list) {
    if (special(info)) continue;
    const std::string name = "--" + dashed(info.name);
    if (info.type == "flag") {
      command
          .add_flag_function(
              name,
              [&options, n = info.name](std::int64_t count) { set_option(options, n, count > 0 ? "true" : "false"); },
              help_of(info))
          ->group(group);
    } else {
      command
          .add_option_function<std::string>(
              name, [&options, n = info.name](const std::string& text) { set_option(options, n, text); }, help_of(info))
          ->group(group)
          ->type_name(info.type == "integer"   ? "N"
                      : info.type == "number"  ? "X"
                      : info.type == "numbers" ? "X,X,..."
                                               : info.type);
    }
  }
}

}  // namespace

void FitArguments::add_to(CLI::App& command) {
  const auto columns = [&](const char* name, std::vector<std::string>& values, const char* meaning) {
    command.add_option(name, values, meaning)->type_name("COLUMN")->allow_extra_args(false);
  };
  columns("-t,--target", fit.columns.targets,
          "What to predict: a column's name, its number from 1, or last; repeatable");
  columns("--ignore", fit.columns.ignore, "A column to leave out; repeatable");
  columns("--id", fit.columns.ids,
          "A column that only identifies rows: no input, but copied to predictions; repeatable");
  command
      .add_option("--valid-fraction", fit.valid_fraction,
                  "Share of the rows, drawn by seed, that choose the size of the network")
      ->type_name("X");
  add_list(command, describe_encoder_options(), fit.encoder, "How columns become inputs",
           [](const OptionInfo&) { return false; });
  add_list(command, describe_options(), fit.train, "Training", [&](const OptionInfo& info) {
    if (info.name != "r") return false;
    command.add_option("--r", r_, help_of(info) + " With SCN-III and SCN-I: the same as --r-ladder")
        ->group("Training")
        ->type_name("X");
    return true;
  });
}

void FitArguments::finish() {
  if (!r_.empty()) {
    const bool ladder = fit.train.method == Method::scn3 || fit.train.method == Method::scn1;
    set_option(fit.train, ladder ? "r_ladder" : "r", r_);
  }
  validate(fit.train);
  validate(fit.encoder);
}

std::vector<std::string> canonical_arguments(int argc, char** argv) {
  std::map<std::string, std::string> matlab;
  for (const OptionInfo& o : describe_options())
    if (!o.matlab_name.empty() && o.matlab_name != "r") matlab["--" + o.matlab_name] = "--" + dashed(o.name);
  std::vector<std::string> arguments;
  bool only_values = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    only_values = only_values || argument == "--";
    if (!only_values && argument.starts_with("--")) {
      const std::size_t end = std::min(argument.find('='), argument.size());
      std::string name = argument.substr(0, end);
      if (const auto alias = matlab.find(name); alias != matlab.end()) name = alias->second;
      argument = dashed(name) + argument.substr(end);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

// --- memory --------------------------------------------------------------------------------------------------------
std::uint64_t bytes_from_text(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  static const std::map<std::string, double> kUnits = {{"", 1},     {"k", 1e3},  {"K", 1e3},  {"M", 1e6},
                                                       {"G", 1e9},  {"T", 1e12}, {"kB", 1e3}, {"KB", 1e3},
                                                       {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
  const auto factor = kUnits.find(unit);
  const double bytes = factor == kUnits.end() ? -1 : number * factor->second;
  if (error != std::errc{} || !(bytes >= 1 || bytes == 0) || bytes > 9e18)
    throw UsageError(fmt::format("'{}' is no amount of memory: expected a number, with k, M, G or T behind it", text));
  return static_cast<std::uint64_t>(bytes);
}

std::uint64_t available_memory() {
  std::uint64_t available = 0;
  std::ifstream memory("/proc/meminfo");
  for (std::string word; memory >> word;)
    if (word == "MemAvailable:") {
      memory >> available;
      available *= 1024;
      break;
    }
  std::uint64_t limit = 0, used = 0;  // of the container we may live in
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit && std::ifstream("/sys/fs/cgroup/memory.current") >> used &&
      limit > used)
    available = available == 0 ? limit - used : std::min(available, limit - used);
  return available;
}

}  // namespace sconet::cli
