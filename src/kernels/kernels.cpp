// The kernels of one instruction level. Compiled once per level with SCONET_LEVEL naming it; see kernels.hpp for
// shapes and layouts.
//
// SIMD runs along candidates (or along the columns of a Q panel), so a sum over rows is a plain loop over rows and
// its order is the same at every level and for every number of threads: one order within a tile, then tile by tile
// into the caller's sums.

#include "kernels/kernels.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace sconet::kernels {
namespace {

#include "kernels/simd.hpp"

#include "kernels/activation.hpp"

constexpr Index kVectors = 3;  // vectors in a full panel of candidates
constexpr Index kPanelWidth = kVectors * kLanes;
constexpr Index kBlock = kLanes == 8 ? 8 : 4;  // rows of X, or columns of Q, that share the accumulator registers

static_assert(kPanelWidth <= kMaxPanel);
static_assert(kPanel % kBlock == 0);

// g[row][NV vectors] = b + x w for the tile's rows, rounded up to whole groups. `listed`: of the inputs in `used`
// alone.
template <Index NV, bool listed = false>
void affine(const TileView& tile, const double* packed, double* g, [[maybe_unused]] const Index* used = nullptr) {
  constexpr Index width = NV * kLanes;
  Index inputs = tile.inputs;
  if constexpr (listed) inputs = *used++;
  const Index groups = (tile.rows + kPanel - 1) / kPanel;
  for (Index group = 0; group < groups; ++group) {
    for (Index half = 0; half < kPanel; half += kBlock) {
      const double* x = tile.x + group * tile.inputs * kPanel + half;
      const double* w = packed;
      Vec acc[kBlock][NV];
      SCONET_UNROLL
      for (Index i = 0; i < kBlock; ++i) SCONET_UNROLL
      for (Index v = 0; v < NV; ++v) acc[i][v] = load(w + v * kLanes);
      w += width;
      for (Index k = 0; k < inputs; ++k, w += width) {
        const double* xk = x + (listed ? used[k] : k) * kPanel;
        if constexpr (!listed) __builtin_prefetch(xk + 16 * kPanel, 0, 3);
        Vec wk[NV];
        SCONET_UNROLL
        for (Index v = 0; v < NV; ++v) wk[v] = load(w + v * kLanes);
        SCONET_UNROLL
        for (Index i = 0; i < kBlock; ++i) {
          const Vec xi = all(xk[i]);
          SCONET_UNROLL
          for (Index v = 0; v < NV; ++v) acc[i][v] = madd(xi, wk[v], acc[i][v]);
        }
      }
      double* out = g + (group * kPanel + half) * width;
      SCONET_UNROLL
      for (Index i = 0; i < kBlock; ++i) SCONET_UNROLL
      for (Index v = 0; v < NV; ++v) store(out + i * width + v * kLanes, acc[i][v]);
    }
  }
}

// affine() of the panel of candidates that begins at `first`.
template <Index NV>
void affine_panel(const TileView& tile, const CandidateView& candidates, Index first, double* g) {
  const double* packed = candidates.packed + first * (tile.inputs + 1);
  if (candidates.used != nullptr)
    affine<NV, true>(tile, packed, g, candidates.used + first / kPanelWidth * (tile.inputs + 1));
  else
    affine<NV>(tile, packed, g);
}

// g = act(g) * sqrt_weight in place, and its squared column norms into `norm`.
template <Index NV, Act act, bool weighted>
__attribute__((noinline)) void activate_panel(const TileView& tile, double* g, double* norm) {
  Vec acc[NV];
  SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) acc[v] = all(0.0);
  for (Index row = 0; row < tile.rows; ++row, g += NV * kLanes) {
    Pack<NV> h;
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) h.v[v] = load(g + v * kLanes);
    h = activation<act>(h);
    if constexpr (weighted) h = h * tile.sqrt_weight[row];
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) {
      store(g + v * kLanes, h.v[v]);
      acc[v] = madd(h.v[v], h.v[v], acc[v]);
    }
  }
  SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) store(norm + v * kLanes, acc[v]);
}

