// MLP-BP: its gradient against slow references, networks it must find, and the rules that end it.

#include "core/mlp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <optional>
#include <stop_token>

#include "kernels/dispatch.hpp"
#include "sconet/train.hpp"
#include "support/message.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Problem;
using testing::random_matrix;
using testing::smooth_problem;

struct Activated {
  double value, slope;
};

Activated activated(Activation act, double z) {
  switch (act) {
    case Activation::sigmoid: {
      const double h = 1 / (1 + std::exp(-z));
      return {h, h * (1 - h)};
    }
    case Activation::tanh: return {std::tanh(z), 1 - std::tanh(z) * std::tanh(z)};
    case Activation::sin: return {std::sin(z), std::cos(z)};
    case Activation::gaussian: return {std::exp(-z * z), -2 * z * std::exp(-z * z)};
    case Activation::relu: return {z > 0 ? z : 0, z > 0 ? 1.0 : 0.0};
  }
  return {};
}

// The objective and its gradient as the textbook writes them.
double slow_objective(const Problem& p, const VectorXd& w, Activation act, Index L, WeightDecay decay,
                      const VectorXd& theta, VectorXd& gradient) {
  const Index n = p.X.rows(), d = p.X.cols(), m = p.Y.cols(), block = d + 1 + m;
  const double total = w.sum();
  gradient = VectorXd::Zero(theta.size());
  double value = 0;
  for (Index i = 0; i < n; ++i) {
    VectorXd error = theta.tail(m) - p.Y.row(i).transpose(), h(L), slope(L);
    for (Index j = 0; j < L; ++j) {
      const Activated a = activated(act, theta[j * block] + p.X.row(i).dot(theta.segment(j * block + 1, d)));
      h[j] = a.value;
      slope[j] = a.slope;
      error += a.value * theta.segment(j * block + 1 + d, m);
    }
    value += w[i] * error.squaredNorm() / total;
    gradient.tail(m) += 2 * w[i] / total * error;
    for (Index j = 0; j < L; ++j) {
      gradient.segment(j * block + 1 + d, m) += 2 * w[i] / total * h[j] * error;
      const double felt = 2 * w[i] / total * slope[j] * error.dot(theta.segment(j * block + 1 + d, m));
      gradient[j * block] += felt;
      gradient.segment(j * block + 1, d) += felt * p.X.row(i).transpose();
    }
  }
  for (Index j = 0; j < L; ++j) {
    const auto hidden = theta.segment(j * block + 1, d), output = theta.segment(j * block + 1 + d, m);
    value += decay.hidden * hidden.squaredNorm() + decay.output * output.squaredNorm();
    gradient.segment(j * block + 1, d) += 2 * decay.hidden * hidden;
    gradient.segment(j * block + 1 + d, m) += 2 * decay.output * output;
  }
  return value;
}

TEST(MlpObjective, EqualsTheTextbookAtEveryLevelAndSize) {
  struct Size {
    Index n, d, m, L;
  };
  for (const Isa isa : available_levels())
    for (const Size s :
         {Size{1, 1, 1, 1}, Size{7, 3, 2, 5}, Size{129, 9, 1, 7}, Size{300, 13, 9, 26}, Size{2500, 4, 1, 9}})
      for (const Activation act :
           {Activation::sigmoid, Activation::tanh, Activation::sin, Activation::gaussian, Activation::relu})
        for (const bool weighted : {false, true}) {
          const Problem p = smooth_problem(s.n, s.d, s.m, 3);
          const VectorXd w = weighted ? VectorXd(random_matrix(s.n, 1, 9, 1, 3.9)) : VectorXd::Ones(s.n);
          ThreadPool pool(1);
          Engine engine(select_kernels(isa), kernel_activation(act), pool);
          const Tiles tiles(p.X, p.Y, weighted ? MatrixView(w) : MatrixView(), 0);
          const WeightDecay decay{0.01, 0.02};
          MlpObjective objective(engine, tiles, s.L, decay);
          const VectorXd theta = random_matrix(s.L * (s.d + 1 + s.m) + s.m, 1, 5);
          ASSERT_EQ(objective.size(), theta.size());
          VectorXd gradient, slow;
          const double value = objective(theta, gradient);
          const double wanted = slow_objective(p, w, act, s.L, decay, theta, slow);
          EXPECT_NEAR(value, wanted, 1e-12 * wanted);
          EXPECT_LE((gradient - slow).norm(), 1e-12 * (1 + slow.norm())) << s.n << ' ' << s.L;
        }
}

