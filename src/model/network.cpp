#include "sconet/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/candidates.hpp"
#include "core/thread_pool.hpp"
#include "core/tiles.hpp"
#include "kernels/dispatch.hpp"

namespace sconet {

using kernels::kPanel;
using kernels::kTileRows;

Network::Network(Eigen::MatrixXd weights, Eigen::VectorXd biases, Eigen::MatrixXd output_weights,
                 Eigen::RowVectorXd intercept, Activation activation, Eigen::MatrixXd direct)
    : weights_(std::move(weights)),
      biases_(std::move(biases)),
      output_weights_(std::move(output_weights)),
      intercept_(std::move(intercept)),
      activation_(activation),
      direct_(std::move(direct)) {
  if (direct_.size() == 0) direct_.resize(0, 0);
  if (direct_.size() > 0 && (direct_.rows() != weights_.rows() || direct_.cols() != output_weights_.cols()))
    throw std::invalid_argument(fmt::format("network: direct links {} x {} do not fit {} inputs and {} outputs",
                                            direct_.rows(), direct_.cols(), weights_.rows(), output_weights_.cols()));
  if (biases_.size() != weights_.cols() || output_weights_.rows() != weights_.cols() ||
      intercept_.size() != output_weights_.cols())
    throw std::invalid_argument(
        fmt::format("network: weights {} x {}, biases {}, output weights {} x {}, intercept {} do not fit together",
                    weights_.rows(), weights_.cols(), biases_.size(), output_weights_.rows(), output_weights_.cols(),
                    intercept_.size()));
}

namespace {

// Calls visit(tile, first row, scratch) for tiles of kTileRows rows of X, packed as the kernels want them; `scratch`
// has `size` doubles.
template <class Visit>
void for_each_tile(MatrixView X, Index outputs, std::int64_t threads, Index size, Visit&& visit) {
  const Index tiles = (X.rows() + kTileRows - 1) / kTileRows;
  ThreadPool pool(std::min<std::int64_t>(threads, std::max<Index>(1, tiles)));
  const Index packed = round_up(kTileRows * X.cols(), kPanel);
  std::vector<AlignedBuffer> scratch;
  scratch.reserve(static_cast<std::size_t>(pool.size()));
  for (int w = 0; w < pool.size(); ++w) scratch.emplace_back(packed + size);
  pool.run(tiles, [&](Index tile, int worker) {
    const Index first = tile * kTileRows;
    double* x = scratch[static_cast<std::size_t>(worker)].data();
    kernels::TileView view;
    view.rows = std::min(kTileRows, X.rows() - first);
    view.inputs = X.cols();
    view.outputs = outputs;
    view.x = x;
    pack_inputs(
        X, view.rows, [&](Index i) { return first + i; }, x);
    visit(view, first, x + packed);
  });
}

void check_inputs(MatrixView X, Index inputs) {
  if (X.cols() != inputs && X.rows() > 0)
    throw std::invalid_argument(fmt::format("X has {} columns and the network takes {} inputs", X.cols(), inputs));
}

}  // namespace

Eigen::MatrixXd Network::predict(MatrixView X, std::int64_t threads) const {
  check_inputs(X, inputs());
  if (threads < 0 || threads > 4096)
    throw std::invalid_argument(fmt::format("threads = {}: expected 0 <= threads <= 4096", threads));
  Eigen::MatrixXd Y(X.rows(), outputs());
  const auto& kernels = select_kernels(Isa::automatic);
  CandidateBatch batch(kernels);
  batch.resize(nodes(), inputs());
  for (Index j = 0; j < nodes(); ++j) batch.set(j, {weights_.col(j), biases_[j]});
  batch.skip_zeros(false);  // in their order, which is that of the sums
  const auto dense = batch.dense_view(), view = batch.view();
  AlignedBuffer beta(view.padded * outputs());
  for (Index q = 0; q < outputs(); ++q)
    for (Index j = 0; j < nodes(); ++j) beta[q * view.padded + j] = output_weights_(j, q);

  const Index g_size = kTileRows * kernels.panel;
  const Index y_size = kTileRows * outputs();
  for_each_tile(X, outputs(), threads, g_size + y_size * (kPanel + 1),
                [&](const kernels::TileView& tile, Index first, double* g) {
                  double* y = g + g_size;
                  double* partial = y + y_size;
                  // A number that is not finite reaches every node, also those that give it no weight.
                  const bool finite = std::all_of(tile.x, tile.x + round_up(tile.rows, kPanel) * tile.inputs,
                                                  [](double x) { return std::isfinite(x); });
                  kernels.predict_tile(tile, kernel_activation(activation_), finite ? view : dense, beta.data(), g,
                                       partial, y);
                  for (Index i = 0; i < tile.rows; ++i)
                    for (Index q = 0; q < outputs(); ++q) {
                      double sum = intercept_[q] + y[i * outputs() + q];
                      for (Index k = 0; k < direct_.rows(); ++k) sum += X(first + i, k) * direct_(k, q);
                      Y(first + i, q) = sum;
                    }
                });
  return Y;
}

Eigen::MatrixXd Network::hidden(MatrixView X) const {
  check_inputs(X, inputs());
  Eigen::MatrixXd H(X.rows(), nodes());
  const auto& kernels = select_kernels(Isa::automatic);
  CandidateBatch single(kernels);
  const Index g_size = kTileRows * kernels.lanes;
  for_each_tile(X, outputs(), 1, g_size + kTileRows, [&](const kernels::TileView& tile, Index first, double* g) {
    double* h = g + g_size;
    for (Index j = 0; j < nodes(); ++j) {
      single.resize(1, inputs());
      single.set(0, {weights_.col(j), biases_[j]});
      kernels.node_tile(tile, kernel_activation(activation_), single.view().packed, g, h);
      H.block(first, j, tile.rows, 1) = Eigen::Map<const Eigen::VectorXd>(h, tile.rows);
    }
  });
  return H;
}

}  // namespace sconet
