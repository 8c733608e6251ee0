// A vector of doubles at the level this file is compiled for, on the compiler's vector extensions.
//
// Included by kernels.cpp alone, inside a namespace of the level's own. Where the processor has a fused
// multiply-add it is used explicitly and nowhere else (-ffp-contract=off), so every level with FMA computes the
// same bits.
//
// Pack<N> is N vectors that go through the same steps side by side: the steps of one vector wait for each other, so
// the processor needs several independent ones next to each other in the instruction stream.

#define SCONET_INLINE inline __attribute__((always_inline))
#define SCONET_INLINE_LAMBDA __attribute__((always_inline))
// Loops over registers are unrolled whole, or the compiler keeps the registers' values in memory.
#define SCONET_UNROLL _Pragma("GCC unroll 32")

#if defined(__AVX512F__)
constexpr Index kLanes = 8;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr Index kLanes = 4;
#else
constexpr Index kLanes = 2;
#endif

typedef double Vec __attribute__((vector_size(8 * kLanes)));
typedef unsigned long long Bits __attribute__((vector_size(8 * kLanes)));  // wraps, as bits of doubles may
typedef long long Mask __attribute__((vector_size(8 * kLanes)));           // what a comparison gives

SCONET_INLINE Vec load(const double* p) { return *reinterpret_cast<const Vec*>(p); }
SCONET_INLINE void store(double* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }
SCONET_INLINE Bits bits(Vec v) { return reinterpret_cast<Bits>(v); }
SCONET_INLINE Vec from_bits(Bits b) { return reinterpret_cast<Vec>(b); }

SCONET_INLINE Vec all(double x) {
#if defined(__AVX512F__)
  return Vec{x, x, x, x, x, x, x, x};
#elif defined(__AVX2__) && defined(__FMA__)
  return Vec{x, x, x, x};
#else
  return Vec{x, x};
#endif
}

// a * b + c: rounded once where the level has FMA, twice where it does not.
SCONET_INLINE Vec madd(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vec>(
      _mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
#elif defined(__AVX2__) && defined(__FMA__)
  return reinterpret_cast<Vec>(
      _mm256_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
#else
  return a * b + c;
#endif
}

// x < bound ? bound : x, which keeps NaN.
SCONET_INLINE Vec at_least(Vec x, double bound) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vec>(_mm512_max_pd(reinterpret_cast<__m512d>(all(bound)), reinterpret_cast<__m512d>(x)));
#elif defined(__AVX2__) && defined(__FMA__)
  return reinterpret_cast<Vec>(_mm256_max_pd(reinterpret_cast<__m256d>(all(bound)), reinterpret_cast<__m256d>(x)));
#else
  return (x < all(bound)) ? all(bound) : x;
#endif
}

// y * 2^n where n is integral, t = n + kRound and 2^-1100 < y * 2^n < 2: rounded once, also when it is subnormal.
SCONET_INLINE Vec times_power_of_2(Vec y, [[maybe_unused]] Vec n, [[maybe_unused]] Vec t) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vec>(_mm512_scalef_pd(reinterpret_cast<__m512d>(y), reinterpret_cast<__m512d>(n)));
#else
  const Mask tiny = n < all(-1000.0);
  const Vec shifted = tiny ? t + all(64.0) : t;
  const Vec scaled = from_bits(bits(y) + (bits(shifted) << 52)) * (tiny ? all(0x1p-64) : all(1.0));
  // The payload of a NaN must not reach the exponent.
  return (y == y) ? scaled : y;        // NOLINT(misc-redundant-expression)
#endif
}

SCONET_INLINE Vec select_negative(Vec x, Vec yes, Vec no) { return (x < all(0.0)) ? yes : no; }
SCONET_INLINE Vec minus_magnitude(Vec x) { return from_bits(bits(x) | 0x8000000000000000ULL); }
SCONET_INLINE Vec with_sign_of(Vec x, Vec s) { return from_bits(bits(x) | (bits(s) & 0x8000000000000000ULL)); }