TEST(MlpObjective, HasTheGradientThatDifferencesGive) {
  const Problem p = smooth_problem(200, 3, 2, 3);
  for (const Activation act : {Activation::sigmoid, Activation::tanh, Activation::sin, Activation::gaussian}) {
    ThreadPool pool(1);
    Engine engine(select_kernels(Isa::automatic), kernel_activation(act), pool);
    const Tiles tiles(p.X, p.Y, {}, 0);
    MlpObjective objective(engine, tiles, 4, {0.01, 0.02});
    const VectorXd theta = random_matrix(objective.size(), 1, 5);
    VectorXd gradient, unused;
    objective(theta, gradient);
    for (Index i = 0; i < theta.size(); ++i) {
      const double step = 1e-5;
      VectorXd up = theta, down = theta;
      up[i] += step;
      down[i] -= step;
      const double slope = (objective(up, unused) - objective(down, unused)) / (2 * step);
      EXPECT_NEAR(gradient[i], slope, 1e-8 * (1 + std::abs(slope))) << i;
    }
  }
}

// --- training
#if defined(SCONET_WITH_LBFGSPP)

TrainOptions mlp(Index nodes, std::int64_t iterations = 200) {
  TrainOptions o;
  o.method = Method::mlp;
  o.max_nodes = nodes;
  o.iterations = iterations;
  return o;
}

double rmse(const Network& network, const MatrixXd& X, const MatrixXd& Y) {
  return (Y - network.predict(X)).norm() / std::sqrt(static_cast<double>(Y.rows()));
}

TEST(Mlp, ReportsTheErrorOfTheNetworkItReturns) {
  const Problem p = smooth_problem(400, 3, 2, 4), v = smooth_problem(100, 3, 2, 4);
  const TrainResult result = train(p.X, p.Y, mlp(8, 60), {.X_valid = v.X, .Y_valid = v.Y});
  EXPECT_EQ(result.report.method, "MLP-BP");
  EXPECT_EQ(result.network.nodes(), 8);
  EXPECT_EQ(result.network.direct().size(), 0);
  EXPECT_NEAR(result.report.train_rmse, rmse(result.network, p.X, p.Y), 1e-12);
  EXPECT_NEAR(result.report.valid_rmse, rmse(result.network, v.X, v.Y), 1e-12);
  double before = result.report.initial_rmse;
  Index step = 0;
  for (const NodeRecord& record : result.report.history) {
    EXPECT_LT(record.train_rmse, before);
    EXPECT_EQ(record.nodes, 8);
    EXPECT_EQ(record.step, ++step);
    EXPECT_GE(record.batches, 1);
    EXPECT_GT(record.score, 0);
    EXPECT_NEAR(record.score, 1 - record.train_rmse * record.train_rmse / (before * before), 1e-9);
    before = record.train_rmse;
  }
  EXPECT_NE(result.report.full().find("  <- returned"), std::string::npos);
}

TEST(Mlp, FindsANetworkOfItsOwnKind) {
  for (const Activation act : {Activation::sigmoid, Activation::tanh}) {
    Problem p{random_matrix(500, 2, 1), MatrixXd(500, 1)};
    const Network teacher(random_matrix(2, 3, 2, -3, 3), random_matrix(3, 1, 3), random_matrix(3, 1, 4, -2, 2),
                          Eigen::RowVectorXd::Constant(1, 7), act);
    p.Y = teacher.predict(p.X);
    TrainOptions o = mlp(6, 3000);
    o.activation = act;
    const TrainResult result = train(p.X, p.Y, o);
    EXPECT_LT(result.report.train_rmse, 1e-4) << result.report.brief();
    const MatrixXd other = random_matrix(200, 2, 8);
    EXPECT_LT(rmse(result.network, other, teacher.predict(other)), 1e-3);
  }
}

