// Options that several commands share, and how they become the library's options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sconet/sconet.hpp"

namespace sconet::cli {

enum Exit { kOk = 0, kFailure = 1, kUsage = 2, kData = 3, kModelFile = 4, kIo = 5, kMemory = 6, kInterrupted = 130 };

// A mistake on the command line that the parser cannot see.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Verbosity {
  bool quiet = false;
  bool json = false;
  void add_to(CLI::App& command);
};

// How tables are read.
struct TableArguments {
  std::string delimiter, quote, decimal = ".", header = "auto", format = "auto";
  std::vector<std::string> na, number, text, variables;
  void add_to(CLI::App& command);
  TableOptions options() const;
};

// What is learnt from a table and how: every option of the lists in the library, by its name with dashes.
struct FitArguments {
  FitOptions fit;
  void add_to(CLI::App& command);
  void finish();  // after parsing, before `fit` is used

 private:
  std::string r_;  // one number, or the ladder of SCN-III and SCN-I
};

// Checks whose sets and bounds the option's type or meaning tells already, so that the help does not repeat them.
CLI::Validator one_of(const std::vector<std::string>& texts);
CLI::Validator at_least_zero();
CLI::Validator is_level();  // between 0 and 1, both excluded

// "2G", "500M", "1e9" -> bytes.
std::uint64_t bytes_from_text(const std::string& text);

// What this machine can give, or 0 when that is not known.
std::uint64_t available_memory();

// `--max_nodes` and MATLAB's `--L_max` become `--max-nodes`.
std::vector<std::string> canonical_arguments(int argc, char** argv);

std::string dashed(std::string name);  // max_nodes -> max-nodes

}  // namespace sconet::cli
