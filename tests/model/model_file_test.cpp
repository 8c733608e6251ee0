// Model files that claim too much, and one that must stay readable for ever.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "model/container.hpp"
#include "sconet/errors.hpp"
#include "sconet/model.hpp"
#include "support/folder.hpp"
#include "support/literal_model.hpp"
#include "support/tables.hpp"

namespace sconet {
namespace {

using nlohmann::json;

const Model& example() {
  static const Model model = [] {
    FitOptions options = testing::mixed_options();
    options.train.max_nodes = 4;
    options.encoder.quantiles = 4;
    return Model::fit(testing::mixed_table(60), options).model;
  }();
  return model;
}

// With everything that auto and ensembles tell of themselves.
const Model& chosen_example() {
  static const Model model = [] {
    FitOptions options;
    options.columns = testing::mixed_options().columns;
    options.train.effort = Effort::quick;
    options.train.ensemble = 2;
    options.train.max_nodes = 6;
    return Model::fit(testing::mixed_table(60), options).model;
  }();
  return model;
}

std::string refusal(const std::string& bytes) {
  try {
    Model::from_bytes(bytes, "m");
  } catch (const ModelFileError& error) {
    return error.what();
  }
  return "";
}

Container contents(const Model& model = example()) { return parse_container(model.to_bytes(), "m"); }

std::string with(Container container, const json& description) {
  container.metadata["model"] = description.dump();
  return to_bytes(container);
}

TEST(ModelFile, TruncatedAnywhere) {
  const std::string bytes = example().to_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string said = refusal(bytes.substr(0, size));
    ASSERT_TRUE(said.starts_with("m: ")) << size;
  }
  EXPECT_EQ(refusal(bytes), "");
}

TEST(ModelFile, AnyByteFlipped) {
  const std::string bytes = example().to_bytes();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ (1 << (at % 8)));
    ASSERT_NE(refusal(other), "") << at;
  }
}

// Every value of the description removed, or replaced by one of another type: refused or, where it is optional, without
// harm. The hash is right each time.
void for_each_place(const json& node, const json::json_pointer& at,
                    const std::function<void(const json::json_pointer&)>& f) {
  if (!at.empty()) f(at);
  if (node.is_object())
    for (const auto& [key, value] : node.items()) for_each_place(value, at / key, f);
  if (node.is_array())
    for (std::size_t i = 0; i < node.size(); ++i) for_each_place(node[i], at / i, f);
}

void expect_every_part_checked(const Model& model) {
  const Container container = contents(model);
  const json description = json::parse(container.metadata.at("model"));
  const json others[] = {nullptr, true, -3, 2.5, 1e300, "nonsense", json::array({1}), json::object({{"a", 1}}), json()};
  int places = 0, accepted = 0, tried = 0;
  for_each_place(description, json::json_pointer(), [&](const json::json_pointer& at) {
    ++places;
    for (const json& other : others) {
      json changed = description;
      changed[at] = other;
      if (changed == description) continue;
      ++tried;
      accepted += refusal(with(container, changed)).empty();
    }
    json without = description;
    const json::json_pointer parent = at.parent_pointer();
    if (without[parent].is_object())
      without[parent].erase(at.back());
    else
      without[parent].erase(without[parent].begin() + std::stoi(at.back()));
    refusal(with(container, without));
  });
  EXPECT_GT(places, 80);
  // What may be anything: texts (names, levels in order, version) and the figures of the summary.
  EXPECT_LT(accepted, tried / 5) << tried;
}

TEST(ModelFile, EveryPartOfTheDescriptionIsChecked) { expect_every_part_checked(example()); }
TEST(ModelFile, EveryPartOfWhatAutoTellsIsChecked) { expect_every_part_checked(chosen_example()); }

