// Generated data: values of the formula, and the split.

#include "sconet/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sconet {
namespace {

TEST(Db1, FollowsItsFormulaOnARegularGrid) {
  const Dataset d = generate_db1();
  ASSERT_EQ(d.X.rows(), 1500);
  EXPECT_EQ(d.X(0, 0), 0.0);
  EXPECT_EQ(d.X(1499, 0), 1.0);
  EXPECT_NEAR(d.X(700, 0) - d.X(699, 0), 1.0 / 1499, 1e-15);
  // At x = 0.5 the second bump stands at its top: 0.2 exp(-1) + 0.5 + 0.3 exp(-400).
  const Dataset odd = generate_db1(3);
  EXPECT_NEAR(odd.Y(1, 0), 0.2 * std::exp(-1.0) + 0.5, 1e-15);
  EXPECT_EQ(generate_db1(1).X(0, 0), 0.0);
  EXPECT_EQ(generate_db1(0).X.rows(), 0);
}

TEST(Split622, DealsEveryRowOnce) {
  const Dataset d = generate_db1(1500);
  const Split s = split_622(d, 3);
  EXPECT_EQ(s.train.X.rows(), 900);
  EXPECT_EQ(s.valid.X.rows(), 300);
  EXPECT_EQ(s.test.X.rows(), 300);
  std::vector<double> all;
  for (const Dataset* part : {&s.train, &s.valid, &s.test})
    for (Index i = 0; i < part->X.rows(); ++i) all.push_back(part->X(i, 0));
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
  std::sort(all.begin(), all.end());
  for (Index i = 0; i < 1500; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], d.X(i, 0));
}

TEST(Split622, DependsOnItsSeed) {
  const Dataset d = generate_db1(100);
  EXPECT_EQ(split_622(d, 3).train.X, split_622(d, 3).train.X);
  EXPECT_NE(split_622(d, 3).train.X, split_622(d, 4).train.X);
}

}  // namespace
}  // namespace sconet
