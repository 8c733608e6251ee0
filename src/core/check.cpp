#include "core/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sconet {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void check_finite(MatrixView m, const char* name) {
  for (Index i = 0; i < m.rows(); ++i)
    for (Index k = 0; k < m.cols(); ++k)
      if (!std::isfinite(m(i, k)))
        refuse(fmt::format("{} has {} in row {}, column {} (counted from 0): remove the row or fill in a number", name,
                           m(i, k), i, k));
}

void check_pair(MatrixView X, MatrixView Y, const char* x, const char* y) {
  if (X.rows() != Y.rows())
    refuse(fmt::format("{} has {} rows and {} has {}: they must have as many", x, X.rows(), y, Y.rows()));
  check_finite(X, x);
  check_finite(Y, y);
}

}  // namespace

void check_data(MatrixView X, MatrixView Y, const TrainExtras& extras) {
  if (X.rows() == 0) refuse("X has no rows: there is nothing to learn from");
  if (X.cols() == 0) refuse("X has no columns: give at least one input");
  if (Y.cols() == 0) refuse("Y has no columns: give at least one output");
  check_pair(X, Y, "X", "Y");

  const MatrixView w = extras.weights;
  if (w.rows() != 0 || w.cols() != 0) {
    if (w.rows() != X.rows() || w.cols() != 1)
      refuse(fmt::format("weights is {} x {}, expected {} x 1: one weight for each row of X", w.rows(), w.cols(),
                         X.rows()));
    check_finite(w, "weights");
    bool any = false;
    for (Index i = 0; i < w.rows(); ++i) {
      if (w(i, 0) < 0)
        refuse(fmt::format("weights has {} in row {} (counted from 0): a weight is zero or more", w(i, 0), i));
      any = any || w(i, 0) > 0;
    }
    if (!any) refuse("weights are all zero: no row is left to learn from");
  }

  for (std::size_t e = 0; e < extras.encodings.size(); ++e) {
    const std::string name = fmt::format("encodings[{}]", e);
    if (extras.encodings[e].cols() == 0) refuse(name + " has no columns: give at least one input");
    check_pair(extras.encodings[e], Y, name.c_str(), "Y");
  }

  const MatrixView Xv = extras.X_valid, Yv = extras.Y_valid;
  if (Xv.rows() == 0 && Yv.rows() == 0) return;
  if (extras.encodings_valid.size() != extras.encodings.size())
    refuse(fmt::format("there are {} encodings and {} encodings_valid: the validation rows need each of them",
                       extras.encodings.size(), extras.encodings_valid.size()));
  for (std::size_t e = 0; e < extras.encodings.size(); ++e) {
    const std::string name = fmt::format("encodings_valid[{}]", e);
    if (extras.encodings_valid[e].cols() != extras.encodings[e].cols())
      refuse(fmt::format("{} has {} columns and encodings[{}] has {}: they must have the same inputs", name,
                         extras.encodings_valid[e].cols(), e, extras.encodings[e].cols()));
    check_pair(extras.encodings_valid[e], Yv, name.c_str(), "Y_valid");
  }
  if (Xv.cols() != X.cols())
    refuse(fmt::format("X_valid has {} columns and X has {}: they must have the same inputs", Xv.cols(), X.cols()));
  if (Yv.cols() != Y.cols())
    refuse(fmt::format("Y_valid has {} columns and Y has {}: they must have the same outputs", Yv.cols(), Y.cols()));
  check_pair(Xv, Yv, "X_valid", "Y_valid");
}

int exponent_of_largest(MatrixView Y, MatrixView weights) {
  double largest = 0;
  for (Index i = 0; i < Y.rows(); ++i)
    for (Index q = 0; q < Y.cols() && (weights.empty() || weights(i, 0) > 0); ++q)
      largest = std::max(largest, std::abs(Y(i, q)));
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

}  // namespace sconet
