// Ways to better or cheaper candidates, each on its own, against its own baseline: the test RMSE at equal nodes, and
// what it costs or how far the baseline gets in the same time.
//
//   bench_candidates [DIR]      the folder with the tables, or SCONET_DATA; without one only the generated sets

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/candidates.hpp"
#include "core/fit.hpp"
#include "core/pool.hpp"
#include "core/shuffle.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/philox.hpp"
#include "measure.hpp"
#include "sconet/encoder.hpp"
#include "sconet/generators.hpp"
#include "sconet/metrics.hpp"
#include "sconet/table.hpp"
#include "sconet/train.hpp"

namespace sconet::bench {
namespace {

using Eigen::MatrixXd;

constexpr int kThreads = 2;
constexpr int kSplits = 3;
constexpr int kRuns = 2;
constexpr Index kMostRows = 4000;
constexpr Index kPool = 1000;
constexpr Index kTrialPool = 333;  // for each scale that is tried
constexpr double kRankTolerance = 1e-9;
constexpr double kScales[] = {1.0 / 3, 1, 3};  // times the family's own

struct Set {
  std::string name;
  Table table;
  Index nodes = 60;
  double ridge = 1e-4;
  bool steep = false;  // one input and narrow peaks
};

// Inputs and targets as the network has them.
struct Split {
  MatrixXd X, Y, X_test, Y_test;  // Y_test in its own unit
  Encoder encoder;
  std::uint64_t seed = 0;
};

Split split(const Set& set, int number) {
  const auto seed = static_cast<std::uint64_t>(number + 1);
  std::vector<Index> rows = shuffled_rows(set.table.rows, seed);
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(kMostRows)));
  const std::size_t teach = rows.size() * 4 / 5;
  const std::span<const Index> all(rows), train = all.first(teach), test = all.subspan(teach);
  ColumnChoice choice;
  choice.targets = {"last"};
  EncoderOptions options;
  options.scaling = Scaling::standard;
  options.clip = true;
  std::vector<std::string> warnings;
  Split s;
  s.encoder = Encoder::fit(set.table, choice, options, train, warnings);
  s.X = s.encoder.inputs(set.table, train);
  s.Y = s.encoder.scale_targets(s.encoder.targets(set.table, train));
  s.X_test = s.encoder.inputs(set.table, test);
  s.Y_test = s.encoder.targets(set.table, test);
  s.seed = seed;
  return s;
}

// A fifth of the training rows held out to choose by.
Split held_out(const Split& s) {
  const Index teach = s.X.rows() * 4 / 5, rest = s.X.rows() - teach;
  return {s.X.topRows(teach),
          s.Y.topRows(teach),
          s.X.bottomRows(rest),
          s.encoder.unscale_targets(s.Y.bottomRows(rest)),
          s.encoder,
          s.seed};
}

// Scales as `auto` has them for standardised inputs: w'x has a size of its own whatever the number d of inputs.
Draw draw_of(const Set& set, const Split& s, Family family, double times = 1, Bias bias = Bias::row) {
  const auto d = static_cast<double>(s.X.cols());
  double scale = 1;
  switch (family) {
    case Family::uniform: scale = set.steep ? 60 : 1.5 * std::sqrt(3 / d); break;
    case Family::cauchy: scale = set.steep ? 30 : 2 / d; break;
    case Family::sparse: scale = set.steep ? 60 : 1.5; break;
    case Family::sparse_cauchy: scale = set.steep ? 30 : 1.2; break;
    case Family::mixture: scale = set.steep ? 60 : 1; break;
  }
  return {family, times * scale, bias, 4};
}

Family usual_family(const Set& set) { return set.steep ? Family::uniform : Family::sparse_cauchy; }

// Candidate i is drawn as draws[i mod their number] says.
std::vector<Candidate> draw_pool(const Split& s, std::span<const Draw> draws, Index count) {
  const Anchors anchors{MatrixView(s.X)};
  std::vector<Candidate> pool;
  pool.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    pool.push_back(
        draw_candidate(s.seed, 1, 0, i, s.X.cols(), draws[static_cast<std::size_t>(i) % draws.size()], anchors));
  return pool;
}

std::vector<Candidate> draw_pool(const Split& s, const Draw& draw, Index count) {
  return draw_pool(s, std::span(&draw, 1), count);
}

