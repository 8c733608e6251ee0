// What an exception says.
#pragma once

#include <string>

namespace sconet::testing {

// The message of the Error that f throws, or that it threw nothing.
template <class Error, class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace sconet::testing
