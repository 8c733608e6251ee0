// A study as it might come out, for the tests of what is made of it.
#pragma once

#include "study/page.hpp"
#include "study/results.hpp"

namespace sconet::testing {

struct SampleStudy {
  study::Results results;
  std::vector<study::Claim> claims;
  std::vector<study::Figure> figures;
  study::PageFacts facts;

  std::string page() const { return study::page(results, claims, figures, facts); }
};

// Numbers like those of the paper's Table 3, slightly changed; and with it a user's table of a long name, a method that
// ran on one set alone and values that are not numbers.
SampleStudy sample_study();

// The same, of a single set.
SampleStudy sample_of_one_set();

inline const std::string kAwkwardPath =
    "/home/user/m\u00fcller & s\u00f6hne/<b>\"plant "
    "7\"</b>/measurements_of_the_debutanizer_column_2023-2024_cleaned_and_resampled.csv";

}  // namespace sconet::testing
