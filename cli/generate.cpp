// `sconet generate`: tables that are made, not read.

#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "output.hpp"

namespace sconet::cli {
namespace {

struct Generate {
  std::string set, output = "-";
  std::int64_t rows = 0;
  std::uint64_t seed = 1;
  double noise = 1;

  int run() const {
    Dataset data;
    const auto rows_or = [&](std::int64_t usual) { return rows > 0 ? rows : usual; };
    if (set == "db1") data = generate_db1(rows_or(1500));
    if (set == "db2") data = generate_db2(rows_or(2400), seed);
    if (set == "db2-test") data = generate_db2_test(rows_or(600));
    if (set == "friedman") data = generate_friedman(rows_or(1200), seed, noise);
    std::string text;
    for (Index k = 0; k < data.X.cols(); ++k) text += fmt::format("x{},", k + 1);
    text += "y\n";
    for (Index i = 0; i < data.X.rows(); ++i) {
      for (Index k = 0; k < data.X.cols(); ++k) {
        append_number(text, data.X(i, k));
        text += ',';
      }
      append_number(text, data.Y(i, 0));
      text += '\n';
    }
    print(text, output);
    return kOk;
  }
};

}  // namespace

void add_generate(CLI::App& app, Commands& commands) {
  auto generate = std::make_shared<Generate>();
  auto* command =
      app.add_subcommand("generate", "Make a table: DB1 and DB2 of the paper, or Friedman's function, as CSV");
  command->add_option("SET", generate->set, "db1, db2, db2-test or friedman")
      ->required()
      ->type_name("db1|db2|db2-test|friedman")
      ->check(one_of({"db1", "db2", "db2-test", "friedman"}));
  command->add_option("--rows", generate->rows, "Rows (db1: 1500, db2: 2400, db2-test: 600, friedman: 1200)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}).description(""));
  command->add_option("--seed", generate->seed, "Seed of db2 and friedman")
      ->type_name("N")
      ->check(at_least_zero())
      ->capture_default_str();
  command->add_option("--noise", generate->noise, "friedman: standard deviation of the noise")
      ->type_name("X")
      ->check(CLI::Range(0.0, 1e300).description(""))
      ->capture_default_str();
  command->add_option("-o,--output", generate->output, "Where the table goes (standard output)")->type_name("FILE");
  commands[command] = [generate] { return generate->run(); };
}

}  // namespace sconet::cli
