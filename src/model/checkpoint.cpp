#include "model/checkpoint.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "io/file.hpp"
#include "model/container.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

constexpr std::int64_t kColumns = 13;

std::array<double, kColumns> to_row(const NodeRecord& n) {
  return {static_cast<double>(n.nodes),
          n.train_rmse,
          n.valid_rmse,
          n.scale,
          n.r,
          static_cast<double>(n.batches),
          static_cast<double>(n.admissible),
          n.score,
          n.fallback ? 1.0 : 0.0,
          n.seconds,
          static_cast<double>(n.step),
          static_cast<double>(n.batch),
          static_cast<double>(n.candidate)};
}

NodeRecord from_row(const double* v) {
  NodeRecord n;
  n.nodes = static_cast<Index>(v[0]);
  n.train_rmse = v[1];
  n.valid_rmse = v[2];
  n.scale = v[3];
  n.r = v[4];
  n.batches = static_cast<Index>(v[5]);
  n.admissible = static_cast<Index>(v[6]);
  n.score = v[7];
  n.fallback = v[8] != 0;
  n.seconds = v[9];
  n.step = static_cast<Index>(v[10]);
  n.batch = static_cast<Index>(v[11]);
  n.candidate = static_cast<Index>(v[12]);
  return n;
}

bool is_count(double v) { return v >= 0 && v <= 1e15 && std::floor(v) == v; }

}  // namespace

std::map<std::string, std::string> run_settings(const TrainOptions& train, const EncoderOptions& encoder,
                                                double valid_fraction, Index rows, Index valid_rows) {
  std::map<std::string, std::string> settings;
  for (const OptionInfo& option : describe_options()) settings[option.name] = option_text(train, option.name);
  for (const char* free : {"time_limit", "threads", "iterations"}) settings.erase(free);
  // Where a run ends may differ too, unless it can end in the middle of a step.
  if (train.nodes_per_step == 1)
    for (const char* free : {"max_nodes", "tolerance", "patience"}) settings.erase(free);
  for (const OptionInfo& option : describe_encoder_options()) settings[option.name] = option_text(encoder, option.name);
  settings["valid_fraction"] = fmt::format("{}", valid_fraction);
  settings["rows"] = fmt::format("{}", rows);
  settings["valid_rows"] = fmt::format("{}", valid_rows);
  return settings;
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  Container container;
  container.metadata["kind"] = "checkpoint";
  for (const auto& [name, text] : checkpoint.settings) container.metadata["setting." + name] = text;
  Array& history = container.arrays["history"];
  history.shape = {static_cast<std::int64_t>(checkpoint.history.size()), kColumns};
  for (const NodeRecord& node : checkpoint.history)
    for (const double v : to_row(node)) history.values.push_back(v);
  write_file(path, to_bytes(container));
}

Checkpoint load_checkpoint(const std::string& path) {
  const Container container = read_container(path);
  const auto kind = container.metadata.find("kind");
  if (kind == container.metadata.end() || kind->second != "checkpoint")
    throw ModelFileError(fmt::format("{}: is a sconet file but no checkpoint", path));
  const auto history = container.arrays.find("history");
  if (container.arrays.size() != 1 || history == container.arrays.end() || history->second.shape.size() != 2 ||
      history->second.shape[1] != kColumns)
    throw ModelFileError(fmt::format("{}: the checkpoint has no history of nodes", path));
  Checkpoint checkpoint;
  for (const auto& [name, text] : container.metadata)
    if (name.starts_with("setting.")) checkpoint.settings[name.substr(8)] = text;
  for (std::int64_t i = 0; i < history->second.shape[0]; ++i) {
    const double* row = history->second.values.data() + i * kColumns;
    for (const int count : {0, 5, 6, 10, 11, 12})
      if (!is_count(row[count]))
        throw ModelFileError(fmt::format("{}: node {} has a count of {}", path, i, row[count]));
    if (!(row[3] > 0) || !std::isfinite(row[3]) || !(row[9] >= 0))
      throw ModelFileError(fmt::format("{}: node {} has a scale of {} and took {} s", path, i, row[3], row[9]));
    checkpoint.history.push_back(from_row(row));
  }
  return checkpoint;
}

}  // namespace sconet
