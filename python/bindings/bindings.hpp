// What the files of the extension share: arrays in and out, dictionaries of what the library tells.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sconet/sconet.hpp>
#include <string>
#include <vector>

namespace sconet::python {

namespace py = pybind11;

// A look at an array of doubles, of one dimension (a column) or two and with any strides, while it lives. Throws
// std::invalid_argument for any other array: the package converts before it calls.
MatrixView view(const py::array& array);

// An array that owns the matrix, which is not copied. `flat`: a matrix with one column becomes one-dimensional.
py::array to_numpy(Eigen::MatrixXd matrix, bool flat = false);
py::array to_numpy(const std::vector<double>& values);

py::dict to_dict(const NodeRecord& node);
py::dict to_dict(const Trial& trial);

void bind_table(py::module_& m);
void bind_fit(py::module_& m);
void bind_model(py::module_& m);

}  // namespace sconet::python
