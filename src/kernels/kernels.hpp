// The few hot loops, as a table of plain functions that exists once per instruction level.
//
// No policy lives here: the kernels know tiles, panels and sums. They allocate nothing, throw nothing and keep no
// state. `kernels.cpp` is compiled once per level, so it and this header include no STL or Eigen header: the
// linker must never pick an AVX-512 copy of an inline function for the rest of the program.
//
//   d inputs, m outputs, L basis columns, T candidates
//   X  rows x d   inputs            E  rows x m   residual         (both, and Q, scaled by sqrt(weight) where rows
//   Q  rows x L   orthonormal basis G  rows x T   candidate outputs  have weights, X excepted)
//
// Layouts, all 64-byte aligned:
//   X of a tile   [row group of kPanel][input][kPanel rows], the last group padded with zeros
//   E of a tile   [panel of up to kPanel outputs][row][outputs in the panel]
//   Q             one buffer per panel of kPanel columns, [row][kPanel], columns not yet there are zero
//   candidates    [panel of Kernels::panel candidates][bias, then input 0..d-1][candidate], the last panel narrower
//                 but a multiple of Kernels::lanes
#pragma once

#include <stddef.h>

namespace sconet::kernels {

using Index = ptrdiff_t;

inline constexpr Index kTileRows = 128;  // rows of a tile: one tile of G for a panel of candidates fits into L1
inline constexpr Index kPanel = 8;       // columns of a Q or E panel; rows of an X group
inline constexpr Index kMaxPanel = 24;   // candidates in a panel at the widest level
inline constexpr Index kAlignment = 64;  // bytes

enum class Act { sigmoid, tanh, sin, gaussian, relu };

// One tile as the kernels see it.
struct TileView {
  Index rows = 0;     // 1 .. kTileRows
  Index inputs = 0;   // d
  Index outputs = 0;  // m
  Index columns = 0;  // L
  const double* x = nullptr;
  const double* sqrt_weight = nullptr;  // null: every row counts once
  const double* e = nullptr;
  const double* const* q = nullptr;  // ceil(L / kPanel) panel buffers ...
  Index q_offset = 0;                // ... and where this tile starts in each of them, in doubles
};

// A run of candidate panels that starts at a panel boundary.
struct CandidateView {
  Index padded = 0;  // candidates, rounded up to a multiple of Kernels::lanes
  const double* packed = nullptr;
  // Null: panels have the weights of all inputs. Otherwise d + 1 numbers for each panel: how many inputs it uses and
  // which, in rising order. Behind the biases `packed` then has the weights of those inputs only, the others being
  // zero; panels lie where they always do. Only score_tile and predict_tile know this.
  const Index* used = nullptr;
};

struct Kernels {
  const char* name;  // "portable", "x86-64-v2", "x86-64-v3", "x86-64-v4"
  Index lanes;       // doubles in a vector register
  Index panel;       // candidates in a panel

  // Adds the tile's share of the sums of every candidate to `sums`: [panel of candidates][row][candidate], where
  //   rows 0..m-1    E'G        row m    |G|^2        rows m+1..m+L    Q'G
  // `g` is scratch for kTileRows * panel doubles.
  void (*score_tile)(const TileView& tile, Act act, const CandidateView& candidates, double* g, double* sums);

  // h[row] = act(x w + b) * sqrt_weight, for one candidate packed with padded == lanes. Bit for bit the column of G
  // that score_tile judges. `g` is scratch for kTileRows * lanes doubles.
  void (*node_tile)(const TileView& tile, Act act, const double* packed, double* g, double* h);

  // p -= Q c, then c_next += Q'p. `c` and `c_next` have L doubles rounded up to a multiple of kPanel, with zeros
  // behind the L-th of `c`. `c_next` may be null.
  void (*project_tile)(const TileView& tile, const double* c, double* p, double* c_next);

  // y[row * outputs + q] = sum over nodes of act(x w + b) * beta. `beta` is [output][node], padded like the
  // candidates with zeros. Node i goes to partial sum i mod kPanel, so each row's result depends on that row alone.
  // Scratch: `g` as in score_tile, `partial` kTileRows * outputs * kPanel doubles.
  void (*predict_tile)(const TileView& tile, Act act, const CandidateView& nodes, const double* beta, double* g,
                       double* partial, double* y);

  // The gradient of a network with one hidden layer. With R = intercept + H beta - E the error of its predictions, H
  // the outputs of the nodes, and S = H' * (R beta') node by node the error as the nodes feel it, adds the tile's share
  // to `sums`: [panel of nodes][row][node], where
  //   rows 0..m-1    R'H        row m    sum of S        rows m+1..m+d    X'S
  // and behind the panels m sums of R and m sums of R^2. `beta` as in predict_tile. Everything but X is scaled by
  // sqrt(weight), so half the gradient of the weighted sum of squares is what comes out. Scratch:
  // kTileRows * (2 padded + (kPanel + 1) outputs) doubles.
  void (*backprop_tile)(const TileView& tile, Act act, const CandidateView& nodes, const double* beta,
                        const double* intercept, double* scratch, double* sums);

  // z[i] = act(z[i]); count is a multiple of `lanes`, z aligned.
  void (*activate)(Act act, double* z, Index count);

  // y -= sum_k factors[k] rows[k], n numbers, in the order of k and without fused multiply-adds: the same bits at every
  // level. No alignment is asked for; y is none of the rows.
  void (*subtract_rows)(Index count, const double* factors, const double* const* rows, double* y, Index n);

  // `rounds` rounds of independent multiply-adds on as many accumulators as hide their latency; returns a sum that
  // must not be optimised away and stores the number of floating-point operations of one round.
  double (*multiply_add_loop)(long rounds, double* flops_per_round);
};

const Kernels& portable();
#if defined(SCONET_X86_LEVELS)
const Kernels& x86_64_v2();
const Kernels& x86_64_v3();
const Kernels& x86_64_v4();
#endif

}  // namespace sconet::kernels
