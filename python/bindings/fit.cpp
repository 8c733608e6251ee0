// Training from Python: in a thread of its own, so that other Python threads run, Ctrl-C is heard, and callbacks run
// where fit() was called.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "bindings.hpp"

namespace sconet::python {
namespace {

// Between the thread that called fit() and those that train.
class Desk {
 public:
  // In a training thread: has the calling thread run a task, and waits until it has.
  void ask(const std::function<void()>& task) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !task_; });
    task_ = &task;
    changed_.notify_all();
    changed_.wait(lock, [&] { return task_ != &task; });
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }

  // In the calling thread: runs tasks until finish() was called. `look` is called after each of them, and every now and
  // then in between.
  void serve(const std::function<void()>& look) {
    constexpr std::chrono::milliseconds now_and_then(50);
    std::unique_lock lock(mutex_);
    while (!finished_) {
      changed_.wait_for(lock, now_and_then, [&] { return task_ || finished_; });
      const auto* const task = task_;
      lock.unlock();
      if (task) (*task)();
      look();
      lock.lock();
      if (!task) continue;
      task_ = nullptr;
      changed_.notify_all();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* task_ = nullptr;
  bool finished_ = false;
};

// What went wrong in Python while it trained. Ctrl-C is no error: the network so far is kept, and the package decides.
struct Trouble {
  std::optional<py::error_already_set> error;
  bool interrupted = false;
  std::stop_source stop;

  // With the GIL: calls Python, and stops training when that fails, or returns True.
  template <class Call>
  void guard(Call&& call) {
    try {
      const py::object answer = call();
      if (!answer.is_none() && py::bool_(answer)) stop.request_stop();
    } catch (py::error_already_set& e) {
      stop.request_stop();
      if (e.matches(PyExc_KeyboardInterrupt))
        interrupted = true;
      else if (!error)
        error.emplace(std::move(e));
    }
  }
};

py::list stage_list(const std::vector<Stage>& stages) {
  py::list list;
  for (const Stage& stage : stages)
    list.append(py::make_tuple(to_numpy(stage.output_weights), to_numpy(Eigen::MatrixXd(stage.intercept)),
                               to_numpy(stage.direct)));
  return list;
}

py::dict report_of(const TrainReport& report) {
  py::dict d;
  py::list history, trials;
  for (const NodeRecord& node : report.history) history.append(to_dict(node));
  for (const Trial& trial : report.trials) trials.append(to_dict(trial));
  d["history"] = history;
  d["trials"] = trials;
  d["stages"] = stage_list(report.stages);
  d["threads"] = report.threads;
  d["instructions"] = report.instructions;
  return d;
}

void set_options(FitOptions& options, const std::vector<std::pair<std::string, std::string>>& texts) {
  static const std::vector<OptionInfo> encoder = describe_encoder_options();
  for (const auto& [name, text] : texts) {
    const bool of_encoder = std::any_of(encoder.begin(), encoder.end(), [&](const auto& o) { return o.name == name; });
    of_encoder ? set_option(options.encoder, name, text) : set_option(options.train, name, text);
  }
}

py::tuple fit(const Table& table, const std::vector<std::string>& targets,
              const std::vector<std::pair<std::string, std::string>>& texts, double valid_fraction, bool intervals,
              bool explain, const std::optional<std::vector<double>>& weights, const Table* valid,
              const py::object& on_node, const py::object& on_trial) {
  FitOptions options;
  options.columns.targets = targets;
  options.valid_fraction = valid_fraction;
  options.intervals = intervals;
  options.explain = explain;
  set_options(options, texts);

  Desk desk;
  Trouble trouble;
  FitExtras extras;
  if (weights) extras.weights = *weights;
  extras.valid = valid;
  extras.keep_stages = true;
  extras.stop = trouble.stop.get_token();
  if (!on_node.is_none())
    extras.on_node = [&](const NodeRecord& node) {
      desk.ask([&] {
        const py::gil_scoped_acquire gil;
        if (!trouble.error && !trouble.interrupted) trouble.guard([&] { return on_node(to_dict(node)); });
      });
    };
  if (!on_trial.is_none())
    extras.on_trial = [&](const TrialProgress& progress) {
      desk.ask([&] {
        const py::gil_scoped_acquire gil;
        py::dict d = to_dict(progress.trial);
        d["rounds"] = progress.rounds;
        d["tried"] = progress.tried;
        d["trials"] = progress.trials;
        if (!trouble.error && !trouble.interrupted) trouble.guard([&] { return on_trial(d); });
      });
    };

  Fitted fitted;
  std::exception_ptr failed;
  std::chrono::duration<double> engine{};
  {
    const py::gil_scoped_release no_gil;
    std::thread training([&] {
      const auto begin = std::chrono::steady_clock::now();
      try {
        fitted = Model::fit(table, options, extras);
      } catch (...) {
        failed = std::current_exception();
      }
      engine = std::chrono::steady_clock::now() - begin;
      desk.finish();
    });
    desk.serve([&] {
      const py::gil_scoped_acquire gil;
      trouble.guard([]() -> py::object {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        return py::none();
      });
    });
    training.join();
  }
  if (trouble.error) throw std::move(*trouble.error);
  if (failed) std::rethrow_exception(failed);
  py::dict report = report_of(fitted.report);
  report["seconds"] = engine.count();
  return py::make_tuple(std::move(fitted.model), report, fitted.warnings, trouble.interrupted);
}

}  // namespace

void bind_fit(py::module_& m) {
  m.def(
      "fit", &fit, py::arg("table"), py::arg("targets"), py::kw_only(), py::arg("options"),
      py::arg("valid_fraction") = 0.0, py::arg("intervals") = false, py::arg("explain") = false,
      py::arg("weights") = py::none(), py::arg("valid") = nullptr, py::arg("on_node") = py::none(),
      py::arg("on_trial") = py::none(),
      "Trains: the model, what happened, warnings, and whether Ctrl-C ended it. The callbacks get a dict; True stops.");
  m.def(
      "check_options",
      [](const std::vector<std::pair<std::string, std::string>>& texts) {
        FitOptions options;
        set_options(options, texts);
        validate(options.train);
        validate(options.encoder);
        return with_node_limit(options.train).max_nodes;
      },
      py::arg("options"),
      "The largest number of nodes (-1: what auto finds best). Raises ValueError for options that fit() would not "
      "take.");
}

}  // namespace sconet::python
