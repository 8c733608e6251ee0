// The built program, run as a user runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/folder.hpp"

namespace sconet::testing {

struct Ran {
  int exit = -1;                // exit code, or 128 + the signal that killed it
  bool killed = false;          // by a signal
  std::string out;              // standard output
  std::string err;              // standard error
  std::int64_t peak_bytes = 0;  // never below what this process had at the moment of the fork
};

struct How {
  std::string input = {};                                             // standard input
  std::string folder = {};                                            // working folder
  std::string out_path = {};                                          // standard output goes there instead of Ran::out
  std::string err_path = {};                                          // standard error goes there instead of Ran::err
  std::function<void()> in_child = {};                                // before the program starts: limits, user
  std::vector<std::pair<std::string, std::string>> environment = {};  // beside what this process has
  // Called with all of standard error so far whenever there is more; may send signals to the process.
  std::function<void(const std::string& so_far, int process)> on_error_output = {};
};

// `sconet ARGUMENTS...`
Ran sconet(const std::vector<std::string>& arguments, const How& how = {});
Ran run(const std::vector<std::string>& command, const How& how = {});

// `sconet ARGUMENTS...` in a terminal of its own (standard error and output). `on_output` is called with everything it
// has written so far whenever there is more, and may send signals or keys: it gets the terminal's file and the process.
Ran sconet_in_terminal(const std::vector<std::string>& arguments,
                       const std::function<void(const std::string& so_far, int terminal, int process)>& on_output);

}  // namespace sconet::testing
