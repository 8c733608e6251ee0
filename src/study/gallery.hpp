// The figures of a study: those of the paper for which it has the sets and methods.
#pragma once

#include <vector>

#include "study/results.hpp"
#include "study/sets.hpp"

namespace sconet::study {

// Trains some networks on DB1 again to draw what they predict.
std::vector<Figure> paper_figures(const Results& results, const std::vector<StudySet>& sets);

}  // namespace sconet::study
