// The paper's claims, checked by the runs.
#pragma once

#include <vector>

#include "study/results.hpp"

namespace sconet::study {

// The difference of two methods over the runs that both did on the same splits.
struct Paired {
  std::int64_t runs = 0;
  std::int64_t lower = 0;  // runs in which the first is lower
  double mean = 0;         // of first - second
  // The 95 % interval of the mean is mean -+ reach. The splits of the runs overlap, so the variance is that of the
  // corrected resampled t-test (Nadeau and Bengio 2003), s^2 (1/runs + test rows / training rows); a rule of thumb
  // for training errors and for test rows that are always the same.
  double reach = 0;

  bool clearly_lower() const { return mean + reach < 0; }
  bool clearly_higher() const { return mean - reach > 0; }
};

Paired compare(const Cell& first, const Cell& second, double (*value)(const Run&));

// The quantile t_{0.975} of Student's distribution.
double t_quantile_975(std::int64_t degrees_of_freedom);

// Every claim; those for which the study lacks sets, methods or runs are `not_tested`, and so is what was run on files
// that are not the catalogue's.
std::vector<Claim> check_claims(const Results& results);

std::string_view word(Verdict verdict);  // "holds", "holds in part", "does not hold", "not tested"

}  // namespace sconet::study
