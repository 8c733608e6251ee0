// The families that candidates are drawn from, and batches that skip zeros.

#include "core/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/score.hpp"
#include "kernels/dispatch.hpp"
#include "sconet/generators.hpp"
#include "sconet/train.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Family kFamilies[] = {Family::uniform, Family::cauchy, Family::sparse, Family::sparse_cauchy,
                                Family::mixture};
constexpr Method kDrawing[] = {Method::rmpi, Method::scn3, Method::scn1, Method::rvfl, Method::irvfl};

std::vector<Candidate> drawn(Index count, Index inputs, const Draw& draw, const Anchors& anchors = {}) {
  std::vector<Candidate> all;
  all.reserve(static_cast<std::size_t>(count));
  for (Index t = 0; t < count; ++t) all.push_back(draw_candidate(3, 2, 1, t, inputs, draw, anchors));
  return all;
}

Index active(const Candidate& c) { return (c.w.array() != 0).count(); }

// The magnitude below which a share of the non-zero weights lies.
double quantile(const std::vector<Candidate>& candidates, double share) {
  std::vector<double> sizes;
  for (const Candidate& c : candidates)
    for (const double w : c.w)
      if (w != 0) sizes.push_back(std::abs(w));
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sizes.size()));
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at;
}

// Draws are part of the promise that a seed gives the same model; DrawCandidate.IsFrozen holds the uniform family's.
TEST(Families, OthersAreFrozen) {
  const Candidate cauchy = draw_candidate(42, 3, 1, 7, 2, {Family::cauchy, 10});
  const Candidate sparse = draw_candidate(42, 3, 1, 8, 6, {Family::sparse_cauchy, 10, Bias::uniform, 3});
  EXPECT_EQ(cauchy.b, draw_candidate(42, 3, 1, 7, 2, {.scale = 10.0}).b);
  EXPECT_EQ(cauchy.w[0], -0x1.0f1400fa02bf1p+3);
  EXPECT_EQ(cauchy.w[1], -0x1.959d19a82174ap+3);
  VectorXd w(6);
  w << 0x1.b6dd87e20478p+2, 0, 0x1.4825da0eb84c4p+3, 0, 0, 0;
  EXPECT_EQ(sparse.w, w);
}