struct Result {
  double rmse = 0, seconds = 0, nodes = 0;
};

Result& operator+=(Result& sum, const Result& r) {
  sum.rmse += r.rmse / kSplits;
  sum.seconds += r.seconds / kSplits;
  sum.nodes += r.nodes / kSplits;
  return sum;
}

// Of two runs of the same: the one that has come further, or else the shorter one.
Result less_disturbed(const Result& a, const Result& b) {
  return b.nodes > a.nodes || (b.nodes == a.nodes && b.seconds < a.seconds) ? b : a;
}

double test_rmse(const Split& s, const Network& network) {
  return measure(s.Y_test, s.encoder.unscale_targets(network.predict(s.X_test, kThreads))).rmse;
}

struct Grown {
  std::vector<Candidate> nodes;
  PathFit::Layer layer;
  double train_rmse = 0;  // of standardised targets

  Network network() const {
    MatrixXd W(nodes.front().w.size(), static_cast<Index>(nodes.size()));
    Eigen::VectorXd b(W.cols());
    for (Index j = 0; j < W.cols(); ++j) {
      W.col(j) = nodes[static_cast<std::size_t>(j)].w;
      b[j] = nodes[static_cast<std::size_t>(j)].b;
    }
    return {std::move(W), std::move(b), layer.weights, layer.intercept, Activation::sigmoid};
  }
};

// Of all sets, and of all but the first: DB1 has no noise, and errors so small that its ratio outweighs the others.
std::string geometric_means(std::span<const double> ratios) {
  const auto mean = [](std::span<const double> some) {
    double logs = 0;
    for (const double ratio : some) logs += std::log(ratio);
    return std::exp(logs / static_cast<double>(some.size()));
  };
  return fmt::format("{:.3f} ({:.3f})", mean(ratios), mean(ratios.subspan(1)));
}

class Bench {
 public:
  explicit Bench(std::vector<Set> sets) : sets_(std::move(sets)) {
    for (const Set& set : sets_) {
      auto& own = splits_.emplace_back();
      own.reserve(kSplits);
      for (int i = 0; i < kSplits; ++i) own.push_back(split(set, i));
    }
  }

  void verify();
  void chance();
  void recycled_pool();
  void five_folds();
  void biases_on_rows();
  void shared_scales();
  void refined_winners();
  void families();

 private:
  Grown grow(const Set& set, const Split& s, std::span<const Candidate> pool) {
    return grow(set, sum_pool(engine_, pool_tiles(s.X, s.Y, {}), pool), pool);
  }
  static Grown grow(const Set& set, const PoolSums& sums, std::span<const Candidate> pool) {
    const double penalty = set.ridge * sums.weight;
    const Path path = grow_path(sums, penalty, set.nodes, kRankTolerance);
    const PathFit fit(sums, path.order, penalty);
    Grown grown;
    grown.nodes.reserve(path.order.size());
    for (const Index i : std::span(path.order).first(static_cast<std::size_t>(fit.nodes())))
      grown.nodes.push_back(pool[static_cast<std::size_t>(i)]);
    grown.layer = fit.layer(fit.nodes());
    grown.train_rmse = std::sqrt(fit.squares(fit.nodes()) / sums.weight);
    return grown;
  }

  // The network that make() grows, with the time it takes.
  template <class Make>
  Result timed(const Split& s, Make&& make) {
    const double start = now();
    const Grown grown = make();
    const double seconds = now() - start;
    return {test_rmse(s, grown.network()), seconds, static_cast<double>(grown.nodes.size())};
  }
  Result from_pool(const Set& set, const Split& s, std::span<const Draw> draws, Index count) {
    return timed(s, [&] { return grow(set, s, draw_pool(s, draws, count)); });
  }
  Result from_pool(const Set& set, const Split& s, const Draw& draw, Index count) {
    return from_pool(set, s, std::span(&draw, 1), count);
  }

  // The best of the three scales on rows held out, then a whole pool of it; the seconds are of both.
  Result from_best_scale(const Set& set, const Split& s, Family family) {
    const double start = now();
    const Split trial = held_out(s);
    Draw best;
    double least = HUGE_VAL;
    for (const double times : kScales) {
      const Draw draw = draw_of(set, s, family, times);
      const double error = test_rmse(trial, grow(set, trial, draw_pool(trial, draw, kTrialPool)).network());
      if (error < least) {
        least = error;
        best = draw;
      }
    }
    const double choice = now() - start;
    Result r = from_pool(set, s, best, kPool);
    r.seconds += choice;
    return r;
  }