template <Index NV>
void activate_panel(const TileView& tile, Act act, double* g, double* norm) {
  const bool weighted = tile.sqrt_weight != nullptr;
  switch (act) {
#define SCONET_CASE(name)                                                \
  case Act::name:                                                        \
    return weighted ? activate_panel<NV, Act::name, true>(tile, g, norm) \
                    : activate_panel<NV, Act::name, false>(tile, g, norm);
    SCONET_CASE(sigmoid)
    SCONET_CASE(tanh)
    SCONET_CASE(sin)
    SCONET_CASE(gaussian)
    SCONET_CASE(relu)
#undef SCONET_CASE
  }
}

// What accumulate() calls into the cache while it works: the panel it will see next into L1, and, for the first
// candidates of a tile, the same panel of the next tile into L2. Prefetching never faults, so neither has to exist.
struct Ahead {
  const double* next_panel;
  bool next_tile;
};

// sums[j][candidate] += sum over rows of a[row][j] g[row][candidate], for NJ columns of a panel with `width` columns.
template <Index NV, Index NJ, bool next_tile>
__attribute__((noinline)) void accumulate(const double* a, Index width, const double* g, Index rows, double* sums,
                                          const double* next_panel) {
  Vec acc[NJ][NV];
  SCONET_UNROLL
  for (Index j = 0; j < NJ; ++j) SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) acc[j][v] = all(0.0);
  for (Index row = 0; row < rows; ++row, a += width, g += NV * kLanes) {
    __builtin_prefetch(next_panel + row * kPanel, 0, 3);
    if constexpr (next_tile) __builtin_prefetch(a + kTileRows * kPanel, 0, 2);
    Vec gr[NV];
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) gr[v] = load(g + v * kLanes);
    SCONET_UNROLL
    for (Index j = 0; j < NJ; ++j) {
      const Vec aj = all(a[j]);
      SCONET_UNROLL
      for (Index v = 0; v < NV; ++v) acc[j][v] = madd(aj, gr[v], acc[j][v]);
    }
  }
  SCONET_UNROLL
  for (Index j = 0; j < NJ; ++j) SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) {
    double* s = sums + (j * NV + v) * kLanes;
    store(s, load(s) + acc[j][v]);
  }
}

// accumulate() for a single column, E of one output: four sums side by side, because one alone would wait for itself.
template <Index NV>
__attribute__((noinline)) void accumulate_single(const double* a, const double* g, Index rows, double* sums) {
  Vec acc[4][NV];
  SCONET_UNROLL
  for (Index i = 0; i < 4; ++i) SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) acc[i][v] = all(0.0);
  Index row = 0;
  for (; row + 4 <= rows; row += 4) {
    SCONET_UNROLL
    for (Index i = 0; i < 4; ++i) SCONET_UNROLL
    for (Index v = 0; v < NV; ++v)
      acc[i][v] = madd(all(a[row + i]), load(g + ((row + i) * NV + v) * kLanes), acc[i][v]);
  }
  for (; row < rows; ++row) SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) acc[0][v] = madd(all(a[row]), load(g + (row * NV + v) * kLanes), acc[0][v]);
  SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) {
    double* s = sums + v * kLanes;
    store(s, load(s) + ((acc[0][v] + acc[1][v]) + (acc[2][v] + acc[3][v])));
  }
}

// accumulate() for the first `columns` (1 .. kPanel) columns of a panel.
template <Index NV>
void accumulate_columns(const double* a, Index width, Index columns, const double* g, Index rows, double* sums,
                        Ahead ahead) {
  const auto block = [&]<Index NJ>() {
    ahead.next_tile ? accumulate<NV, NJ, true>(a, width, g, rows, sums, ahead.next_panel)
                    : accumulate<NV, NJ, false>(a, width, g, rows, sums, ahead.next_panel);
  };
  for (; columns >= kBlock; columns -= kBlock, a += kBlock, sums += kBlock * NV * kLanes)
    block.template operator()<kBlock>();
  switch (columns) {
    case 1: return block.template operator()<1>();
    case 2: return block.template operator()<2>();
    case 3: return block.template operator()<3>();
#if defined(__AVX512F__)
    case 4: return block.template operator()<4>();
    case 5: return block.template operator()<5>();
    case 6: return block.template operator()<6>();
    case 7: return block.template operator()<7>();
#endif
    default: return;
  }
}

