// Clocks and the machine's own limit.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/thread_pool.hpp"
#include "kernels/kernels.hpp"

namespace sconet::bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Shortest of the times f takes, over at least `least` runs and about `seconds` in all.
template <class F>
double shortest(F&& f, double seconds = 1.0, int least = 3) {
  double best = 1e300;
  const double end = now() + seconds;
  for (int run = 0; run < least || now() < end; ++run) {
    const double start = now();
    f();
    best = std::min(best, now() - start);
  }
  return best;
}

// Floating-point operations per second of independent multiply-adds in registers, all threads at once.
inline double fma_peak(const kernels::Kernels& kernels, ThreadPool& pool) {
  constexpr long kRounds = 2'000'000;
  double flops = 0;
  std::vector<double> sink(static_cast<std::size_t>(pool.size()));
  const double seconds = shortest(
      [&] {
        pool.run(pool.size(), [&](Index i, int) {
          double per_round = 0;
          sink[static_cast<std::size_t>(i)] = kernels.multiply_add_loop(kRounds, &per_round);
          if (i == 0) flops = per_round;
        });
      },
      0.03);
  return flops * static_cast<double>(kRounds) * pool.size() / seconds;
}

struct Share {
  double seconds = 0;  // of one call
  double peak = 0;     // operations per second
  double share = 0;    // of the peak
};

// The share of the multiply-add peak at which f does its `flops` operations. The clock of a processor wanders, so peak
// and f are measured in turns, and the median turn counts.
template <class F>
Share share_of_peak(F&& f, double flops, const kernels::Kernels& kernels, ThreadPool& pool, int turns, double seconds) {
  std::vector<Share> all;
  double before = fma_peak(kernels, pool);
  for (int turn = 0; turn < turns; ++turn) {
    Share s;
    s.seconds = shortest(f, seconds, 1);
    const double after = fma_peak(kernels, pool);
    s.peak = (before + after) / 2;
    s.share = flops / s.seconds / s.peak;
    before = after;
    all.push_back(s);
  }
  std::sort(all.begin(), all.end(), [](const Share& a, const Share& b) { return a.share < b.share; });
  return all[all.size() / 2];
}

}  // namespace sconet::bench
