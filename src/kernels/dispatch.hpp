// Which kernels run on this processor.
#pragma once

#include <vector>

#include "kernels/kernels.hpp"
#include "sconet/options.hpp"

namespace sconet {

// The kernels of a level; Isa::automatic gives the best one of this processor. Throws std::invalid_argument for a level
// that this processor or this build does not have.
const kernels::Kernels& select_kernels(Isa isa);

// Every level this processor can run, the plainest first.
std::vector<Isa> available_levels();

inline kernels::Act kernel_activation(Activation a) { return static_cast<kernels::Act>(a); }
static_assert(static_cast<int>(Activation::relu) == static_cast<int>(kernels::Act::relu) &&
              static_cast<int>(Activation::gaussian) == static_cast<int>(kernels::Act::gaussian) &&
              static_cast<int>(Activation::sin) == static_cast<int>(kernels::Act::sin) &&
              static_cast<int>(Activation::tanh) == static_cast<int>(kernels::Act::tanh));

}  // namespace sconet
