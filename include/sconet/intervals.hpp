// Prediction intervals: how far off a prediction may be, from the errors on rows that did not teach the network
// (split conformal prediction). docs/guide.md says how far they can be trusted.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sconet/matrix_view.hpp"
#include "sconet/network.hpp"

namespace sconet {

enum class IntervalKind {
  constant,  // as wide for every row
  local,     // wider where errors were larger: a second, small network says how large they are about there
};

std::string_view name(IntervalKind kind);  // "constant"

// Where residuals come from, the most trustworthy last.
enum class ResidualSource {
  leave_one_out,  // of the training rows, by their leverages; the nodes were chosen with the row
  validation,     // of the rows that chose the size of the network
  out_of_fold,    // by networks that had nothing to do with the row
};

std::string_view name(ResidualSource source);  // "leave_one_out"
std::optional<ResidualSource> residual_source(std::string_view name);
std::string_view sentence(ResidualSource source);  // "leave-one-out residuals of the training rows"

struct IntervalOptions {
  ResidualSource source = ResidualSource::out_of_fold;
  std::uint64_t seed = 1;
  std::int64_t threads = 1;  // 0: all processors; the result does not depend on it
};

class Intervals {
 public:
  static constexpr Index kMostQuantiles = 256;
  static constexpr Index kLeastLocalRows = 60;  // for the local kind
  static constexpr double kLargestRatio = 5;    // of a local width to the middle one, and of that to the least

  // residuals n x m: targets less predictions by a network that did not learn from the row, in the targets' own units.
  // inputs n x d: the same rows as the network sees them. Throws std::invalid_argument for no rows, other shapes or
  // values that are not finite.
  static Intervals calibrate(const Eigen::MatrixXd& residuals, const Eigen::MatrixXd& inputs,
                             const IntervalOptions& options = {});

  // From what was calibrated before. `scale` has no inputs where there is no local kind. Throws std::invalid_argument
  // for what calibrate() cannot have made.
  Intervals(Index rows, ResidualSource source, std::vector<double> ranks, Eigen::MatrixXd constant,
            Eigen::MatrixXd local, Network scale);

  Index rows() const { return rows_; }  // that it was calibrated with
  Index outputs() const { return constant_.rows(); }
  ResidualSource source() const { return source_; }
  bool has_local() const { return local_.size() > 0; }
  // The local kind where there is one: at the same coverage it is narrower, or no wider.
  IntervalKind best_kind() const { return has_local() ? IntervalKind::local : IntervalKind::constant; }
  // Throws std::invalid_argument unless intervals of this level and kind can be given.
  void check(double level, IntervalKind kind) const;

  // Half the width of the interval for each row and target, n x m. A row's width depends on that row alone. NaN in a
  // row makes its local widths NaN.
  Eigen::MatrixXd half_width(MatrixView inputs, double level, IntervalKind kind, std::int64_t threads = 1) const;

  // What it is made of. Ranks 1 = r_1 < ... < r_K = n of the order statistics that are kept, K at most 256: the 64
  // largest, and fewer and fewer towards the least. For each target, m x K, those of |residual|, and of |residual| /
  // s(x), where s = exp(scale network), held within [1/5, 5].
  const std::vector<double>& ranks() const { return ranks_; }
  const Eigen::MatrixXd& constant() const { return constant_; }
  const Eigen::MatrixXd& local() const { return local_; }
  const Network& scale() const { return scale_; }

 private:
  Index rows_ = 0;
  ResidualSource source_ = ResidualSource::out_of_fold;
  std::vector<double> ranks_;
  Eigen::MatrixXd constant_, local_;
  Network scale_;
};

}  // namespace sconet
