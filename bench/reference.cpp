// RMPI-SCN as the paper writes it: the Greville recursion (Eq. 55-60) with H and H^+ in full, all candidates of a batch
// at once by Eigen's matrix products. One thread. Prints one JSON object.
//
//   bench_reference N d NODES CANDIDATES

#include <fmt/format.h>

#include <Eigen/Dense>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/candidates.hpp"
#include "setting.hpp"

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Chosen {
  double score = -1;
  Index batch = 0, t = 0;
  VectorXd h, p;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: bench_reference N d NODES CANDIDATES\n");
    return 2;
  }
  const Index n = std::atol(argv[1]), d = std::atol(argv[2]), nodes = std::atol(argv[3]), T = std::atol(argv[4]);
  const auto problem = sconet::bench::setting_problem(n, d);
  const sconet::TrainOptions options = sconet::bench::setting(d, nodes, T);

  const auto start = std::chrono::steady_clock::now();
  MatrixXd H(n, 0), inverse(0, n), W(d, T), G(n, T), P(n, T);
  VectorXd b(T), e = problem.Y.col(0);
  nlohmann::json residuals = nlohmann::json::array(), choices = nlohmann::json::array();
  for (Index L = 1; L <= nodes; ++L) {
    Chosen best;
    const Index batches = L == 1 ? 1 : static_cast<Index>(options.scales.size());
    for (Index batch = 0; batch < batches; ++batch) {
      for (Index t = 0; t < T; ++t) {
        auto c = sconet::draw_candidate(options.seed, L, batch, t, d,
                                        {.scale = options.scales[static_cast<std::size_t>(batch)]});
        W.col(t) = c.w;
        b[t] = c.b;
      }
      G.noalias() = problem.X * W;
      G = (1.0 + (-(G.rowwise() + b.transpose()).array()).exp()).inverse().matrix();  // Eq. 53
      P = G;
      if (H.cols() > 0) {
        const MatrixXd D = inverse * G;
        P.noalias() -= H * D;  // Eq. 55
      }
      const ArrayXd p2 = P.colwise().squaredNorm(), h2 = G.colwise().squaredNorm();
      const ArrayXd ep = (e.transpose() * P).transpose().array();
      for (Index t = 0; t < T; ++t) {
        if (!(p2[t] > options.rank_tolerance * h2[t])) continue;
        const double score = ep[t] * ep[t] / p2[t];
        if (score > best.score) best = {score, batch, t, G.col(t), P.col(t)};
      }
    }
    if (best.score < 0) break;  // every candidate lies in the span
    // Eq. 58-60.
    const Eigen::RowVectorXd row = best.p.transpose() / best.p.squaredNorm();
    MatrixXd next(L, n);
    if (L > 1) {
      const VectorXd step = inverse * best.h;
      next.topRows(L - 1) = inverse;
      next.topRows(L - 1).noalias() -= step * row;
    }
    next.row(L - 1) = row;
    inverse = std::move(next);
    H.conservativeResize(Eigen::NoChange, L);
    H.col(L - 1) = best.h;
    e = problem.Y.col(0);
    const VectorXd beta = inverse * problem.Y.col(0);
    e.noalias() -= H * beta;
    residuals.push_back(e.squaredNorm());
    choices.push_back({best.batch, best.t});
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{}\n", nlohmann::json{{"seconds", seconds}, {"residual2", residuals}, {"choices", choices}}.dump());
  return 0;
}
