// Every activation at every instruction level against long double, over its whole range.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "core/aligned.hpp"
#include "kernels/dispatch.hpp"

namespace sconet {
namespace {

using kernels::Act;
using Real = long double;

struct Function {
  const char* name;
  Act act;
  Real (*exact)(Real);
  double bound;  // ulp; docs/method.md states the same numbers
};

const Function kFunctions[] = {
    {"sigmoid", Act::sigmoid, [](Real z) { return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z)); },
     2.5},
    {"tanh", Act::tanh, [](Real z) { return std::tanh(z); }, 3.0},
    {"sin", Act::sin, [](Real z) { return std::sin(z); }, 2.0},
    {"gaussian", Act::gaussian, [](Real z) { return std::exp(-z * z); }, 2.0},
    {"relu", Act::relu, [](Real z) { return z > 0 ? z : Real{0}; }, 0.0},
};

// Arguments over all magnitudes, dense where the functions move, and at the ends of their ranges.
std::vector<double> arguments() {
  std::vector<double> z = {0.0,
                           1.0,
                           708.0,
                           709.0,
                           710.0,
                           744.0,
                           745.0,
                           745.13,
                           745.14,
                           746.0,
                           750.0,
                           800.0,
                           1e300,
                           std::numeric_limits<double>::max(),
                           std::numeric_limits<double>::min(),
                           std::numeric_limits<double>::denorm_min(),
                           22.0,
                           21.9999,
                           26.6,
                           27.2,
                           27.3,
                           40.0,
                           1e5,
                           524288.0,
                           524289.0,
                           3.141592653589793,
                           1.5707963267948966,
                           6.283185307179586};
  std::mt19937_64 bits(7);
  const auto unit = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  for (int i = 0; i < 60000; ++i) z.push_back(40 * unit());
  for (int i = 0; i < 20000; ++i) z.push_back(760 * unit());
  for (int i = 0; i < 20000; ++i) z.push_back(std::ldexp(1 + unit(), static_cast<int>(bits() % 2040) - 1020));
  for (int i = 0; i < 20000; ++i) z.push_back(std::ldexp(1 + unit(), static_cast<int>(bits() % 40) - 20));
  for (int k = 1; k < 5000; ++k) {  // next to multiples of pi, where sin is small
    const double at = k * 3.141592653589793;
    z.push_back(at);
    z.push_back(std::nextafter(at, 1e9));
  }
  const std::size_t count = z.size();
  for (std::size_t i = 0; i < count; ++i) z.push_back(-z[i]);
  while (z.size() % 8 != 0) z.push_back(0.5);
  return z;
}

double ulps(double value, Real exact) {
  const double nearest = static_cast<double>(exact);
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const Real ulp = std::ldexp(Real{1}, std::max(exponent - 53, -1074));
  return static_cast<double>(std::abs(static_cast<Real>(value) - exact) / ulp);
}

std::vector<double> apply(Isa isa, Act act, const std::vector<double>& z) {
  AlignedBuffer buffer(static_cast<Index>(z.size()));
  std::copy(z.begin(), z.end(), buffer.data());
  select_kernels(isa).activate(act, buffer.data(), static_cast<Index>(z.size()));
  return {buffer.data(), buffer.data() + z.size()};
}

class ActivationTest : public ::testing::TestWithParam<Isa> {};

TEST_P(ActivationTest, IsWithinItsUlpBoundOverTheWholeRange) {
  const std::vector<double> z = arguments();
  for (const Function& f : kFunctions) {
    const std::vector<double> value = apply(GetParam(), f.act, z);
    double worst = 0, where = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      ASSERT_TRUE(std::isfinite(value[i])) << f.name << '(' << z[i] << ')';
      const Real exact = f.exact(z[i]);
      if ((f.act == Act::sigmoid || f.act == Act::gaussian) && exact < std::exp(Real{-708})) {
        ASSERT_EQ(value[i], 0.0) << f.name << '(' << z[i] << ')';  // never subnormal
        continue;
      }
      const double u = ulps(value[i], exact);
      if (u > worst) worst = u, where = z[i];
    }
    EXPECT_LE(worst, f.bound) << f.name << " at " << where;
    RecordProperty(f.name, std::to_string(worst));
    std::printf("%-8s %-10s largest error %.3f ulp, at %.17g\n", f.name, select_kernels(GetParam()).name, worst, where);
  }
}

TEST_P(ActivationTest, KeepsNanAndReachesItsLimits) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double missing = std::bit_cast<double>(0x7FF00000000007A2);  // R's NA: a NaN with a payload
  const std::vector<double> z = {nan, missing, inf, -inf, 0.0, -0.0, 1e308, -1e308};
  for (const Function& f : kFunctions) {
    const auto value = apply(GetParam(), f.act, z);
    EXPECT_TRUE(std::isnan(value[0]) && std::isnan(value[1])) << f.name;
  }
  const auto sigmoid = apply(GetParam(), Act::sigmoid, z);
  EXPECT_EQ(sigmoid[2], 1.0);
  EXPECT_EQ(sigmoid[3], 0.0);
  EXPECT_EQ(sigmoid[4], 0.5);
  const auto tanh = apply(GetParam(), Act::tanh, z);
  EXPECT_EQ(tanh[2], 1.0);
  EXPECT_EQ(tanh[3], -1.0);
  EXPECT_EQ(tanh[4], 0.0);
  const auto gaussian = apply(GetParam(), Act::gaussian, z);
  EXPECT_EQ(gaussian[2], 0.0);
  EXPECT_EQ(gaussian[4], 1.0);
  const auto sin = apply(GetParam(), Act::sin, z);
  EXPECT_TRUE(std::isnan(sin[2]));
  const auto relu = apply(GetParam(), Act::relu, z);
  EXPECT_EQ(relu[2], inf);
  EXPECT_EQ(relu[3], 0.0);
}

// A sigmoid that saturates early changes which candidates win.
TEST_P(ActivationTest, SigmoidTailsDoNotSaturateEarly) {
  const auto value = apply(GetParam(), Act::sigmoid, {-40, -100, -300, -500, -700, -707, -708, 36});
  for (int i = 0; i < 7; ++i) EXPECT_GT(value[static_cast<std::size_t>(i)], 0.0) << i;
  EXPECT_LT(value[7], 1.0);
}

INSTANTIATE_TEST_SUITE_P(Levels, ActivationTest, ::testing::ValuesIn(available_levels()),
                         [](const auto& p) { return "level" + std::to_string(static_cast<int>(p.param)); });

TEST(Activation, LevelsWithFmaAgreeToTheBitAndSoDoThoseWithout) {
  const auto levels = available_levels();
  const std::vector<double> z = arguments();
  const auto has = [&](Isa isa) { return std::find(levels.begin(), levels.end(), isa) != levels.end(); };
  const auto same = [&](Isa a, Isa b) {
    for (const Function& f : kFunctions) {
      const auto va = apply(a, f.act, z), vb = apply(b, f.act, z);
      for (std::size_t i = 0; i < z.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(va[i]), std::bit_cast<std::uint64_t>(vb[i]))
            << f.name << '(' << z[i] << ')';
    }
  };
  if (has(Isa::v2)) same(Isa::portable, Isa::v2);
  if (has(Isa::v4)) same(Isa::v3, Isa::v4);
}

}  // namespace
}  // namespace sconet
