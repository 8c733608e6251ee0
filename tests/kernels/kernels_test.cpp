// The kernels of every instruction level against plain loops, on awkward sizes.

#include "kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/candidates.hpp"
#include "core/score.hpp"
#include "core/tiles.hpp"
#include "kernels/dispatch.hpp"
#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Act;
using kernels::kPanel;
using kernels::kTileRows;

// Sizes around every block boundary.
std::vector<Index> around(std::initializer_list<Index> blocks) {
  std::set<Index> sizes = {1, 2, 3};
  for (const Index b : blocks)
    for (const Index s : {b - 1, b, b + 1})
      if (s > 0) sizes.insert(s);
  return {sizes.begin(), sizes.end()};
}

// A tiled problem with a given Q, and candidates W (d x T), b (T).
struct Case {
  Case(Index n, Index d, Index m, Index L, Index T, bool weighted, std::uint64_t seed, bool integers)
      : X(make(n, d, seed, integers)),
        E(make(n, m, seed + 1, integers)),
        Q(make(n, L, seed + 2, integers)),
        W(make(d, T, seed + 3, integers)),
        b(make(T, 1, seed + 4, integers)),
        weights(weighted ? VectorXd(testing::integer_matrix(n, 1, seed + 5, 2).array().square()) : VectorXd()),
        tiles(X, E, weighted ? MatrixView(weights) : MatrixView(), 0) {
    for (Index k = 0; k < L; ++k) {
      tiles.add_column();
      for (Index i = 0; i < n; ++i) tiles.basis(i / kTileRows, i % kTileRows, k) = Q(i, k);
    }
    // What the tiles hold of E is scaled by sqrt(weight); weights 1 and 4 have exact roots.
    for (Index i = 0; weighted && i < n; ++i) E.row(i) *= tiles.sqrt_weight(i);
  }
  static MatrixXd make(Index r, Index c, std::uint64_t seed, bool integers) {
    return integers ? testing::integer_matrix(r, c, seed) : testing::random_matrix(r, c, seed);
  }

  double activate(Act act, double z) const {
    switch (act) {
      case Act::sigmoid: return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
      case Act::tanh: return std::tanh(z);
      case Act::sin: return std::sin(z);
      case Act::gaussian: return std::exp(-z * z);
      case Act::relu: return z > 0 ? z : 0;
    }
    return 0;
  }
  MatrixXd G(Act act) const {
    MatrixXd g(X.rows(), W.cols());
    for (Index i = 0; i < g.rows(); ++i)
      for (Index t = 0; t < g.cols(); ++t) {
        double z = b(t, 0);
        for (Index k = 0; k < X.cols(); ++k) z += X(i, k) * W(k, t);
        g(i, t) = activate(act, z) * tiles.sqrt_weight(i);
      }
    return g;
  }
  CandidateBatch batch(const kernels::Kernels& kernels) const {
    CandidateBatch c(kernels);
    c.resize(W.cols(), W.rows());
    for (Index t = 0; t < W.cols(); ++t) c.set(t, {W.col(t), b(t, 0)});
    return c;
  }

  MatrixXd X, E, Q, W, b;
  VectorXd weights;
  Tiles tiles;
};

class KernelTest : public ::testing::TestWithParam<Isa> {
 protected:
  const kernels::Kernels& kernels_ = select_kernels(GetParam());
};

// Integers and the rectifier: every sum is exact, so any difference is a mistake.
TEST_P(KernelTest, ScoresEqualScalarSumsExactlyOnIntegers) {
  ThreadPool pool(1);
  Engine engine(kernels_, Act::relu, pool);
  Scorer scorer(engine);
  const auto check = [&](Index n, Index d, Index m, Index L, Index T, bool weighted) {
    const Case c(n, d, m, L, T, weighted, static_cast<std::uint64_t>(n * 7 + d * 5 + m * 3 + L + T), true);
    const MatrixXd G = c.G(Act::relu);
    const MatrixXd EG = c.E.transpose() * G, QG = c.Q.transpose() * G;
    const BatchSums& sums = scorer.score(c.tiles, c.batch(kernels_), L);
    for (Index t = 0; t < T; ++t) {
      ASSERT_EQ(sums.norm2(t), G.col(t).squaredNorm()) << "n " << n << " T " << T << " t " << t;
      for (Index q = 0; q < m; ++q) ASSERT_EQ(sums.eg(q, t), EG(q, t)) << "n " << n << " m " << m << " t " << t;
      for (Index k = 0; k < L; ++k)
        ASSERT_EQ(sums.qg(k, t), QG(k, t)) << "n " << n << " L " << L << " k " << k << " t " << t;
      ASSERT_EQ(sums.projected2(t), QG.col(t).squaredNorm());
    }
  };
  for (const Index n : around({kPanel, kTileRows, 2 * kTileRows})) check(n, 3, 1, 5, 7, false);
  for (const Index T : around({kernels_.lanes, 2 * kernels_.lanes, kernels_.panel, 2 * kernels_.panel}))
    check(37, 2, 1, 9, T, false);
  for (const Index L : around({4, kPanel, 2 * kPanel})) check(150, 2, 1, L, 5, true);
  for (const Index m : around({4, kPanel, 2 * kPanel})) check(150, 2, m, 3, 5, true);
  for (const Index d : around({kPanel, 17})) check(20, d, 2, 3, 5, false);
  check(1, 1, 1, 0, 1, false);
  check(20, 1, 1, 2, 101 * kernels_.panel + 3, false);  // several groups of candidates
  check(3 * 16 * kTileRows + 5, 1, 1, 2, 3, true);      // several chunks
}

