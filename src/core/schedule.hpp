// r_L: what a node must achieve, |e_L|^2 <= r_L |e_{L-1}|^2, as the network grows.
#pragma once

#include <cmath>

#include "sconet/options.hpp"

namespace sconet {

// L is the number of the node being added. Both schedules rise with L.
inline double demanded_r(Schedule schedule, double r, double alpha, double L) {
  switch (schedule) {
    case Schedule::power: return std::pow(r, std::pow(1.0 + 1.0 / L, alpha));  // Eq. 47
    case Schedule::product: return std::pow(r, alpha * (1.0 + 1.0 / L));       // Eq. 45
  }
  return r;
}

// Moves r nine tenths of the way to one, `times` over: 0.9, 0.99, 0.999, ...
inline double relaxed_r(double r, int times) { return 1.0 - (1.0 - r) * std::pow(0.1, times); }

}  // namespace sconet
