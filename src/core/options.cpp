// The one list of training options.

#include "core/option_list.hpp"

namespace sconet {

template <>
struct Choices<Method> {
  static constexpr std::array names = {"auto", "rmpi", "scn3", "scn1", "rvfl", "irvfl", "mlp"};
};
template <>
struct Choices<Schedule> {
  static constexpr std::array names = {"power", "product"};
};
template <>
struct Choices<Criterion> {
  static constexpr std::array names = {"total", "per_output"};
};
template <>
struct Choices<WhenExhausted> {
  static constexpr std::array names = {"best", "relax", "stop"};
};
template <>
struct Choices<Family> {
  static constexpr std::array names = {"uniform", "cauchy", "sparse", "sparse_cauchy", "mixture"};
};
template <>
struct Choices<Bias> {
  static constexpr std::array names = {"uniform", "row"};
};
template <>
struct Choices<Activation> {
  static constexpr std::array names = {"sigmoid", "tanh", "sin", "gaussian", "relu"};
};
template <>
struct Choices<Effort> {
  static constexpr std::array names = {"quick", "normal", "thorough"};
};
template <>
struct Choices<Isa> {
  static constexpr std::array names = {"auto", "portable", "v2", "v3", "v4"};
};

// Name, name in the MATLAB release, field, bounds, sentence.
template <>
struct OptionList<TrainOptions> {
  template <class Visit>
  static void for_each(Visit&& visit) {
    using O = TrainOptions;
    const auto option = [&]<class T>(std::string_view name, std::string_view matlab, T O::*field, Bounds bounds,
                                     std::string_view sentence) {
      visit(Option<O, T>{name, matlab, field, bounds, sentence});
    };
    option(
        "method", "", &O::method, {},
        "auto settles everything by trials; else the supervisor: RMPI-SCN, SCN-III or SCN-I; or none: RVFL, IRVFL; or "
        "MLP-BP, all of whose weights learn.");
    option("max_nodes", "L_max", &O::max_nodes, between(-1, 1e6),
           "Largest number of nodes (MLP-BP has exactly so many, at least one); -1: 100, or what auto finds best.");
    option("effort", "", &O::effort, {}, "auto: how much is tried.");
    option("ensemble", "", &O::ensemble, between(1, 1000),
           "Networks, each of which leaves out other rows, whose mean is the model.");
    option("candidates", "T_max", &O::candidates, between(1, 1e7), "Random candidates drawn in a batch.");
    option("scales", "Lambdas", &O::scales, above(0),
           "Scales in the order they are tried; family and bias say how weights and bias are drawn from a scale.");
    option("r", "", &O::r, between_open(0, 1),
           "RMPI-SCN: base of the demand r_L, the share of |e|^2 a node may leave.");
    option("alpha", "", &O::alpha, above(0), "RMPI-SCN: how fast r_L rises with the number of nodes.");
    option("schedule", "", &O::schedule, {},
           "RMPI-SCN: r_L = r^((1+1/L)^alpha) (power, Eq. 47) or r^(alpha(1+1/L)) (product, Eq. 45).");
    option("r_ladder", "r", &O::r_ladder, between_open(0, 1),
           "SCN-III and SCN-I: values of r tried on each batch, in rising order.");
    option("criterion", "", &O::criterion, {},
           "Several outputs: the demand holds for all together (total) or for each (per_output).");
    option("when_exhausted", "", &O::when_exhausted, {},
           "No scale has an admissible candidate: take the best seen, relax r and search again, or stop.");
    option("range", "", &O::range, above(0), "RVFL and IRVFL: the scale of every node.");
    option(
        "family", "", &O::family, {},
        "Weights of a random node: uniform on (-scale, scale), Cauchy times scale, either on few inputs, or a mixture "
        "(not MLP-BP).");
    option("bias", "", &O::bias, {},
           "Bias of a random node: uniform on (-scale, scale), or -w'x of a random training row (not MLP-BP).");
    option("active_inputs", "", &O::active_inputs, between(1, 1e6),
           "Sparse families: a node uses one to so many inputs, and its other weights are zero.");
    option("rank_tolerance", "", &O::rank_tolerance, between(1e-13, 0.5),
           "A node is refused when |p|^2 <= rank_tolerance |h|^2, p being its part outside the span of the others.");
    option("ridge", "", &O::ridge, at_least(0),
           "Penalty: minimises mean squared error + ridge |output weights|^2; MLP-BP: on the hidden weights as well.");
    option("intercept", "", &O::intercept, {},
           "Fit a constant beside the nodes (without penalty); MLP-BP always does.");
    option("direct_links", "", &O::direct_links, {},
           "Inputs also act on the outputs directly, not through nodes (not with SCN-I, IRVFL and MLP-BP).");
    option("activation", "", &O::activation, {}, "Activation of the nodes; gaussian is exp(-z^2).");
    option("nodes_per_step", "nB", &O::nodes_per_step, between(1, 1e6),
           "Nodes taken from an accepted batch, which must have as many admissible candidates; at most candidates.");
    option("tolerance", "tol", &O::tolerance, at_least(0),
           "Stop when the training RMSE is at or below this (several targets of a table: as scaled); auto: the RMSE on "
           "rows "
           "held out, 0: 4e-4 of the targets' deviation.");
    option("patience", "", &O::patience, between(0, 1e9),
           "With validation rows: stop after so many nodes (MLP-BP: iterations) without a better validation RMSE; 0: "
           "never.");
    option("keep_all", "", &O::keep_all, {},
           "With validation rows: keep all nodes, not only those up to the lowest validation RMSE (not MLP-BP).");
    option("iterations", "", &O::iterations, between(1, 1e9), "MLP-BP: most iterations of L-BFGS.");
    option("time_limit", "", &O::time_limit, at_least(0), "Stop after so many seconds; 0: no limit.");
    option("seed", "", &O::seed, {}, "Seed of the random candidates, or of the first weights of MLP-BP.");
    option("threads", "", &O::threads, between(0, 4096),
           "Threads; 0: one per processor. The result does not depend on it.");
    option("isa", "", &O::isa, {},
           "Instruction level of the kernels: v2, v3, v4 are x86-64 levels; auto takes the best there is.");
  }
};

namespace {

// What is left to say when `auto` settles the rest.
constexpr std::array kWithAuto = {"method",    "max_nodes",  "effort", "ensemble", "activation", "rank_tolerance",
                                  "tolerance", "time_limit", "seed",   "threads",  "isa"};

void validate_automatic(const TrainOptions& options) {
  const TrainOptions defaults;
  OptionList<TrainOptions>::for_each([&](const auto& option) {
    if (options.*option.field == defaults.*option.field || std::ranges::find(kWithAuto, option.name) != kWithAuto.end())
      return;
    refuse_option(
        fmt::format("option {} = {}: the method auto settles this itself; name a method (rmpi, say) to set it",
                    option.name, to_text(options.*option.field)));
  });
}

}  // namespace

void validate(const TrainOptions& options) {
  validate_options(options);
  if (options.method == Method::automatic) validate_automatic(options);
  if (options.direct_links &&
      (options.method == Method::scn1 || options.method == Method::irvfl || options.method == Method::mlp))
    refuse_option(
        fmt::format("option direct_links = true: expected a method that fits all output weights together, not {}",
                    to_text(options.method)));
  if (options.method == Method::mlp && options.max_nodes == 0)
    refuse_option("option max_nodes = 0: expected at least 1 with the method mlp");
  if (options.nodes_per_step > options.candidates)
    refuse_option(fmt::format("option nodes_per_step = {}: expected at most candidates = {}", options.nodes_per_step,
                              options.candidates));
  for (std::size_t i = 1; i < options.r_ladder.size(); ++i)
    if (!(options.r_ladder[i] > options.r_ladder[i - 1]))
      refuse_option(fmt::format("option r_ladder[{}] = {}: expected above {}, the value before it", i,
                                options.r_ladder[i], options.r_ladder[i - 1]));
}

TrainOptions with_node_limit(TrainOptions options) {
  if (options.max_nodes < 0 && options.method != Method::automatic) options.max_nodes = 100;
  return options;
}

std::vector<OptionInfo> describe_options() { return describe_list<TrainOptions>(); }

std::string option_text(const TrainOptions& options, std::string_view name) { return text_of_option(options, name); }

void set_option(TrainOptions& options, std::string_view name, std::string_view text) {
  set_option_from_text(options, name, text);
}

}  // namespace sconet
