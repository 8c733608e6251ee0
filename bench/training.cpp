// Whole training runs: share of the multiply-add bound, against the literal recursion, how time grows, and memory.
//
//   bench_training OUT.json

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/candidates.hpp"
#include "kernels/dispatch.hpp"
#include "measure.hpp"
#include "sconet/train.hpp"
#include "setting.hpp"

namespace sconet::bench {
namespace {

using nlohmann::json;

int processors() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

// Scoring of all batches, and Gram-Schmidt (one projection with, one without the sums for the next: 6 n L).
double flops(Index n, Index d, const TrainReport& report, Index candidates) {
  double total = 0;
  for (const NodeRecord& r : report.history) {
    const auto L = static_cast<double>(r.nodes - 1);
    total +=
        2.0 * static_cast<double>(n) * static_cast<double>(candidates * r.batches) * (static_cast<double>(d) + L + 2);
    total += 6.0 * static_cast<double>(n) * L;
  }
  return total;
}

// The network reaches the residual that its report claims, which never grows.
bool right(const testing::Problem& p, const TrainResult& r, Index nodes) {
  const double rmse = std::sqrt((p.Y - r.network.predict(p.X)).squaredNorm() / static_cast<double>(p.Y.rows()));
  double before = r.report.initial_rmse;
  for (const NodeRecord& n : r.report.history) {
    if (n.train_rmse > before * (1 + 1e-12)) return false;
    before = n.train_rmse;
  }
  return r.network.nodes() == nodes && std::abs(rmse - r.report.train_rmse) <= 1e-6 * rmse;
}

json whole_run() {
  constexpr Index n = 12757, d = 81, nodes = 300, candidates = 200;
  const auto p = setting_problem(n, d);
  fmt::print("\nA whole RMPI-SCN run: {} rows, {} inputs, {} nodes, {} candidates, two batches a node\n\n", n, d, nodes,
             candidates);
  fmt::print("{:>8} {:>9} {:>9} {:>9} {:>9} {:>7} {:>6}\n", "threads", "seconds", "GFLOP", "GFLOP/s", "peak", "share",
             "goal");
  json rows = json::array();
  for (const int threads : {1, 2}) {
    if (threads > processors()) continue;
    TrainOptions o = setting(d, nodes, candidates);
    o.threads = threads;
    ThreadPool pool(threads);
    const auto& kernels = select_kernels(Isa::automatic);
    const TrainResult r = train(p.X, p.Y, o);
    if (!right(p, r, nodes)) throw std::runtime_error("the network does not have the residual it reports");
    const double work = flops(n, d, r.report, candidates);
    const auto [seconds, peak, share] = share_of_peak([&] { train(p.X, p.Y, o); }, work, kernels, pool, 3, 0.0);
    fmt::print("{:>8} {:>9.3f} {:>9.0f} {:>9.1f} {:>9.1f} {:>7.3f} {:>6}\n", threads, seconds, work * 1e-9,
               work / seconds * 1e-9, peak * 1e-9, share, share >= 0.65 ? "0.65" : "0.65 missed");
    rows.push_back({{"n", n},
                    {"d", d},
                    {"nodes", nodes},
                    {"candidates", candidates},
                    {"threads", threads},
                    {"isa", kernels.name},
                    {"seconds", seconds},
                    {"peak_gflops", peak * 1e-9},
                    {"fraction_of_fma_peak", share},
                    {"goal", 0.65}});
  }
  return rows;
}

json run_reference(Index n, Index d, Index nodes, Index candidates) {
  const std::string command = fmt::format("'{}' {} {} {} {}", SCONET_BENCH_REFERENCE, n, d, nodes, candidates);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return json::parse(text);
}

json against_reference() {
  struct Size {
    Index n, d, nodes, candidates;
  };
  fmt::print(
      "\nAgainst the literal recursion (Greville, Eigen's matrix products, -march=native, same draws), one thread\n\n");
  fmt::print("{:>8} {:>4} {:>6} {:>11} {:>11} {:>10} {:>7} {:>12}\n", "rows", "d", "nodes", "candidates", "literal s",
             "sconet s", "ratio", "same nodes");
  json rows = json::array();
  for (const Size s : {Size{900, 1, 20, 100}, Size{4277, 5, 60, 100}, Size{12757, 81, 120, 200}}) {
    const auto p = setting_problem(s.n, s.d);
    TrainOptions o = setting(s.d, s.nodes, s.candidates);
    o.threads = 1;
    const TrainResult r = train(p.X, p.Y, o);
    const json literal = run_reference(s.n, s.d, s.nodes, s.candidates);
    // The same draws, so the same nodes, for as long as the recursion holds; there the residuals agree.
    Index same = 0;
    for (; same < r.network.nodes(); ++same) {
      const auto& choice = literal["choices"][static_cast<std::size_t>(same)];
      const Index batch = choice[0], t = choice[1];
      const auto c =
          draw_candidate(o.seed, same + 1, batch, t, s.d, {.scale = o.scales[static_cast<std::size_t>(batch)]});
      if (c.w != r.network.weights().col(same)) break;
      const double e2 =
          std::pow(r.report.history[static_cast<std::size_t>(same)].train_rmse, 2) * static_cast<double>(s.n);
      const double theirs = literal["residual2"][static_cast<std::size_t>(same)];
      if (std::abs(e2 - theirs) > 1e-6 * e2) break;
    }
    if (same < 5) throw std::runtime_error("the engine and the literal recursion part before the fifth node");
    const double seconds = shortest([&] { train(p.X, p.Y, o); }, 0.0, 2);
    const double ratio = literal["seconds"].get<double>() / seconds;
    fmt::print("{:>8} {:>4} {:>6} {:>11} {:>11.3f} {:>10.3f} {:>7.1f} {:>12}\n", s.n, s.d, r.network.nodes(),
               s.candidates, literal["seconds"].get<double>(), seconds, ratio, fmt::format("{} of {}", same, s.nodes));
    rows.push_back({{"n", s.n},
                    {"d", s.d},
                    {"nodes", s.nodes},
                    {"candidates", s.candidates},
                    {"literal_seconds", literal["seconds"]},
                    {"seconds", seconds},
                    {"ratio", ratio},
                    {"same_nodes", same}});
  }
  return rows;
}

// Slope of log(time) against log(x).
double exponent(const std::vector<double>& x, const std::vector<double>& seconds) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) mx += std::log(x[i]) / n, my += std::log(seconds[i]) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (std::log(x[i]) - mx) * (std::log(seconds[i]) - my);
    xx += (std::log(x[i]) - mx) * (std::log(x[i]) - mx);
  }
  return xy / xx;
}

