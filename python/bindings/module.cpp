// The extension sconet._core: what the Python package needs of the library. Its manners, from checking what users pass
// to names in scikit-learn's fashion, are in python/sconet.

#include <sconet/version.hpp>

#include "bindings.hpp"

namespace sconet::python {

MatrixView view(const py::array& array) {
  constexpr py::ssize_t size = sizeof(double);
  if (!py::isinstance<py::array_t<double>>(array) || array.ndim() < 1 || array.ndim() > 2)
    throw std::invalid_argument("expected a float64 array of one or two dimensions");
  const py::ssize_t rows = array.shape(0), cols = array.ndim() == 2 ? array.shape(1) : 1;
  const py::ssize_t row_stride = array.strides(0), col_stride = array.ndim() == 2 ? array.strides(1) : size;
  if (row_stride % size != 0 || col_stride % size != 0 || reinterpret_cast<std::uintptr_t>(array.data()) % size != 0)
    throw std::invalid_argument("expected an array whose numbers are aligned");
  return {static_cast<const double*>(array.data()), rows, cols, row_stride / size, col_stride / size};
}

py::array to_numpy(Eigen::MatrixXd matrix, bool flat) {
  auto owned = std::make_unique<Eigen::MatrixXd>(std::move(matrix));
  double* const data = owned->data();
  const py::ssize_t rows = owned->rows(), cols = owned->cols(), size = sizeof(double);
  const py::capsule owner(owned.get(), [](void* p) { delete static_cast<Eigen::MatrixXd*>(p); });
  owned.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  if (flat && cols == 1) return py::array_t<double>({rows}, {size}, data, owner);
  return py::array_t<double>({rows, cols}, {size, size * rows}, data, owner);
}

py::array to_numpy(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::dict to_dict(const NodeRecord& node) {
  py::dict d;
  d["nodes"] = node.nodes;
  d["train_rmse"] = node.train_rmse;
  d["valid_rmse"] = node.valid_rmse;
  d["scale"] = node.scale;
  d["r"] = node.r;
  d["batches"] = node.batches;
  d["admissible"] = node.admissible;
  d["score"] = node.score;
  d["fallback"] = node.fallback;
  d["seconds"] = node.seconds;
  return d;
}

py::dict to_dict(const Trial& trial) {
  py::dict d;
  d["round"] = trial.round + 1;
  d["scaling"] = trial.scaling;
  d["candidates"] = trial.candidates;
  d["rows"] = trial.rows;
  d["pool"] = trial.pool;
  d["nodes"] = trial.nodes;
  d["ridge"] = trial.ridge;
  d["rmse"] = trial.rmse;
  d["chosen"] = trial.chosen;
  return d;
}

namespace {

py::list option_list(const std::vector<OptionInfo>& options) {
  py::list list;
  for (const OptionInfo& o : options) {
    py::dict entry;
    entry["name"] = o.name;
    entry["type"] = o.type;
    entry["default"] = o.default_value;
    entry["bounds"] = o.bounds;
    entry["sentence"] = o.sentence;
    list.append(entry);
  }
  return list;
}

}  // namespace
}  // namespace sconet::python

PYBIND11_MODULE(_core, m) {
  namespace py = pybind11;
  m.doc() = "What the package sconet needs of the C++ library.";
  m.attr("__version__") = SCONET_VERSION;
  py::register_exception<sconet::DataError>(m, "DataError", PyExc_ValueError);
  py::register_exception<sconet::ModelFileError>(m, "ModelFileError", PyExc_ValueError);
  py::register_exception<sconet::IoError>(m, "IoError", PyExc_OSError);
  py::register_exception<sconet::MemoryLimitError>(m, "MemoryLimitError", PyExc_MemoryError);
  m.def(
      "training_options", [] { return sconet::python::option_list(sconet::describe_options()); },
      "The options of training: name, type, default, bounds and sentence of each.");
  m.def(
      "encoder_options", [] { return sconet::python::option_list(sconet::describe_encoder_options()); },
      "The options of how columns become inputs, in the same form.");
  sconet::python::bind_table(m);
  sconet::python::bind_model(m);
  sconet::python::bind_fit(m);
}
