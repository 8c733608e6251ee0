// The engine's parts put together for a test, and what they hold as plain matrices.
#pragma once

#include <Eigen/Dense>
#include <memory>

#include "core/fit.hpp"
#include "core/score.hpp"
#include "core/tiles.hpp"
#include "kernels/dispatch.hpp"
#include "sconet/options.hpp"
#include "support/problems.hpp"

namespace sconet::testing {

struct Workbench {
  Workbench(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y, MatrixView weights = {}, std::int64_t threads = 1,
            Activation activation = Activation::sigmoid)
      : pool(threads),
        engine(select_kernels(Isa::automatic), kernel_activation(activation), pool),
        tiles(X, Y, weights, 0) {}

  Eigen::MatrixXd Q() {
    Eigen::MatrixXd q(tiles.rows(), tiles.columns());
    for (Index i = 0; i < q.rows(); ++i)
      for (Index k = 0; k < q.cols(); ++k) q(i, k) = tiles.basis(i / kernels::kTileRows, i % kernels::kTileRows, k);
    return q;
  }
  Eigen::MatrixXd E() {
    Eigen::MatrixXd e(tiles.rows(), tiles.outputs());
    for (Index i = 0; i < e.rows(); ++i)
      for (Index q = 0; q < e.cols(); ++q) e(i, q) = tiles.residual(i / kernels::kTileRows, i % kernels::kTileRows, q);
    return e;
  }

  ThreadPool pool;
  Engine engine;
  Tiles tiles;
};

// |Y - H H^+ Y|^2 by a rank-revealing QR.
inline double least_squares_residual2(const Eigen::MatrixXd& H, const Eigen::MatrixXd& Y) {
  return (Y - H * H.colPivHouseholderQr().solve(Y)).squaredNorm();
}

inline Eigen::VectorXd output_of(const Eigen::MatrixXd& X, const Candidate& c) {
  return ((X * c.w).array() + c.b).unaryExpr([](double z) { return 1 / (1 + std::exp(-z)); });
}

}  // namespace sconet::testing
