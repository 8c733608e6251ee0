#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

#include "study/paper.hpp"

namespace sconet::study {
namespace {

struct Task {
  const StudySet* set = nullptr;
  RunKey key;
  double weight = 0;  // what it may cost, in no unit
};

RunKey run_key(const StudySet& set, const MethodSpec& method, const Settings& settings, std::int64_t run,
               std::uint64_t seed) {
  return {set.info.id, set.data, method.id, settings, run, seed + static_cast<std::uint64_t>(run - 1)};
}

// About how the cost of a run grows with its size.
double weight(const StudySet& set, const Settings& settings) {
  const FitOptions options = fit_options(settings);
  const auto n = static_cast<double>(set.info.train_rows), d = static_cast<double>(set.info.inputs),
             L = static_cast<double>(with_node_limit(options.train).max_nodes),
             T = static_cast<double>(options.train.candidates);
  switch (options.train.method) {
    case Method::rvfl:
    case Method::irvfl: return n * L * (d + L);
    case Method::mlp: return n * L * (d + 10) * 1000;
    case Method::automatic: return n * 2000 * (d + 3000);
    default: return n * L * T * (d + L / 2 + 20);
  }
}

// Guesses the time left from what the finished runs took.
class Pace {
 public:
  explicit Pace(int jobs) : jobs_(jobs) {}

  // Runs that cost about the same.
  static std::string kind(const std::string& set, const std::string& method) { return set + '\n' + method; }
  static std::string kind(const Task& task) { return kind(task.key.set, task.key.method); }

  void plan(const Task& task) { expect(kind(task), 1, task.weight); }
  void expect(const std::string& of, std::int64_t count, double weight) {
    pending_[of].count += count;
    pending_[of].weight = weight;
  }
  void forget() { pending_.clear(); }
  void finish(const Task& task, double seconds) {
    --pending_[kind(task)].count;
    auto& [sum, count] = taken_[kind(task)];
    sum += seconds;
    ++count;
    seconds_ += seconds;
    weight_ += task.weight;
  }
  double left() const {
    if (weight_ == 0) return -1;
    double seconds = 0;
    for (const auto& [of, pending] : pending_) {
      const auto known = taken_.find(of);
      const double each =
          known == taken_.end() ? pending.weight * seconds_ / weight_ : known->second.first / known->second.second;
      seconds += each * static_cast<double>(pending.count);
    }
    return seconds / jobs_;
  }

 private:
  struct Pending {
    std::int64_t count = 0;
    double weight = 0;
  };
  int jobs_;
  std::map<std::string, Pending> pending_;
  std::map<std::string, std::pair<double, double>> taken_;
  double seconds_ = 0, weight_ = 0;
};

class Study {
 public:
  Study(const std::vector<StudySet>& sets, const StudyOptions& options, RunFile& file, std::stop_token stop,
        const std::function<void(const StudyProgress&)>& on_run)
      : sets_(sets), options_(options), file_(file), stop_(std::move(stop)), on_run_(on_run), pace_(options.jobs) {}

  std::optional<Results> run() {
    // Every setting on the first runs, then the chosen one on all.
    std::vector<Task> tuning;
    for_each_pair([&](const StudySet& set, const MethodSpec& method) {
      const std::vector<Settings> grid_of = grid(method, set.info).settings();
      if (grid_of.size() == 1) return;
      for (const Settings& settings : grid_of)
        for (std::int64_t k = 1; k <= options_.tuning; ++k) plan(tuning, set, method, settings, k);
    });
    expect_later(tuning);
    if (!work(tuning)) return {};
    pace_.forget();
    std::vector<Task> runs;
    for_each_pair([&](const StudySet& set, const MethodSpec& method) {
      const Settings chosen = choose(set, method);
      for (std::int64_t k = 1; k <= options_.runs; ++k) plan(runs, set, method, chosen, k);
    });
    progress_.total = progress_.done + static_cast<std::int64_t>(runs.size());
    if (!work(runs)) return {};
    file_.sort();
    return sum_up();
  }

 private:
  template <class F>
  void for_each_pair(F&& f) {
    for (const StudySet& set : sets_)
      for (const Entrant& entrant : options_.methods)
        if (entrant.runs_on(set.info.id)) f(set, entrant.method);
  }

  void plan(std::vector<Task>& tasks, const StudySet& set, const MethodSpec& method, const Settings& settings,
            std::int64_t run) {
    const RunKey wanted = run_key(set, method, settings, run, options_.seed);
    if (done_.contains(wanted)) return;
    tasks.push_back({&set, wanted, weight(set, settings)});
    pace_.plan(tasks.back());
  }

  // Before anything is chosen, the runs to come are known by their number only.
  void expect_later(const std::vector<Task>& tuning) {
    progress_.total = static_cast<std::int64_t>(tuning.size());
    for_each_pair([&](const StudySet& set, const MethodSpec& method) {
      const std::vector<Settings> grid_of = grid(method, set.info).settings();
      const std::int64_t later = options_.runs - (grid_of.size() > 1 ? std::min(options_.runs, options_.tuning) : 0);
      progress_.total += later;
      pace_.expect(Pace::kind(set.info.id, method.id), later, weight(set, grid_of.front()));
    });
  }

