// An explanation as JSON and as a table, for the commands that have one to show.
#pragma once

#include "output.hpp"

namespace sconet::cli {

Json to_json(const Explanation& explanation, const Encoder& encoder);

// Columns by their importance, the most important first, with a bar for each.
std::string importance_table(const Explanation& explanation);

// For each column, in the same order, from where to where predictions go.
std::string effects_table(const Explanation& explanation, const Encoder& encoder);

}  // namespace sconet::cli
