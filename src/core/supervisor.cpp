#include "core/supervisor.hpp"

#include "core/schedule.hpp"

namespace sconet {
namespace {

// Algorithm 1: one demand per node, set by the schedule; the first node is the best of the first scale, untested.
class RmpiScn final : public Supervisor {
 public:
  explicit RmpiScn(const TrainOptions& options) : options_(options) {}
  std::string_view name() const override { return "RMPI-SCN"; }
  bool refits() const override { return true; }
  bool needs_projections() const override { return true; }
  std::vector<double> demands(Index L) const override {
    if (L == 1) return {};
    return {demanded_r(options_.schedule, options_.r, options_.alpha, static_cast<double>(L))};
  }
  // |p|^2 = |h|^2 - |Q'h|^2 has no correct digit left once h is nearly inside the span: such candidates are out.
  double denominator(const BatchSums& sums, Index t, double penalty) const override {
    const double h2 = sums.norm2(t) + penalty;
    const double p2 = h2 - sums.projected2(t);
    return p2 > options_.rank_tolerance * h2 ? p2 : 0.0;
  }
  bool first_by_sum_of_norms() const override { return true; }

 private:
  const TrainOptions options_;
};

// The supervision of 2017: every batch is tried with a ladder of r, and the node's own norm stands for its reach.
class Scn : public Supervisor {
 public:
  explicit Scn(const TrainOptions& options) : ladder_(options.r_ladder) {}
  bool needs_projections() const override { return false; }
  std::vector<double> demands(Index) const override { return ladder_; }
  double denominator(const BatchSums& sums, Index t, double penalty) const override { return sums.norm2(t) + penalty; }

 private:
  std::vector<double> ladder_;
};

class Scn3 final : public Scn {
 public:
  using Scn::Scn;
  std::string_view name() const override { return "SCN-III"; }
  bool refits() const override { return true; }
};

class Scn1 final : public Scn {
 public:
  using Scn::Scn;
  std::string_view name() const override { return "SCN-I"; }
  bool refits() const override { return false; }
};

// Nobody judges: what is drawn is taken. RVFL fits all output weights to it, IRVFL the new one alone.
class Unsupervised final : public Supervisor {
 public:
  Unsupervised(std::string_view name, bool refits) : name_(name), refits_(refits) {}
  std::string_view name() const override { return name_; }
  bool judges() const override { return false; }
  bool refits() const override { return refits_; }
  bool needs_projections() const override { return false; }
  std::vector<double> demands(Index) const override { return {}; }
  double denominator(const BatchSums&, Index, double) const override { return 0; }

 private:
  std::string_view name_;
  bool refits_;
};

}  // namespace

std::unique_ptr<Supervisor> make_supervisor(const TrainOptions& options) {
  switch (options.method) {
    case Method::scn3: return std::make_unique<Scn3>(options);
    case Method::scn1: return std::make_unique<Scn1>(options);
    case Method::rvfl: return std::make_unique<Unsupervised>("RVFL", true);
    case Method::irvfl: return std::make_unique<Unsupervised>("IRVFL", false);
    case Method::rmpi:
    case Method::automatic:
    case Method::mlp: break;  // the last two never come here
  }
  return std::make_unique<RmpiScn>(options);
}

}  // namespace sconet