TEST_P(KernelTest, ScoresFollowEveryActivation) {
  ThreadPool pool(1);
  for (const Act act : {Act::sigmoid, Act::tanh, Act::sin, Act::gaussian, Act::relu})
    for (const bool weighted : {false, true}) {
      Engine engine(kernels_, act, pool);
      Scorer scorer(engine);
      const Case c(kTileRows + 11, 4, 2, 10, 2 * kernels_.panel + 1, weighted, 99, false);
      const MatrixXd G = c.G(act);
      const BatchSums& sums = scorer.score(c.tiles, c.batch(kernels_), 10);
      // Each sum has 155 terms of size one or less, each with a few ulp: 1e-13 is loose by a factor of about three.
      for (Index t = 0; t < G.cols(); ++t) {
        EXPECT_NEAR(sums.norm2(t), G.col(t).squaredNorm(), 1e-13 * (1 + G.col(t).squaredNorm()));
        for (Index q = 0; q < 2; ++q) EXPECT_NEAR(sums.eg(q, t), c.E.col(q).dot(G.col(t)), 1e-12);
        for (Index k = 0; k < 10; ++k) EXPECT_NEAR(sums.qg(k, t), c.Q.col(k).dot(G.col(t)), 1e-12);
      }
    }
}

// The column that is appended is the column that was judged.
TEST_P(KernelTest, ANodeAloneHasTheSameBitsAsInItsBatch) {
  ThreadPool pool(1);
  Engine engine(kernels_, Act::sigmoid, pool);
  Scorer together(engine), alone(engine);
  const Case c(2 * kTileRows + 3, 5, 1, 19, kernels_.panel + 3, false, 5, false);
  const BatchSums& all = together.score(c.tiles, c.batch(kernels_), 19);
  for (Index t = 0; t < c.W.cols(); ++t) {
    CandidateBatch single(kernels_);
    single.resize(1, 5);
    single.set(0, {c.W.col(t), c.b(t, 0)});
    const BatchSums& one = alone.score(c.tiles, single, 19);
    ASSERT_EQ(one.norm2(0), all.norm2(t));
    ASSERT_EQ(one.eg(0, 0), all.eg(0, t));
    for (Index k = 0; k < 19; ++k) ASSERT_EQ(one.qg(k, 0), all.qg(k, t));
  }
}

// With one row and a residual of one, E'G is G itself.
TEST_P(KernelTest, NodeTileIsTheColumnThatIsJudged) {
  ThreadPool pool(1);
  for (const Act act : {Act::sigmoid, Act::tanh, Act::sin, Act::gaussian, Act::relu})
    for (const bool weighted : {false, true}) {
      Engine engine(kernels_, act, pool);
      const Case c(kTileRows - 5, 7, 1, 0, 3, weighted, 21, false);
      AlignedBuffer h(kTileRows), g(kTileRows * kernels_.lanes);
      CandidateBatch single(kernels_);
      single.resize(1, 7);
      single.set(0, {c.W.col(1), c.b(1, 0)});
      kernels_.node_tile(c.tiles.view(0, 0), act, single.view().packed, g.data(), h.data());
      for (const Index row : {Index{0}, Index{8}, Index{50}, kTileRows - 6}) {
        const MatrixXd x = c.X.row(row), one = MatrixXd::Ones(1, 1);
        const Tiles tile(x, one, {}, 0);
        Scorer scorer(engine);
        ASSERT_EQ(h[row], scorer.score(tile, c.batch(kernels_), 0).eg(0, 1) * c.tiles.sqrt_weight(row));
      }
    }
}

