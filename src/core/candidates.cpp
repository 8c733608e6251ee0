#include "core/candidates.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "kernels/philox.hpp"

namespace sconet {

namespace {

constexpr double kCut = 50;           // |Cauchy| is at most so many scales
constexpr double kCauchyShare = 0.3;  // of the scale, for the dense Cauchy weights of a mixture

constexpr Index kFewInputs = 32;      // of a candidate that is worth a place among those that share its inputs
constexpr std::size_t kWindow = 256;  // candidates looked at for a place
constexpr double kWorthwhile = 0.9;   // inputs of all panels, as a share of all there are, above which none is skipped

// The random numbers of one candidate. Streams keep apart what the numbers are for: weight k and the bias come from
// number k and number `inputs` of the uniform stream whatever the family, so the families share the bits they can.
class Numbers {
 public:
  Numbers(std::uint64_t seed, Index node, Index batch, Index candidate)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        node_(static_cast<std::uint32_t>(node)),
        batch_(static_cast<std::uint32_t>(batch)),
        candidate_(static_cast<std::uint32_t>(candidate)) {}

  // Numbers 2 pair and 2 pair + 1, uniform on (-1, 1).
  std::array<double, 2> uniform_pair(Index pair) const {
    const auto u = block(0, pair);
    return {signed_unit(u[0], u[1]), signed_unit(u[2], u[3])};
  }
  double uniform(Index i) const { return uniform_pair(i / 2)[static_cast<std::size_t>(i % 2)]; }

  // A whole number from [0, below); `use` tells choices apart.
  Index choice(Index use, Index below) const {
    const auto u = block(1, use);
    const std::uint64_t bits = (std::uint64_t{u[1]} << 32 | u[0]) >> 11;
    return static_cast<Index>(static_cast<double>(bits) * 0x1p-53 * static_cast<double>(below));
  }

  // Standard Cauchy: the ratio of the coordinates of a point in the unit disc. Unlike the tangent of a uniform number
  // it needs nothing of the C library, so every machine draws the same bits.
  double cauchy(Index i) const {
    for (std::uint32_t attempt = 2;; ++attempt) {
      const auto u = block(attempt, i);
      const double x = signed_unit(u[0], u[1]), y = signed_unit(u[2], u[3]);
      if (x * x + y * y < 1) return x / y;
    }
  }

 private:
  // Batches are far fewer than 2^24, so the top of their word is free for the stream.
  std::array<std::uint32_t, 4> block(std::uint32_t stream, Index i) const {
    return philox4x32({static_cast<std::uint32_t>(i), candidate_, batch_ ^ (stream << 24), node_}, key_);
  }

