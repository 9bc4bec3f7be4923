// The solver for a path of alphas.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "binding.hpp"
#include "signal_poll.hpp"
#include "sparsieve/outer/fit.hpp"

namespace sparsieve::binding {

using namespace nb::literals;

namespace {

struct PySolver {
  PyDesign design;
  std::shared_ptr<const Flag> flag;
  std::unique_ptr<Fit> fit;
};

std::unique_ptr<PySolver> make_solver(PyDesign& design, Vector<double> y,
                                      std::shared_ptr<Penalty> penalty,
                                      std::optional<Vector<double>> weights, bool positive,
                                      double prox_weight, double max_time) {
  auto self = std::make_unique<PySolver>();
  self->design = design;
  FitParts parts{design.design, to_vector(y), std::move(penalty), {}, positive, prox_weight};
  if (weights) parts.weights = to_vector(*weights);
  SignalPoll poll(max_time);
  {
    WithoutGil released;
    self->fit = std::make_unique<Fit>(std::move(parts), std::ref(poll));
  }
  poll.rethrow();
  return self;
}

// The lasso that a solve starts from: nothing for a fraction of 0.
struct LassoStart {
  double fraction, tol;
  void move(MmSolver& solver, double alpha, SolveOptions options) const {
    if (!(fraction > 0.0)) return;
    options.tol = tol;
    solver.start_from_lasso(alpha, fraction, options);
  }
};

SolveResult run_solver(PySolver& self, double alpha, double tol, Index max_iter, double max_time,
                       bool record, bool test_convexity, double fraction, double start_tol) {
  SignalPoll poll(max_time, self.flag);
  const SolveOptions options{tol, max_iter, test_convexity, std::ref(poll)};
  SolveResult result;
  {
    WithoutGil released;
    LassoStart{fraction, start_tol}.move(self.fit->solver(), alpha, options);
    result = self.fit->solver().solve(alpha, options, record);
  }
  poll.rethrow();
  return result;
}

nb::tuple solver_solution(const PySolver& self) {
  std::vector<Index> columns;
  std::vector<double> coef;
  self.fit->solver().solution(columns, coef);
  return nb::make_tuple(to_numpy_of<std::int64_t>(columns), to_numpy(std::move(coef)),
                        self.fit->intercept());
}

// Solves for some alphas in turn without Python in between.
nb::tuple follow(PySolver& self, Vector<double> alphas, double tol, Index max_iter, double fraction,
                 double start_tol) {
  SignalPoll poll(INFINITY, self.flag);
  const SolveOptions options{tol, max_iter, /*test_convexity=*/false, std::ref(poll)};
  std::vector<std::int64_t> sizes, columns;
  std::vector<double> values, intercepts, objective, kkt;
  std::vector<std::uint8_t> converged;
  {
    WithoutGil released;
    std::vector<Index> support;
    std::vector<double> coef;
    for (const double alpha : to_span(alphas)) {
      LassoStart{fraction, start_tol}.move(self.fit->solver(), alpha, options);
      const SolveResult result = self.fit->solver().solve(alpha, options);
      if (result.status == Status::kInterrupted) break;
      self.fit->solver().solution(support, coef);
      sizes.push_back(static_cast<std::int64_t>(support.size()));
      columns.insert(columns.end(), support.begin(), support.end());
      values.insert(values.end(), coef.begin(), coef.end());
      intercepts.push_back(self.fit->intercept());
      objective.push_back(result.objective);
      kkt.push_back(result.kkt);
      converged.push_back(result.status == Status::kConverged);
    }
  }
  poll.rethrow();
  return nb::make_tuple(to_numpy(std::move(sizes)), to_numpy(std::move(columns)),
                        to_numpy(std::move(values)), to_numpy(std::move(intercepts)),
                        to_numpy(std::move(objective)), to_numpy(std::move(kkt)),
                        to_numpy(std::move(converged)));
}

void warm_start(PySolver& self, Vector<std::int64_t> columns, Vector<double> coef) {
  self.fit->solver().warm_start(to_vector_of<Index>(columns), to_vector(coef));
}

void bind_result(nb::module_& m) {
  nb::enum_<Status>(m, "Status", "How a solve ended.")
      .value("CONVERGED", Status::kConverged)
      .value("ITERATIONS", Status::kIterations)
      .value("STALLED", Status::kStalled)
      .value("INTERRUPTED", Status::kInterrupted);
  nb::class_<SolveResult>(m, "SolveResult", "Certificate of one solve.")
      .def_ro("status", &SolveResult::status)
      .def_ro("kkt", &SolveResult::kkt)
      .def_ro("dual_gap", &SolveResult::gap)
      .def_ro("objective", &SolveResult::objective)
      .def_ro("deviance", &SolveResult::deviance)
      .def_ro("n_iter", &SolveResult::iterations)
      .def_ro("rounds", &SolveResult::rounds)
      .def_ro("convex", &SolveResult::convex)
      .def_ro("passes", &SolveResult::passes)
      .def_ro("by_bound", &SolveResult::by_bound)
      .def_ro("by_shadow", &SolveResult::by_shadow)
      .def_ro("by_reading", &SolveResult::by_reading)
      .def_ro("objectives", &SolveResult::objectives);
}

}  // namespace

void bind_solver(nb::module_& m) {
  bind_result(m);
  nb::class_<Flag>(m, "Flag", "Raised by one thread to stop the solvers of others.")
      .def(nb::init<>())
      .def("set", [](Flag& self) { self.raised = true; })
      .def_prop_ro("raised", [](const Flag& self) { return self.raised.load(); });
  nb::class_<PySolver>(m, "Solver", "Majorisation-minimisation along alphas.")
      .def("solve", &run_solver, "alpha"_a, "tol"_a, "max_iter"_a, "max_time"_a = INFINITY,
           "record"_a = false, "test_convexity"_a = true, "fraction"_a = 0.0, "start_tol"_a = 0.0)
      .def(
          "follow", &follow, "alphas"_a, "tol"_a, "max_iter"_a, "fraction"_a = 0.0,
          "start_tol"_a = 0.0,
          "Sizes of the supports, their columns and values, intercepts, objective, kkt, converged.")
      .def("solution", &solver_solution, "Columns, coefficients and intercept.")
      .def(
          "watch", [](PySolver& self, std::shared_ptr<Flag> flag) { self.flag = std::move(flag); },
          "flag"_a, "Stop every solve from now on once the flag is raised.")
      .def("warm_start", &warm_start, "columns"_a, "coef"_a)
      .def(
          "set_penalty",
          [](PySolver& self, std::shared_ptr<Penalty> penalty) {
            self.fit->set_penalty(std::move(penalty));
          },
          "penalty"_a)
      .def_prop_ro("null_deviance",
                   [](const PySolver& self) { return self.fit->solver().null_deviance(); })
      .def_prop_ro("deviance", [](const PySolver& self) { return self.fit->solver().deviance(); })
      .def_prop_ro("correlation_limit",
                   [](const PySolver& self) { return self.fit->solver().correlation_limit(); })
      .def_prop_ro("null_correlations", [](const PySolver& self) {
        return to_numpy(self.fit->solver().null_correlations());
      });
  m.def("solver", &make_solver, "design"_a, "y"_a, "penalty"_a, "weights"_a.none(), "positive"_a,
        "prox_weight"_a, "max_time"_a = INFINITY);
}

}  // namespace sparsieve::binding
