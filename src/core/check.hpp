// Refuses data that training cannot use, with a sentence that says where it is and what to do.
#pragma once

#include "sconet/train.hpp"

namespace sconet {

// Throws std::invalid_argument.
void check_data(MatrixView X, MatrixView Y, const TrainExtras& extras);

// e with 2^(e-1) <= max |Y| < 2^e over the rows whose weight is not zero (`weights` may be empty), or 0 when Y is zero.
int exponent_of_largest(MatrixView Y, MatrixView weights = {});

}  // namespace sconet
