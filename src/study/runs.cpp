#include "study/runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "sconet/errors.hpp"
#include "sconet/version.hpp"
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
  if (options.train.method == Method::automatic)  // which holds rows out itself
    extras.rows->insert(extras.rows->end(), parts.valid.begin(), parts.valid.end());
  else
    extras.valid_rows = parts.valid;
  extras.stop = std::move(stop);
  return Model::fit(set.table, options, extras);
}

}  // namespace

RunKey key(const Run& run) { return {run.set, run.data, run.method, run.settings, run.run, run.seed}; }

std::optional<Run> execute(const StudySet& set, const RunKey& key, std::stop_token stop) {
  const ThreeParts parts = set.deal(key.seed);
  const Fitted fitted = fit_run(set, key, parts, std::move(stop));
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
  run.version = SCONET_VERSION;
  run.train = fitted.model.summary().train;
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  run.valid = fitted.model.summary().valid.value_or(
      Metrics{0, fitted.report.held_out_rmse, kUndefined, kUndefined, kUndefined});
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
  json["version"] = run.version;
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
    run.version = json.value("version", "");
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

namespace {

Fd open_to_append(const std::string& path) {
  Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!fd) throw IoError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  if (flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw IoError(fmt::format("{}: another study is writing here; wait for it, or name another folder", path));
  return fd;
}

}  // namespace

RunFile::RunFile(std::string path) : path_(std::move(path)), file_(open_to_append(path_)) {
  const std::string bytes = read_file(path_);
  std::size_t begin = 0, line = 1;
  const auto place = [&] { return fmt::format("{}:{}", path_, line); };
  for (std::size_t end = 0; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1, ++line)
    runs_.push_back(from_line(bytes.substr(begin, end - begin), place()));
  if (begin == bytes.size()) return;
  constexpr std::string_view kBeginning = "{\"set\":";
  const std::string_view rest = std::string_view(bytes).substr(begin, kBeginning.size());
  if (!kBeginning.starts_with(rest)) from_line(bytes.substr(begin), place());  // not ours
  if (ftruncate(*file_, static_cast<off_t>(begin)) != 0)
    throw IoError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

void RunFile::append(Run run) {
  const std::string line = to_line(run) + '\n';
  const std::lock_guard lock(mutex_);
  const off_t before = lseek(*file_, 0, SEEK_END);
  errno = 0;
  if (const auto written = write(*file_, line.data(), line.size()); written != static_cast<ssize_t>(line.size())) {
    const int error = errno;
    const bool restored = ftruncate(*file_, before) == 0;
    throw IoError(fmt::format("{}: cannot be written: {}{}", path_,
                              error != 0 ? std::strerror(error) : "the disk is full",
                              restored ? "" : " (its last line is not complete)"));
  }
  runs_.push_back(std::move(run));
}

void RunFile::sort() {
  std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return key(a) < key(b); });
  std::string bytes;
  for (const Run& run : runs_) bytes += to_line(run) + '\n';
  write_file(path_, bytes);
  file_ = open_to_append(path_);
}

}  // namespace sconet::study