// Seconds that the nodes around node L took in a real training run: batches, appending and everything else. Shortest of
// two runs; the run is verified like the others.
std::vector<double> node_seconds(Index n, Index d, std::initializer_list<Index> sizes, Index T) {
  constexpr Index kWindow = 5;
  const auto p = setting_problem(n, d);
  TrainOptions o = setting(d, std::max(sizes) + kWindow, T);
  o.threads = 1;
  std::vector<double> seconds(sizes.size(), 1e300);
  for (int run = 0; run < 2; ++run) {
    const TrainResult r = train(p.X, p.Y, o);
    if (!right(p, r, o.max_nodes)) throw std::runtime_error("the network does not have the residual it reports");
    std::size_t i = 0;
    for (const Index L : sizes) {
      const auto at = [&](Index node) { return r.report.history[static_cast<std::size_t>(node - 1)].seconds; };
      seconds[i] = std::min(seconds[i], (at(L + kWindow) - at(L - kWindow)) / (2 * kWindow));
      ++i;
    }
  }
  return seconds;
}

json growth() {
  fmt::print(
      "\nHow the time of a node grows: exponent of each part of the model N * T * (d + L), goal at most 1.1\n\n");
  json rows = json::array();
  const auto report = [&](const char* what, const std::vector<Index>& values, const std::vector<double>& seconds,
                          Index offset) {
    std::vector<double> x;
    std::string times;
    for (std::size_t i = 0; i < values.size(); ++i) {
      x.push_back(static_cast<double>(values[i] + offset));
      times += fmt::format(" {}: {:.2f} ms", values[i], seconds[i] * 1e3);
    }
    const double e = exponent(x, seconds);
    fmt::print("{:>12}  exponent {:.3f}{}  {}\n", what, e, e <= 1.1 ? "" : " missed", times);
    rows.push_back({{"what", what}, {"exponent", e}, {"goal", 1.1}});
  };
  const auto sweep = [&](const char* what, const std::vector<Index>& values, Index offset, auto seconds_of) {
    std::vector<double> seconds;
    for (const Index v : values) seconds.push_back(seconds_of(v));
    report(what, values, seconds, offset);
  };
  sweep("N", {2000, 8000, 32000, 128000}, 0, [](Index v) { return node_seconds(v, 16, {50}, 96)[0]; });
  sweep("T", {24, 96, 384, 1536}, 0, [](Index v) { return node_seconds(8000, 16, {50}, v)[0]; });
  report("d + L, by L", {50, 100, 200, 400, 800}, node_seconds(8000, 16, {50, 100, 200, 400, 800}, 96), 16);
  sweep("d + L, by d", {8, 32, 128, 512}, 50, [](Index v) { return node_seconds(8000, v, {50}, 96)[0]; });
  return rows;
}