  // measure(set, split) gives results in the order of the columns.
  template <class Measure>
  std::vector<std::vector<Result>> means(std::size_t columns, Measure&& measure, int runs = kRuns) {
    std::vector<std::vector<Result>> table(sets_.size(), std::vector<Result>(columns));
    for (std::size_t i = 0; i < sets_.size(); ++i)
      for (const Split& s : splits_[i]) {
        std::vector<Result> row = measure(sets_[i], s);
        for (int run = 1; run < runs; ++run) {
          const std::vector<Result> again = measure(sets_[i], s);
          for (std::size_t k = 0; k < columns; ++k) row[k] = less_disturbed(row[k], again[k]);
        }
        for (std::size_t k = 0; k < columns; ++k) table[i][k] += row[k];
      }
    return table;
  }

  void compare(const std::string& title, const std::string& baseline, const std::string& variant,
               const std::vector<std::vector<Result>>& table, std::size_t base, std::size_t other) const;

  std::vector<Set> sets_;
  std::vector<std::vector<Split>> splits_;
  ThreadPool threads_{kThreads};
  Engine engine_{select_kernels(Isa::automatic), kernel_activation(Activation::sigmoid), threads_};
};

void Bench::compare(const std::string& title, const std::string& baseline, const std::string& variant,
                    const std::vector<std::vector<Result>>& table, std::size_t base, std::size_t other) const {
  fmt::print("\n{}\n\n| set | {} | {} | ratio | nodes | seconds |\n|---|---|---|---|---|---|\n", title, baseline,
             variant);
  std::vector<double> ratios;
  ratios.reserve(sets_.size());
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const Result &a = table[i][base], &b = table[i][other];
    ratios.push_back(b.rmse / a.rmse);
    fmt::print("| {} | {:.4g} | {:.4g} | {:.3f} | {:.0f}, {:.0f} | {:.3f}, {:.3f} |\n", sets_[i].name, a.rmse, b.rmse,
               ratios.back(), a.nodes, b.nodes, a.seconds, b.seconds);
  }
  fmt::print("| geometric mean (without DB1) | | | {} | | |\n", geometric_means(ratios));
}

// Sums over a pool must leave the error that an orthonormal basis of the same nodes leaves.
void Bench::verify() {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const Set& set = sets_[i];
    const Split& s = splits_[i].front();
    const Grown grown = grow(set, s, draw_pool(s, draw_of(set, s, usual_family(set)), kPool));
    Tiles tiles(s.X, s.Y, {}, 0);
    Refit fit(engine_, tiles, 1e-14, set.ridge, Beside{true, false});
    for (const Candidate& node : grown.nodes) fit.append(node, {});
    const double exact = std::sqrt(fit.residual2().sum() / tiles.weight_sum());
    const MatrixXd P = grown.network().predict(s.X, kThreads);
    const double made = (s.Y - P).norm() / std::sqrt(static_cast<double>(P.rows()));
    for (const double error : {grown.train_rmse, made})
      if (!(std::abs(error - exact) <= 1e-6 * exact))
        throw std::runtime_error(
            fmt::format("{}: {} from the pool's sums, but {} from a refit of the same nodes", set.name, error, exact));
  }
}

// What chance alone does: the same pool from another seed.
void Bench::chance() {
  const auto table = means(2, [&](const Set& set, const Split& s) {
    Split other = s;
    other.seed += 1000;
    const Draw draw = draw_of(set, s, usual_family(set));
    return std::vector<Result>{from_pool(set, s, draw, kPool), from_pool(set, other, draw, kPool)};
  });
  fmt::print(
      "\n## Chance\n\nA pool of {} against one from another seed: ratios closer to one than these say nothing.\n",
      kPool);
  compare("Equal nodes:", "one seed", "another", table, 0, 1);
}