TEST(Families, CauchyHasItsQuartilesAndIsCutOff) {
  const auto all = drawn(20000, 3, {Family::cauchy, 2});
  double largest = 0, sum_of_signs = 0;
  Index cut = 0;
  for (const Candidate& c : all) {
    EXPECT_EQ(active(c), 3);
    EXPECT_LT(std::abs(c.b), 2.0);
    largest = std::max(largest, c.w.cwiseAbs().maxCoeff());
    cut += (c.w.array().abs() == 100.0).count();
    sum_of_signs += c.w.array().sign().sum();
  }
  EXPECT_EQ(largest, 100.0);
  const double n = 60000;
  EXPECT_NEAR(static_cast<double>(cut) / n, 2 / M_PI * std::atan(1.0 / 50), 0.003);
  EXPECT_NEAR(sum_of_signs / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(quantile(all, 0.5), 2 * std::tan(M_PI / 4), 0.05);  // half of |w| lies below scale
  EXPECT_NEAR(quantile(all, 0.75), 2 * std::tan(0.75 * M_PI / 2), 0.15);
  EXPECT_NEAR(quantile(all, 0.25), 2 * std::tan(0.25 * M_PI / 2), 0.03);
}

TEST(Families, SparseUsesOneToActiveInputsEachAsOften) {
  constexpr Index d = 9, n = 30000;
  for (const Family family : {Family::sparse, Family::sparse_cauchy}) {
    const auto all = drawn(n, d, {family, 2, Bias::uniform, 4});
    VectorXd of_input = VectorXd::Zero(d), of_count = VectorXd::Zero(d + 1);
    for (const Candidate& c : all) {
      of_input += (c.w.array() != 0).cast<double>().matrix();
      of_count[active(c)] += 1;
      for (const double w : c.w) EXPECT_FALSE(w == 0 && std::signbit(w));
    }
    EXPECT_EQ(of_count[0] + of_count.tail(d - 4).sum(), 0);
    for (Index k = 1; k <= 4; ++k) EXPECT_NEAR(of_count[k] / n, 0.25, 5 * std::sqrt(0.25 * 0.75 / n));
    for (Index k = 0; k < d; ++k) EXPECT_NEAR(of_input[k] / n, 2.5 / d, 5 * std::sqrt(2.5 / d / n));
    const bool uniform = family == Family::sparse;
    EXPECT_NEAR(quantile(all, 0.5), uniform ? 1 : 2, 0.05);
    EXPECT_NEAR(quantile(all, 0.75), uniform ? 1.5 : 2 * std::tan(0.75 * M_PI / 2), 0.1);
    EXPECT_LE(quantile(all, 0.99999), uniform ? 2.0 : 100.0);
  }
}

TEST(Families, SparseWithMoreActiveInputsThanThereAre) {
  for (const Family family : {Family::sparse, Family::sparse_cauchy, Family::mixture}) {
    std::set<Index> counts;
    for (const Candidate& c : drawn(200, 2, {family, 1, Bias::uniform, 1000000})) counts.insert(active(c));
    EXPECT_EQ(counts, (std::set<Index>{1, 2}));
    for (const Candidate& c : drawn(200, 1, {family, 1, Bias::uniform, 4})) EXPECT_EQ(active(c), 1);
  }
}

TEST(Families, PairsOfInputsAreChosenEvenly) {
  constexpr Index d = 5, n = 20000;
  MatrixXd together = MatrixXd::Zero(d, d);
  Index pairs = 0;
  for (const Candidate& c : drawn(n, d, {Family::sparse, 1, Bias::uniform, 2})) {
    if (active(c) != 2) continue;
    ++pairs;
    const VectorXd used = (c.w.array() != 0).cast<double>();
    together += used * used.transpose();
  }
  const auto count = static_cast<double>(pairs);
  for (Index i = 0; i < d; ++i)
    for (Index k = 0; k < i; ++k) EXPECT_NEAR(together(i, k) / count, 0.1, 5 * std::sqrt(0.09 / count)) << i << k;
}

TEST(Families, MixtureIsAThirdOfEach) {
  constexpr Index d = 40, n = 6000;
  Index uniform = 0, cauchy = 0, sparse = 0;
  std::vector<Candidate> wide;
  for (const Candidate& c : drawn(n, d, {Family::mixture, 1, Bias::uniform, 4})) {
    if (active(c) <= 4) {
      ++sparse;
    } else if (c.w.cwiseAbs().maxCoeff() < 1) {  // forty Cauchy weights of 0.3 all below 1: about 1 in 4000
      ++uniform;
    } else {
      ++cauchy;
      wide.push_back(c);
    }
  }
  for (const Index count : {uniform, cauchy, sparse})
    EXPECT_NEAR(static_cast<double>(count) / n, 1.0 / 3, 5 * std::sqrt(2.0 / 9 / n));
  EXPECT_NEAR(quantile(wide, 0.5), 0.3, 0.02);
  EXPECT_LE(quantile(wide, 0.999999), 15.0);
}

TEST(Families, DependOnEveryPartOfTheKey) {
  for (const Family family : kFamilies) {
    const auto w = [&](std::uint64_t seed, Index node, Index batch, Index t) {
      return draw_candidate(seed, node, batch, t, 3, {family, 1, Bias::uniform, 3}).w.sum();
    };
    EXPECT_EQ((std::set<double>{w(1, 1, 0, 0), w(2, 1, 0, 0), w(1ULL << 40, 1, 0, 0), w(1, 2, 0, 0), w(1, 1, 1, 0),
                                w(1, 1, 0, 1)})
                  .size(),
              6U);
  }
}

TEST(Families, WeightsScaleWithTheScale) {
  for (const Family family : kFamilies)
    for (Index t = 0; t < 50; ++t) {
      const Candidate one = draw_candidate(5, 1, 0, t, 7, {family, 1}),
                      eight = draw_candidate(5, 1, 0, t, 7, {family, 8});
      EXPECT_EQ(8 * one.w, eight.w);
      EXPECT_EQ(8 * one.b, eight.b);
    }
}

TEST(BiasOnARow, PutsTheSlopeOnEveryRowNowAndThen) {
  const MatrixXd X = testing::random_matrix(6, 5, 1, -2, 2);
  for (const Family family : kFamilies) {
    std::set<Index> anchors;
    for (const Candidate& c : drawn(300, 5, {family, 3, Bias::row, 2}, MatrixView(X))) {
      Index near = -1;
      for (Index i = 0; i < X.rows(); ++i)
        if (std::abs(X.row(i).dot(c.w) + c.b) <= 1e-14 * (1 + c.w.cwiseAbs().sum())) near = i;
      ASSERT_GE(near, 0);
      anchors.insert(near);
    }
    EXPECT_EQ(anchors.size(), 6U);
  }
  // The weights are those of the other bias.
  EXPECT_EQ(draw_candidate(1, 1, 0, 0, 5, {Family::cauchy, 3, Bias::row}, MatrixView(X)).w,
            draw_candidate(1, 1, 0, 0, 5, {Family::cauchy, 3}).w);
}

TEST(BiasOnARow, IsNeverARowOfWeightZero) {
  MatrixXd X = testing::random_matrix(200, 2, 1);
  const MatrixXd Y = testing::random_matrix(200, 1, 2);
  VectorXd weights = VectorXd::Zero(200);
  for (const Index i : {3, 77, 150}) weights[i] = 1 + static_cast<double>(i);
  TrainOptions o;
  o.method = Method::irvfl;
  o.bias = Bias::row;
  o.max_nodes = 40;
  const Network network = train(X, Y, o, {.weights = weights}).network;
  ASSERT_GT(network.nodes(), 10);
  std::set<Index> anchors;
  for (Index j = 0; j < network.nodes(); ++j)
    for (Index i = 0; i < 200; ++i)
      if (std::abs(X.row(i).dot(network.weights().col(j)) + network.biases()[j]) <= 1e-15) anchors.insert(i);
  EXPECT_EQ(anchors, (std::set<Index>{3, 77, 150}));
}

// --- training --------------------------------------------------------------------------------------------------------
struct Friedman {
  MatrixXd X, Y;
};
Friedman friedman(Index rows, std::uint64_t seed) {
  const Dataset data = generate_friedman(rows, seed, 0.5);
  return {data.X, data.Y};
}

TrainOptions some(Method method, Family family, Bias bias) {
  TrainOptions o;
  o.method = method;
  o.family = family;
  o.bias = bias;
  o.max_nodes = 25;
  o.candidates = 50;
  o.scales = {0.5, 2, 8};
  o.range = 2;
  o.active_inputs = 2;
  o.intercept = true;
  return o;
}

TEST(Families, EveryMethodTrainsWithEveryFamily) {
  const Friedman f = friedman(400, 1);
  for (const Method method : kDrawing)
    for (const Family family : kFamilies)
      for (const Bias bias : {Bias::uniform, Bias::row}) {
        const TrainResult r = train(f.X, f.Y, some(method, family, bias));
        double last = r.report.initial_rmse;
        for (const NodeRecord& node : r.report.history) {
          EXPECT_LE(node.train_rmse, last * (1 + 1e-12));
          last = node.train_rmse;
        }
        EXPECT_LT(last, (method == Method::irvfl || method == Method::scn1 ? 0.97 : 0.8) * r.report.initial_rmse)
            << static_cast<int>(method) << ' ' << static_cast<int>(family);
        const Index zeros = (r.network.weights().array() == 0).count();
        EXPECT_EQ(zeros > 0, family >= Family::sparse);
        const MatrixXd P = r.network.predict(f.X);
        EXPECT_NEAR(std::sqrt((f.Y - P).squaredNorm() / static_cast<double>(f.X.rows())), last, 1e-8);
      }
}

TEST(Families, MlpTakesNoNoticeOfThem) {
#if defined(SCONET_WITH_LBFGSPP)
  const Friedman f = friedman(100, 1);
  TrainOptions o;
  o.method = Method::mlp;
  o.max_nodes = 3;
  o.iterations = 3;
  const MatrixXd before = train(f.X, f.Y, o).network.weights();
  o.family = Family::sparse;
  o.bias = Bias::row;
  EXPECT_EQ(train(f.X, f.Y, o).network.weights(), before);
#endif
}

TEST(Families, SameBitsForAnyNumberOfThreads) {
  const Friedman f = friedman(2500, 2);
  for (const Family family : kFamilies)
    for (const Method method : {Method::rmpi, Method::scn1}) {
      TrainOptions o = some(method, family, Bias::row);
      o.max_nodes = 8;
      o.threads = 1;
      const TrainResult one = train(f.X, f.Y, o);
      for (const int threads : {2, 5}) {
        o.threads = threads;
        const TrainResult many = train(f.X, f.Y, o);
        EXPECT_EQ(many.network.weights(), one.network.weights());
        EXPECT_EQ(many.network.biases(), one.network.biases());
        EXPECT_EQ(many.network.output_weights(), one.network.output_weights());
      }
    }
}

TEST(Families, ResumeGivesTheSameBits) {
  const Friedman f = friedman(300, 3);
  for (const Method method : kDrawing)
    for (const Index nodes_per_step : {1, 2}) {
      TrainOptions o = some(method, Family::mixture, Bias::row);
      o.max_nodes = 12;
      o.nodes_per_step = nodes_per_step;
      std::vector<std::vector<NodeRecord>> steps;
      TrainExtras extras;
      extras.on_step = [&](const std::vector<NodeRecord>& history) { steps.push_back(history); };
      const TrainResult whole = train(f.X, f.Y, o, extras);
      ASSERT_GE(steps.size(), 4U);
      for (const auto& history : steps) {
        const TrainResult resumed = train(f.X, f.Y, o, {.resume = history});
        EXPECT_EQ(resumed.network.weights(), whole.network.weights());
        EXPECT_EQ(resumed.network.biases(), whole.network.biases());
        EXPECT_EQ(resumed.network.output_weights(), whole.network.output_weights());
      }
      // Another family or other rows are not the same run.
      o.family = Family::cauchy;
      EXPECT_THROW(train(f.X, f.Y, o, {.resume = steps.back()}), std::invalid_argument);
      o.family = Family::mixture;
      EXPECT_THROW(train(f.X.topRows(299), f.Y.topRows(299), o, {.resume = steps.back()}), std::invalid_argument);
    }
}

// --- skipping zeros --------------------------------------------------------------------------------------------------
class SkipZeros : public ::testing::TestWithParam<Isa> {};

TEST_P(SkipZeros, ChangesNoBitOfAnySum) {
  ThreadPool pool(2);
  for (const kernels::Act act : {kernels::Act::sigmoid, kernels::Act::tanh, kernels::Act::relu}) {
    Engine engine(select_kernels(GetParam()), act, pool);
    for (const Family family : kFamilies)
      for (const Index count : {1, 7, 24, 100, 700})
        for (const Index d : {1, 8, 41}) {
          const Index n = 300;
          const MatrixXd X = testing::random_matrix(n, d, 1), Y = testing::random_matrix(n, 2, 2);
          Tiles tiles(X, Y, {}, 0);
          for (Index k = 0; k < 5; ++k) {
            tiles.add_column();
            for (Index i = 0; i < n; ++i)
              tiles.basis(i / kernels::kTileRows, i % kernels::kTileRows, k) =
                  std::sin(static_cast<double>(i * (k + 1)));
          }
          CandidateBatch dense(engine.kernels), sparse(engine.kernels);
          dense.resize(count, d);
          sparse.resize(count, d);
          for (Index t = 0; t < count; ++t) {
            Candidate c = draw_candidate(1, 1, 0, t, d, {family, 2, Bias::row}, MatrixView(X));
            if (t % 5 == 3) c.b = -0.0;
            if (t % 7 == 2) c.w = -0.0 * c.w;
            dense.set(t, c);
            sparse.set(t, c);
          }
          sparse.skip_zeros(true);
          if (family == Family::sparse && d == 41 && count == 100) {
            EXPECT_NE(sparse.view().used, nullptr);
            EXPECT_EQ(sparse.places().size(), 100U);
          }
          if (family == Family::cauchy && count == 1) {
            EXPECT_EQ(sparse.view().used, nullptr);
          }
          Scorer one(engine), other(engine);
          const BatchSums& a = one.score(tiles, dense, 5);
          const BatchSums& b = other.score(tiles, sparse, 5);
          for (Index t = 0; t < count; ++t) {
            ASSERT_EQ(a.norm2(t), b.norm2(t));
            ASSERT_EQ(a.projected2(t), b.projected2(t));
            for (Index q = 0; q < 2; ++q) ASSERT_EQ(a.eg(q, t), b.eg(q, t));
            for (Index k = 0; k < 5; ++k) ASSERT_EQ(a.qg(k, t), b.qg(k, t));
          }
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, SkipZeros, ::testing::ValuesIn(available_levels()));

TEST(SparseNetwork, PredictionsAreThoseOfTheDenseNetwork) {
  const MatrixXd X = testing::random_matrix(300, 50, 1);
  for (const Activation activation : {Activation::sigmoid, Activation::tanh, Activation::relu}) {
    MatrixXd W(50, 60);
    VectorXd b(60);
    for (Index j = 0; j < 60; ++j) {
      const Candidate c = draw_candidate(1, j, 0, 0, 50, {Family::sparse, 3});
      W.col(j) = c.w;
      b[j] = j % 9 == 0 ? -0.0 : c.b;
    }
    const MatrixXd beta = testing::random_matrix(60, 2, 4);
    const Network sparse(W, b, beta, Eigen::RowVectorXd::Zero(2), activation);
    // Nodes without effect use all inputs, one in every panel of any width: nothing can be skipped.
    MatrixXd W_full = MatrixXd::Ones(50, 120), beta_full = MatrixXd::Zero(120, 2);
    VectorXd b_full = VectorXd::Zero(120);
    for (Index j = 0; j < 60; ++j) {  // node j keeps its partial sum, j mod 8
      const Index at = j / 8 * 16 + j % 8;
      W_full.col(at) = W.col(j);
      b_full[at] = b[j];
      beta_full.row(at) = beta.row(j);
    }
    const Network full(W_full, b_full, beta_full, Eigen::RowVectorXd::Zero(2), activation);
    EXPECT_EQ(sparse.predict(X), full.predict(X));
  }
}

// An input that no node uses still spoils its row, as it would in a dense network.
TEST(SparseNetwork, NanOfAnUnusedInputStaysVisible) {
  MatrixXd X = testing::random_matrix(300, 30, 1);
  X(200, 29) = std::nan("");
  X(7, 28) = HUGE_VAL;
  MatrixXd W = MatrixXd::Zero(30, 4);
  W.topRows(1).setOnes();
  const Network network(W, VectorXd::Zero(4), MatrixXd::Ones(4, 1), Eigen::RowVectorXd::Zero(1), Activation::sigmoid);
  const MatrixXd Y = network.predict(X);
  for (Index i = 0; i < 300; ++i) EXPECT_EQ(std::isnan(Y(i, 0)), i == 200 || i == 7) << i;
}

}  // namespace
}  // namespace sconet
