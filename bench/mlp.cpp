// MLP-BP: how fast its gradient is, which first weights do best, and L-BFGS against the Levenberg-Marquardt of Ceres.
//
//   bench_mlp [TABLE.csv TARGET]      the table, if given, beside the generated problems

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/mlp.hpp"
#include "kernels/dispatch.hpp"
#include "measure.hpp"
#include "sconet/encoder.hpp"
#include "sconet/generators.hpp"
#include "sconet/table.hpp"
#include "sconet/train.hpp"
#include "setting.hpp"

#if defined(SCONET_BENCH_CERES)
#include <ceres/ceres.h>
#endif

namespace sconet::bench {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Task {
  std::string name;
  Index nodes;
  MatrixXd X, Y, X_test, Y_test;
  double seconds;  // the longest run
};

// Inputs to [0, 1] as the encoder does it, and every fifth row kept for testing.
Task task(std::string name, Index nodes, MatrixXd X, const MatrixXd& Y, double seconds) {
  for (Index k = 0; k < X.cols(); ++k) {
    const double low = X.col(k).minCoeff(), range = X.col(k).maxCoeff() - low;
    X.col(k) = (X.col(k).array() - low) / (range > 0 ? range : 1);
  }
  std::vector<Index> teach, test;
  for (Index i = 0; i < X.rows(); ++i) (i % 5 == 2 ? test : teach).push_back(i);
  return {std::move(name),     nodes,  X(teach, Eigen::all), Y(teach, Eigen::all), X(test, Eigen::all),
          Y(test, Eigen::all), seconds};
}

double rmse(const Network& network, const MatrixXd& X, const MatrixXd& Y) {
  return (Y - network.predict(X)).norm() / std::sqrt(static_cast<double>(Y.rows()));
}

TrainOptions options(const Task& t, std::int64_t iterations, std::uint64_t seed = 1) {
  TrainOptions o;
  o.method = Method::mlp;
  o.max_nodes = t.nodes;
  o.iterations = iterations;
  o.threads = 1;
  o.seed = seed;
  return o;
}

void gradient_speed() {
  fmt::print(
      "The gradient: 12757 rows, 81 inputs, 50 nodes, sigmoid; 4 n d L operations, the activation not counted\n\n");
  fmt::print("{:>10} {:>8} {:>9} {:>9} {:>9} {:>7}\n", "level", "threads", "ms", "GFLOP/s", "peak", "share");
  const auto p = setting_problem(12757, 81);
  for (const Isa isa : available_levels())
    for (const int threads : {1, 2}) {
      const auto& kernels = select_kernels(isa);
      ThreadPool pool(threads);
      Engine engine(kernels, kernels::Act::sigmoid, pool);
      const Tiles tiles(p.X, p.Y, {}, 0);
      MlpObjective objective(engine, tiles, 50, {});
      const VectorXd theta = testing::random_matrix(objective.size(), 1, 1);
      VectorXd gradient;
      const double flops = 4.0 * 12757 * 81 * 50;
      const Share s = share_of_peak([&] { objective(theta, gradient); }, flops, kernels, pool, 5, 0.1);
      fmt::print("{:>10} {:>8} {:>9.2f} {:>9.1f} {:>9.1f} {:>7.3f}\n", kernels.name, threads, s.seconds * 1e3,
                 flops / s.seconds * 1e-9, s.peak * 1e-9, s.share);
    }
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

void first_weights(const std::vector<Task>& tasks) {
  fmt::print("\nFirst weights: RMSE after 300 iterations, median of 9 seeds\n\n");
  fmt::print("{:>14} {:>14} {:>10} {:>10}\n", "problem", "rule", "training", "test");
  for (const Task& t : tasks)
    for (const MlpStart start : {MlpStart::nguyen_widrow, MlpStart::glorot}) {
      std::vector<double> train, test;
      for (std::uint64_t seed = 1; seed <= 9; ++seed) {
        const TrainResult r = train_mlp(t.X, t.Y, options(t, 300, seed), {}, start);
        train.push_back(r.report.train_rmse);
        test.push_back(rmse(r.network, t.X_test, t.Y_test));
      }
      fmt::print("{:>14} {:>14} {:>10.4g} {:>10.4g}\n", t.name,
                 start == MlpStart::nguyen_widrow ? "Nguyen-Widrow" : "Glorot", median(train), median(test));
    }
}

struct Point {
  double seconds, train, test;
};

std::vector<Point> by_lbfgs(const Task& t) {
  TrainOptions o = options(t, 1'000'000);
  o.patience = 0;
  o.time_limit = t.seconds;
  const TrainResult r = train(t.X, t.Y, o, {.X_valid = t.X_test, .Y_valid = t.Y_test});
  if (std::abs(rmse(r.network, t.X_test, t.Y_test) - r.report.valid_rmse) > 1e-9 * r.report.valid_rmse)
    throw std::runtime_error("the network does not have the error it reports");
  std::vector<Point> points;
  for (const NodeRecord& n : r.report.history) points.push_back({n.seconds, n.train_rmse, n.valid_rmse});
  return points;
}

#if defined(SCONET_BENCH_CERES)

// All residuals as one block, with the Jacobian of the sigmoid network: theta as in core/mlp.hpp.
class Residuals final : public ceres::CostFunction {
 public:
  explicit Residuals(const Task& t)
      : t_(t), scale_(std::sqrt(static_cast<double>(t.Y.rows())) / (t.Y.array() - t.Y.mean()).matrix().norm()) {
    set_num_residuals(static_cast<int>(t.Y.rows()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(t.nodes * (t.X.cols() + 2) + 1));
  }
  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    const Index n = t_.X.rows(), d = t_.X.cols(), block = d + 2, P = t_.nodes * block + 1;
    const double* theta = parameters[0];
    Eigen::Map<VectorXd> e(residuals, n);
    e = ((VectorXd::Constant(n, theta[P - 1]) - t_.Y.col(0)) * scale_).eval();
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const bool wanted = jacobians != nullptr && jacobians[0] != nullptr;
    Eigen::Map<RowMajor> J(wanted ? jacobians[0] : nullptr, wanted ? n : 0, wanted ? P : 0);
    for (Index j = 0; j < t_.nodes; ++j) {
      const double* w = theta + j * block;
      const VectorXd z = (t_.X * Eigen::Map<const VectorXd>(w + 1, d)).array() + w[0];
      const VectorXd h = 1 / (1 + (-z.array()).exp());
      e += h * (w[1 + d] * scale_);
      if (!wanted) continue;
      const VectorXd felt = h.array() * (1 - h.array()) * (w[1 + d] * scale_);
      J.col(j * block) = felt;
      J.middleCols(j * block + 1, d) = t_.X.array().colwise() * felt.array();
      J.col(j * block + 1 + d) = h * scale_;
    }
    if (wanted) J.col(P - 1).setConstant(scale_);
    return true;
  }

 private:
  const Task& t_;
  double scale_;  // to targets of variance 1: the solver's smallest damping is a fixed number
};

std::vector<Point> by_levenberg_marquardt(const Task& t) {
  // The same start: one that has not taken a step.
  TrainOptions o = options(t, 1);
  o.time_limit = 1e-9;
  const Network first = train(t.X, t.Y, o).network;
  const Index d = t.X.cols(), block = d + 2;
  VectorXd theta(t.nodes * block + 1);
  const auto network = [&] {
    MatrixXd W(d, t.nodes), beta(t.nodes, 1);
    VectorXd b(t.nodes);
    for (Index j = 0; j < t.nodes; ++j) {
      b[j] = theta[j * block];
      W.col(j) = theta.segment(j * block + 1, d);
      beta(j, 0) = theta[j * block + 1 + d];
    }
    return Network(W, b, beta, theta.tail(1), Activation::sigmoid);
  };
  for (Index j = 0; j < t.nodes; ++j) {
    theta[j * block] = first.biases()[j];
    theta.segment(j * block + 1, d) = first.weights().col(j);
    theta[j * block + 1 + d] = first.output_weights()(j, 0);
  }
  theta[theta.size() - 1] = first.intercept()[0];

  ceres::Problem problem;
  problem.AddResidualBlock(new Residuals(t), nullptr, theta.data());
  ceres::Solver::Options solver;
  solver.linear_solver_type = theta.size() < 200 ? ceres::DENSE_QR : ceres::DENSE_NORMAL_CHOLESKY;
  solver.num_threads = 1;
  solver.max_num_iterations = 1'000'000;
  solver.max_solver_time_in_seconds = t.seconds;
  solver.function_tolerance = 1e-9;
  solver.update_state_every_iteration = true;
  solver.logging_type = ceres::SILENT;
  struct Watch final : ceres::IterationCallback {
    std::vector<Point> points;
    std::function<Point(double)> point;
    ceres::CallbackReturnType operator()(const ceres::IterationSummary& s) override {
      if (s.iteration > 0) points.push_back(point(s.cumulative_time_in_seconds));
      return ceres::SOLVER_CONTINUE;
    }
  } watch;
  watch.point = [&](double seconds) {
    const Network now = network();
    return Point{seconds, rmse(now, t.X, t.Y), rmse(now, t.X_test, t.Y_test)};
  };
  solver.callbacks.push_back(&watch);
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &problem, &summary);
  return watch.points;
}

#endif

void show(const Task& t, const char* solver, const std::vector<Point>& points) {
  for (const double share : {0.1, 0.3, 1.0}) {
    const Point* last = nullptr;
    for (const Point& p : points)
      if (p.seconds <= share * t.seconds * 1.02) last = &p;
    const auto made = last == nullptr ? 0 : last - points.data() + 1;
    if (last == nullptr)
      fmt::print("{:>14} {:>22} {:>8.3g} {:>10} {:>10} {:>10}\n", t.name, solver, share * t.seconds, 0, "-", "-");
    else
      fmt::print("{:>14} {:>22} {:>8.3g} {:>10} {:>10.4g} {:>10.4g}\n", t.name, solver, share * t.seconds, made,
                 last->train, last->test);
  }
}

void solvers(const std::vector<Task>& tasks) {
  fmt::print("\nError after so many seconds, one thread, seed 1, no early stopping\n\n");
  fmt::print("{:>14} {:>22} {:>8} {:>10} {:>10} {:>10}\n", "problem", "solver", "seconds", "iterations", "training",
             "test");
  for (const Task& t : tasks) {
    show(t, "L-BFGS", by_lbfgs(t));
#if defined(SCONET_BENCH_CERES)
    show(t, "Levenberg-Marquardt", by_levenberg_marquardt(t));
#endif
  }
}

Task table_task(const std::string& path, const std::string& target) {
  const Table table = read_table(path, {});
  std::vector<Index> rows(static_cast<std::size_t>(table.rows));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<std::string> warnings;
  ColumnChoice columns;
  columns.targets = {target};
  const Encoder encoder = Encoder::fit(table, columns, {}, rows, warnings);
  const MatrixXd X = encoder.inputs(table, rows), Y = encoder.targets(table, rows);
  const Index n = std::min<Index>(X.rows(), 12757);
  std::vector<Index> some(static_cast<std::size_t>(n));  // spread over the table, which may be sorted
  for (Index i = 0; i < n; ++i) some[static_cast<std::size_t>(i)] = i * X.rows() / n;
  return task("table", 50, X(some, Eigen::all), Y(some, Eigen::all), 20);
}

}  // namespace
}  // namespace sconet::bench

int main(int argc, char** argv) {
  using namespace sconet;
  using namespace sconet::bench;
  const Dataset db1 = generate_db1(), friedman = generate_friedman(4000);
  const auto large = setting_problem(12757, 81);
  std::vector<Task> tasks = {task("DB1", 20, db1.X, db1.Y, 2), task("Friedman", 30, friedman.X, friedman.Y, 4),
                             task("12757 x 81", 50, large.X, large.Y, 20)};
  if (argc == 3) tasks.push_back(table_task(argv[1], argv[2]));
  gradient_speed();
  first_weights(tasks);
  solvers(tasks);
  return 0;
}