TrainOptions fresh_options(const Set& set, const Split& s, const Draw& draw, std::int64_t nodes, double limit) {
  TrainOptions o;
  o.method = Method::rmpi;
  o.family = draw.family;
  o.bias = draw.bias;
  o.scales = {draw.scale};
  o.candidates = 100;
  o.r = 0.9;
  o.when_exhausted = WhenExhausted::best;
  o.ridge = set.ridge;
  o.intercept = true;
  o.max_nodes = nodes;
  o.time_limit = limit;
  o.threads = kThreads;
  o.seed = s.seed;
  return o;
}

// Five folds, each held out once: fresh candidates train anew for each, a pool takes the fold's sums away.
void Bench::five_folds() {
  constexpr Index kFolds = 5;
  const auto table = means(2, [&](const Set& set, const Split& s) {
    const Draw draw = draw_of(set, s, usual_family(set));
    std::vector<Split> folds(kFolds, s);
    for (Index f = 0; f < kFolds; ++f) {
      std::vector<Index> out, rest;
      for (Index i = 0; i < s.X.rows(); ++i) (i % kFolds == f ? out : rest).push_back(i);
      Split& fold = folds[static_cast<std::size_t>(f)];
      fold.X = s.X(rest, Eigen::all);
      fold.Y = s.Y(rest, Eigen::all);
      fold.X_test = s.X(out, Eigen::all);
      fold.Y_test = s.encoder.unscale_targets(s.Y(out, Eigen::all));
    }
    Result fresh, pool;
    const auto add = [&](Result& sum, double rmse, Index nodes) {
      sum.rmse += rmse / kFolds;
      sum.nodes += static_cast<double>(nodes) / kFolds;
    };
    double start = now();
    for (const Split& fold : folds) {
      const Network network = train(fold.X, fold.Y, fresh_options(set, s, draw, set.nodes, 0)).network;
      add(fresh, test_rmse(fold, network), network.nodes());
    }
    fresh.seconds = now() - start;

    start = now();
    const std::vector<Candidate> candidates = draw_pool(s, draw, kPool);
    std::vector<PoolSums> parts;
    parts.reserve(kFolds);
    for (const Split& fold : folds) {
      const MatrixXd Y = s.encoder.scale_targets(fold.Y_test);
      parts.push_back(sum_pool(engine_, pool_tiles(fold.X_test, Y, {}), candidates));
    }
    PoolSums all = parts.front();
    for (std::size_t f = 1; f < parts.size(); ++f) all.add(parts[f], 1);
    for (std::size_t f = 0; f < parts.size(); ++f) {
      PoolSums sums = all;
      sums.add(parts[f], -1);
      const Grown grown = grow(set, sums, candidates);
      add(pool, test_rmse(folds[f], grown.network()), static_cast<Index>(grown.nodes.size()));
    }
    pool.seconds = now() - start;
    return std::vector<Result>{fresh, pool};
  });
  fmt::print(
      "\nSums over rows add up, so that {} folds, each held out once, need the sums over a pool once, and fresh "
      "candidates\n"
      "as many trainings. RMSE on the rows held out.\n",
      kFolds);
  compare(fmt::format("{} folds, equal nodes:", kFolds), "fresh", "pool", table, 0, 1);
}

void Bench::recycled_pool() {
  const auto measure = [&](const Set& set, const Split& s) {
    const Draw draw = draw_of(set, s, usual_family(set));
    const auto fresh = [&](std::int64_t nodes, double limit) {
      const double start = now();
      const TrainResult r = train(s.X, s.Y, fresh_options(set, s, draw, nodes, limit));
      const double seconds = now() - start;
      return Result{test_rmse(s, r.network), seconds, static_cast<double>(r.network.nodes())};
    };
    Result pool = from_pool(set, s, draw, kPool);
    for (int run = 1; run < 4; ++run) pool = less_disturbed(pool, from_pool(set, s, draw, kPool));
    Result in_time = fresh(300, pool.seconds);
    for (int run = 1; run < kRuns; ++run) in_time = less_disturbed(in_time, fresh(300, pool.seconds));
    if (in_time.nodes < 5) in_time = fresh(5, 0);
    Set as_many = set;
    as_many.nodes = static_cast<Index>(in_time.nodes);
    return std::vector<Result>{less_disturbed(fresh(set.nodes, 0), fresh(set.nodes, 0)), in_time, pool,
                               from_pool(as_many, s, draw, kPool)};
  };
  const auto table = means(4, measure, 1);
  fmt::print(
      "\n## A recycled pool\n\nBaseline: RMPI-SCN with 100 fresh candidates for each node. Variant: {} drawn once.\n",
      kPool);
  compare("Equal nodes:", "fresh", "pool", table, 0, 2);
  compare("Equal time: fresh candidates for as long as the pool takes, up to 300 nodes.", "fresh", "pool", table, 1, 2);
  compare("The same, and the pool takes as many nodes, which costs it next to nothing.", "fresh", "pool", table, 1, 3);
}

