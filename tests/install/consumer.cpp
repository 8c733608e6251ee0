// Trains on ten rows and reads a table through the installed headers alone; exit code 0 when the network fits the rows.
#include <sconet/sconet.hpp>

#include <iostream>

int main() {
  Eigen::MatrixXd X(10, 1);
  for (int i = 0; i < 10; ++i) X(i, 0) = 0.1 * i;
  const Eigen::MatrixXd Y = (6 * X.array()).sin();
  sconet::TrainOptions options;
  options.method = sconet::Method::rmpi;
  options.max_nodes = 8;
  const auto [network, report] = sconet::train(X, Y, options);
  std::cout << "sconet " << SCONET_VERSION << ": " << report.brief() << '\n';
  Eigen::MatrixXd copy = network.weights();  // allocated there, freed here
  copy = network.predict(X);
  if (sconet::parse_table("x,y\n1,2\n").rows != 1) return 2;  // and links what the readers need
  return (copy - Y).norm() < 0.1 * Y.norm() ? 0 : 1;
}
