// The command line described by itself: what the man page and the completions are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sconet::cli {

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; empty for a positional
  std::string positional;          // "DATA"
  std::string type;                // "FILE", "a|b|c", or empty for a flag
  std::string meaning;
  std::string group;
  std::vector<std::string> choices() const;  // of a type "a|b|c"
};

struct CommandEntry {
  std::string name, meaning;
  std::vector<OptionEntry> options;
};

std::vector<CommandEntry> command_tree(const CLI::App& app);

}  // namespace sconet::cli