// The sums of a panel from g = b + x w.
template <Index NV>
void score_panel(const TileView& tile, Act act, double* g, double* sums, bool first_panel) {
  constexpr Index stride = NV * kLanes;
  alignas(kAlignment) double norm[NV * kLanes];
  activate_panel<NV>(tile, act, g, norm);
  if (tile.outputs == 1) accumulate_single<NV>(tile.e, g, tile.rows, sums);
  for (Index j = 0; tile.outputs > 1 && j < tile.outputs; j += kPanel) {
    const double* e = tile.e + j * kTileRows;
    const Index width = tile.outputs - j < kPanel ? tile.outputs - j : kPanel;
    accumulate_columns<NV>(e, width, width, g, tile.rows, sums + j * stride, {e + kPanel * kTileRows, false});
  }
  sums += tile.outputs * stride;
  for (Index v = 0; v < NV; ++v) store(sums + v * kLanes, load(sums + v * kLanes) + load(norm + v * kLanes));
  sums += stride;
  for (Index k = 0; k < tile.columns; k += kPanel, sums += kPanel * stride) {
    const double* q = tile.q[k / kPanel] + tile.q_offset;
    const Index columns = tile.columns - k < kPanel ? tile.columns - k : kPanel;
    const double* next = k + kPanel < tile.columns ? tile.q[k / kPanel + 1] + tile.q_offset : q;
    accumulate_columns<NV>(q, kPanel, columns, g, tile.rows, sums, {next, first_panel});
  }
}

// Calls f with the number of vectors in each panel of a run of candidates: visit(first candidate, NV).
template <class F>
void for_each_panel(Index padded, F&& f) {
  for (Index first = 0; first < padded; first += kPanelWidth) {
    switch ((padded - first) / kLanes) {
      case 1: f.template operator()<1>(first); break;
      case 2: f.template operator()<2>(first); break;
      default: f.template operator()<kVectors>(first); break;
    }
  }
}

void score_tile(const TileView& tile, Act act, const CandidateView& candidates, double* g, double* sums) {
  for_each_panel(candidates.padded, [&]<Index NV>(Index first) {
    affine_panel<NV>(tile, candidates, first, g);
    score_panel<NV>(tile, act, g, sums + first * (tile.outputs + 1 + tile.columns), first == 0);
  });
}

void node_tile(const TileView& tile, Act act, const double* packed, double* g, double* h) {
  affine<1>(tile, packed, g);
  alignas(kAlignment) double norm[kLanes];
  activate_panel<1>(tile, act, g, norm);
  for (Index row = 0; row < tile.rows; ++row) h[row] = g[row * kLanes];
}

void project_tile(const TileView& tile, const double* c, double* p, double* c_next) {
  constexpr Index parts = kPanel / kLanes;
  const Index panels = (tile.columns + kPanel - 1) / kPanel;
  // Four rows share each load of c. A sum over columns runs in kPanel partial sums, panel by panel.
  auto subtract = [&]<Index NR>(Index row) {
    Vec acc[NR][parts];
    SCONET_UNROLL
    for (Index i = 0; i < NR; ++i) SCONET_UNROLL
    for (Index v = 0; v < parts; ++v) acc[i][v] = all(0.0);
    for (Index k = 0; k < panels; ++k) {
      const double* q = tile.q[k] + tile.q_offset + row * kPanel;
      SCONET_UNROLL
      for (Index v = 0; v < parts; ++v) {
        const Vec ck = load(c + k * kPanel + v * kLanes);
        SCONET_UNROLL
        for (Index i = 0; i < NR; ++i) acc[i][v] = madd(load(q + i * kPanel + v * kLanes), ck, acc[i][v]);
      }
    }
    SCONET_UNROLL
    for (Index i = 0; i < NR; ++i) p[row + i] -= sum_panel(acc[i]);
  };
  Index row = 0;
  for (; row + 4 <= tile.rows; row += 4) subtract.template operator()<4>(row);
  for (; row < tile.rows; ++row) subtract.template operator()<1>(row);
  if (c_next == nullptr) return;
  for (Index k = 0; k < panels; ++k) {
    const double* q = tile.q[k] + tile.q_offset;
    Vec acc[4][parts];
    SCONET_UNROLL
    for (Index i = 0; i < 4; ++i) SCONET_UNROLL
    for (Index v = 0; v < parts; ++v) acc[i][v] = all(0.0);
    for (row = 0; row + 4 <= tile.rows; row += 4) SCONET_UNROLL
    for (Index i = 0; i < 4; ++i) {
      const Vec pi = all(p[row + i]);
      SCONET_UNROLL
      for (Index v = 0; v < parts; ++v) acc[i][v] = madd(load(q + (row + i) * kPanel + v * kLanes), pi, acc[i][v]);
    }
    for (; row < tile.rows; ++row) SCONET_UNROLL
    for (Index v = 0; v < parts; ++v) acc[0][v] = madd(load(q + row * kPanel + v * kLanes), all(p[row]), acc[0][v]);
    SCONET_UNROLL
    for (Index v = 0; v < parts; ++v) {
      double* out = c_next + k * kPanel + v * kLanes;
      store(out, load(out) + ((acc[0][v] + acc[1][v]) + (acc[2][v] + acc[3][v])));
    }
  }
}

