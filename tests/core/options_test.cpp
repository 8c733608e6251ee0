// The one list of options: bounds, text in and out, and the table in the docs.

#include "sconet/options.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "sconet/train.hpp"

namespace sconet {
namespace {

std::string problem(const TrainOptions& o) {
  try {
    validate(o);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

template <class Change>
std::string problem_after(Change&& change) {
  TrainOptions o;
  o.method = Method::rmpi;
  change(o);
  return problem(o);
}

TEST(Options, DefaultsAreValid) { EXPECT_EQ(problem(TrainOptions{}), ""); }

TEST(Options, EveryBoundIsCheckedAndNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  using O = TrainOptions;
  EXPECT_EQ(problem_after([](O& o) { o.max_nodes = -1; }), "");
  EXPECT_EQ(problem_after([](O& o) { o.max_nodes = -2; }),
            "option max_nodes = -2: expected -1 <= max_nodes <= 1000000");
  EXPECT_EQ(problem_after([](O& o) { o.ensemble = 0; }), "option ensemble = 0: expected 1 <= ensemble <= 1000");
  EXPECT_EQ(problem_after([](O& o) { o.effort = static_cast<Effort>(3); }),
            "option effort = 3: expected quick|normal|thorough");
  EXPECT_EQ(problem_after([](O& o) { o.candidates = 0; }),
            "option candidates = 0: expected 1 <= candidates <= 10000000");
  EXPECT_EQ(problem_after([](O& o) { o.r = 1; }), "option r = 1: expected 0 < r < 1");
  EXPECT_EQ(problem_after([](O& o) { o.r = 0; }), "option r = 0: expected 0 < r < 1");
  EXPECT_EQ(problem_after([&](O& o) { o.r = nan; }), "option r = nan: expected 0 < r < 1");
  EXPECT_EQ(problem_after([&](O& o) { o.alpha = inf; }), "option alpha = inf: expected 0 < alpha");
  EXPECT_EQ(problem_after([](O& o) { o.alpha = 0; }), "option alpha = 0: expected 0 < alpha");
  EXPECT_EQ(problem_after([](O& o) { o.scales = {}; }), "option scales is empty: give at least one number");
  EXPECT_EQ(problem_after([](O& o) { o.scales = {1, -2}; }), "option scales[1] = -2: expected 0 < scales");
  EXPECT_EQ(problem_after([&](O& o) { o.scales = {nan}; }), "option scales[0] = nan: expected 0 < scales");
  EXPECT_EQ(problem_after([](O& o) { o.r_ladder = {0.9, 1.0}; }), "option r_ladder[1] = 1: expected 0 < r_ladder < 1");
  EXPECT_EQ(problem_after([](O& o) {
              o.r_ladder = {0.9, 0.9};
            }),
            "option r_ladder[1] = 0.9: expected above 0.9, the value before it");
  EXPECT_EQ(problem_after([](O& o) { o.active_inputs = 0; }),
            "option active_inputs = 0: expected 1 <= active_inputs <= 1000000");
  EXPECT_EQ(problem_after([](O& o) { o.family = static_cast<Family>(5); }),
            "option family = 5: expected uniform|cauchy|sparse|sparse_cauchy|mixture");
  EXPECT_EQ(problem_after([](O& o) { o.bias = static_cast<Bias>(2); }), "option bias = 2: expected uniform|row");
  EXPECT_EQ(problem_after([](O& o) { o.rank_tolerance = 0; }),
            "option rank_tolerance = 0: expected 1e-13 <= rank_tolerance <= 0.5");
  EXPECT_EQ(problem_after([](O& o) { o.ridge = -1e-9; }), "option ridge = -1e-09: expected 0 <= ridge");
  EXPECT_EQ(problem_after([](O& o) { o.nodes_per_step = 0; }),
            "option nodes_per_step = 0: expected 1 <= nodes_per_step <= 1000000");
  EXPECT_EQ(problem_after([](O& o) { o.nodes_per_step = 101; }),
            "option nodes_per_step = 101: expected at most candidates = 100");
  EXPECT_EQ(problem_after([&](O& o) { o.tolerance = nan; }), "option tolerance = nan: expected 0 <= tolerance");
  EXPECT_EQ(problem_after([](O& o) { o.patience = -1; }), "option patience = -1: expected 0 <= patience <= 1000000000");
  EXPECT_EQ(problem_after([&](O& o) { o.time_limit = inf; }), "option time_limit = inf: expected 0 <= time_limit");
  EXPECT_EQ(problem_after([](O& o) { o.threads = -1; }), "option threads = -1: expected 0 <= threads <= 4096");
  EXPECT_EQ(problem_after([](O& o) { o.method = static_cast<Method>(9); }),
            "option method = 9: expected auto|rmpi|scn3|scn1|rvfl|irvfl|mlp");
  EXPECT_EQ(problem_after([](O& o) { o.activation = static_cast<Activation>(-1); }),
            "option activation = -1: expected sigmoid|tanh|sin|gaussian|relu");
}

// With every method but auto an option may be set that the method does not look at; auto settles most of them, and says
// so rather than pass over them.
TEST(Options, AutoRefusesWhatItSettlesItself) {
  const std::set<std::string> left = {"method", "max_nodes",  "effort", "ensemble", "activation", "rank_tolerance",
                                      "isa",    "time_limit", "seed",   "threads",  "tolerance"};
  for (const OptionInfo& info : describe_options()) {
    if (info.name == "method") continue;
    TrainOptions o;  // each option with another value than its default
    std::string text = "7";
    if (info.type == "flag") text = info.default_value == "true" ? "false" : "true";
    if (info.type == "number" || info.type == "numbers") text = "0.125";
    if (const auto bar = info.type.find('|'); bar != std::string::npos) {
      text = info.type.substr(0, bar);
      if (text == info.default_value) text = info.type.substr(bar + 1, info.type.find('|', bar + 1) - bar - 1);
    }
    set_option(o, info.name, text);
    ASSERT_NE(option_text(o, info.name), info.default_value) << info.name;
    EXPECT_EQ(problem(o), left.contains(info.name)
                              ? ""
                              : "option " + info.name + " = " + text +
                                    ": the method auto settles this itself; name a method (rmpi, say) to set it");
    o.method = Method::rmpi;
    EXPECT_EQ(problem(o), "") << info.name;
  }
}

TEST(Options, TheLimitOfNodesDependsOnTheMethod) {
  TrainOptions o;
  EXPECT_EQ(with_node_limit(o).max_nodes, -1);
  o.method = Method::rmpi;
  EXPECT_EQ(with_node_limit(o).max_nodes, 100);
  o.max_nodes = 7;
  EXPECT_EQ(with_node_limit(o).max_nodes, 7);
}

TEST(Options, TrainRefusesThemToo) {
  TrainOptions o;
  o.r = 2;
  const Eigen::MatrixXd X = Eigen::MatrixXd::Ones(3, 1);
  EXPECT_THROW(train(X, X, o), std::invalid_argument);
}

TEST(Options, EveryOptionGoesThroughTextUnchanged) {
  TrainOptions o;
  for (const OptionInfo& info : describe_options()) {
    EXPECT_EQ(option_text(o, info.name), info.default_value);
    TrainOptions copy;
    set_option(copy, info.name, info.default_value);
    EXPECT_EQ(option_text(copy, info.name), info.default_value) << info.name;
    EXPECT_FALSE(info.sentence.empty());
  }
  set_option(o, "r", "0.12345678901234567");
  EXPECT_EQ(o.r, 0.12345678901234567);
  set_option(o, "scales", "1,2.5,1e2");
  EXPECT_EQ(o.scales, (std::vector<double>{1, 2.5, 100}));
  EXPECT_EQ(option_text(o, "scales"), "1,2.5,100");
  set_option(o, "method", "scn3");
  EXPECT_EQ(o.method, Method::scn3);
  set_option(o, "family", "sparse_cauchy");
  EXPECT_EQ(o.family, Family::sparse_cauchy);
  set_option(o, "bias", "row");
  EXPECT_EQ(option_text(o, "bias"), "row");
  set_option(o, "intercept", "true");
  EXPECT_TRUE(o.intercept);
  set_option(o, "seed", "18446744073709551615");
  EXPECT_EQ(o.seed, ~std::uint64_t{0});
}

TEST(Options, BadTextIsRefusedAndChangesNothing) {
  const auto refusal = [](const char* name, const char* text) -> std::string {
    TrainOptions o;
    try {
      set_option(o, name, text);
    } catch (const std::invalid_argument& error) {
      for (const OptionInfo& info : describe_options()) EXPECT_EQ(option_text(o, info.name), info.default_value);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("r", "abc"), "option r = 'abc': expected number");
  EXPECT_EQ(refusal("r", "0.5x"), "option r = '0.5x': expected number");
  EXPECT_EQ(refusal("r", ""), "option r = '': expected number");
  EXPECT_EQ(refusal("max_nodes", "1.5"), "option max_nodes = '1.5': expected integer");
  EXPECT_EQ(refusal("seed", "-1"), "option seed = '-1': expected integer");
  EXPECT_EQ(refusal("method", "scn4"), "option method = 'scn4': expected auto|rmpi|scn3|scn1|rvfl|irvfl|mlp");
  EXPECT_EQ(refusal("family", "gauss"),
            "option family = 'gauss': expected uniform|cauchy|sparse|sparse_cauchy|mixture");
  EXPECT_EQ(refusal("bias", "rows"), "option bias = 'rows': expected uniform|row");
  EXPECT_EQ(refusal("active_inputs", "few"), "option active_inputs = 'few': expected integer");
  EXPECT_EQ(refusal("scales", "1,,2"), "option scales = '1,,2': expected numbers");
  EXPECT_EQ(refusal("scales", "1,2,"), "option scales = '1,2,': expected numbers");
  EXPECT_EQ(refusal("intercept", "yes"), "option intercept = 'yes': expected flag");
  EXPECT_EQ(refusal("max_node", "5"), "there is no option 'max_node'; did you mean 'max_nodes'?");
  EXPECT_EQ(refusal("rigde", "5"), "there is no option 'rigde'; did you mean 'ridge'?");
}

TEST(Options, NamesAreDistinctAndTheMatlabNamesAreThere) {
  std::set<std::string> names, matlab;
  for (const OptionInfo& info : describe_options()) {
    EXPECT_TRUE(names.insert(info.name).second);
    matlab.insert(info.matlab_name);
  }
  for (const char* name : {"L_max", "T_max", "Lambdas", "r", "tol", "nB"}) EXPECT_EQ(matlab.count(name), 1U) << name;
}

}  // namespace
}  // namespace sconet
