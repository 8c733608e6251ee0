// `sconet predict` and `sconet evaluate`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
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

  void add_to(CLI::App& command) {
    command.add_option("MODEL", model, "The model file")->required();
    command.add_option("DATA", data, "The table; - is standard input. Columns are found by name, others ignored")
        ->required();
    command.add_option("--threads", threads, "Threads; 0: one per processor")
        ->type_name("N")
        ->check(CLI::Range(0, 4096).description(""))
        ->capture_default_str();
    table.add_to(command);
  }
};

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
  const Eigen::MatrixXd Y = m.predict(rows, threads, &notes);
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
  for (const TargetColumn& target : m.encoder().targets()) text += csv_field(target.name) + ',';
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

int Evaluate::run() {
  const Model m = Model::load(model);
  const Encoder& encoder = m.encoder();
  const Table rows = read_table(data, encoder.table_options(table.options()));
  EncodeNotes notes;
  const Eigen::MatrixXd P = m.predict(rows, threads, &notes), Y = encoder.targets(rows, all_rows(rows));
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
  json["warnings"] = warnings;
  print(verbosity, json, text);
  return kOk;
}

}  // namespace

void add_predict(CLI::App& app, Commands& commands) {
  auto predict = std::make_shared<Predict>();
  auto* command = app.add_subcommand("predict", "Predict the target of each row of a table, as CSV");
  predict->add_to(*command);
  command->add_option("-o,--output", predict->output, "Where the predictions go (standard output)")->type_name("FILE");
  command->add_flag("-q,--quiet", predict->verbosity.quiet, "No messages but errors");
  commands[command] = [predict] { return predict->run(); };
}

void add_evaluate(CLI::App& app, Commands& commands) {
  auto evaluate = std::make_shared<Evaluate>();
  auto* command = app.add_subcommand("evaluate", "Compare a model's predictions with the targets of a table");
  evaluate->add_to(*command);
  evaluate->verbosity.add_to(*command);
  commands[command] = [evaluate] { return evaluate->run(); };
}

}  // namespace sconet::cli