// Adds the share of a panel of nodes, whose outputs are `h`, to the partial sums of the predictions: node i goes to sum
// i mod kPanel. `beta` is that of the panel's first node, `first` its number.
template <Index NV>
void add_predictions(const TileView& tile, const double* h, const double* beta, Index beta_stride, Index first,
                     double* partial) {
  constexpr Index parts = kPanel / kLanes;
  for (Index q = 0; q < tile.outputs; ++q) {
    Vec b[NV];
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) b[v] = load(beta + q * beta_stride + v * kLanes);
    for (Index row = 0; row < tile.rows; ++row) SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) {
      double* out = partial + (row * tile.outputs + q) * kPanel + (first / kLanes + v) % parts * kLanes;
      store(out, madd(load(h + row * NV * kLanes + v * kLanes), b[v], load(out)));
    }
  }
}

SCONET_INLINE double prediction(const double* partial, Index i) {
  constexpr Index parts = kPanel / kLanes;
  Vec sum[parts];
  SCONET_UNROLL
  for (Index v = 0; v < parts; ++v) sum[v] = load(partial + i * kPanel + v * kLanes);
  return sum_panel(sum);
}

void predict_tile(const TileView& tile, Act act, const CandidateView& nodes, const double* beta, double* g,
                  double* partial, double* y) {
  const Index results = tile.rows * tile.outputs;
  for (Index i = 0; i < results * kPanel; i += kLanes) store(partial + i, all(0.0));
  for_each_panel(nodes.padded, [&]<Index NV>(Index first) {
    affine_panel<NV>(tile, nodes, first, g);
    alignas(kAlignment) double norm[NV * kLanes];
    activate_panel<NV>(tile, act, g, norm);
    add_predictions<NV>(tile, g, beta + first, nodes.padded, first, partial);
  });
  for (Index i = 0; i < results; ++i) y[i] = prediction(partial, i);
}

// h = act(h) * sqrt_weight in place, and s = act'(h) * sqrt_weight.
template <Index NV, Act act, bool weighted>
__attribute__((noinline)) void differentiate_panel(const TileView& tile, double* h, double* s) {
  for (Index row = 0; row < tile.rows; ++row, h += NV * kLanes, s += NV * kLanes) {
    Pack<NV> z;
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) z.v[v] = load(h + v * kLanes);
    Pack<NV> value = activation<act>(z);
    Pack<NV> derivative = slope<act>(z, value);
    if constexpr (weighted) {
      value = value * tile.sqrt_weight[row];
      derivative = derivative * tile.sqrt_weight[row];
    }
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) {
      store(h + v * kLanes, value.v[v]);
      store(s + v * kLanes, derivative.v[v]);
    }
  }
}

template <Index NV>
void differentiate_panel(const TileView& tile, Act act, double* h, double* s) {
  const bool weighted = tile.sqrt_weight != nullptr;
  switch (act) {
#define SCONET_CASE(name)                                                  \
  case Act::name:                                                          \
    return weighted ? differentiate_panel<NV, Act::name, true>(tile, h, s) \
                    : differentiate_panel<NV, Act::name, false>(tile, h, s);
    SCONET_CASE(sigmoid)
    SCONET_CASE(tanh)
    SCONET_CASE(sin)
    SCONET_CASE(gaussian)
    SCONET_CASE(relu)
#undef SCONET_CASE
  }
}