// The rounding error of hi = a * a, exactly; |a| below 2^500.
SCONET_INLINE Vec square_error(Vec a, Vec hi) {
#if defined(__FMA__)
  return madd(a, a, -hi);
#else
  const Vec t = a * all(134217729.0);  // Veltkamp's split
  const Vec top = t - (t - a);
  const Vec low = a - top;
  return ((top * top - hi) + all(2.0) * top * low) + low * low;
#endif
}

// The sum of kPanel doubles that lie in kPanel / kLanes registers, in one order at every level.
SCONET_INLINE double sum_panel(const Vec (&v)[kPanel / kLanes]) {
  double s[kPanel];
  for (Index i = 0; i < kPanel / kLanes; ++i) __builtin_memcpy(s + i * kLanes, &v[i], sizeof(Vec));
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

template <Index N>
struct Pack {
  Vec v[N];
};

template <Index N, class F, class... P>
SCONET_INLINE Pack<N> each(F f, const Pack<N>& first, const P&... rest) {
  Pack<N> out;
  SCONET_UNROLL
  for (Index i = 0; i < N; ++i) out.v[i] = f(first.v[i], rest.v[i]...);
  return out;
}

template <Index N>
SCONET_INLINE Pack<N> operator+(const Pack<N>& a, const Pack<N>& b) {
  return each([](Vec x, Vec y) SCONET_INLINE_LAMBDA { return x + y; }, a, b);
}
template <Index N>
SCONET_INLINE Pack<N> operator-(const Pack<N>& a, const Pack<N>& b) {
  return each([](Vec x, Vec y) SCONET_INLINE_LAMBDA { return x - y; }, a, b);
}
template <Index N>
SCONET_INLINE Pack<N> operator*(const Pack<N>& a, const Pack<N>& b) {
  return each([](Vec x, Vec y) SCONET_INLINE_LAMBDA { return x * y; }, a, b);
}
template <Index N>
SCONET_INLINE Pack<N> operator/(const Pack<N>& a, const Pack<N>& b) {
  return each([](Vec x, Vec y) SCONET_INLINE_LAMBDA { return x / y; }, a, b);
}
template <Index N>
SCONET_INLINE Pack<N> operator+(const Pack<N>& a, double b) {
  return each([b](Vec x) SCONET_INLINE_LAMBDA { return x + all(b); }, a);
}
template <Index N>
SCONET_INLINE Pack<N> operator-(const Pack<N>& a, double b) {
  return each([b](Vec x) SCONET_INLINE_LAMBDA { return x - all(b); }, a);
}
template <Index N>
SCONET_INLINE Pack<N> operator*(const Pack<N>& a, double b) {
  return each([b](Vec x) SCONET_INLINE_LAMBDA { return x * all(b); }, a);
}
template <Index N>
SCONET_INLINE Pack<N> madd(const Pack<N>& a, const Pack<N>& b, const Pack<N>& c) {
  return each([](Vec x, Vec y, Vec z) SCONET_INLINE_LAMBDA { return madd(x, y, z); }, a, b, c);
}
template <Index N>
SCONET_INLINE Pack<N> madd(const Pack<N>& a, const Pack<N>& b, double c) {
  return each([c](Vec x, Vec y) SCONET_INLINE_LAMBDA { return madd(x, y, all(c)); }, a, b);
}
template <Index N>
SCONET_INLINE Pack<N> madd(const Pack<N>& a, double b, const Pack<N>& c) {
  return each([b](Vec x, Vec z) SCONET_INLINE_LAMBDA { return madd(x, all(b), z); }, a, c);
}
template <Index N>
SCONET_INLINE Pack<N> madd(const Pack<N>& a, double b, double c) {
  return each([b, c](Vec x) SCONET_INLINE_LAMBDA { return madd(x, all(b), all(c)); }, a);
}