TEST(Mlp, FindsALinearFunction) {
  for (const Activation act : {Activation::sigmoid, Activation::tanh, Activation::sin, Activation::relu}) {
    Problem p{random_matrix(300, 3, 1), MatrixXd(300, 1)};
    p.Y = (2 * p.X.col(0) - p.X.col(1) + 0.5 * p.X.col(2)).array() + 40;
    TrainOptions o = mlp(6, 2000);
    o.activation = act;
    EXPECT_LT(train(p.X, p.Y, o).report.train_rmse, 5e-3) << static_cast<int>(act);
  }
}

TEST(Mlp, DoesNotDependOnTheUnitOfTheTargets) {
  const Problem p = smooth_problem(200, 2, 2, 4);
  const TrainResult one = train(p.X, p.Y, mlp(5, 40));
  for (const int exponent : {-900, 3, 900}) {
    const double unit = std::ldexp(1.0, exponent);
    const TrainResult other = train(p.X, (p.Y * unit).eval(), mlp(5, 40));
    EXPECT_EQ(other.network.weights(), one.network.weights());
    EXPECT_EQ(other.network.output_weights(), one.network.output_weights() * unit);
    EXPECT_EQ(other.report.train_rmse, one.report.train_rmse * unit);
  }
}

TEST(Mlp, EarlyStoppingReturnsTheBestIterate) {
  const Problem p = smooth_problem(60, 2, 1, 4, 0.5), v = smooth_problem(400, 2, 1, 4, 0.5);
  TrainOptions o = mlp(20, 2000);
  o.patience = 15;
  const TrainResult result = train(p.X, p.Y, o, {.X_valid = v.X, .Y_valid = v.Y});
  const TrainReport& report = result.report;
  ASSERT_EQ(report.stop_reason, StopReason::validation) << report.brief();
  double best = report.initial_valid_rmse;
  Index at = 0;
  for (const NodeRecord& record : report.history)
    if (record.valid_rmse < best) {
      best = record.valid_rmse;
      at = record.step;
    }
  EXPECT_EQ(report.network_step, at);
  EXPECT_EQ(static_cast<Index>(report.history.size()), at + 15);
  EXPECT_EQ(report.valid_rmse, best);
  EXPECT_NEAR(rmse(result.network, v.X, v.Y), best, 1e-12 * best);
  EXPECT_NEAR(rmse(result.network, p.X, p.Y), report.train_rmse, 1e-10);
  // The same run cut at that iteration gives the same network.
  TrainOptions cut = mlp(20, at);
  EXPECT_EQ(train(p.X, p.Y, cut).network.weights(), result.network.weights());
  o.patience = 0;
  o.iterations = 300;
  EXPECT_EQ(train(p.X, p.Y, o, {.X_valid = v.X, .Y_valid = v.Y}).report.history.size(), 300U);
}

TEST(Mlp, HasTheSameBitsForAnyNumberOfThreadsAndEveryLevelWithFma) {
  const Problem p = smooth_problem(5000, 5, 2, 4), v = smooth_problem(900, 5, 2, 5);
  const VectorXd w = random_matrix(5000, 1, 3, 0, 2);
  TrainOptions o = mlp(13, 25);
  o.ridge = 1e-6;
  o.threads = 1;
  const auto run = [&] { return train(p.X, p.Y, o, {.weights = w, .X_valid = v.X, .Y_valid = v.Y}); };
  const auto same = [](const TrainResult& a, const TrainResult& b) {
    EXPECT_EQ(a.network.weights(), b.network.weights());
    EXPECT_EQ(a.network.biases(), b.network.biases());
    EXPECT_EQ(a.network.output_weights(), b.network.output_weights());
    EXPECT_EQ(a.network.intercept(), b.network.intercept());
    EXPECT_EQ(a.report.valid_rmse, b.report.valid_rmse);
  };
  const TrainResult one = run();
  for (const int threads : {2, 3, 8}) {
    o.threads = threads;
    same(one, run());
  }
  std::optional<TrainResult> fused, plain;
  for (const Isa isa : available_levels()) {
    o.isa = isa;
    std::optional<TrainResult>& first = isa == Isa::v3 || isa == Isa::v4 ? fused : plain;
    const TrainResult result = run();
    if (first) same(*first, result);
    first = result;
  }
}

