// The same bits for any number of threads, and the team of threads itself.

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <stdexcept>
#include <vector>

#include "core/thread_pool.hpp"
#include "sconet/train.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;

#if defined(SCONET_WITH_LBFGSPP)
const std::vector<Method> kMethods = {Method::rmpi, Method::scn3, Method::scn1, Method::mlp};
#else
const std::vector<Method> kMethods = {Method::rmpi, Method::scn3, Method::scn1};
#endif

void expect_same_bits(const TrainResult& a, const TrainResult& b) {
  ASSERT_EQ(a.network.weights(), b.network.weights());
  ASSERT_EQ(a.network.biases(), b.network.biases());
  ASSERT_EQ(a.network.output_weights(), b.network.output_weights());
  ASSERT_EQ(a.network.intercept(), b.network.intercept());
  ASSERT_EQ(a.report.leverages, b.report.leverages);
  ASSERT_EQ(a.report.history.size(), b.report.history.size());
  for (std::size_t i = 0; i < a.report.history.size(); ++i) {
    ASSERT_EQ(a.report.history[i].train_rmse, b.report.history[i].train_rmse);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.report.history[i].valid_rmse),
              std::bit_cast<std::uint64_t>(b.report.history[i].valid_rmse));
    ASSERT_EQ(a.report.history[i].score, b.report.history[i].score);
  }
}

TEST(SameBits, ForOneTwoThreeAndEightThreads) {
  // 2000 rows are one large chunk, 6000 two: threads share by candidates, by rows, and by both.
  for (const Index rows : {Index{2000}, Index{6000}}) {
    const auto p = testing::smooth_problem(rows, 4, 2, 1), v = testing::smooth_problem(1500, 4, 2, 2);
    const Eigen::VectorXd w = testing::random_matrix(rows, 1, 3, 0, 2);
    for (const Method method : kMethods) {
      TrainOptions o;
      o.method = method;
      o.iterations = 12;
      o.max_nodes = 10;
      o.candidates = 70;
      o.scales = {1, 4};
      o.ridge = 1e-8;
      o.intercept = true;
      o.threads = 1;
      const TrainExtras extras = {.weights = w, .X_valid = v.X, .Y_valid = v.Y};
      const TrainResult one = train(p.X, p.Y, o, extras);
      for (const int threads : {2, 3, 8}) {
        o.threads = threads;
        const TrainResult many = train(p.X, p.Y, o, extras);
        EXPECT_EQ(many.report.threads, threads);
        expect_same_bits(one, many);
      }
      ASSERT_EQ(one.network.predict(p.X, 1), one.network.predict(p.X, 8));
    }
  }
}

TEST(SameBits, ForEveryPolicyAndActivation) {
  const auto p = testing::smooth_problem(5000, 3, 1, 5);
  for (const Activation activation : {Activation::tanh, Activation::sin, Activation::relu})
    for (const WhenExhausted policy : {WhenExhausted::best, WhenExhausted::relax}) {
      TrainOptions o;
      o.method = Method::rmpi;
      o.activation = activation;
      o.when_exhausted = policy;
      o.max_nodes = 25;
      o.candidates = 60;
      o.nodes_per_step = 3;
      o.r = 0.8;
      o.scales = {1, 5};
      o.threads = 1;
      const TrainResult one = train(p.X, p.Y, o);
      for (const int threads : {2, 8}) {
        o.threads = threads;
        expect_same_bits(one, train(p.X, p.Y, o));
      }
    }
}

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> hits(static_cast<std::size_t>(round));
      pool.run(round, [&](Index i, int worker) {
        EXPECT_LT(worker, threads);
        ++hits[static_cast<std::size_t>(i)];
      });
      for (const auto& h : hits) ASSERT_EQ(h.load(), 1);
    }
  }
}

TEST(ThreadPool, HandsBackAnExceptionAndGoesOn) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> done{0};
    EXPECT_THROW(pool.run(50,
                          [&](Index i, int) {
                            if (i == 17) throw std::runtime_error("task 17");
                            ++done;
                          }),
                 std::runtime_error);
    EXPECT_EQ(done.load(), 49);
  }
}

TEST(ThreadPool, ZeroMeansEveryProcessor) {
  EXPECT_EQ(ThreadPool(0).size(), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

TEST(Train, SeveralTrainingsAtOnceDoNotDisturbEachOther) {
  const auto p = testing::smooth_problem(500, 2, 1, 4);
  TrainOptions o;
  o.method = Method::rmpi;
  o.max_nodes = 6;
  o.candidates = 20;
  o.threads = 2;
  const TrainResult alone = train(p.X, p.Y, o);
  std::vector<TrainResult> results(4);
  {
    std::vector<std::jthread> callers;
    for (auto& r : results) callers.emplace_back([&] { r = train(p.X, p.Y, o); });
  }
  for (const auto& r : results) expect_same_bits(alone, r);
}

}  // namespace
}  // namespace sconet
