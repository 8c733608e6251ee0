// `sconet demo`: RMPI-SCN against SCN-III on a function the program makes itself.
#pragma once

#include <cstdint>
#include <string>

namespace sconet::cli {

// The table and the picture as text. Throws std::invalid_argument for a bad argument.
std::string demo(std::int64_t runs, std::int64_t threads);

}  // namespace sconet::cli