TEST(Mlp, AWeightCountsAsSoManyRows) {
  const Problem p = smooth_problem(90, 2, 1, 6);
  VectorXd w(90);
  for (Index i = 0; i < 90; ++i) w[i] = static_cast<double>(i % 3);
  Problem copies{MatrixXd(90, 2), MatrixXd(90, 1)};
  Index at = 0;
  for (Index i = 0; i < 90; ++i)
    for (Index k = 0; k < i % 3; ++k, ++at) {
      copies.X.row(at) = p.X.row(i);
      copies.Y.row(at) = p.Y.row(i);
    }
  ASSERT_EQ(at, 90);
  TrainOptions o = mlp(5, 15);
  o.ridge = 1e-4;
  const TrainResult weighted = train(p.X, p.Y, o, {.weights = w}), repeated = train(copies.X, copies.Y, o);
  EXPECT_EQ(weighted.report.rows, 60);
  EXPECT_NEAR(weighted.report.train_rmse, repeated.report.train_rmse, 1e-9);
  EXPECT_LE((weighted.network.predict(p.X) - repeated.network.predict(p.X)).norm(), 1e-7);
}

TEST(Mlp, RidgeIsAPenaltyOnAllWeightsButNotOnTheConstants) {
  const Problem p = smooth_problem(150, 2, 1, 6);
  const auto objective = [&](const Network& n, double ridge) {
    const double e = rmse(n, p.X, p.Y);
    return e * e + ridge * (n.weights().squaredNorm() + n.output_weights().squaredNorm());
  };
  TrainOptions o = mlp(4, 3000);
  const TrainResult free = train(p.X, p.Y, o);
  o.ridge = 1e-3;
  const TrainResult tied = train(p.X, p.Y, o);
  EXPECT_LT(objective(tied.network, 1e-3), objective(free.network, 1e-3));
  EXPECT_LT(objective(free.network, 0), objective(tied.network, 0));
  // It ends where no weight can be moved with profit.
  const double least = objective(tied.network, 1e-3);
  for (Index j = 0; j < 4; ++j)
    for (const double change : {-0.01, 0.01}) {
      MatrixXd W = tied.network.weights(), beta = tied.network.output_weights();
      W(j % 2, j) += change;
      EXPECT_GT(objective(Network(W, tied.network.biases(), beta, tied.network.intercept(), o.activation), 1e-3),
                least);
      W = tied.network.weights();
      beta(j, 0) += change;
      EXPECT_GT(objective(Network(W, tied.network.biases(), beta, tied.network.intercept(), o.activation), 1e-3),
                least);
    }
  o.ridge = 1e6;
  const TrainResult nothing = train(p.X, p.Y, o);
  EXPECT_NEAR(nothing.network.predict(p.X)(0, 0), p.Y.mean(), 1e-3);
}

