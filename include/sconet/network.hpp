// A trained network: f(x) = intercept + sum over nodes j of act(w_j'x + b_j) beta_j, and x'D if it has direct links.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "sconet/matrix_view.hpp"
#include "sconet/options.hpp"

namespace sconet {

class Network {
 public:
  Network() = default;

  // weights d x L, biases L, output_weights L x m, intercept 1 x m, direct links d x m or none; throws
  // std::invalid_argument when the shapes do not fit together.
  Network(Eigen::MatrixXd weights, Eigen::VectorXd biases, Eigen::MatrixXd output_weights, Eigen::RowVectorXd intercept,
          Activation activation, Eigen::MatrixXd direct = {});

  Index inputs() const { return weights_.rows(); }
  Index outputs() const { return output_weights_.cols(); }
  Index nodes() const { return weights_.cols(); }

  const Eigen::MatrixXd& weights() const { return weights_; }
  const Eigen::VectorXd& biases() const { return biases_; }
  const Eigen::MatrixXd& output_weights() const { return output_weights_; }
  const Eigen::RowVectorXd& intercept() const { return intercept_; }
  Activation activation() const { return activation_; }
  const Eigen::MatrixXd& direct() const { return direct_; }  // d x m, or 0 x 0 without direct links

  // n x m predictions for n rows of X. A row's prediction depends on that row alone, to the last bit: not on the rows
  // around it, nor on the number of threads. A row with NaN predicts NaN. threads = 0: all processors.
  Eigen::MatrixXd predict(MatrixView X, std::int64_t threads = 1) const;

  // n x L outputs of the hidden nodes.
  Eigen::MatrixXd hidden(MatrixView X) const;

 private:
  Eigen::MatrixXd weights_;
  Eigen::VectorXd biases_;
  Eigen::MatrixXd output_weights_;
  Eigen::RowVectorXd intercept_;
  Activation activation_ = Activation::sigmoid;
  Eigen::MatrixXd direct_;
};

}  // namespace sconet