TEST(ModelFile, WhatAutoTriedComesBack) {
  const ModelSummary &then = chosen_example().summary(), now = Model::from_bytes(chosen_example().to_bytes()).summary();
  ASSERT_FALSE(then.trials.empty());
  EXPECT_EQ(now.tried, then.tried);
  EXPECT_EQ(now.members, then.members);
  EXPECT_EQ(now.members.size(), 2U);
  EXPECT_EQ(now.held_out_rmse, then.held_out_rmse);
  ASSERT_EQ(now.trials.size(), then.trials.size());
  for (std::size_t i = 0; i < now.trials.size(); ++i) {
    const Trial &a = now.trials[i], &b = then.trials[i];
    EXPECT_EQ(std::tie(a.round, a.scaling, a.candidates, a.rows, a.pool, a.nodes, a.ridge, a.rmse, a.chosen),
              std::tie(b.round, b.scaling, b.candidates, b.rows, b.pool, b.nodes, b.ridge, b.rmse, b.chosen));
  }
  EXPECT_EQ(Model::from_bytes(chosen_example().to_bytes()).to_bytes(), chosen_example().to_bytes());
  // Other models say nothing of it.
  const json plain = json::parse(contents().metadata.at("model")).at("summary");
  for (const char* key : {"tried", "trials", "held_out_rmse", "members"}) EXPECT_FALSE(plain.contains(key)) << key;
}