  // Of the settings of a grid the one whose mean validation RMSE is lowest; the first of equals.
  Settings choose(const StudySet& set, const MethodSpec& method) {
    const std::vector<Settings> grid_of = grid(method, set.info).settings();
    if (grid_of.size() == 1) return grid_of.front();
    const Settings* best = &grid_of.front();
    double lowest = std::numeric_limits<double>::infinity();
    for (const Settings& settings : grid_of) {
      double sum = 0;
      for (std::int64_t k = 1; k <= options_.tuning; ++k)
        sum += done_.at(run_key(set, method, settings, k, options_.seed)).valid.rmse;
      if (sum < lowest) {
        lowest = sum;
        best = &settings;
      }
    }
    return *best;
  }

  // The longest first, so that no job is left with one at the end. False: interrupted.
  bool work(std::vector<Task>& tasks) {
    std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.weight > b.weight; });
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::stop_source failed;
    const auto job = [&] {
      for (std::size_t i = 0; (i = next++) < tasks.size();) {
        if (stop_.stop_requested() || failed.stop_requested()) return;
        try {
          std::optional<Run> run = execute(*tasks[i].set, tasks[i].key, stop_);
          if (!run) return;
          finish(tasks[i], std::move(*run));
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!failure) failure = std::current_exception();
          failed.request_stop();
        }
      }
    };
    {
      std::vector<std::jthread> others;
      for (int j = 1; j < options_.jobs; ++j) others.emplace_back(job);
      job();
    }
    if (failure) std::rethrow_exception(failure);
    return !stop_.stop_requested();
  }

  void finish(const Task& task, Run run) {
    const std::lock_guard lock(mutex_);
    pace_.finish(task, run.seconds);
    ++progress_.done;
    progress_.seconds_left = pace_.left();
    progress_.now = fmt::format("{} {} run {}", run.set, run.method, run.run);
    file_.append(run);
    done_.emplace(task.key, std::move(run));
    if (on_run_) on_run_(progress_);
  }

  Results sum_up() {
    Results results;
    for (const StudySet& set : sets_) results.sets.push_back(set.info);
    for (const Entrant& entrant : options_.methods)
      if (std::any_of(sets_.begin(), sets_.end(), [&](const StudySet& set) { return entrant.runs_on(set.info.id); }))
        results.methods.push_back(entrant.method.info());
    for_each_pair([&](const StudySet& set, const MethodSpec& method) {
      Cell cell;
      cell.set = set.info.id;
      cell.method = method.id;
      cell.chosen = choose(set, method);
      for (std::int64_t k = 1; k <= options_.runs; ++k)
        cell.runs.push_back(done_.at(run_key(set, method, cell.chosen, k, options_.seed)));
      const auto over_runs = [&](auto&& value) {
        std::vector<double> values;
        values.reserve(cell.runs.size());
        for (const Run& run : cell.runs) values.push_back(static_cast<double>(value(run)));
        return spread(values);
      };
      cell.train_rmse = over_runs([](const Run& run) { return run.train.rmse; });
      cell.train_r = over_runs([](const Run& run) { return run.train.r; });
      cell.test_rmse = over_runs([](const Run& run) { return run.test.rmse; });
      cell.test_r = over_runs([](const Run& run) { return run.test.r; });
      cell.seconds = over_runs([](const Run& run) { return run.seconds; });
      cell.nodes = over_runs([](const Run& run) { return run.nodes; });
      if (method.fixed.empty() || method.id == "rvfl:range=1") {
        const std::string base = method.id.substr(0, method.id.find(':'));
        cell.paper = paper_row(set.info.id, base);
      }
      results.cells.push_back(std::move(cell));
    });
    return results;
  }

  const std::vector<StudySet>& sets_;
  const StudyOptions& options_;
  RunFile& file_;
  std::stop_token stop_;
  const std::function<void(const StudyProgress&)>& on_run_;
  std::map<RunKey, Run> done_ = finished();
  Pace pace_;
  StudyProgress progress_;
  std::mutex mutex_;

  std::map<RunKey, Run> finished() const {
    std::map<RunKey, Run> done;
    for (const Run& run : file_.runs()) done.emplace(key(run), run);
    return done;
  }
};

}  // namespace

std::optional<Results> run_study(const std::vector<StudySet>& sets, const StudyOptions& options, RunFile& file,
                                 std::stop_token stop, const std::function<void(const StudyProgress&)>& on_run) {
  if (options.runs < 1) throw std::invalid_argument(fmt::format("runs = {}: expected at least 1", options.runs));
  if (options.tuning < 1) throw std::invalid_argument(fmt::format("tuning = {}: expected at least 1", options.tuning));
  if (options.jobs < 1) throw std::invalid_argument(fmt::format("jobs = {}: expected at least 1", options.jobs));
  return Study(sets, options, file, std::move(stop), on_run).run();
}

}  // namespace sconet::study