// s *= r beta', the error as each node of the panel feels it, and its sums over the rows into `sums`. `r` lies like E.
template <Index NV>
__attribute__((noinline)) void spread_error(const TileView& tile, const double* r, const double* beta,
                                            Index beta_stride, double* s, double* sums) {
  Vec acc[NV];
  SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) acc[v] = all(0.0);
  for (Index row = 0; row < tile.rows; ++row, s += NV * kLanes) {
    Vec felt[NV];
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) felt[v] = all(0.0);
    for (Index j = 0; j < tile.outputs; j += kPanel) {
      const Index width = tile.outputs - j < kPanel ? tile.outputs - j : kPanel;
      for (Index q = 0; q < width; ++q) {
        const Vec error = all(r[j * kTileRows + row * width + q]);
        SCONET_UNROLL
        for (Index v = 0; v < NV; ++v) felt[v] = madd(error, load(beta + (j + q) * beta_stride + v * kLanes), felt[v]);
      }
    }
    SCONET_UNROLL
    for (Index v = 0; v < NV; ++v) {
      felt[v] *= load(s + v * kLanes);
      store(s + v * kLanes, felt[v]);
      acc[v] += felt[v];
    }
  }
  SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) store(sums + v * kLanes, load(sums + v * kLanes) + acc[v]);
}

// sums[k][node] += sum over rows of x[row][k] s[row][node], for NJ inputs. Rows behind the last one are zero in x but
// anything in s, so the last group stops where the rows do.
template <Index NV, Index NJ>
__attribute__((noinline)) void accumulate_inputs(const TileView& tile, const double* x, const double* s, double* sums) {
  Vec acc[NJ][NV];
  SCONET_UNROLL
  for (Index j = 0; j < NJ; ++j) SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) acc[j][v] = all(0.0);
  for (Index group = 0; group < tile.rows; group += kPanel, x += tile.inputs * kPanel) {
    const Index rows = tile.rows - group < kPanel ? tile.rows - group : kPanel;
    SCONET_UNROLL
    for (Index j = 0; j < NJ; ++j) __builtin_prefetch(x + (tile.inputs + j) * kPanel, 0, 3);
    for (Index row = 0; row < rows; ++row, s += NV * kLanes) {
      Vec sr[NV];
      SCONET_UNROLL
      for (Index v = 0; v < NV; ++v) sr[v] = load(s + v * kLanes);
      SCONET_UNROLL
      for (Index j = 0; j < NJ; ++j) {
        const Vec xj = all(x[j * kPanel + row]);
        SCONET_UNROLL
        for (Index v = 0; v < NV; ++v) acc[j][v] = madd(xj, sr[v], acc[j][v]);
      }
    }
  }
  SCONET_UNROLL
  for (Index j = 0; j < NJ; ++j) SCONET_UNROLL
  for (Index v = 0; v < NV; ++v) {
    double* out = sums + (j * NV + v) * kLanes;
    store(out, load(out) + acc[j][v]);
  }
}

template <Index NV>
void backprop_panel(const TileView& tile, const double* h, const double* r, const double* beta, Index beta_stride,
                    double* s, double* sums) {
  constexpr Index stride = NV * kLanes;
  if (tile.outputs == 1) accumulate_single<NV>(r, h, tile.rows, sums);
  for (Index j = 0; tile.outputs > 1 && j < tile.outputs; j += kPanel) {
    const Index width = tile.outputs - j < kPanel ? tile.outputs - j : kPanel;
    accumulate_columns<NV>(r + j * kTileRows, width, width, h, tile.rows, sums + j * stride, {r, false});
  }
  sums += tile.outputs * stride;
  spread_error<NV>(tile, r, beta, beta_stride, s, sums);
  sums += stride;
  Index k = 0;
  for (; k + kBlock <= tile.inputs; k += kBlock)
    accumulate_inputs<NV, kBlock>(tile, tile.x + k * kPanel, s, sums + k * stride);
  for (; k + 4 <= tile.inputs; k += 4) accumulate_inputs<NV, 4>(tile, tile.x + k * kPanel, s, sums + k * stride);
  for (; k < tile.inputs; ++k) accumulate_inputs<NV, 1>(tile, tile.x + k * kPanel, s, sums + k * stride);
}

