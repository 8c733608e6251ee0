// The figures the paper reports.
#pragma once

#include <optional>
#include <string_view>

#include "study/results.hpp"

namespace sconet::study {

// Of a set ("DB1") and a method ("rmpi"), if the paper has them. Its RVFL draws from (-1, 1).
std::optional<PaperRow> paper_row(std::string_view set, std::string_view method);

}  // namespace sconet::study