constexpr Index kMemoryRows = 1'000'000, kMemoryInputs = 16, kMemoryNodes = 100;

// Runs in a process of its own, so that the peak is its own.
int memory_child() {
  testing::Problem p{testing::random_matrix(kMemoryRows, kMemoryInputs, 1), Eigen::MatrixXd(kMemoryRows, 1)};
  for (Index i = 0; i < kMemoryRows; ++i) p.Y(i, 0) = std::sin(3 * p.X(i, 0)) + p.X(i, 1) * p.X(i, 2);
  TrainOptions o = setting(kMemoryInputs, kMemoryNodes, 24);
  o.scales = {1.0};
  return right(p, train(p.X, p.Y, o), kMemoryNodes) ? 0 : 1;
}

json memory(const char* self) {
  const pid_t child = fork();
  if (child == 0) {
    execl(self, self, "--memory-child", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) throw std::runtime_error("the memory run failed");
  const double peak = static_cast<double>(usage.ru_maxrss) * 1024;
  const double limit = 1.25 * 8 * static_cast<double>(kMemoryRows * (kMemoryInputs + kMemoryNodes + 1)) + 64e6;
  fmt::print(
      "\nMemory: {} rows, {} inputs, {} nodes: peak {:.0f} MB, the caller's own data included; goal {:.0f} MB{}\n",
      kMemoryRows, kMemoryInputs, kMemoryNodes, peak * 1e-6, limit * 1e-6, peak <= limit ? "" : " missed");
  return {
      {"n", kMemoryRows}, {"d", kMemoryInputs}, {"nodes", kMemoryNodes}, {"peak_bytes", peak}, {"goal_bytes", limit}};
}

int run(const char* self, const std::string& out) {
  json result;
  result["whole_run"] = whole_run();
  result["against_literal"] = against_reference();
  result["growth"] = growth();
  result["memory"] = memory(self);
  std::ofstream(out) << result.dump(1) << '\n';
  return 0;
}

}  // namespace
}  // namespace sconet::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_training OUT.json\n");
    return 2;
  }
  try {
    if (std::string(argv[1]) == "--memory-child") return sconet::bench::memory_child();
    return sconet::bench::run(argv[0], argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_training: {}\n", error.what());
    return 1;
  }
}
