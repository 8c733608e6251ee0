// The random stream: the published test vectors of Philox 4x32-10, and the draws made from it.

#include "kernels/philox.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/candidates.hpp"

namespace sconet {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// The three known-answer vectors for philox4x32 with 10 rounds that the Random123 library publishes.
TEST(Philox, MatchesThePublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox4x32({f, f, f, f}, {f, f}), (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(SignedUnit, StaysInsideTheOpenInterval) {
  EXPECT_GT(signed_unit(0, 0), -1.0);
  EXPECT_LT(signed_unit(0xffffffff, 0xffffffff), 1.0);
  EXPECT_EQ(signed_unit(0, 0), -signed_unit(0xffffffff, 0xffffffff));
}

TEST(DrawCandidate, DependsOnEveryPartOfItsKey) {
  const auto first = [](std::uint64_t seed, Index node, Index batch, Index candidate) {
    return draw_candidate(seed, node, batch, candidate, 3, {.scale = 1.0}).w[0];
  };
  const std::set<double> values = {first(1, 1, 0, 0), first(2, 1, 0, 0), first(1ULL << 40, 1, 0, 0),
                                   first(1, 2, 0, 0), first(1, 1, 1, 0), first(1, 1, 0, 1)};
  EXPECT_EQ(values.size(), 6U);
  const Candidate c = draw_candidate(1, 1, 0, 0, 3, {.scale = 1.0});
  EXPECT_EQ((std::set<double>{c.w[0], c.w[1], c.w[2], c.b}).size(), 4U);
}

TEST(DrawCandidate, ScalesAndCentresUniformly) {
  double sum = 0, square = 0;
  constexpr Index n = 20000;
  for (Index t = 0; t < n; ++t) {
    const Candidate c = draw_candidate(5, 1, 0, t, 1, {.scale = 4.0});
    ASSERT_LT(std::abs(c.w[0]), 4.0);
    ASSERT_LT(std::abs(c.b), 4.0);
    sum += c.w[0] + c.b;
    square += c.w[0] * c.w[0] + c.b * c.b;
  }
  EXPECT_NEAR(sum / (2 * n), 0.0, 5 * 4.0 / std::sqrt(3.0 * 2 * n));  // five standard errors
  EXPECT_NEAR(square / (2 * n), 16.0 / 3, 0.15);
}

// Draws are part of the promise that a seed gives the same model: they may never change.
TEST(DrawCandidate, IsFrozen) {
  const Candidate c = draw_candidate(42, 3, 1, 7, 2, {.scale = 10.0});
  EXPECT_EQ(c.w[0], 0x1.1d8f6c804ebb8p+2);
  EXPECT_EQ(c.w[1], -0x1.6114adf592db4p-1);
  EXPECT_EQ(c.b, 0x1.461f1b51756a7p+1);
}

}  // namespace
}  // namespace sconet
