// The activations, on packs of vectors. NaN stays NaN. Bounds on their error, tested against long double, stand in
// docs/method.md; the polynomials are minimax with coefficients rounded to double.
//
// Included by kernels.cpp alone, inside a namespace of the level's own, after simd.hpp.

// Adding and subtracting it rounds to the nearest integer, which then stands in the low bits of the sum.
constexpr double kRound = 0x1.8p52;
constexpr double kLog2e = 0x1.71547652b82fep0;
constexpr double kLn2High = 0x1.62e42ffp-1;  // 32 bits: times any exponent of a double it is exact
constexpr double kLn2Low = -0x1.718432a1b0e26p-35;

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2.
template <Index N>
SCONET_INLINE Pack<N> exp_tail(const Pack<N>& r) {
  Pack<N> q = madd(r, 0x1.af61dccd8f98fp-26, 0x1.2891ef2d37234p-22);
  q = madd(q, r, 0x1.71ddf779b2a86p-19);
  q = madd(q, r, 0x1.a019b8a06dc08p-16);
  q = madd(q, r, 0x1.a01a01afbb418p-13);
  q = madd(q, r, 0x1.6c16c178b0fdbp-10);
  q = madd(q, r, 0x1.111111110f8d5p-7);
  q = madd(q, r, 0x1.5555555553ccdp-5);
  q = madd(q, r, 0x1.5555555555558p-3);
  return madd(q, r, 0x1.0000000000001p-1);
}

// exp(x) for x <= 0, and zero below -708: subnormal numbers make every later multiplication with them many times
// slower.
template <Index N>
SCONET_INLINE Pack<N> exp_nonpositive(Pack<N> x) {
  x = each([](Vec v) SCONET_INLINE_LAMBDA { return at_least(v, -750.0); }, x);
  const Pack<N> t = madd(x, kLog2e, kRound);
  const Pack<N> n = t - kRound;
  const Pack<N> r = madd(n, -kLn2Low, madd(n, -kLn2High, x));
  const Pack<N> y = madd(madd(exp_tail(r), r, 1.0), r, 1.0);
  const Pack<N> e = each([](Vec a, Vec b, Vec c) SCONET_INLINE_LAMBDA { return times_power_of_2(a, b, c); }, y, n, t);
  return each([](Vec v, Vec w) SCONET_INLINE_LAMBDA { return (v < all(-708.0)) ? all(0.0) : w; }, x, e);
}

template <Index N>
SCONET_INLINE Pack<N> sigmoid(const Pack<N>& x) {
  const Pack<N> e = exp_nonpositive(each([](Vec v) SCONET_INLINE_LAMBDA { return minus_magnitude(v); }, x));
  return each([](Vec v, Vec y) SCONET_INLINE_LAMBDA { return select_negative(v, y, all(1.0)); }, x, e) / (e + 1.0);
}

// -t / (t + 2) with t = exp(-2|x|) - 1, which keeps its relative accuracy near zero.
template <Index N>
SCONET_INLINE Pack<N> hyperbolic_tangent(const Pack<N>& x) {
  Pack<N> a = each([](Vec v) SCONET_INLINE_LAMBDA { return at_least(minus_magnitude(v), -22.0); }, x);
  a = a + a;
  const Pack<N> t = madd(a, kLog2e, kRound);
  const Pack<N> n = t - kRound;
  const Pack<N> r = madd(n, -kLn2Low, madd(n, -kLn2High, a));
  const Pack<N> p = madd(exp_tail(r), r * r, r);
  const Pack<N> scale = each([](Vec v) SCONET_INLINE_LAMBDA { return from_bits((bits(v) << 52) + bits(all(1.0))); }, t);
  const Pack<N> e = madd(scale, p, scale - 1.0);
  return each([](Vec v, Vec s) SCONET_INLINE_LAMBDA { return with_sign_of(-v, s); }, e / (e + 2.0), x);
}