  std::array<std::uint32_t, 2> key_;
  std::uint32_t node_, batch_, candidate_;
};

enum Choice : Index { family_of_mixture, number_of_inputs, anchor_row, first_input };  // then the other inputs

double cauchy_weight(const Numbers& numbers, Index k, double scale) {
  return scale * std::clamp(numbers.cauchy(k), -kCut, kCut);
}

// Floyd's choice of `active` inputs without replacement: the chosen have weight one.
void choose_inputs(const Numbers& numbers, Index active, Eigen::VectorXd& w) {
  w.setZero();
  for (Index i = 0; i < active; ++i) {
    const Index last = w.size() - active + i;
    const Index k = numbers.choice(first_input + i, last + 1);
    w[w[k] == 0 ? k : last] = 1;
  }
}

void draw_weights(const Numbers& numbers, Family family, double scale, Index active_inputs, Eigen::VectorXd& w) {
  const Index inputs = w.size();
  switch (family) {
    case Family::uniform:
      for (Index k = 0; k < inputs; k += 2) {  // one Philox block for two numbers
        const auto pair = numbers.uniform_pair(k / 2);
        w[k] = scale * pair[0];
        if (k + 1 < inputs) w[k + 1] = scale * pair[1];
      }
      return;
    case Family::cauchy:
      for (Index k = 0; k < inputs; ++k) w[k] = cauchy_weight(numbers, k, scale);
      return;
    case Family::sparse:
    case Family::sparse_cauchy:
      choose_inputs(numbers, 1 + numbers.choice(number_of_inputs, std::min(active_inputs, inputs)), w);
      for (Index k = 0; k < inputs; ++k)
        if (w[k] != 0) w[k] = family == Family::sparse ? scale * numbers.uniform(k) : cauchy_weight(numbers, k, scale);
      return;
    case Family::mixture:
      switch (numbers.choice(family_of_mixture, 3)) {
        case 0: return draw_weights(numbers, Family::uniform, scale, active_inputs, w);
        case 1: return draw_weights(numbers, Family::cauchy, kCauchyShare * scale, active_inputs, w);
        default: return draw_weights(numbers, Family::sparse_cauchy, scale, active_inputs, w);
      }
  }
}

}  // namespace

Candidate draw_candidate(std::uint64_t seed, Index node, Index batch, Index candidate, Index inputs, const Draw& draw,
                         const Anchors& anchors) {
  const Numbers numbers(seed, node, batch, candidate);
  Candidate drawn{Eigen::VectorXd(inputs), 0};
  draw_weights(numbers, draw.family, draw.scale, draw.active_inputs, drawn.w);
  if (draw.bias == Bias::uniform) {
    drawn.b = draw.scale * numbers.uniform(inputs);
  } else {
    const Index row = numbers.choice(anchor_row, anchors.rows);
    for (Index k = 0; k < inputs; ++k)
      if (drawn.w[k] != 0) drawn.b -= drawn.w[k] * anchors.input(row, k);
  }
  return drawn;
}

void CandidateBatch::resize(Index count, Index inputs) {
  count_ = count;
  inputs_ = inputs;
  packed_.reserve(padded() * (inputs + 1));
  packed_.clear();
  used_.clear();
  place_.clear();
}

CandidateBatch::Column CandidateBatch::column(Index i) const {
  const Index first = i / kernels_->panel * kernels_->panel;
  return {first, std::min(kernels_->panel, padded() - first), first * (inputs_ + 1) + (i - first)};
}

void CandidateBatch::set(Index i, const Candidate& candidate) {
  const Column at = column(i);
  double* out = packed_.data() + at.offset;
  *out = candidate.b;
  for (Index k = 0; k < inputs_; ++k) *(out += at.width) = candidate.w[k];
}

// Dense candidates come first. Then each place goes to the one, of a window of those left, that shares the most inputs
// with its panel and adds the fewest.
std::vector<Index> CandidateBatch::order_by_inputs() const {
  std::vector<Index> order, left;
  std::vector<std::vector<Index>> inputs_of(static_cast<std::size_t>(count_));
  order.reserve(static_cast<std::size_t>(count_));
  left.reserve(static_cast<std::size_t>(count_));
  for (Index i = 0; i < count_; ++i) {
    std::vector<Index>& own = inputs_of[static_cast<std::size_t>(i)];
    const Column at = column(i);
    const double* w = packed_.data() + at.offset;
    for (Index k = 0; k < inputs_ && static_cast<Index>(own.size()) <= kFewInputs; ++k)
      if (*(w += at.width) != 0) own.push_back(k);
    const auto active = static_cast<Index>(own.size());
    (active <= kFewInputs && 4 * active <= inputs_ ? left : order).push_back(i);
  }
  std::vector<char> in_panel(static_cast<std::size_t>(inputs_), 1);  // a panel with a dense candidate uses all inputs
  while (!left.empty()) {
    if (static_cast<Index>(order.size()) % kernels_->panel == 0) std::fill(in_panel.begin(), in_panel.end(), char{0});
    const std::size_t begin = left.size() - std::min<std::size_t>(left.size(), kWindow);
    std::size_t best = begin;
    Index best_cost = std::numeric_limits<Index>::max();
    for (std::size_t i = begin; i < left.size(); ++i) {
      Index cost = 0;
      for (const Index k : inputs_of[static_cast<std::size_t>(left[i])])
        cost += in_panel[static_cast<std::size_t>(k)] != 0 ? -1 : 2;
      if (cost < best_cost) {
        best_cost = cost;
        best = i;
      }
    }
    order.push_back(left[best]);
    for (const Index k : inputs_of[static_cast<std::size_t>(left[best])]) in_panel[static_cast<std::size_t>(k)] = 1;
    left[best] = left.back();
    left.pop_back();
  }
  return order;
}

Index CandidateBatch::list_inputs(const std::vector<Index>& order) {
  const Index panels = (count_ + kernels_->panel - 1) / kernels_->panel;
  used_.assign(static_cast<std::size_t>(panels * (inputs_ + 1)), 0);
  std::vector<char> any(static_cast<std::size_t>(inputs_));
  Index total = 0;
  for (Index panel = 0; panel < panels; ++panel) {
    Index* list = used_.data() + panel * (inputs_ + 1);
    const Index first = panel * kernels_->panel, last = std::min(count_, first + kernels_->panel);
    std::fill(any.begin(), any.end(), char{0});
    for (Index place = first; place < last; ++place) {
      const Column at = column(order[static_cast<std::size_t>(place)]);
      const double* w = packed_.data() + at.offset;
      for (char& used : any)
        if (*(w += at.width) != 0) used = 1;
    }
    for (Index k = 0; k < inputs_; ++k)
      if (any[static_cast<std::size_t>(k)] != 0) list[++list[0]] = k;
    total += list[0];
  }
  return total;
}

void CandidateBatch::skip_zeros(bool reorder) {
  used_.clear();
  place_.clear();
  std::vector<Index> order;
  if (reorder) {
    order = order_by_inputs();
  } else {
    order.resize(static_cast<std::size_t>(count_));
    std::iota(order.begin(), order.end(), Index{0});
  }
  const Index total = list_inputs(order);
  const Index panels = (count_ + kernels_->panel - 1) / kernels_->panel;
  if (static_cast<double>(total) > kWorthwhile * static_cast<double>(panels * inputs_)) {
    used_.clear();
    return;
  }
  short_.reserve(padded() * (inputs_ + 1));
  short_.clear();
  for (Index place = 0; place < count_; ++place) {
    const Column from = column(order[static_cast<std::size_t>(place)]), to = column(place);
    const Index* list = used_.data() + to.first / kernels_->panel * (inputs_ + 1);
    const double* in = packed_.data() + from.offset;
    double* out = short_.data() + to.offset;
    *out = *in;
    for (Index k = 1; k <= list[0]; ++k) *(out += to.width) = in[(list[k] + 1) * from.width];
  }
  if (!reorder) return;
  place_.resize(order.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    place_[static_cast<std::size_t>(order[place])] = static_cast<Index>(place);
}

kernels::CandidateView CandidateBatch::view(Index first, Index last) const {
  const Index padded_count = (last == count_ ? padded() : last) - first;
  if (used_.empty()) return {padded_count, packed_.data() + first * (inputs_ + 1), nullptr};
  return {padded_count, short_.data() + first * (inputs_ + 1), used_.data() + first / kernels_->panel * (inputs_ + 1)};
}

}  // namespace sconet
