// The thin binding: arrays in, arrays out. Nothing is computed here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <new>

#include "binding.hpp"
#include "interpreter.hpp"

namespace nb = nanobind;

namespace {

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError,
                      "not enough memory for this fit; pass X as float32 or sparse, use fewer "
                      "columns, or shadow=False.");
    }
  });
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of sparsieve.";
  nb::set_leak_warnings(false);  // an interrupted thread may hold objects when Python ends
  translate_errors();
  sparsieve::Interpreter::watch();
  m.def("instruction_set", &sparsieve::instruction_set, "Instruction set chosen at run time.");
  sparsieve::binding::bind_columns(m);
  sparsieve::binding::bind_penalties(m);
  sparsieve::binding::bind_losses(m);
  sparsieve::binding::bind_solver(m);
  sparsieve::binding::bind_codes(m);
  sparsieve::binding::bind_pwl(m);
}