TEST(ModelFile, WhatIsSaidAboutTrialsAndMembers) {
  const Container container = contents(chosen_example());
  const json good = json::parse(container.metadata.at("model"));
  const auto said = [&](const char* place, const json& value) {
    json changed = good;
    changed[json::json_pointer(place)] = value;
    return refusal(with(container, changed));
  };
  EXPECT_EQ(said("/summary/trials", "none"), "m: 'trials' in the description is not what it should be");
  EXPECT_EQ(said("/summary/trials/0", 7), "m: a trial of the summary is no object");
  EXPECT_EQ(said("/summary/trials/1", json::array()), "m: a trial of the summary is no object");
  for (const std::string count : {"round", "rows", "pool", "nodes"})
    for (const json& bad : {json(-1), json(1.5), json("1")})
      EXPECT_EQ(said(("/summary/trials/0/" + count).c_str(), bad),
                "m: '" + count + "' in the description is not what it should be");
  EXPECT_EQ(said("/summary/trials/0/nodes", 2'000'000'000), "m: the summary tells of 2000000000 nodes");
  EXPECT_EQ(said("/summary/trials/0/round", 50),
            "m: the summary tells of a trial in round 50 of " + std::to_string(good["summary"]["tried"].size()));
  EXPECT_EQ(said("/summary/trials/0/candidates", json::array({1})),
            "m: 'candidates' in the description is not a list of texts");
  EXPECT_EQ(said("/summary/trials/0/chosen", "yes"), "m: 'chosen' in the description is not what it should be");
  EXPECT_EQ(said("/summary/trials/0/rmse", nullptr), "");
  for (const std::string list : {"tried", "members"}) {
    const std::string no_count = "m: the list '" + list + "' of the summary has an entry that is no count";
    for (const json& bad : {json(-1), json(0.5), json("3"), json(2'000'000'000)})
      EXPECT_EQ(said(("/summary/" + list + "/0").c_str(), bad), no_count);
    EXPECT_EQ(said(("/summary/" + list).c_str(), 3), "m: '" + list + "' in the description is not what it should be");
  }
  EXPECT_EQ(said("/summary/held_out_rmse", "small"), "m: 'held_out_rmse' in the description is not what it should be");
  json without = good;
  without["summary"].erase("tried");
  EXPECT_EQ(refusal(with(container, without)), "m: the description lacks 'tried'");
  without["summary"].erase("trials");
  EXPECT_EQ(refusal(with(container, without)), "");
}

TEST(ModelFile, WhatIsSaidAboutTheDescription) {
  const Container container = contents();
  const json good = json::parse(container.metadata.at("model"));
  const auto said = [&](const char* place, const json& value) {
    json changed = good;
    changed[json::json_pointer(place)] = value;
    return refusal(with(container, changed));
  };
  EXPECT_EQ(said("/encoder", 1), "m: 'encoder' in the description is not what it should be");
  EXPECT_EQ(said("/encoder/options/scaling", "sideways"),
            "m: option scaling = 'sideways': expected auto|unit|standard|quantile|both|none");
  EXPECT_EQ(said("/encoder/columns/0/type", "date"), "m: column 'temp' has the type 'date'");
  EXPECT_EQ(said("/encoder/columns/1/name", "temp"), "m: two columns are named 'temp'");
  EXPECT_EQ(said("/encoder/columns/0/knots", 1), "m: column 'temp' has 1 knots");
  EXPECT_EQ(said("/encoder/columns/0/knots", 1'000'000'000'000), "m: column 'temp' has 1000000000000 knots");
  EXPECT_EQ(said("/encoder/columns/0/knots", 5), "m: the array 'encoder.knots' does not have the shape it should have");
  EXPECT_EQ(said("/encoder/columns/2/levels", json::array({"b", "a"})),
            "m: the levels of column 'grade' are not in order");
  EXPECT_EQ(said("/encoder/columns/2/levels", json::array({"a", "a"})),
            "m: the levels of column 'grade' are not in order");
  EXPECT_EQ(said("/encoder/targets", json::array()), "m: the model has no target");
  EXPECT_EQ(said("/network/activation", "step"),
            "m: option activation = 'step': expected sigmoid|tanh|sin|gaussian|relu");
  EXPECT_EQ(said("/train/options/max_nodes", "-2"), "m: option max_nodes = -2: expected -1 <= max_nodes <= 1000000");
  EXPECT_EQ(said("/train/options/depth", "3"), "");  // a later version's
  EXPECT_EQ(said("/train/valid_fraction", 1e300), "m: valid_fraction is 1e+300");
  EXPECT_EQ(said("/summary/train/rows", std::uint64_t{1} << 60), "m: the summary tells of 1152921504606846976 rows");
  EXPECT_EQ(said("/summary/stop_reason", "tired"), "m: the stop reason 'tired' is not known");
  EXPECT_EQ(refusal(with(container, json::array())), "m: the description lacks 'encoder'");

  Container other = container;
  other.metadata["model"] = "{\"encoder\":";
  EXPECT_EQ(refusal(to_bytes(other)), "m: the description of the model is not JSON");
  other.metadata["model"] = std::string(100'000, '[');
  EXPECT_EQ(refusal(to_bytes(other)), "m: the description of the model is too large");
  other.metadata["model"] = "[1";
  for (int i = 0; i < 260'000; ++i) other.metadata["model"] += ",1";
  other.metadata["model"] += "]";
  EXPECT_EQ(refusal(to_bytes(other)), "m: the description of the model is too large");
  other.metadata.erase("model");
  EXPECT_EQ(refusal(to_bytes(other)), "m: the description of the model is missing");
  other.metadata["kind"] = "checkpoint";
  EXPECT_EQ(refusal(to_bytes(other)), "m: is a sconet file but no model");
}

TEST(ModelFile, EveryArrayIsChecked) {
  const Container container = contents();
  for (const auto& [name, array] : container.arrays) {
    Container other = container;
    other.arrays.erase(name);
    const bool optional = name == "encoder.ranges";
    EXPECT_EQ(refusal(to_bytes(other)), optional ? "" : "m: the array '" + name + "' is missing");
    other = container;
    other.arrays[name].shape.push_back(1);
    EXPECT_EQ(refusal(to_bytes(other)), "m: the array '" + name + "' does not have the shape it should have");
    other = container;
    other.arrays[name] = {{0}, {}};
    EXPECT_EQ(refusal(to_bytes(other)).empty(), array.shape == std::vector<std::int64_t>{0}) << name;
    if (array.values.empty() || name == "summary.train_rmse" || name == "summary.valid_rmse") continue;
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      other = container;
      other.arrays[name].values.back() = bad;
      EXPECT_TRUE(refusal(to_bytes(other)).starts_with("m: the array '" + name + "' has ")) << name;
    }
  }
  Container zero = container;
  zero.arrays["encoder.targets"].values[1] = 0;
  EXPECT_EQ(refusal(to_bytes(zero)), "m: target 'y' has the scale 0");
  Container falling = container;
  std::swap(falling.arrays["encoder.knots"].values[0], falling.arrays["encoder.knots"].values[1]);
  EXPECT_EQ(refusal(to_bytes(falling)), "m: the quantiles of column 'temp' do not rise");
  // What a later version adds is not in the way.
  Container more = container;
  more.arrays["later.addition"] = {{2}, {1, 2}};
  more.metadata["later"] = "addition";
  EXPECT_EQ(refusal(to_bytes(more)), "");
}

// Number columns x0, x1, ... and a target.
Table wide_table(Index rows, Index inputs) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(inputs) + 1);
  for (Index k = 0; k < inputs; ++k) names.push_back("x" + std::to_string(k));
  names.emplace_back("y");
  return make_table(testing::random_matrix(rows, inputs + 1, 5), names);
}

// A network most of whose weights are zero, with -0 among them.
Model sparse_model(Index inputs, Index nodes) {
  const Table table = wide_table(40, inputs);
  FitOptions options;
  options.columns.targets = {"y"};
  options.train.max_nodes = nodes;
  options.train.family = Family::sparse;
  options.train.active_inputs = 3;
  options.train.method = Method::rvfl;
  const Model fitted = Model::fit(table, options).model;
  const Network& n = fitted.network();
  Eigen::MatrixXd W = n.weights();
  W(2, 1) = -0.0;
  return {fitted.encoder(), Network(W, n.biases(), n.output_weights(), n.intercept(), n.activation()), fitted.options(),
          fitted.valid_fraction(), fitted.summary()};
}

TEST(ModelFile, ZerosAreNotStoredAndComeBackToTheBit) {
  const Model model = sparse_model(30, 20);
  const std::string bytes = model.to_bytes();
  const Container container = parse_container(bytes, "m");
  EXPECT_EQ(container.metadata.at("format_version"), "2");
  EXPECT_FALSE(container.arrays.contains("network.weights"));
  EXPECT_LT(container.arrays.at("network.sparse_values").values.size(), 20 * 3 + 2U);
  const Model read = Model::from_bytes(bytes, "m");
  const Eigen::MatrixXd &W = model.network().weights(), &V = read.network().weights();
  ASSERT_EQ(W.rows(), V.rows());
  ASSERT_EQ(W.cols(), V.cols());
  EXPECT_EQ(std::memcmp(W.data(), V.data(), sizeof(double) * static_cast<std::size_t>(W.size())), 0);
  EXPECT_TRUE(std::signbit(V(2, 1)));
  EXPECT_EQ(read.to_bytes(), bytes);
  // Shorter with the zeros: few inputs, or dense weights.
  EXPECT_EQ(contents().metadata.at("format_version"), "1");
  const Container small = parse_container(sparse_model(4, 6).to_bytes(), "m");
  EXPECT_EQ(small.metadata.at("format_version"), "1");
  EXPECT_TRUE(small.arrays.contains("network.weights"));
}

TEST(ModelFile, WeightsWithoutZerosAreChecked) {
  const Container good = parse_container(sparse_model(30, 20).to_bytes(), "m");
  const auto said = [&](const char* name, std::size_t place, double value) {
    Container bad = good;
    bad.arrays.at(name).values.at(place) = value;
    return refusal(to_bytes(bad));
  };
  EXPECT_EQ(said("network.sparse_counts", 0, -1), "m: the array 'network.sparse_counts' has -1 at place 0");
  EXPECT_EQ(said("network.sparse_counts", 1, 1.5), "m: the array 'network.sparse_counts' has 1.5 at place 1");
  EXPECT_EQ(said("network.sparse_counts", 1, 31), "m: the array 'network.sparse_counts' has 31 at place 1");
  EXPECT_EQ(said("network.sparse_inputs", 0, 30), "m: the array 'network.sparse_inputs' has 30 at place 0");
  EXPECT_EQ(said("network.sparse_inputs", 0, -1), "m: the array 'network.sparse_inputs' has -1 at place 0");
  EXPECT_EQ(said("network.sparse_inputs", 0, 0.5), "m: the array 'network.sparse_inputs' has 0.5 at place 0");
  EXPECT_EQ(said("network.sparse_values", 0, HUGE_VAL), "m: the array 'network.sparse_values' has inf at place 0");
  EXPECT_EQ(said("network.sparse_counts", 19, 0), "m: the array 'network.sparse_counts' does not count all weights");
  for (const char* name : {"network.sparse_counts", "network.sparse_inputs", "network.sparse_values"}) {
    Container bad = good;
    bad.arrays.erase(name);
    EXPECT_NE(refusal(to_bytes(bad)), "") << name;
    bad = good;
    bad.arrays.at(name).values.pop_back();
    --bad.arrays.at(name).shape[0];
    EXPECT_NE(refusal(to_bytes(bad)), "") << name;
  }
  // A short file that asks for much memory: two million nodes of thirty inputs.
  Container greedy = good;
  greedy.arrays["network.sparse_counts"] = {{2000000}, std::vector<double>(2000000, 0.0)};
  EXPECT_EQ(refusal(to_bytes(greedy)), "m: 2000000 nodes of 30 inputs are too many for weights stored without zeros");
}

// Files from before ranges were kept tell nothing of them; clipping needs them, and readers that know of it.
TEST(ModelFile, Ranges) {
  FitOptions options = testing::mixed_options();
  options.train.max_nodes = 4;
  const Table table = testing::mixed_table(60);
  const Model plain = Model::fit(table, options).model;
  Container container = parse_container(plain.to_bytes(), "m");
  EXPECT_EQ(container.metadata.at("format_version"), "1");
  const Model again = Model::from_bytes(plain.to_bytes());
  EXPECT_EQ(again.encoder().columns()[0].least, plain.encoder().columns()[0].least);
  EXPECT_EQ(again.encoder().columns()[0].largest, plain.encoder().columns()[0].largest);
  std::swap(container.arrays["encoder.ranges"].values[0], container.arrays["encoder.ranges"].values[1]);
  EXPECT_TRUE(refusal(to_bytes(container)).starts_with("m: column 'temp' has the range "));
  container.arrays.erase("encoder.ranges");
  const Model old = Model::from_bytes(to_bytes(container));
  EXPECT_FALSE(old.encoder().columns()[0].knows_range());
  Table far = table;
  for (double& x : far.columns[2].numbers) x *= 100;
  EncodeNotes notes, old_notes;
  EXPECT_EQ(plain.predict(far, 1, &notes), old.predict(far, 1, &old_notes));
  EXPECT_GT(notes.columns[1].outside, 0);
  EXPECT_EQ(old_notes.columns[1].outside, 0);
  EXPECT_EQ(Model::from_bytes(old.to_bytes()).to_bytes(), old.to_bytes());

  options.encoder.clip = true;
  const Model clipped = Model::fit(table, options).model;
  Container second = parse_container(clipped.to_bytes(), "m");
  EXPECT_EQ(second.metadata.at("format_version"), "2");
  Container inverted = second;
  std::swap(inverted.arrays["encoder.target_ranges"].values[2], inverted.arrays["encoder.target_ranges"].values[3]);
  EXPECT_TRUE(refusal(to_bytes(inverted)).starts_with("m: target 'z' has the range "));
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Container broken = second;
    broken.arrays["encoder.target_ranges"].values[1] = bad;
    EXPECT_TRUE(refusal(to_bytes(broken)).starts_with("m: the array 'encoder.target_ranges' has "));
  }
  for (const std::string name : {"encoder.ranges", "encoder.target_ranges"}) {
    Container without = second;
    without.arrays.erase(name);
    EXPECT_EQ(refusal(to_bytes(without)), "m: the array '" + name + "' is missing");
    without.arrays[name] = {{2, 1}, {0, 1}};
    EXPECT_EQ(refusal(to_bytes(without)), "m: the array '" + name + "' does not have the shape it should have");
  }

  options.encoder.scaling = Scaling::both;
  const Model both = Model::fit(table, options).model;
  EXPECT_EQ(Model::from_bytes(both.to_bytes()).predict(far), both.predict(far));
  Container third = parse_container(both.to_bytes(), "m");
  json description = json::parse(third.metadata.at("model"));
  description["encoder"]["columns"][0].erase("knots");
  EXPECT_EQ(refusal(with(third, description)), "m: column 'temp' has no knots for its second input");
}

TEST(ModelFile, NamesMustBeUtf8) {
  const Table table = make_table(testing::random_matrix(20, 2, 1), {"caf\xe9", "y"});
  FitOptions options;
  options.train.method = Method::rmpi;
  options.columns.targets = {"y"};
  options.train.max_nodes = 2;
  EXPECT_THROW(Model::fit(table, options), DataError);
}

TEST(ModelFile, NamesThatDoNotFitAreRefusedBeforeTraining) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back(std::string(4000, 'n') + std::to_string(i));
  names.emplace_back("y");
  FitOptions options;
  options.train.method = Method::rmpi;
  options.columns.targets = {"y"};
  FitExtras extras;
  extras.on_node = [](const NodeRecord&) { FAIL(); };
  EXPECT_THROW(Model::fit(make_table(testing::random_matrix(20, 301, 1), names), options, extras), DataError);
}

// A reader written from the specification alone predicts the same for the rows of mixed_csv.
void expect_specification_enough(const Model& model, const std::string& csv) {
  TableOptions all_text;
  for (int c = 1; c <= 7; ++c) all_text.types.emplace_back(std::to_string(c), ColumnType::text);
  const Table cells = parse_table(csv, "cells", all_text);
  const testing::LiteralModel literal(model.to_bytes());
  const Eigen::MatrixXd P = model.predict(parse_table(csv, "rows", model.encoder().table_options()));
  for (Index i = 0; i < P.rows(); ++i) {
    std::map<std::string, std::string> row;
    for (const Column& column : cells.columns) {
      const auto code = column.codes[static_cast<std::size_t>(i)];
      row[column.name] = code < 0 ? "" : column.levels[static_cast<std::size_t>(code)];
    }
    const std::vector<double> wanted = literal.predict(row);
    for (Index q = 0; q < P.cols(); ++q) {
      const double size = model.encoder().targets()[static_cast<std::size_t>(q)].scale *
                          (1 + model.network().output_weights().col(q).cwiseAbs().sum());
      EXPECT_NEAR(P(i, q), wanted[static_cast<std::size_t>(q)], 1e-11 * size) << i << ' ' << q;
    }
  }
}

// For every scaling and activation.
TEST(ModelFile, TheSpecificationIsEnough) {
  for (const char* scaling : {"unit", "standard", "quantile", "both", "none"})
    for (const char* activation : {"sigmoid", "tanh", "sin", "gaussian", "relu"}) {
      FitOptions options = testing::mixed_options();
      set_option(options.encoder, "scaling", scaling);
      set_option(options.train, "activation", activation);
      options.train.scales = {0.5};
      options.encoder.clip = std::string(activation) == "sin";
      options.train.direct_links = std::string(activation) == "tanh";
      const Model model = Model::fit(testing::mixed_table(200), options).model;
      SCOPED_TRACE(fmt::format("{} {}", scaling, activation));
      expect_specification_enough(model, testing::mixed_csv(80, 3));
    }
}

TEST(ModelFile, TheSpecificationIsEnoughForModelsOfAuto) {
  const std::string csv = testing::mixed_csv(80, 3);
  expect_specification_enough(chosen_example(), csv);
  // With ranges so narrow that most predictions end at their edges.
  Container container = contents(chosen_example());
  container.arrays["encoder.target_ranges"].values = {-0.1, 0.1, 1e5, 1.1e5};
  const Model narrow = Model::from_bytes(to_bytes(container));
  expect_specification_enough(narrow, csv);
  const Eigen::MatrixXd P = narrow.predict(parse_table(csv, "rows", narrow.encoder().table_options()));
  EXPECT_EQ(P.col(0).minCoeff(), -0.1);
  EXPECT_EQ(P.col(0).maxCoeff(), 0.1);
  EXPECT_EQ(P.col(1).minCoeff(), 1e5);
  EXPECT_EQ(P.col(1).maxCoeff(), 1.1e5);
}

TEST(ModelFile, TheSpecificationIsEnoughForWeightsWithoutZeros) {
  const Model model = sparse_model(30, 20);
  const testing::LiteralModel literal(model.to_bytes());
  const Table table = wide_table(40, 30);
  const Eigen::MatrixXd P = model.predict(table);
  for (Index i = 0; i < P.rows(); ++i) {
    std::map<std::string, std::string> row;
    for (const Column& column : table.columns)
      row[column.name] = fmt::format("{}", column.numbers[static_cast<std::size_t>(i)]);
    EXPECT_NEAR(P(i, 0), literal.predict(row)[0], 1e-9 * (1 + std::abs(P(i, 0))));
  }
}

// Models written by every version that was released, with a table and what they predicted for it then. Never changed.
TEST(ModelFile, FrozenModelsStayReadable) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FROZEN_MODELS)) {
    if (entry.path().extension() != ".sconet") continue;
    ++models;
    const Model model = Model::load(entry.path().string());
    std::filesystem::path csv = entry.path();
    const Table table = read_table(csv.replace_extension(".csv").string(), model.encoder().table_options());
    const Eigen::MatrixXd P = model.predict(table), then = model.encoder().targets(table, all_rows(table));
    ASSERT_GT(P.rows(), 10);
    for (Index i = 0; i < P.rows(); ++i)
      for (Index q = 0; q < P.cols(); ++q)
        EXPECT_NEAR(P(i, q), then(i, q), 1e-10 * then.col(q).cwiseAbs().maxCoeff()) << entry.path() << ' ' << i;
  }
  EXPECT_GE(models, 1);
}

}  // namespace
}  // namespace sconet
