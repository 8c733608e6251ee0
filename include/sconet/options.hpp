// The options of training. Each is declared once, in src/core/options.cpp, with its name, bounds and one sentence; its
// default is the initialiser below. Validation, text in and out, and docs/options.md come from that one list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sconet {

// Who judges a candidate, and which output weights move when it is taken.
enum class Method {
  automatic,  // everything below settled by trials on rows held out
  rmpi,       // RMPI-SCN: judged by the residual after a full refit (Theorem 2), all output weights refitted
  scn3,       // SCN-III:  judged by <e,h>^2 / |h|^2 (Eq. 10), all output weights refitted (Eq. 6)
  scn1,       // SCN-I:    judged by <e,h>^2 / |h|^2 (Eq. 10), only the new output weight set (Eq. 7)
  // The rivals, which judge nothing: every node is taken as it is drawn from (-range, range).
  rvfl,   // RVFL:  all output weights fitted to all nodes
  irvfl,  // IRVFL: only the new output weight set, node by node
  // The rival that does not grow: max_nodes nodes from the start, and all weights learn.
  mlp,  // MLP-BP: errors propagated back, L-BFGS
};

// How the demand r_L grows with the number L of the node being added.
enum class Schedule {
  power,    // Eq. 47: r^((1 + 1/L)^alpha), tends to r
  product,  // Eq. 45: r^(alpha (1 + 1/L)), tends to r^alpha
};

// With several outputs: what must shrink by r.
enum class Criterion {
  total,       // the residual of all outputs together (Eq. 44, 56)
  per_output,  // the residual of every single output (Eq. 42, 50)
};

// What happens when no scale yields an admissible candidate.
enum class WhenExhausted {
  best,   // take the best candidate seen
  relax,  // move r nine tenths of the way to one and search again
  stop,   // end training
};

// Where the weights of a random node come from; docs/method.md has what each can approximate.
enum class Family {
  uniform,        // uniform on (-scale, scale), as in the paper
  cauchy,         // Cauchy times scale, cut off at 50 scale
  sparse,         // uniform on 1 .. active_inputs of the inputs, zero on the others
  sparse_cauchy,  // Cauchy on 1 .. active_inputs of the inputs, zero on the others
  mixture,        // each candidate: uniform, Cauchy of 0.3 scale, or sparse_cauchy, a third each
};

// Where the bias of a random node comes from.
enum class Bias {
  uniform,  // uniform on (-scale, scale), as in the paper
  row,      // -w'x of a random training row x, so that the slope of the node sits on data
};

enum class Activation { sigmoid, tanh, sin, gaussian, relu };

// How much `auto` tries before it settles.
enum class Effort { quick, normal, thorough };

// Instruction level of the kernels. Levels with fused multiply-add (v3, v4) give the same bits as each other, the
// others (portable, v2) as each other.
enum class Isa { automatic, portable, v2, v3, v4 };

struct TrainOptions {
  Method method = Method::automatic;
  std::int64_t max_nodes = -1;  // -1: 100, or what `auto` finds best
  Effort effort = Effort::normal;
  std::int64_t ensemble = 1;
  std::int64_t candidates = 100;
  std::vector<double> scales = {0.5, 1, 3, 5, 7, 9, 15, 25, 50, 100, 150, 200};
  double r = 0.9;
  double alpha = 0.5;
  Schedule schedule = Schedule::power;
  std::vector<double> r_ladder = {0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
  Criterion criterion = Criterion::total;
  WhenExhausted when_exhausted = WhenExhausted::best;
  double range = 1;
  Family family = Family::uniform;
  Bias bias = Bias::uniform;
  std::int64_t active_inputs = 4;
  double rank_tolerance = 1e-10;
  double ridge = 0;
  bool intercept = false;
  bool direct_links = false;
  Activation activation = Activation::sigmoid;
  std::int64_t nodes_per_step = 1;
  double tolerance = 0;
  std::int64_t patience = 20;
  bool keep_all = false;
  std::int64_t iterations = 1000;
  double time_limit = 0;
  std::uint64_t seed = 1;
  std::int64_t threads = 0;
  Isa isa = Isa::automatic;
};

// Throws std::invalid_argument that names the option, its value and what is allowed.
void validate(const TrainOptions& options);

// max_nodes = -1 replaced by what it stands for, but for `auto`.
TrainOptions with_node_limit(TrainOptions options);

// One option as text, for command lines, bindings and documentation.
struct OptionInfo {
  std::string name;
  std::string matlab_name;  // its name in the MATLAB release of SCN, or empty
  std::string type;         // "integer", "number", "numbers", "flag" or the choices "a|b|c"
  std::string default_value;
  std::string bounds;  // "0 < r < 1", or empty
  std::string sentence;
};

std::vector<OptionInfo> describe_options();

// The value of an option as text, and an option set from text; both throw std::invalid_argument for an unknown name
// (and suggest the nearest one) or a text that is no value of its type. Bounds are checked by validate().
std::string option_text(const TrainOptions& options, std::string_view name);
void set_option(TrainOptions& options, std::string_view name, std::string_view text);

}  // namespace sconet
