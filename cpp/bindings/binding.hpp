// The parts of the module, one per file, in the order in which they must be bound: a part may use the
// types of those before it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "sparsieve/columns/lazy_design.hpp"

namespace sparsieve::binding {

// Stored columns, with the arrays of Python that they read in place kept alive.
struct Columns {
  std::shared_ptr<const Storage> storage;
  std::vector<nanobind::object> owners;
};

// A design, with its columns kept alive.
struct PyDesign {
  Columns columns;
  LazyDesign design;
};

void bind_columns(nanobind::module_& m);
void bind_penalties(nanobind::module_& m);
void bind_losses(nanobind::module_& m);
void bind_solver(nanobind::module_& m);
void bind_codes(nanobind::module_& m);
void bind_pwl(nanobind::module_& m);

}  // namespace sparsieve::binding
