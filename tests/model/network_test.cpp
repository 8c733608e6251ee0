// A network as a value: shapes, predictions row by row, odd rows.

#include "sconet/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/problems.hpp"

namespace sconet {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

Network random_network(Index d, Index L, Index m, Activation a = Activation::sigmoid) {
  return {testing::random_matrix(d, L, 1, -2, 2), testing::random_matrix(L, 1, 2), testing::random_matrix(L, m, 3),
          testing::random_matrix(1, m, 4), a};
}

TEST(Network, PredictsTheSumOverItsNodes) {
  for (const Index m : {Index{1}, Index{2}, Index{11}}) {
    const Network net = random_network(3, 37, m, Activation::tanh);
    const MatrixXd X = testing::random_matrix(500, 3, 5);
    const MatrixXd H = ((X * net.weights()).rowwise() + net.biases().transpose()).array().tanh();
    const MatrixXd expected = (H * net.output_weights()).rowwise() + net.intercept();
    EXPECT_LE((net.predict(X) - expected).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LE((net.hidden(X) - H).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(Network, ARowsPredictionDependsOnThatRowAlone) {
  const Network net = random_network(5, 53, 2);
  const MatrixXd X = testing::random_matrix(1000, 5, 6);
  const MatrixXd all = net.predict(X);
  for (const Index i : {0, 1, 7, 143, 144, 500, 999}) EXPECT_EQ(net.predict(X.middleRows(i, 1)), all.row(i));
  EXPECT_EQ(net.predict(X.bottomRows(333)), all.bottomRows(333));
}

TEST(Network, TakesAnyStorageOrder) {
  const Network net = random_network(4, 10, 1);
  const MatrixXd X = testing::random_matrix(300, 4, 7);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = X;
  EXPECT_EQ(net.predict(rows), net.predict(X));
}

TEST(Network, NanInARowStaysInThatRow) {
  const Network net = random_network(2, 9, 1);
  MatrixXd X = testing::random_matrix(20, 2, 8);
  X(13, 1) = std::numeric_limits<double>::quiet_NaN();
  const MatrixXd Y = net.predict(X);
  for (Index i = 0; i < 20; ++i) EXPECT_EQ(std::isnan(Y(i, 0)), i == 13);
}

TEST(Network, EmptyOnesWork) {
  const Network none(MatrixXd(3, 0), VectorXd(0), MatrixXd(0, 2), RowVectorXd::Constant(2, 1.5), Activation::sigmoid);
  EXPECT_EQ(none.predict(testing::random_matrix(4, 3, 9)), MatrixXd::Constant(4, 2, 1.5));
  const Network net = random_network(3, 4, 2);
  EXPECT_EQ(net.predict(MatrixXd(0, 3)).rows(), 0);
  EXPECT_EQ(Network().nodes(), 0);
}

TEST(Network, RefusesShapesThatDoNotFit) {
  const MatrixXd W = MatrixXd::Ones(2, 3), beta = MatrixXd::Ones(3, 1);
  const VectorXd b = VectorXd::Ones(3);
  const RowVectorXd c = RowVectorXd::Ones(1);
  EXPECT_THROW(Network(W, VectorXd::Ones(2), beta, c, Activation::relu), std::invalid_argument);
  EXPECT_THROW(Network(W, b, MatrixXd::Ones(2, 1), c, Activation::relu), std::invalid_argument);
  EXPECT_THROW(Network(W, b, beta, RowVectorXd::Ones(2), Activation::relu), std::invalid_argument);
  const Network net(W, b, beta, c, Activation::relu);
  try {
    net.predict(MatrixXd(MatrixXd::Ones(5, 4)));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "X has 4 columns and the network takes 2 inputs");
  }
  EXPECT_THROW(net.predict(MatrixXd(MatrixXd::Ones(5, 2)), -1), std::invalid_argument);
}

}  // namespace
}  // namespace sconet
