// The commands: each adds itself to the program's command line and runs when it was asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>

namespace sconet::cli {

// What each subcommand does when it was chosen; returns an exit code.
using Commands = std::map<const CLI::App*, std::function<int()>>;

void add_train(CLI::App& app, Commands& commands);
void add_predict(CLI::App& app, Commands& commands);
void add_evaluate(CLI::App& app, Commands& commands);
void add_cv(CLI::App& app, Commands& commands);
void add_explain(CLI::App& app, Commands& commands);
void add_info(CLI::App& app, Commands& commands);
void add_check(CLI::App& app, Commands& commands);
void add_generate(CLI::App& app, Commands& commands);
void add_study(CLI::App& app, Commands& commands);
void add_demo(CLI::App& app, Commands& commands);
void add_options(CLI::App& app, Commands& commands);
void add_completion(CLI::App& app, Commands& commands);
void add_man(CLI::App& app, Commands& commands);

}  // namespace sconet::cli
