// What can be wrong with a file. The messages are written for the person who has to put it right: they name the file,
// the place in it, what was found there, and what to do. A caller's mistake that has nothing to do with a file is a
// std::invalid_argument.
#pragma once

#include <stdexcept>

namespace sconet {

// A table that was read but cannot be used: "data.csv:7:3: 'abc' in column 'temp' is not a number".
class DataError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that is no sound model.
class ModelFileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that cannot be opened, read or written.
class IoError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace sconet