template <Index N>
SCONET_INLINE Pack<N> gaussian(const Pack<N>& x) {
  const Pack<N> a = each([](Vec v) SCONET_INLINE_LAMBDA { return at_least(minus_magnitude(v), -40.0); }, x);
  const Pack<N> square = a * a;
  const Pack<N> error = each([](Vec v, Vec s) SCONET_INLINE_LAMBDA { return square_error(v, s); }, a, square);
  const Pack<N> y = exp_nonpositive(square * -1.0);
  return madd(y * -1.0, error, y);
}

// Reduction by pi in three parts is exact enough up to 2^19; larger arguments, infinities and NaN go to libm.
template <Index N>
SCONET_INLINE Pack<N> sine(const Pack<N>& x) {
  constexpr double kPi1 = 0x1.921fb544p1, kPi2 = 0x1.0b4611a6p-33, kPi3 = 0x1.3198a2e037073p-68;
  const Pack<N> t = madd(x, 0x1.45f306dc9c883p-2, kRound);
  const Pack<N> n = t - kRound;
  const Pack<N> first = madd(n, -kPi1, x);
  const Pack<N> second = n * kPi2;
  const Pack<N> high = first - second;
  const Pack<N> r = high + (((first - high) - second) - n * kPi3);
  const Pack<N> r2 = r * r;
  Pack<N> s = madd(r2, 0x1.4cad28a973eacp-56, 0x1.6da9d7e95daa9p-49);
  s = madd(s, r2, -0x1.add4d9237a8a6p-41);
  s = madd(s, r2, 0x1.6122db0676a05p-33);
  s = madd(s, r2, -0x1.ae6452854d8dbp-26);
  s = madd(s, r2, 0x1.71de3a4f89c8ep-19);
  s = madd(s, r2, -0x1.a01a01a010c52p-13);
  s = madd(s, r2, 0x1.11111111110a9p-7);
  s = madd(s, r2, -0x1.5555555555555p-3);
  const Pack<N> y = madd(r * r2, s, r);
  return each(
      [](Vec value, Vec turns, Vec argument) SCONET_INLINE_LAMBDA {
        Vec out = from_bits(bits(value) ^ (bits(turns) << 63));
        const Mask reducible = minus_magnitude(argument) >= all(-0x1p19);
        for (Index i = 0; i < kLanes; ++i)
          if (!reducible[i]) out[i] = __builtin_sin(argument[i]);
        return out;
      },
      y, t, x);
}

template <Index N>
SCONET_INLINE Pack<N> rectifier(const Pack<N>& x) {
  return each([](Vec v) SCONET_INLINE_LAMBDA { return select_negative(v, all(0.0), v); }, x);
}

template <Act act, Index N>
SCONET_INLINE Pack<N> activation(const Pack<N>& x) {
  if constexpr (act == Act::sigmoid) return sigmoid(x);
  if constexpr (act == Act::tanh) return hyperbolic_tangent(x);
  if constexpr (act == Act::sin) return sine(x);
  if constexpr (act == Act::gaussian) return gaussian(x);
  if constexpr (act == Act::relu) return rectifier(x);
}

// The derivative at x, where the activation is h. A quarter turn ahead the sine is the cosine.
template <Act act, Index N>
SCONET_INLINE Pack<N> slope([[maybe_unused]] const Pack<N>& x, [[maybe_unused]] const Pack<N>& h) {
  if constexpr (act == Act::sigmoid) return h - h * h;
  if constexpr (act == Act::tanh) return (h * h - 1.0) * -1.0;
  if constexpr (act == Act::sin) return sine(x + 0x1.921fb54442d18p0);
  if constexpr (act == Act::gaussian) return x * h * -2.0;
  if constexpr (act == Act::relu)
    return each([](Vec v) SCONET_INLINE_LAMBDA { return (v > all(0.0)) ? all(1.0) : all(0.0); }, h);
}
