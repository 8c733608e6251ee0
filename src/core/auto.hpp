// Training without knobs: `method = auto`.
//
// A setting says where candidates come from: the encoding of the inputs, the family, its scale, where biases lie. Every
// setting is tried on a few rows with a small pool; the best go on to more rows and a larger pool, until the last ones
// are tried on all rows. A trial grows a path on all folds but one and looks at the fold left out, for every size and
// every ridge at once (see pool.hpp). The best setting, size and ridge then grow the network on all rows.
// docs/auto.md has the figures.
#pragma once

#include "sconet/train.hpp"

namespace sconet {

// As train(), whose checks have been made.
TrainResult train_auto(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras);

std::uint64_t auto_memory(Index rows, Index inputs, Index outputs, Index valid_rows, const TrainOptions& options);

}  // namespace sconet
