// Candidate scoring as a share of the processor's multiply-add peak, measured in the same run.
//
//   bench_kernels OUT.json

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "core/score.hpp"
#include "kernels/dispatch.hpp"
#include "measure.hpp"
#include "support/problems.hpp"

namespace sconet::bench {
namespace {

struct Size {
  Index n, d, L;
  double goal_one, goal_two;  // share of the peak on one and on two threads; 0: none stated
};

constexpr Index kCandidates = 200;
constexpr Index kOutputs = 1;

// X W + b, [E Q]'G and the norms; the activation is not counted.
double flops(const Size& s) {
  return 2.0 * static_cast<double>(s.n) * kCandidates * static_cast<double>(s.d + s.L + kOutputs + 1);
}

struct Problem {
  explicit Problem(const Size& s)
      : X(testing::random_matrix(s.n, s.d, 1)), E(testing::random_matrix(s.n, kOutputs, 2)), tiles(X, E, {}, 0) {
    for (Index k = 0; k < s.L; ++k) {
      tiles.add_column();
      const Eigen::MatrixXd q = testing::random_matrix(s.n, 1, 100 + static_cast<std::uint64_t>(k), -0.01, 0.01);
      for (Index i = 0; i < s.n; ++i) tiles.basis(i / kernels::kTileRows, i % kernels::kTileRows, k) = q(i, 0);
    }
    for (Index t = 0; t < kCandidates; ++t) candidates.push_back(draw_candidate(7, 1, 0, t, s.d, {.scale = 1.0}));
  }
  Eigen::MatrixXd X, E;
  Tiles tiles;
  std::vector<Candidate> candidates;
};

// Some candidates' sums by plain loops.
bool right(Problem& p, const BatchSums& sums, Index L) {
  const auto close = [](double a, double b, double size) { return std::abs(a - b) <= 1e-11 * size; };
  for (const Index t : {Index{0}, Index{97}, kCandidates - 1}) {
    const Candidate& c = p.candidates[static_cast<std::size_t>(t)];
    const Eigen::VectorXd h = ((p.X * c.w).array() + c.b).unaryExpr([](double z) { return 1 / (1 + std::exp(-z)); });
    const double size = h.squaredNorm();
    if (!close(sums.norm2(t), size, size) || !close(sums.eg(0, t), p.E.col(0).dot(h), size)) return false;
    for (Index k = 0; k < L; ++k) {
      double qh = 0;
      for (Index i = 0; i < h.size(); ++i)
        qh += p.tiles.basis(i / kernels::kTileRows, i % kernels::kTileRows, k) * h[i];
      if (!close(sums.qg(k, t), qh, size)) return false;
    }
  }
  return true;
}

// Batches with and without CandidateBatch::skip_zeros, in turns, on one thread; drawing and ordering are not counted.
bool compare_sparse() {
  constexpr int kTurns = 15;
  fmt::print("\nCandidates with zero weights, one thread: inputs skipped where a panel does not use them\n\n");
  fmt::print("{:>8} {:>4} {:>6} {:>14} {:>10} {:>12} {:>7}\n", "rows", "d", "nodes", "family", "all ms", "skipping ms",
             "ratio");
  const std::pair<Family, const char*> families[] = {{Family::sparse, "sparse"}, {Family::mixture, "mixture"}};
  ThreadPool pool(1);
  Engine engine(select_kernels(Isa::automatic), kernels::Act::sigmoid, pool);
  for (const Size& s : {Size{12757, 81, 20, 0, 0}, Size{12757, 81, 100, 0, 0}, Size{50000, 16, 100, 0, 0}}) {
    Problem p(s);
    for (const auto& [family, name] : families) {
      CandidateBatch all(engine.kernels), skipping(engine.kernels);
      all.resize(kCandidates, s.d);
      skipping.resize(kCandidates, s.d);
      for (Index t = 0; t < kCandidates; ++t) {
        p.candidates[static_cast<std::size_t>(t)] = draw_candidate(7, 1, 0, t, s.d, {family, 1});
        all.set(t, p.candidates[static_cast<std::size_t>(t)]);
        skipping.set(t, p.candidates[static_cast<std::size_t>(t)]);
      }
      skipping.skip_zeros(true);
      Scorer scorer(engine);
      if (!right(p, scorer.score(p.tiles, skipping, s.L), s.L)) return false;
      std::vector<double> with, without;
      for (int turn = 0; turn < kTurns; ++turn) {
        const double begin = now();
        scorer.score(p.tiles, all, s.L);
        const double middle = now();
        scorer.score(p.tiles, skipping, s.L);
        with.push_back(middle - begin);
        without.push_back(now() - middle);
      }
      std::nth_element(with.begin(), with.begin() + kTurns / 2, with.end());
      std::nth_element(without.begin(), without.begin() + kTurns / 2, without.end());
      fmt::print("{:>8} {:>4} {:>6} {:>14} {:>10.3f} {:>12.3f} {:>7.2f}\n", s.n, s.d, s.L, name, with[kTurns / 2] * 1e3,
                 without[kTurns / 2] * 1e3, without[kTurns / 2] / with[kTurns / 2]);
    }
  }
  return true;
}

int run(const std::string& out) {
  const std::vector<Size> sizes = {{12757, 81, 50, 0, 0},
                                   {12757, 81, 200, 0.75, 0.70},
                                   {12757, 81, 400, 0.75, 0.70},
                                   {900, 1, 50, 0.55, 0},
                                   {200000, 16, 100, 0.68, 0}};
  const bool two = std::thread::hardware_concurrency() >= 2;
  nlohmann::json rows = nlohmann::json::array();
  fmt::print(
      "Candidate scoring, f64, {} candidates, sigmoid. Share of the multiply-add peak measured beside each row.\n\n",
      kCandidates);
  fmt::print("{:>8} {:>4} {:>6} {:>8} {:>11} {:>10} {:>9} {:>10} {:>7} {:>6}\n", "rows", "d", "nodes", "threads",
             "level", "ms", "GFLOP/s", "peak", "share", "goal");
  for (const Size& s : sizes) {
    Problem p(s);
    for (const int threads : {1, 2}) {
      if (threads == 2 && !two) continue;
      for (const Isa isa : available_levels()) {
        if (isa == Isa::portable && available_levels().size() > 1) continue;  // on x86 it is v2's twin
        const bool best = isa == available_levels().back();
        if (!best && (threads != 1 || s.L != 200)) continue;  // lesser levels: one size tells
        ThreadPool pool(threads);
        const auto& kernels = select_kernels(isa);
        Engine engine(kernels, kernels::Act::sigmoid, pool);
        Scorer scorer(engine);
        CandidateBatch batch(kernels);
        batch.resize(kCandidates, s.d);
        for (Index t = 0; t < kCandidates; ++t) batch.set(t, p.candidates[static_cast<std::size_t>(t)]);
        if (!right(p, scorer.score(p.tiles, batch, s.L), s.L)) {
          fmt::print(stderr, "bench_kernels: wrong sums for n {} d {} nodes {} at {}\n", s.n, s.d, s.L, kernels.name);
          return 1;
        }
        const auto [seconds, peak, share] =
            share_of_peak([&] { scorer.score(p.tiles, batch, s.L); }, flops(s), kernels, pool, 15, 0.08);
        const double goal = !best ? 0 : threads == 1 ? s.goal_one : s.goal_two;
        fmt::print("{:>8} {:>4} {:>6} {:>8} {:>11} {:>10.3f} {:>9.1f} {:>10.1f} {:>7.3f} {:>6}\n", s.n, s.d, s.L,
                   threads, kernels.name, seconds * 1e3, flops(s) / seconds * 1e-9, peak * 1e-9, share,
                   goal == 0 ? "" : fmt::format("{:.2f}{}", goal, share >= goal ? "" : " missed"));
        rows.push_back({{"n", s.n},
                        {"d", s.d},
                        {"nodes", s.L},
                        {"candidates", kCandidates},
                        {"threads", threads},
                        {"isa", kernels.name},
                        {"seconds", seconds},
                        {"gflops", flops(s) / seconds * 1e-9},
                        {"peak_gflops", peak * 1e-9},
                        {"fraction_of_fma_peak", share}});
        if (goal > 0) rows.back()["goal"] = goal;
      }
    }
  }
  std::ofstream(out) << rows.dump(1) << '\n';
  if (!compare_sparse()) {
    fmt::print(stderr, "bench_kernels: wrong sums for candidates with zero weights\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace sconet::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_kernels OUT.json\n");
    return 2;
  }
  return sconet::bench::run(argv[1]);
}
