// The table of a study, as CSV for programs and as Markdown for people.
#pragma once

#include <string>

#include "study/results.hpp"

namespace sconet::study {

std::string table_csv(const Results& results);
std::string table_md(const Results& results);
std::string table_text(const Results& results);  // narrower, for a terminal

}  // namespace sconet::study