void Bench::biases_on_rows() {
  const auto table = means(4, [&](const Set& set, const Split& s) {
    std::vector<Result> row;
    row.reserve(4);
    for (const Family family : {Family::uniform, Family::sparse_cauchy})
      for (const Bias bias : {Bias::uniform, Bias::row})
        row.push_back(from_pool(set, s, draw_of(set, s, family, 1, bias), kPool));
    return row;
  });
  fmt::print("\n## Biases on data rows\n\nA pool of {}; both draw at the same cost, so equal nodes are equal time.\n",
             kPool);
  compare("Family uniform:", "bias uniform", "bias row", table, 0, 1);
  compare("Family sparse_cauchy:", "bias uniform", "bias row", table, 2, 3);
}

void Bench::shared_scales() {
  const auto table = means(2, [&](const Set& set, const Split& s) {
    std::vector<Draw> draws;
    draws.reserve(std::size(kScales));
    for (const double times : kScales) draws.push_back(draw_of(set, s, usual_family(set), times));
    return std::vector<Result>{from_best_scale(set, s, usual_family(set)), from_pool(set, s, draws, kPool)};
  });
  fmt::print(
      "\n## Scales that growth picks\n\nBaseline: the best of three scales on a fifth of the training rows, then a "
      "pool of {} of it. Variant: the three\n"
      "share a pool of {}. The choice costs three pools of {}, which the baseline's seconds include: the variant\n"
      "is the cheaper one.\n",
      kPool, kPool, kTrialPool);
  compare("Equal nodes:", "best scale", "shared", table, 0, 1);
}

// Copy `copy` of a node: its weights and the place of its slope moved a little, around the training row that is nearest
// to where it crosses one half. Inputs it does not use stay unused.
Candidate perturbed(const Split& s, const Candidate& node, Index number, Index copy) {
  const auto normal = [&](Index i) {  // Box-Muller
    const auto u = philox4x32(
        {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(copy), static_cast<std::uint32_t>(number), 0x5eed},
        {static_cast<std::uint32_t>(s.seed), 0});
    const double a = (signed_unit(u[0], u[1]) + 1) / 2, b = signed_unit(u[2], u[3]);
    return std::sqrt(-2 * std::log(a)) * std::cos(std::numbers::pi * b);
  };
  Index anchor = 0;
  ((s.X * node.w).array() + node.b).abs().minCoeff(&anchor);
  const double size = node.w.norm();
  Candidate moved = node;
  for (Index k = 0; k < node.w.size(); ++k)
    if (node.w[k] != 0) moved.w[k] = node.w[k] * std::exp(0.3 * normal(2 * k)) + 0.1 * size * normal(2 * k + 1);
  moved.b = 0.1 * size * normal(2 * node.w.size()) - s.X.row(anchor).dot(moved.w);
  return moved;
}

void Bench::refined_winners() {
  constexpr Index kFirst = 500, kCopies = 8;
  const auto table = means(3, [&](const Set& set, const Split& s) {
    const Draw draw = draw_of(set, s, usual_family(set));
    const Index second = kFirst + kCopies * set.nodes;
    const Result refined = timed(s, [&] {
      std::vector<Candidate> pool = draw_pool(s, draw, kFirst);
      const Grown first = grow(set, s, pool);
      pool.reserve(static_cast<std::size_t>(second));
      for (std::size_t j = 0; j < first.nodes.size(); ++j)
        for (Index copy = 0; copy < kCopies; ++copy)
          pool.push_back(perturbed(s, first.nodes[j], static_cast<Index>(j), copy));
      return grow(set, s, pool);
    });
    // Sums cost the square of the pool.
    const auto equal = static_cast<Index>(std::sqrt(static_cast<double>(kFirst * kFirst + second * second)));
    return std::vector<Result>{from_pool(set, s, draw, second), from_pool(set, s, draw, equal), refined};
  });
  fmt::print(
      "\n## Winners refined by local search\n\nVariant: growth from {} candidates, then again from these and {} moved "
      "copies of each node it took. Baseline: a\n"
      "pool drawn at once.\n",
      kFirst, kCopies);
  compare("Equal nodes and candidates (980; DB1 860):", "at once", "refined", table, 0, 2);
  compare("Equal time, in which a pool of 1100 (DB1 994) can be summed:", "at once", "refined", table, 1, 2);
}

