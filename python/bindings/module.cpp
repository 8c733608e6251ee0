// The extension sconet._core: what the Python package needs of the library, without manners. The estimators around it
// are in python/sconet.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sconet/sconet.hpp>
#include <sconet/version.hpp>

namespace py = pybind11;

namespace sconet::python {
namespace {

py::list options_as_dicts(const std::vector<OptionInfo>& options) {
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
  using namespace sconet::python;
  m.attr("__version__") = SCONET_VERSION;
  m.def("training_options", [] { return options_as_dicts(sconet::describe_options()); });
  m.def("encoder_options", [] { return options_as_dicts(sconet::describe_encoder_options()); });
}
