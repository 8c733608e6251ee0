#include "study/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "sconet/errors.hpp"
#include "study/methods.hpp"

namespace sconet::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kRunsWithCurve = 10;  // the first ones keep their training curve

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json to_json(const Metrics& m) {
  return {{"rows", m.rows}, {"rmse", number(m.rmse)}, {"mae", number(m.mae)}, {"r", number(m.r)}, {"r2", number(m.r2)}};
}

Metrics metrics(const Json& json) {
  return {json.at("rows").get<Index>(), number(json.at("rmse")), number(json.at("mae")), number(json.at("r")),
          number(json.at("r2"))};
}

Fitted fit_run(const StudySet& set, const RunKey& key, const ThreeParts& parts, std::stop_token stop) {
  FitOptions options = fit_options(key.settings);
  options.columns = set.columns;
  options.train.seed = key.seed;
  options.train.threads = 1;
  FitExtras extras;
  extras.rows = parts.train;
  extras.valid_rows = parts.valid;
  extras.stop = std::move(stop);
  return Model::fit(set.table, options, extras);
}

}  // namespace

RunKey key(const Run& run) { return {run.set, run.data, run.method, run.settings, run.run, run.seed}; }

std::optional<Run> execute(const StudySet& set, const RunKey& key, std::stop_token stop) {
  const ThreeParts parts = set.deal(key.seed);
  const Fitted fitted = fit_run(set, key, parts, stop);
  if (fitted.report.stop_reason == StopReason::interrupted) return {};
  const Encoder& encoder = fitted.model.encoder();
  const Eigen::MatrixXd X = encoder.inputs(set.table, parts.test);

  Run run;
  run.set = key.set;
  run.data = key.data;
  run.method = key.method;
  run.settings = key.settings;
  run.run = key.run;
  run.seed = key.seed;
  run.train = fitted.model.summary().train;
  run.valid = fitted.model.summary().valid.value_or(Metrics{});
  run.test =
      measure(encoder.targets(set.table, parts.test), encoder.unscale_targets(fitted.model.network().predict(X)));
  run.nodes = fitted.model.network().nodes();
  run.seconds = fitted.report.seconds;
  run.stop_reason = name(fitted.report.stop_reason);
  if (key.run <= kRunsWithCurve) run.curve = fitted.model.summary().train_rmse;
  return run;
}

Model repeat(const StudySet& set, const RunKey& key) { return fit_run(set, key, set.deal(key.seed), {}).model; }

std::string to_line(const Run& run) {
  Json json = {{"set", run.set}, {"data", run.data}, {"method", run.method}, {"run", run.run}, {"seed", run.seed}};
  json["settings"] = Json::object();
  for (const auto& [name, text] : run.settings) json["settings"][name] = text;
  json["nodes"] = run.nodes;
  json["stop_reason"] = run.stop_reason;
  json["seconds"] = run.seconds;
  json["train"] = to_json(run.train);
  json["valid"] = to_json(run.valid);
  json["test"] = to_json(run.test);
  if (!run.curve.empty()) {
    json["curve"] = Json::array();
    for (const double rmse : run.curve) json["curve"].push_back(number(rmse));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Run from_line(const std::string& line, const std::string& place) {
  Run run;
  try {
    const Json json = Json::parse(line);
    run.set = json.at("set");
    run.data = json.at("data");
    run.method = json.at("method");
    run.run = json.at("run");
    run.seed = json.at("seed");
    for (const auto& [name, text] : json.at("settings").items()) run.settings.emplace_back(name, text);
    run.nodes = json.at("nodes");
    run.stop_reason = json.at("stop_reason");
    run.seconds = json.at("seconds");
    run.train = metrics(json.at("train"));
    run.valid = metrics(json.at("valid"));
    run.test = metrics(json.at("test"));
    if (json.contains("curve"))
      for (const Json& rmse : json["curve"]) run.curve.push_back(number(rmse));
  } catch (const Json::exception&) {
    throw DataError(fmt::format("{}: is no record of a run; move the file away, or name another folder", place));
  }
  return run;
}

RunFile::RunFile(std::string path) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) return;
  const std::string bytes = read_file(path_);
  std::size_t begin = 0, line = 1;
  for (std::size_t end = 0; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1, ++line)
    runs_.push_back(from_line(bytes.substr(begin, end - begin), fmt::format("{}:{}", path_, line)));
  if (begin < bytes.size()) write_file(path_, std::string_view(bytes).substr(0, begin));
}

const Run* RunFile::find(const RunKey& wanted) const {
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const Run& run) { return key(run) == wanted; });
  return found == runs_.end() ? nullptr : &*found;
}

void RunFile::append(Run run) {
  const std::lock_guard lock(mutex_);
  errno = 0;
  std::ofstream file(path_, std::ios::app | std::ios::binary);
  file << to_line(run) << '\n' << std::flush;
  if (!file) throw IoError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
  runs_.push_back(std::move(run));
}

void RunFile::sort() {
  std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return key(a) < key(b); });
  std::string bytes;
  for (const Run& run : runs_) bytes += to_line(run) + '\n';
  write_file(path_, bytes);
}

}  // namespace sconet::study