void Bench::families() {
  const std::vector<std::pair<const char*, Family>> all = {{"uniform", Family::uniform},
                                                           {"cauchy", Family::cauchy},
                                                           {"sparse", Family::sparse},
                                                           {"sparse_cauchy", Family::sparse_cauchy},
                                                           {"mixture", Family::mixture}};
  const auto table = means(all.size(), [&](const Set& set, const Split& s) {
    std::vector<Result> row;
    row.reserve(all.size());
    for (const auto& [name, family] : all) row.push_back(from_best_scale(set, s, family));
    return row;
  });
  fmt::print(
      "\n## Families\n\nEach with the best of three scales on a fifth of the training rows and a pool of {} of it; in "
      "brackets the ratio to\n"
      "uniform. Seconds include the choice.\n\n| set |",
      kPool);
  for (const auto& [name, family] : all) fmt::print(" {} |", name);
  fmt::print(" seconds |\n|---|");
  for (std::size_t k = 0; k <= all.size(); ++k) fmt::print("---|");
  std::vector<std::vector<double>> ratios(all.size());
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    fmt::print("\n| {} |", sets_[i].name);
    std::string seconds;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double ratio = table[i][k].rmse / table[i][0].rmse;
      ratios[k].push_back(ratio);
      fmt::print(" {:.4g} ({:.3f}) |", table[i][k].rmse, ratio);
      seconds += fmt::format("{}{:.2f}", k == 0 ? " " : ", ", table[i][k].seconds);
    }
    fmt::print("{} |", seconds);
  }
  fmt::print("\n| geometric mean (without DB1) |");
  for (const auto& of_family : ratios) fmt::print(" {} |", geometric_means(of_family));
  fmt::print(" |\n");
}

Table table_of(const Dataset& data) {
  MatrixXd both(data.X.rows(), data.X.cols() + data.Y.cols());
  both << data.X, data.Y;
  return make_table(both);
}

std::vector<Set> sets_in(const std::string& folder) {
  std::vector<Set> sets;
  sets.push_back({"DB1", table_of(generate_db1()), 45, 1e-10, true});
  sets.push_back({"Friedman", table_of(generate_friedman())});
  if (folder.empty()) return sets;
  for (const char* name : {"concrete", "stock", "wizmir", "ccpp", "delta_ail", "house"}) {
    const auto path = std::filesystem::path(folder) / (std::string(name) + ".csv");
    if (std::filesystem::exists(path))
      sets.push_back({name, read_table(path.string())});
    else
      fmt::print(stderr, "There is no {}; going on without.\n", path.string());
  }
  return sets;
}

}  // namespace
}  // namespace sconet::bench

int main(int argc, char** argv) {
  using namespace sconet::bench;
  try {
    const char* given = std::getenv("SCONET_DATA");
    const double start = now();
    Bench bench(sets_in(argc > 1 ? argv[1] : given != nullptr ? given : ""));
    bench.verify();
    fmt::print(
        "Test RMSE in the target's own unit, mean of {} splits 80:20; at most {} rows of a table; 60 nodes, ridge 1e-4 "
        "(DB1: 45\n"
        "nodes, 1e-10); {} threads. A ratio below one is for the variant. Pairs of nodes and seconds: baseline, "
        "variant.\n",
        kSplits, kMostRows, kThreads);
    bench.chance();
    bench.recycled_pool();
    bench.five_folds();
    bench.biases_on_rows();
    bench.shared_scales();
    bench.refined_winners();
    bench.families();
    fmt::print(stderr, "{:.0f} seconds in all\n", now() - start);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_candidates: {}\n", e.what());
    return 1;
  }
  return 0;
}