TEST(Mlp, EndsForEachReason) {
  const Problem p = smooth_problem(200, 2, 1, 4);
  TrainOptions o = mlp(5, 7);
  TrainReport report = train(p.X, p.Y, o).report;
  EXPECT_EQ(report.stop_reason, StopReason::iterations);
  EXPECT_EQ(report.history.size(), 7U);
  EXPECT_EQ(report.network_step, 7);

  o = mlp(5, 1000);
  o.tolerance = report.train_rmse;
  report = train(p.X, p.Y, o).report;
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  EXPECT_EQ(report.history.size(), 7U);

  o = mlp(2, 100000);
  report = train(p.X, p.Y, o).report;
  EXPECT_EQ(report.stop_reason, StopReason::converged);

  o.time_limit = 1e-9;
  EXPECT_EQ(train(p.X, p.Y, o).report.stop_reason, StopReason::time_limit);

  const MatrixXd constant = MatrixXd::Constant(200, 1, 0.1);
  const TrainResult result = train(p.X, constant, mlp(5));
  EXPECT_EQ(result.report.stop_reason, StopReason::exact_fit);
  EXPECT_EQ(result.network.nodes(), 5);
  EXPECT_LE((result.network.predict(p.X) - constant).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Mlp, InterruptedGivesTheNetworkSoFar) {
  const Problem p = smooth_problem(200, 2, 1, 4);
  std::stop_source source;
  const TrainResult stopped = train(p.X, p.Y, mlp(5),
                                    {.on_node =
                                         [&](const NodeRecord& record) {
                                           if (record.step == 9) source.request_stop();
                                         },
                                     .stop = source.get_token()});
  EXPECT_EQ(stopped.report.stop_reason, StopReason::interrupted);
  EXPECT_EQ(stopped.report.history.size(), 9U);
  EXPECT_EQ(stopped.network.weights(), train(p.X, p.Y, mlp(5, 9)).network.weights());
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  EXPECT_THROW(train(p.X, p.Y, mlp(5), {.on_node = [](const NodeRecord&) { throw Mine("enough"); }}), Mine);
}

TEST(Mlp, LargeAndStrangeNumbersGiveAFiniteNetwork) {
  const Problem p = smooth_problem(50, 2, 1, 4);
  for (const double x : {1e-300, 1e-10, 1e10, 1e150, 1e300})
    for (const double y : {1e-300, 1.0, 1e300}) {
      TrainOptions o = mlp(3, 20);
      o.ridge = 1e-3;
      const TrainResult result = train((p.X * x).eval(), (p.Y * y).eval(), o);
      EXPECT_TRUE(result.network.weights().allFinite()) << x << ' ' << y;
      EXPECT_TRUE(result.network.output_weights().allFinite());
      EXPECT_LE(result.report.train_rmse, result.report.initial_rmse);
    }
  MatrixXd copied = p.X;
  copied.col(1).setConstant(3);
  EXPECT_TRUE(train(copied, p.Y, mlp(3, 20)).network.weights().allFinite());
  EXPECT_TRUE(train(p.X.topRows(1), p.Y.topRows(1), mlp(3, 20)).network.weights().allFinite());
}

TEST(Mlp, RefusesWhatItCannotDo) {
  const Problem p = smooth_problem(20, 2, 1, 4);
  const auto refusal = [&](const TrainOptions& o, const TrainExtras& extras = {}) {
    return testing::message<std::invalid_argument>([&] { train(p.X, p.Y, o, extras); });
  };
  TrainOptions o = mlp(0);
  EXPECT_EQ(refusal(o), "option max_nodes = 0: expected at least 1 with the method mlp");
  o = mlp(5, 0);
  EXPECT_EQ(refusal(o), "option iterations = 0: expected 1 <= iterations <= 1000000000");
  o = mlp(5);
  o.direct_links = true;
  EXPECT_EQ(refusal(o), "option direct_links = true: expected a method that fits all output weights together, not mlp");
  EXPECT_EQ(refusal(mlp(5), {.resume = {NodeRecord{}}}), "the MLP cannot be resumed: train it without a checkpoint");
  EXPECT_EQ(refusal(mlp(5), {.on_step = [](const std::vector<NodeRecord>&) {}}),
            "the MLP cannot be resumed: train it without a checkpoint");
}

TEST(Mlp, SaysHowMuchMemoryItTakes) {
  TrainOptions o = mlp(50);
  EXPECT_GT(training_memory(12757, 81, 1, 0, o), 12757U * 82 * 8);
  EXPECT_LT(training_memory(12757, 81, 1, 0, o), 12757U * 82 * 8 * 3);
}

#else

TEST(Mlp, IsRefusedWithoutTheLibraryThatTrainsIt) {
  const Problem p = smooth_problem(20, 2, 1, 4);
  TrainOptions o;
  o.method = Method::mlp;
  EXPECT_EQ(testing::message<std::invalid_argument>([&] { train(p.X, p.Y, o); }),
            "option method = mlp: this sconet was built without LBFGSpp, which trains it (SCONET_WITH_LBFGSPP)");
}

#endif

}  // namespace
}  // namespace sconet
