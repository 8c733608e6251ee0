// A run that stopped goes on to the same bits as one that did not.

#include <gtest/gtest.h>

#include "sconet/train.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using testing::Problem;

void expect_same_bits(const TrainResult& a, const TrainResult& b) {
  EXPECT_EQ(a.network.weights(), b.network.weights());
  EXPECT_EQ(a.network.biases(), b.network.biases());
  EXPECT_EQ(a.network.output_weights(), b.network.output_weights());
  EXPECT_EQ(a.network.intercept(), b.network.intercept());
  ASSERT_EQ(a.report.history.size(), b.report.history.size());
  for (std::size_t i = 0; i < a.report.history.size(); ++i) {
    const NodeRecord &x = a.report.history[i], &y = b.report.history[i];
    EXPECT_EQ(x.train_rmse, y.train_rmse);
    EXPECT_EQ(x.scale, y.scale);
    EXPECT_EQ(x.r, y.r);
    EXPECT_EQ(x.batches, y.batches);
    EXPECT_EQ(x.admissible, y.admissible);
    EXPECT_EQ(x.score, y.score);
    EXPECT_EQ(x.fallback, y.fallback);
    EXPECT_EQ(x.step, y.step);
    EXPECT_EQ(x.batch, y.batch);
    EXPECT_EQ(x.candidate, y.candidate);
  }
  EXPECT_EQ(a.report.stop_reason, b.report.stop_reason);
  EXPECT_EQ(a.report.leverages, b.report.leverages);
}

class Resume : public ::testing::TestWithParam<TrainOptions> {};

// Stopped after every possible step, and gone on from there.
TEST_P(Resume, FromEveryStepGivesTheSameBits) {
  const TrainOptions options = GetParam();
  const Problem p = testing::smooth_problem(300, 3, 2, 5), v = testing::smooth_problem(100, 3, 2, 6);
  TrainExtras extras;
  extras.X_valid = v.X;
  extras.Y_valid = v.Y;
  std::vector<std::vector<NodeRecord>> steps;
  extras.on_step = [&](const std::vector<NodeRecord>& history) { steps.push_back(history); };
  const TrainResult whole = train(p.X, p.Y, options, extras);
  ASSERT_GE(steps.size(), 4U);
  for (const auto& history : steps) {
    TrainExtras again;
    again.X_valid = v.X;
    again.Y_valid = v.Y;
    again.resume = history;
    Index called = 0;
    again.on_node = [&](const NodeRecord& node) {
      EXPECT_GT(node.nodes, static_cast<Index>(history.size()));
      ++called;
    };
    const TrainResult resumed = train(p.X, p.Y, options, again);
    expect_same_bits(whole, resumed);
    EXPECT_EQ(called, static_cast<Index>(whole.report.history.size() - history.size()));
  }
}

TrainOptions some(Method method, std::int64_t nodes_per_step, double ridge, bool intercept) {
  TrainOptions o;
  o.method = method;
  o.max_nodes = 14;
  o.candidates = 30;
  o.nodes_per_step = nodes_per_step;
  o.ridge = ridge;
  o.intercept = intercept;
  o.patience = 0;
  o.scales = {0.5, 2, 8};
  return o;
}

INSTANTIATE_TEST_SUITE_P(Methods, Resume,
                         ::testing::Values(some(Method::rmpi, 1, 0, false), some(Method::rmpi, 3, 0, true),
                                           some(Method::rmpi, 1, 1e-4, true), some(Method::scn3, 1, 0, false),
                                           some(Method::scn3, 2, 1e-6, false), some(Method::scn1, 1, 0, true)));

TEST(ResumeTest, WhatOnStepGetsIsNeverTheMiddleOfAStep) {
  const Problem p = testing::smooth_problem(200, 2, 1, 3);
  TrainOptions options = some(Method::rmpi, 4, 0, false);
  options.max_nodes = 20;
  options.r = 0.999999;
  std::stop_source source;
  TrainExtras extras;
  extras.stop = source.get_token();
  extras.on_node = [&](const NodeRecord& node) {
    if (node.nodes == 6) source.request_stop();
  };
  TrainExtras again;
  extras.on_step = [&](const std::vector<NodeRecord>& history) { again.resume = history; };
  const TrainResult stopped = train(p.X, p.Y, options, extras);
  EXPECT_EQ(stopped.report.stop_reason, StopReason::interrupted);
  EXPECT_EQ(stopped.report.history.size(), 6U);
  EXPECT_EQ(again.resume.size(), 4U);
  expect_same_bits(train(p.X, p.Y, options), train(p.X, p.Y, options, again));
}

TEST(ResumeTest, OtherLimitsAreAsIfTheyHadBeenThereFromTheStart) {
  const Problem p = testing::smooth_problem(300, 3, 1, 5);
  TrainOptions options = some(Method::rmpi, 1, 0, false);
  TrainExtras again;
  again.resume = train(p.X, p.Y, options).report.history;
  for (const std::int64_t nodes : {5, 14, 20}) {
    options.max_nodes = nodes;
    expect_same_bits(train(p.X, p.Y, options), train(p.X, p.Y, options, again));
  }
}

TEST(ResumeTest, OtherDataAreNoticed) {
  Problem p = testing::smooth_problem(300, 3, 1, 5);
  const TrainOptions options = some(Method::rmpi, 1, 0, false);
  TrainExtras again;
  again.resume = train(p.X, p.Y, options).report.history;
  p.Y(17, 0) = std::nextafter(p.Y(17, 0), 10.0) + 1e-9;
  EXPECT_THROW(train(p.X, p.Y, options, again), std::invalid_argument);
  p = testing::smooth_problem(300, 3, 1, 5);
  p.X(3, 1) += 1e-9;
  try {
    train(p.X, p.Y, options, again);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("does not leave the error it left then"), std::string::npos);
  }
}

TEST(ResumeTest, SecondsGoOn) {
  const Problem p = testing::smooth_problem(100, 2, 1, 5);
  TrainOptions options = some(Method::rmpi, 1, 0, false);
  TrainExtras again;
  again.resume = train(p.X, p.Y, options).report.history;
  again.resume.resize(5);
  again.resume.back().seconds = 1000;
  EXPECT_GT(train(p.X, p.Y, options, again).report.seconds, 1000);
}

}  // namespace
}  // namespace sconet
