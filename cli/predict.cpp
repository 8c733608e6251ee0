// `sconet predict` and `sconet evaluate`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "commands.hpp"
#include "output.hpp"

namespace sconet::cli {
namespace {

// A model and a table for it.
struct Application {
  std::string model, data;
  std::int64_t threads = 0;
  TableArguments table;
  Verbosity verbosity;
  double level = 0;  // of the intervals; 0: none are asked for
  std::string kind;  // empty: what the model does best

  std::optional<IntervalKind> interval_kind() const {
    if (kind.empty()) return {};
    return kind == "local" ? IntervalKind::local : IntervalKind::constant;
  }

  void add_to(CLI::App& command, const char* interval_meaning) {
    command.add_option("MODEL", model, "The model file")->required();
    command.add_option("DATA", data, "The table; - is standard input. Columns are found by name, others ignored")
        ->required();
    command.add_option("--threads", threads, "Threads; 0: one per processor")
        ->type_name("N")
        ->check(CLI::Range(0, 4096).description(""))
        ->capture_default_str();
    auto* interval = command.add_option("--interval", level, interval_meaning)->type_name("LEVEL")->check(is_level());
    command
        .add_option("--interval-kind", kind,
                    "As wide for every row, or wider where the model's errors were larger (local, if the model can)")
        ->type_name("constant|local")
        ->check(one_of({"constant", "local"}))
        ->needs(interval);
    table.add_to(command);
  }
};

// Predictions, with bounds if they were asked for.
IntervalPrediction predict(const Application& a, const Model& model, const Table& rows, EncodeNotes& notes) {
  if (a.level == 0) return {model.predict(rows, a.threads, &notes), {}, {}};
  return model.predict_interval(rows, a.level, a.interval_kind(), a.threads, &notes);
}

struct Predict : Application {
  std::string output = "-";
  int run();
};

int Predict::run() {
  if (output.empty()) throw UsageError("-o '': expected the name of a file");
  for (const auto& [path, is] : {std::pair{data, "the table"}, std::pair{model, "the model"}})
    if (same_file(path, output))
      throw UsageError(fmt::format("{}: is {}; the predictions need a file of their own", path, is));
  const Model m = Model::load(model);
  const Table rows = read_table(data, m.encoder().table_options(table.options()));
  EncodeNotes notes;
  const IntervalPrediction p = predict(*this, m, rows, notes);
  const Eigen::MatrixXd& Y = p.mean;
  warn(verbosity, rows.warnings);
  warn(verbosity, notes.sentences());
  Index overflown = 0, first = -1;
  for (Index i = 0; i < Y.rows(); ++i)
    if (!Y.row(i).allFinite() && overflown++ == 0) first = i;
  if (overflown > 0)
    warn(verbosity,
         {fmt::format("{} prediction{} not a finite number, the first for {}: are these rows far from what the "
                      "model was trained on?",
                      overflown, overflown == 1 ? " is" : "s are", rows.place(first, 0))});

  std::vector<const Column*> id_columns;
  std::string text;
  for (const std::string& id : m.encoder().ids()) {
    const auto found =
        std::find_if(rows.columns.begin(), rows.columns.end(), [&](const Column& c) { return c.name == id; });
    if (found == rows.columns.end()) {
      warn(verbosity, {fmt::format("{} has no column '{}', an identifier: it is left out", rows.source, id)});
      continue;
    }
    id_columns.push_back(&*found);
    text += csv_field(id) + ',';
  }
  for (const TargetColumn& target : m.encoder().targets()) {
    text += csv_field(target.name) + ',';
    if (level > 0) text += csv_field(target.name + "_low") + ',' + csv_field(target.name + "_high") + ',';
  }
  text.back() = '\n';
  for (Index i = 0; i < Y.rows(); ++i) {
    for (const Column* id : id_columns) {
      const auto row = static_cast<std::size_t>(i);
      if (id->type == ColumnType::number)
        append_number(text, id->numbers[row]);
      else if (id->codes[row] >= 0)
        text += csv_field(id->levels[static_cast<std::size_t>(id->codes[row])]);
      text += ',';
    }
    for (Index q = 0; q < Y.cols(); ++q) {
      append_number(text, Y(i, q));
      text += ',';
      if (level == 0) continue;
      append_number(text, p.low(i, q));
      text += ',';
      append_number(text, p.high(i, q));
      text += ',';
    }
    text.back() = '\n';
  }
  print(text, output);
  if (output != "-") say(verbosity, fmt::format("{}: {} predictions", output, Y.rows()));
  return kOk;
}

struct Evaluate : Application {
  int run();
};

// How many of the targets lie in their intervals, and how wide these are.
void add_intervals(const Application& a, const Model& model, const Eigen::MatrixXd& Y, const IntervalPrediction& p,
                   const std::vector<Index>& rows, Json& json, std::string& text) {
  const IntervalKind kind = a.interval_kind().value_or(model.intervals()->best_kind());
  json["interval"] = {{"level", a.level}, {"kind", name(kind)}, {"targets", Json::object()}};
  text += fmt::format("\n{:<12} {:>9} {:>9} {:>12}\n", "intervals", "level", "coverage", "mean width");
  for (Index q = 0; q < Y.cols(); ++q) {
    Index inside = 0;
    double width = 0;
    for (const Index i : rows) {
      inside += Y(i, q) >= p.low(i, q) && Y(i, q) <= p.high(i, q) ? 1 : 0;
      width += p.high(i, q) - p.low(i, q);
    }
    const auto n = static_cast<double>(rows.size());
    const double coverage = static_cast<double>(inside) / n;
    const std::string& target = model.encoder().targets()[static_cast<std::size_t>(q)].name;
    json["interval"]["targets"][target] = {{"coverage", coverage}, {"mean_width", width / n}};
    text += fmt::format("{:<12} {:>9} {:>9.4f} {:>12.5g}\n", target, a.level, coverage, width / n);
  }
}

int Evaluate::run() {
  const Model m = Model::load(model);
  const Encoder& encoder = m.encoder();
  const Table rows = read_table(data, encoder.table_options(table.options()));
  EncodeNotes notes;
  const IntervalPrediction p = predict(*this, m, rows, notes);
  const Eigen::MatrixXd &P = p.mean, Y = encoder.targets(rows, all_rows(rows));
  std::vector<Index> known;
  for (Index i = 0; i < Y.rows(); ++i)
    if (!Y.row(i).hasNaN()) known.push_back(i);
  if (known.empty()) throw DataError(fmt::format("{}: no row has a target to compare with", rows.source));
  std::vector<std::string> warnings = rows.warnings;
  for (auto& sentence : notes.sentences()) warnings.push_back(std::move(sentence));
  if (const auto without = Y.rows() - static_cast<Index>(known.size()); without > 0)
    warnings.push_back(fmt::format("{} row{} without a target left out", without, without == 1 ? "" : "s"));
  warn(verbosity, warnings);
  const Eigen::MatrixXd Yk = Y(known, Eigen::all), Pk = P(known, Eigen::all);
  const Metrics all = measure(Yk, Pk);
  Json json = to_json(all);
  std::string text = metrics_header();
  text += metrics_line(Y.cols() == 1 ? encoder.targets().front().name : "all targets", all);
  if (Y.cols() > 1)
    for (Index q = 0; q < Y.cols(); ++q) {
      const std::string& name = encoder.targets()[static_cast<std::size_t>(q)].name;
      const Metrics one = measure(Yk.col(q), Pk.col(q));
      text += metrics_line(name, one);
      json["targets"][name] = to_json(one);
    }
  if (level > 0) add_intervals(*this, m, Y, p, known, json, text);
  json["warnings"] = warnings;
  print(verbosity, json, text);
  return kOk;
}

}  // namespace

void add_predict(CLI::App& app, Commands& commands) {
  auto predict = std::make_shared<Predict>();
  auto* command = app.add_subcommand("predict", "Predict the target of each row of a table, as CSV");
  predict->add_to(*command, "Add the bounds TARGET_low and TARGET_high that hold this share of the targets, as 0.9");
  command->add_option("-o,--output", predict->output, "Where the predictions go (standard output)")->type_name("FILE");
  command->add_flag("-q,--quiet", predict->verbosity.quiet, "No messages but errors");
  commands[command] = [predict] { return predict->run(); };
}

void add_evaluate(CLI::App& app, Commands& commands) {
  auto evaluate = std::make_shared<Evaluate>();
  auto* command = app.add_subcommand("evaluate", "Compare a model's predictions with the targets of a table");
  evaluate->add_to(*command,
                   "Also tell how many targets lie in their intervals of this level, as 0.9, and how wide they are");
  evaluate->verbosity.add_to(*command);
  commands[command] = [evaluate] { return evaluate->run(); };
}

}  // namespace sconet::cli
