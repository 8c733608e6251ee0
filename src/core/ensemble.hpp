// Several networks whose mean is the model. Each member leaves out some rows, which then tell how well it does on rows
// it has not seen; since all share their inputs, the mean of their outputs is one network with all their nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "sconet/train.hpp"

namespace sconet {

// The rows that a member leaves out, of n: a fifth of them, so that every five members leave out each row once.
std::vector<Index> left_out(Index n, Index member, std::uint64_t seed);

// A seed of its own for each member.
std::uint64_t member_seed(std::uint64_t seed, Index member);

Network mean_of(const std::vector<Network>& members);

// The mean of the first member, of the first two, and so on.
std::vector<Stage> stages_of(const std::vector<Network>& members);

// What the members together say of rows they have not seen.
class HeldOut {
 public:
  HeldOut(Index rows, Index outputs);
  void add(const std::vector<Index>& rows, const Eigen::MatrixXd& predictions);  // of one member

  // y - mean prediction for each row, NaN where no member left it out. An ensemble errs less than the few members that
  // have not seen a row: where rows have been left out twice or more, what that brings is estimated from how much two
  // members' errors differ, and the residuals shrink by it. members = 1: as they are.
  Eigen::MatrixXd residuals(MatrixView Y, Index members) const;

 private:
  Eigen::MatrixXd sum_, sum2_;
  Eigen::VectorXd count_;
};

// Root of the weighted mean square of the finite rows, all outputs added; `weights` may be empty.
double rmse_of(const Eigen::MatrixXd& residuals, MatrixView weights);

// As train() with options.ensemble > 1, whose checks have been made; not for `auto`.
TrainResult train_ensemble(MatrixView X, MatrixView Y, const TrainOptions& options, const TrainExtras& extras);

}  // namespace sconet
