// The paper's figures, and one of our own. Captions give no number that was not computed from what is drawn.
#pragma once

#include <string>
#include <vector>

#include "sconet/matrix_view.hpp"
#include "study/results.hpp"

namespace sconet::study {

// Values of one method: predictions, errors by node, or weights.
struct MethodValues {
  std::string method;  // "rmpi", "rvfl:range=60"
  std::string title;   // "RMPI-SCN"
  std::vector<double> values;
};

struct ErrorPanel {
  std::string title;                  // "DB4 Superconduct"
  std::string y_title;                // "training RMSE (K)"
  std::vector<MethodValues> methods;  // RMSE by number of nodes, from none on
};

// Figure 1: how a network is trained.
Figure training_diagram();

// Figure 2: r_L = r^((1 + 1/L)^alpha) for L = 1 to `nodes` (Eq. 47).
Figure demand_curves(double r = 0.9, const std::vector<double>& alphas = {0.1, 0.3, 0.5, 0.7, 0.9}, Index nodes = 100);

// Figures 3 and 7: a panel for each method, its predictions over the target. The points may come in any order. Throws
// std::invalid_argument when the lengths differ.
Figure approximations(const std::string& id, const std::string& title, const std::vector<double>& x,
                      const std::vector<double>& truth, const std::vector<MethodValues>& methods);

// Figures 4, 8 and 9: a panel for each set.
Figure error_curves(const std::string& id, const std::string& title, const std::vector<ErrorPanel>& panels);

// Figure 5: the input weights of each method, in the same bins.
Figure weight_histograms(const std::vector<MethodValues>& methods);

// Figure 6: DB1's function (Eq. 61) and its derivatives.
Figure derivatives();

// Test RMSE of every method on every set as a multiple of the best method's, with standard deviations.
Figure test_errors(const Results& results);

}  // namespace sconet::study
