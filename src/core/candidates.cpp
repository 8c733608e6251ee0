#include "core/candidates.hpp"

#include <algorithm>

#include "kernels/philox.hpp"

namespace sconet {

Candidate draw_candidate(std::uint64_t seed, Index node, Index batch, Index candidate, Index inputs, double scale) {
  const std::array key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  Candidate drawn{Eigen::VectorXd(inputs), 0};
  for (Index k = 0; k <= inputs; k += 2) {  // one Philox block for two numbers; number `inputs` is the bias
    const auto u = philox4x32({static_cast<std::uint32_t>(k / 2), static_cast<std::uint32_t>(candidate),
                               static_cast<std::uint32_t>(batch), static_cast<std::uint32_t>(node)},
                              key);
    for (Index i = k; i < std::min(k + 2, inputs + 1); ++i) {
      const double value = scale * (i == k ? signed_unit(u[0], u[1]) : signed_unit(u[2], u[3]));
      (i < inputs ? drawn.w[i] : drawn.b) = value;
    }
  }
  return drawn;
}

void CandidateBatch::resize(Index count, Index inputs) {
  count_ = count;
  inputs_ = inputs;
  packed_.reserve(padded() * (inputs + 1));
  packed_.clear();
}

void CandidateBatch::set(Index i, const Candidate& candidate) {
  const Index first = i / kernels_->panel * kernels_->panel;
  const Index width = std::min(kernels_->panel, padded() - first);
  double* out = packed_.data() + first * (inputs_ + 1) + (i - first);
  *out = candidate.b;
  for (Index k = 0; k < inputs_; ++k) *(out += width) = candidate.w[k];
}

kernels::CandidateView CandidateBatch::view(Index first, Index last) const {
  return {(last == count_ ? padded() : last) - first, packed_.data() + first * (inputs_ + 1)};
}

}  // namespace sconet
