#include "kernels/dispatch.hpp"

#include <stdexcept>
#include <string>

namespace sconet {
namespace {

bool runs_here(Isa isa) {
  switch (isa) {
    case Isa::automatic:
    case Isa::portable: return true;
#if defined(SCONET_X86_LEVELS)
    case Isa::v2: return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case Isa::v3:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2");
    case Isa::v4:
      return runs_here(Isa::v3) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
#endif
    default: return false;
  }
}

std::string level_name(Isa isa) {
  TrainOptions options;
  options.isa = isa;
  return option_text(options, "isa");
}

}  // namespace

std::vector<Isa> available_levels() {
  std::vector<Isa> levels;
  for (const Isa isa : {Isa::portable, Isa::v2, Isa::v3, Isa::v4})
    if (runs_here(isa)) levels.push_back(isa);
  return levels;
}

const kernels::Kernels& select_kernels(Isa isa) {
  if (isa == Isa::automatic) isa = available_levels().back();
  if (!runs_here(isa))
    throw std::invalid_argument("option isa = " + level_name(isa) + ": this processor's best level is " +
                                select_kernels(Isa::automatic).name + "; leave isa at auto to use it");
  switch (isa) {
#if defined(SCONET_X86_LEVELS)
    case Isa::v2: return kernels::x86_64_v2();
    case Isa::v3: return kernels::x86_64_v3();
    case Isa::v4: return kernels::x86_64_v4();
#endif
    default: return kernels::portable();
  }
}

}  // namespace sconet
