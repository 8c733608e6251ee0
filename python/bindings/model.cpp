// The model: predictions, what it is made of, and its bytes.

#include <numeric>

#include "bindings.hpp"

namespace sconet::python {
namespace {

constexpr Index kFewRows = 16384;  // for which no threads are started

std::int64_t threads_for(Index rows, std::int64_t threads) { return rows <= kFewRows ? 1 : threads; }

// None when scikit-learn's checks have something to say: the array is of another kind or shape, or holds what the model
// refuses. Those checks then find the words.
py::object predict_if_sound(const Model& model, const py::handle& X, bool flat, std::int64_t threads) {
  if (!py::isinstance<py::array_t<double>>(X)) return py::none();
  const auto array = py::reinterpret_borrow<py::array>(X);
  if (array.ndim() != 2 || array.shape(0) == 0 ||
      array.shape(1) != static_cast<py::ssize_t>(model.encoder().columns().size()))
    return py::none();
  Eigen::MatrixXd Y;
  try {
    const MatrixView rows = view(array);
    if (rows.rows() < 64) {  // over before another thread would have woken up
      Y = model.predict(rows, 1);
    } else {
      const py::gil_scoped_release no_gil;
      Y = model.predict(rows, threads_for(rows.rows(), threads));
    }
  } catch (const std::invalid_argument&) {
    return py::none();
  }
  return to_numpy(std::move(Y), flat);
}

py::array predict(const Model& model, const py::array& X, bool flat, std::int64_t threads) {
  const MatrixView rows = view(X);
  Eigen::MatrixXd Y;
  {
    const py::gil_scoped_release no_gil;
    Y = model.predict(rows, threads_for(rows.rows(), threads));
  }
  return to_numpy(std::move(Y), flat);
}

// What is worth a warning: texts that training did not see.
std::vector<std::string> surprises(EncodeNotes notes) {
  for (EncodeNotes::Column& column : notes.columns) column.missing = column.outside = 0;
  return notes.sentences();
}

py::tuple predict_table(const Model& model, const Table& table, bool flat, std::int64_t threads) {
  EncodeNotes notes;
  Eigen::MatrixXd Y;
  {
    const py::gil_scoped_release no_gil;
    Y = model.predict(table, threads_for(table.rows, threads), &notes);
  }
  return py::make_tuple(to_numpy(std::move(Y), flat), surprises(std::move(notes)));
}

std::optional<IntervalKind> interval_kind(const std::optional<std::string>& name) {
  if (!name) return {};
  for (const IntervalKind kind : {IntervalKind::constant, IntervalKind::local})
    if (sconet::name(kind) == *name) return kind;
  throw std::invalid_argument("interval_kind = '" + *name + "': expected 'constant' or 'local'");
}

py::tuple bounds(IntervalPrediction p, bool flat) {
  return py::make_tuple(to_numpy(std::move(p.mean), flat), to_numpy(std::move(p.low), flat),
                        to_numpy(std::move(p.high), flat));
}

py::tuple predict_interval(const Model& model, const py::array& X, double level, const std::optional<std::string>& kind,
                           bool flat, std::int64_t threads) {
  const MatrixView rows = view(X);
  IntervalPrediction p;
  {
    const py::gil_scoped_release no_gil;
    p = model.predict_interval(rows, level, interval_kind(kind), threads_for(rows.rows(), threads));
  }
  return bounds(std::move(p), flat);
}

py::tuple predict_interval_table(const Model& model, const Table& table, double level,
                                 const std::optional<std::string>& kind, bool flat, std::int64_t threads) {
  EncodeNotes notes;
  IntervalPrediction p;
  {
    const py::gil_scoped_release no_gil;
    p = model.predict_interval(table, level, interval_kind(kind), threads_for(table.rows, threads), &notes);
  }
  return py::make_tuple(bounds(std::move(p), flat), surprises(std::move(notes)));
}

// The inputs of the network for the rows of a table.
py::array encode(const Model& model, const Table& table) {
  return to_numpy(model.encoder().inputs(table, all_rows(table)));
}

// What the network predicted when it had fewer nodes, for rows that are encoded.
py::array predict_stage(const Model& model, const py::array& inputs, const py::array& output_weights,
                        const py::array& intercept, const py::array& direct, bool flat) {
  const auto matrix = [](const py::array& array) {
    const MatrixView v = view(array);
    Eigen::MatrixXd copy(v.rows(), v.cols());
    for (Index c = 0; c < v.cols(); ++c)
      for (Index i = 0; i < v.rows(); ++i) copy(i, c) = v(i, c);
    return copy;
  };
  const Network& network = model.network();
  Eigen::MatrixXd beta = matrix(output_weights);
  const Index nodes = beta.rows();
  if (nodes > network.nodes()) throw std::invalid_argument("a stage with more nodes than the network");
  const Network stage(network.weights().leftCols(nodes), network.biases().head(nodes), std::move(beta),
                      matrix(intercept), network.activation(), matrix(direct));
  return to_numpy(model.encoder().unscale_targets(stage.predict(view(inputs))), flat);
}

py::dict measures(const Metrics& metrics) {
  py::dict d;
  d["rows"] = metrics.rows;
  d["rmse"] = metrics.rmse;
  d["mae"] = metrics.mae;
  d["r"] = metrics.r;
  d["r2"] = metrics.r2;
  return d;
}

py::dict told(const Explanation& explanation) {
  py::list importance, effects;
  for (const Importance& i : explanation.importance) importance.append(py::make_tuple(i.column, i.mean, i.std));
  for (const Effect& e : explanation.effects)
    effects.append(
        py::make_tuple(e.column, e.levels.empty() ? py::object(to_numpy(e.at)) : py::cast(e.levels), to_numpy(e.mean)));
  py::dict d;
  d["importance"] = importance;
  d["effects"] = effects;
  d["rmse"] = explanation.rmse;
  d["rows"] = explanation.rows;
  return d;
}

py::dict summary(const Model& model) {
  const ModelSummary& s = model.summary();
  py::dict d;
  d["version"] = s.version;
  d["method"] = s.method;
  d["stop_reason"] = std::string(name(s.stop_reason));
  d["stop_sentence"] = std::string(sentence(s.stop_reason));
  d["train"] = measures(s.train);
  d["valid"] = s.valid ? py::object(measures(*s.valid)) : py::none();
  d["train_rmse"] = to_numpy(s.train_rmse);
  d["valid_rmse"] = to_numpy(s.valid_rmse);
  d["scales"] = to_numpy(s.scales);
  d["tried"] = s.tried;
  py::list trials;
  for (const Trial& trial : s.trials) trials.append(to_dict(trial));
  d["trials"] = trials;
  d["held_out_rmse"] = s.held_out_rmse;
  d["members"] = s.members;
  d["explanation"] = s.explanation ? py::object(told(*s.explanation)) : py::none();
  return d;
}

py::dict options(const Model& model) {
  py::dict d;
  for (const OptionInfo& o : describe_options()) d[py::str(o.name)] = option_text(model.options(), o.name);
  for (const OptionInfo& o : describe_encoder_options())
    d[py::str(o.name)] = option_text(model.encoder().options(), o.name);
  return d;
}

py::list columns(const Model& model) {
  py::list list;
  for (const InputColumn& c : model.encoder().columns()) {
    py::dict d;
    d["name"] = c.name;
    d["type"] = c.type == ColumnType::text ? "text" : "number";
    d["used"] = c.used;
    d["levels"] = c.levels;
    list.append(d);
  }
  return list;
}

std::vector<std::string> targets(const Model& model) {
  std::vector<std::string> names;
  for (const TargetColumn& target : model.encoder().targets()) names.push_back(target.name);
  return names;
}

py::dict network(const Model& model) {
  const Network& n = model.network();
  py::dict d;
  d["weights"] = to_numpy(n.weights());
  d["biases"] = to_numpy(Eigen::MatrixXd(n.biases()), true);
  d["output_weights"] = to_numpy(n.output_weights());
  d["intercept"] = to_numpy(Eigen::MatrixXd(n.intercept().transpose()), true);
  d["direct"] = to_numpy(n.direct());
  return d;
}

py::dict explain_table(const Model& model, const Table& table, std::int64_t repeats, std::uint64_t seed,
                       std::int64_t threads, std::int64_t max_rows, bool effects, std::int64_t points) {
  Explanation explanation;
  {
    const py::gil_scoped_release no_gil;
    explanation = explain(model, table, {repeats, seed, threads, max_rows, effects, points});
  }
  return told(explanation);
}

}  // namespace

void bind_model(py::module_& m) {
  using py::arg;
  py::class_<Model>(m, "Model", "A trained network and all it takes to use it: what a model file holds.")
      .def("predict_if_sound", &predict_if_sound, arg("X"), arg("flat"), arg("threads"))
      .def("predict", &predict, arg("X"), arg("flat"), arg("threads"))
      .def("predict_table", &predict_table, arg("table"), arg("flat"), arg("threads"))
      .def("predict_interval", &predict_interval, arg("X"), arg("level"), arg("kind"), arg("flat"), arg("threads"))
      .def("predict_interval_table", &predict_interval_table, arg("table"), arg("level"), arg("kind"), arg("flat"),
           arg("threads"))
      .def("encode", &encode, arg("table"))
      .def("predict_stage", &predict_stage, arg("inputs"), arg("output_weights"), arg("intercept"), arg("direct"),
           arg("flat"))
      .def("explain", &explain_table, arg("table"), arg("repeats"), arg("seed"), arg("threads"), arg("max_rows"),
           arg("effects"), arg("points"))
      .def("summary", &summary)
      .def("options", &options)
      .def("columns", &columns)
      .def("targets", &targets)
      .def("network", &network)
      .def("input_names", [](const Model& model) { return model.encoder().input_names(); })
      .def_property_readonly("valid_fraction", &Model::valid_fraction)
      .def_property_readonly("has_intervals", [](const Model& model) { return model.intervals().has_value(); })
      .def_property_readonly("no_intervals", &Model::no_intervals)
      .def("save", &Model::save, arg("path"))
      .def("to_bytes", [](const Model& model) { return py::bytes(model.to_bytes()); })
      .def_static(
          "from_bytes",
          [](const py::bytes& bytes, const std::string& source) {
            return Model::from_bytes(std::string_view(bytes), source);
          },
          arg("bytes"), arg("source") = "model")
      .def(py::pickle([](const Model& model) { return py::bytes(model.to_bytes()); },
                      [](const py::bytes& bytes) { return Model::from_bytes(std::string_view(bytes), "pickle"); }));
}

}  // namespace sconet::python