void backprop_tile(const TileView& tile, Act act, const CandidateView& nodes, const double* beta,
                   const double* intercept, double* scratch, double* sums) {
  double* h = scratch;
  double* s = h + kTileRows * nodes.padded;
  double* partial = s + kTileRows * nodes.padded;
  double* r = partial + kTileRows * tile.outputs * kPanel;
  const Index results = tile.rows * tile.outputs;
  for (Index i = 0; i < results * kPanel; i += kLanes) store(partial + i, all(0.0));
  for_each_panel(nodes.padded, [&]<Index NV>(Index first) {
    affine<NV>(tile, nodes.packed + first * (tile.inputs + 1), h + first * kTileRows);
    differentiate_panel<NV>(tile, act, h + first * kTileRows, s + first * kTileRows);
    add_predictions<NV>(tile, h + first * kTileRows, beta + first, nodes.padded, first, partial);
  });

  double* totals = sums + nodes.padded * (tile.outputs + 1 + tile.inputs);
  for (Index j = 0; j < tile.outputs; j += kPanel) {
    const Index width = tile.outputs - j < kPanel ? tile.outputs - j : kPanel;
    for (Index q = 0; q < width; ++q) {
      double sum = 0, square = 0;
      for (Index row = 0; row < tile.rows; ++row) {
        const double root = tile.sqrt_weight != nullptr ? tile.sqrt_weight[row] : 1.0;
        const Index at = j * kTileRows + row * width + q;
        const double error = (root * intercept[j + q] + prediction(partial, row * tile.outputs + j + q)) - tile.e[at];
        r[at] = error;
        sum += error * root;
        square += error * error;
      }
      totals[j + q] += sum;
      totals[tile.outputs + j + q] += square;
    }
  }

  for_each_panel(nodes.padded, [&]<Index NV>(Index first) {
    backprop_panel<NV>(tile, h + first * kTileRows, r, beta + first, nodes.padded, s + first * kTileRows,
                       sums + first * (tile.outputs + 1 + tile.inputs));
  });
}

template <Act act>
void activate_array(double* z, Index count) {
  for (Index i = 0; i < count; i += kLanes) store(z + i, activation<act>(Pack<1>{load(z + i)}).v[0]);
}

void activate(Act act, double* z, Index count) {
  switch (act) {
    case Act::sigmoid: return activate_array<Act::sigmoid>(z, count);
    case Act::tanh: return activate_array<Act::tanh>(z, count);
    case Act::sin: return activate_array<Act::sin>(z, count);
    case Act::gaussian: return activate_array<Act::gaussian>(z, count);
    case Act::relu: return activate_array<Act::relu>(z, count);
  }
}

double multiply_add_loop(long rounds, double* flops_per_round) {
  constexpr Index n = kLanes == 8 ? 24 : 12;
  Vec acc[n];
  SCONET_UNROLL
  for (Index j = 0; j < n; ++j) acc[j] = all(static_cast<double>(j));
  Vec a = all(1.0 - 0x1p-30);
  const Vec b = all(0x1p-40);
  for (long i = 0; i < rounds; ++i) {
    SCONET_UNROLL
    for (Index j = 0; j < n; ++j) acc[j] = madd(acc[j], a, b);
    __asm__ volatile("" : "+m"(*flops_per_round));  // one round after another
  }
  *flops_per_round = 2.0 * n * kLanes;
  Vec s = acc[0];
  SCONET_UNROLL
  for (Index j = 1; j < n; ++j) s += acc[j];
  return s[0];
}

void subtract_rows(Index count, const double* factors, const double* const* rows, double* y, Index n) {
  Index k = 0;
  for (; k + 8 <= count; k += 8) {  // eight rows read and write y once instead of eight times
    const double* const* const r = rows + k;
    const double* const a = factors + k;
    const double *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3], *r4 = r[4], *r5 = r[5], *r6 = r[6], *r7 = r[7];
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];
    for (Index i = 0; i < n; ++i) {
      double sum = (((y[i] - a0 * r0[i]) - a1 * r1[i]) - a2 * r2[i]) - a3 * r3[i];
      sum = (((sum - a4 * r4[i]) - a5 * r5[i]) - a6 * r6[i]) - a7 * r7[i];
      y[i] = sum;
    }
  }
  for (; k < count; ++k)
    for (Index i = 0; i < n; ++i) y[i] -= factors[k] * rows[k][i];
}

constexpr Kernels table = {
    SCONET_LEVEL_NAME, kLanes,         kPanelWidth, &score_tile,    &node_tile,         &project_tile,
    &predict_tile,     &backprop_tile, &activate,   &subtract_rows, &multiply_add_loop,
};

}  // namespace

const Kernels& SCONET_LEVEL() { return table; }

}  // namespace sconet::kernels
