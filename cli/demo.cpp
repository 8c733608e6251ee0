// `sconet demo`: RMPI-SCN against SCN-III on a function the program makes itself.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "output.hpp"
#include "study/results.hpp"

namespace sconet::cli {
namespace {

double rmse(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return std::sqrt((a - b).squaredNorm() / static_cast<double>(a.rows()));
}

struct Contestant {
  std::string name;
  TrainOptions options;
  std::vector<double> train, test, seconds, nodes;
  std::vector<NodeRecord> history;  // of the first run
};

Contestant contestant(std::string name, Method method, std::int64_t nodes, std::int64_t threads) {
  Contestant c;
  c.name = std::move(name);
  c.options.method = method;
  c.options.max_nodes = nodes;
  c.options.candidates = 100;
  c.options.scales = {0.5, 1, 5, 10, 30, 50, 100, 150, 200, 250};
  c.options.threads = threads;
  return c;
}

// Training error against nodes on a logarithmic axis, one letter per method.
std::string curves(const std::vector<Contestant>& contestants) {
  constexpr int kHeight = 12, kWidth = 60;
  double low = 1e300, high = 0;
  Index nodes = 1;
  for (const auto& c : contestants)
    for (const auto& n : c.history) {
      low = std::min(low, n.train_rmse);
      high = std::max(high, n.train_rmse);
      nodes = std::max(nodes, n.nodes);
    }
  const double bottom = std::floor(std::log10(low) * 2) / 2, top = std::ceil(std::log10(high) * 2) / 2;
  std::vector<std::string> grid(kHeight, std::string(kWidth, ' '));
  for (const auto& c : contestants)
    for (const auto& n : c.history) {
      const double share = (std::log10(n.train_rmse) - bottom) / std::max(top - bottom, 1e-9);
      const auto row = static_cast<std::size_t>(std::lround((1 - share) * (kHeight - 1)));
      const auto column = static_cast<std::size_t>((n.nodes - 1) * (kWidth - 1) / std::max<Index>(nodes - 1, 1));
      char& cell = grid[row][column];
      cell = cell == ' ' || cell == c.name.front() ? c.name.front() : '*';
    }
  std::string s;
  for (int row = 0; row < kHeight; ++row) {
    const double value = std::pow(10.0, top - (top - bottom) * row / (kHeight - 1));
    s += fmt::format("  {:>8} |{}\n", row % 3 == 0 || row == kHeight - 1 ? fmt::format("{:.1e}", value) : "",
                     grid[static_cast<std::size_t>(row)]);
  }
  s += fmt::format("  {:>8} +{}\n  {:>8}  1{:>{}}  nodes\n", "", std::string(kWidth, '-'), "", nodes, kWidth - 1);
  return s;
}

// The table and the picture as text.
std::string demo(std::int64_t runs, std::int64_t threads) {
  if (runs < 1) throw UsageError(fmt::format("--runs {}: expected at least 1", runs));
  // Node counts as in the paper's Table 3.
  std::vector<Contestant> contestants = {contestant("RMPI-SCN", Method::rmpi, 45, threads),
                                         contestant("SCN-III", Method::scn3, 58, threads)};
  const Dataset data = generate_db1();
  Split split;
  std::string instructions;
  int used = 0;
  for (std::int64_t run = 1; run <= runs; ++run) {
    split = split_622(data, static_cast<std::uint64_t>(run));
    for (Contestant& c : contestants) {
      c.options.seed = static_cast<std::uint64_t>(run);
      auto [network, report] = train(split.train.X, split.train.Y, c.options);
      c.train.push_back(report.train_rmse);
      c.test.push_back(rmse(network.predict(split.test.X), split.test.Y));
      c.seconds.push_back(report.seconds);
      c.nodes.push_back(static_cast<double>(network.nodes()));
      instructions = report.instructions;
      used = report.threads;
      if (run == 1) c.history = std::move(report.history);
    }
  }

  std::string s = fmt::format(
      "\nDB1: {} points of  f(x) = 0.2 exp(-(10x-4)^2) + 0.5 exp(-(80x-40)^2) + 0.3 exp(-(80x-20)^2)\n"
      "{} training and {} test rows; mean of {} run{} with new splits and seeds; {} thread{}, {} kernels\n\n",
      data.X.rows(), split.train.X.rows(), split.test.X.rows(), runs, runs == 1 ? "" : "s", used, used == 1 ? "" : "s",
      instructions);
  s += fmt::format("  {:<10} {:>6}   {:^20}   {:^20}   {:>9}   {:^19}\n", "method", "nodes", "training RMSE",
                   "test RMSE", "seconds", "paper's test RMSE");
  s += "  " + std::string(98, '-') + '\n';
  const char* paper[] = {"1.6e-03", "3.2e-03"};
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const Contestant& c = contestants[i];
    const study::Spread train = study::spread(c.train), test = study::spread(c.test);
    s += fmt::format("  {:<10} {:>6.0f}   {:>8.1e} +- {:<8.1e}   {:>8.1e} +- {:<8.1e}   {:>9.3f}   {:^19}\n", c.name,
                     study::spread(c.nodes).mean, train.mean, train.std, test.mean, test.std,
                     study::spread(c.seconds).mean, paper[i]);
  }
  const double ratio = study::spread(contestants[1].test).mean / study::spread(contestants[0].test).mean;
  s += fmt::format("\n  RMPI-SCN's test error is {:.1f} times {} than SCN-III's.\n", ratio >= 1 ? ratio : 1 / ratio,
                   ratio >= 1 ? "smaller" : "larger");
  s += "\n  Training RMSE as the first network of each grows (R: RMPI-SCN, S: SCN-III, *: both)\n\n" +
       curves(contestants);
  return s;
}

}  // namespace

void add_demo(CLI::App& app, Commands& commands) {
  struct Demo {
    std::int64_t runs = 10, threads = 0;
  };
  auto what = std::make_shared<Demo>();
  auto* command = app.add_subcommand("demo", "Train RMPI-SCN and SCN-III on a generated function and compare them");
  command->add_option("--runs", what->runs, "Runs to average over")->type_name("N")->capture_default_str();
  command->add_option("--threads", what->threads, "Threads; 0: one per processor")
      ->type_name("N")
      ->capture_default_str();
  commands[command] = [what] {
    print(demo(what->runs, what->threads));
    return kOk;
  };
}

}  // namespace sconet::cli