TEST_P(KernelTest, ProjectionEqualsScalarSumsExactlyOnIntegers) {
  for (const Index n : around({4, kPanel, kTileRows - 1}))
    for (const Index L : around({kPanel, 2 * kPanel})) {
      const Case c(n, 1, 1, L, 1, false, static_cast<std::uint64_t>(n + L), true);
      const VectorXd coefficient = testing::integer_matrix(L, 1, 3), h = testing::integer_matrix(n, 1, 4);
      AlignedBuffer in(round_up(L, kPanel)), out(round_up(L, kPanel)), p(kTileRows);
      std::copy_n(coefficient.data(), L, in.data());
      std::copy_n(h.data(), n, p.data());
      kernels_.project_tile(c.tiles.view(0, L), in.data(), p.data(), out.data());
      const VectorXd expected = h - c.Q * coefficient;
      for (Index i = 0; i < n; ++i) ASSERT_EQ(p[i], expected[i]) << n << ' ' << L;
      const VectorXd next = c.Q.transpose() * expected;
      for (Index k = 0; k < L; ++k) ASSERT_EQ(out[k], next[k]) << n << ' ' << L;
      kernels_.project_tile(c.tiles.view(0, L), in.data(), p.data(), nullptr);
      for (Index i = 0; i < n; ++i) ASSERT_EQ(p[i], expected[i] - (c.Q * coefficient)[i]);
    }
}

TEST_P(KernelTest, PredictionEqualsScalarSumsExactlyOnIntegers) {
  for (const Index L : around({kernels_.lanes, kernels_.panel, 2 * kernels_.panel}))
    for (const Index m : {Index{1}, Index{3}, Index{9}}) {
      const Case c(kTileRows - 3, 2, m, 0, L, false, static_cast<std::uint64_t>(L), true);
      const MatrixXd beta = testing::integer_matrix(L, m, 8);
      const auto batch = c.batch(kernels_);
      const auto view = batch.view();
      AlignedBuffer packed(view.padded * m), g(kTileRows * kernels_.panel), partial(kTileRows * m * kPanel),
          y(kTileRows * m);
      for (Index q = 0; q < m; ++q)
        for (Index j = 0; j < L; ++j) packed[q * view.padded + j] = beta(j, q);
      kernels_.predict_tile(c.tiles.view(0, 0), Act::relu, view, packed.data(), g.data(), partial.data(), y.data());
      const MatrixXd expected = c.G(Act::relu) * beta;
      for (Index i = 0; i < expected.rows(); ++i)
        for (Index q = 0; q < m; ++q) ASSERT_EQ(y[i * m + q], expected(i, q)) << L << ' ' << m;
    }
}

TEST_P(KernelTest, NanStaysInItsOwnCandidate) {
  ThreadPool pool(1);
  Engine engine(kernels_, Act::sigmoid, pool);
  Scorer scorer(engine);
  Case c(10, 1, 1, 2, 5, false, 1, false);
  c.W(0, 2) = std::nan("");
  const BatchSums& sums = scorer.score(c.tiles, c.batch(kernels_), 2);
  for (Index t = 0; t < 5; ++t) EXPECT_EQ(std::isnan(sums.norm2(t)), t == 2);
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelTest, ::testing::ValuesIn(available_levels()),
                         [](const auto& p) { return "level" + std::to_string(static_cast<int>(p.param)); });

TEST(Kernels, LevelsWithFmaScoreToTheSameBits) {
  const auto levels = available_levels();
  if (std::find(levels.begin(), levels.end(), Isa::v4) == levels.end()) return;  // nothing to compare on this processor
  const Case c(3 * kTileRows + 7, 6, 2, 21, 53, true, 17, false);
  ThreadPool pool(1);
  Engine e3(select_kernels(Isa::v3), Act::sigmoid, pool), e4(select_kernels(Isa::v4), Act::sigmoid, pool);
  Scorer s3(e3), s4(e4);
  const BatchSums& a = s3.score(c.tiles, c.batch(e3.kernels), 21);
  const BatchSums& b = s4.score(c.tiles, c.batch(e4.kernels), 21);
  for (Index t = 0; t < 53; ++t) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.norm2(t)), std::bit_cast<std::uint64_t>(b.norm2(t)));
    for (Index q = 0; q < 2; ++q) ASSERT_EQ(a.eg(q, t), b.eg(q, t));
    for (Index k = 0; k < 21; ++k) ASSERT_EQ(a.qg(k, t), b.qg(k, t));
  }
}

TEST(SelectKernels, AutomaticIsTheLastAvailableLevel) {
  EXPECT_EQ(&select_kernels(Isa::automatic), &select_kernels(available_levels().back()));
  EXPECT_EQ(available_levels().front(), Isa::portable);
}

}  // namespace
}  // namespace sconet
