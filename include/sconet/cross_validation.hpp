// How well a model fitted so would predict rows it has not seen.
#pragma once

#include <string>
#include <vector>

#include "sconet/model.hpp"

namespace sconet {

struct FoldResult {
  Metrics train;  // on the rows that taught
  Metrics test;   // on the fold, which did not
  Index nodes = 0;
  double seconds = 0;
  StopReason stop_reason = StopReason::not_run;
  std::vector<std::string> warnings;
};

// Deals the rows that have a target into `folds` parts by options.train.seed, fits a model to all parts but number
// `fold` (from 0), encoder and all, and measures it on that one. With a valid_fraction, validation rows are drawn from
// those that are left. Throws as Model::fit does, and DataError when there are fewer rows than folds.
FoldResult cross_validate_fold(const Table& table, const FitOptions& options, Index fold, Index folds,
                               const FitExtras& extras = {});

}  // namespace sconet
