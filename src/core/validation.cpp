#include "core/validation.hpp"

#include <algorithm>
#include <cmath>

namespace sconet {

Validation::Validation(Engine& engine, MatrixView X, MatrixView Y, int y_exponent)
    : engine_(engine), tiles_(X, Y, {}, y_exponent), Y_(Y.rows(), Y.cols()), single_(engine.kernels) {
  for (Index q = 0; q < Y.cols(); ++q)
    for (Index i = 0; i < Y.rows(); ++i) Y_(i, q) = std::ldexp(Y(i, q), -y_exponent);
  h_ = AlignedBuffer(tiles_.count() * kernels::kTileRows);
}

void Validation::append(const Candidate& node) {
  single_.resize(1, tiles_.inputs());
  single_.set(0, node);
  tiles_.visit(engine_.pool, [&](Index tile, int worker) {
    engine_.kernels.node_tile(tiles_.view(tile, 0), engine_.act, single_.view().packed,
                              engine_.g[static_cast<std::size_t>(worker)].data(), h_.data() + Tiles::first_row(tile));
  });
  if (nodes_ == H_.cols()) H_.conservativeResize(Y_.rows(), std::max<Index>(16, 2 * nodes_));
  H_.col(nodes_++) = Eigen::Map<const Eigen::VectorXd>(h_.data(), Y_.rows());
}

double Validation::rmse(const Eigen::MatrixXd& beta, const Eigen::RowVectorXd& intercept) {
  double sum = 0;
  tiles_.sum(engine_.pool, 1, scratch_, &sum, [&](Index tile, double* partial) {
    const Index first = Tiles::first_row(tile), count = tiles_.tile_rows(tile);
    Eigen::MatrixXd e = Y_.middleRows(first, count).rowwise() - intercept;
    if (beta.rows() > 0) e.noalias() -= H_.block(first, 0, count, beta.rows()) * beta;
    *partial += e.squaredNorm();
  });
  return std::sqrt(sum / static_cast<double>(Y_.rows()));
}

}  // namespace sconet
