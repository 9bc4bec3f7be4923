// The Proximal Weighted Lasso as a function.
#include "sparsieve/pwl/pwl.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <functional>
#include <optional>

#include "arrays.hpp"
#include "binding.hpp"
#include "signal_poll.hpp"

namespace sparsieve::binding {

using namespace nb::literals;

namespace {

nb::dict solve_pwl(PyDesign& design, Vector<double> z, Vector<double> l1, double prox_weight,
                   std::optional<Vector<double>> centre, double tol, Index max_epochs,
                   bool screen) {
  PwlProblem problem;
  problem.z = to_vector(z);
  problem.l1 = to_vector(l1);
  problem.prox_weight = prox_weight;
  if (centre) problem.centre = to_vector(*centre);
  SignalPoll poll(INFINITY);
  const PwlOptions options{tol, max_epochs, screen, std::ref(poll)};
  PwlResult result;
  {
    WithoutGil released;
    const auto measured = design.design.measured();
    problem.design = measured.get();
    // Else the caller refuses X.
    if (measured->too_large().empty()) result = PwlSolver(problem).solve(options);
  }
  poll.rethrow();
  nb::dict out;
  out["coef"] = to_numpy(std::move(result.w));
  out["residual"] = to_numpy(std::move(result.r));
  out["screened"] = to_numpy_of<std::uint8_t>(result.screened);
  out["primal"] = result.primal;
  out["dual"] = result.dual;
  out["gap"] = result.gap;
  out["n_epochs"] = result.epochs;
  out["converged"] = result.converged;
  return out;
}

}  // namespace

void bind_pwl(nb::module_& m) {
  m.def("solve_pwl", &solve_pwl, "design"_a, "z"_a, "l1_weights"_a, "prox_weight"_a,
        "prox_center"_a.none(), "tol"_a, "max_epochs"_a, "screen"_a);
}

}  // namespace sparsieve::binding
