// The solver for a path of alphas.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "binding.hpp"
#include "signal_poll.hpp"
#include "sparsieve/outer/newton_solver.hpp"
#include "sparsieve/outer/path.hpp"

namespace sparsieve::binding {

using namespace nb::literals;

namespace {

struct PySolver {
  Columns columns;  // kept alive
  std::shared_ptr<const Flag> flag;
  std::unique_ptr<PathSolver> solver;
};

std::unique_ptr<PySolver> make_solver(
    PyDesign& design, Vector<double> y, std::shared_ptr<Penalty> penalty,
    std::optional<Vector<double>> weights, double prox_weight, double l1_ratio, double ridge,
    std::optional<Vector<double>> lower, std::optional<Vector<double>> upper, bool keeps_all,
    double max_time, std::shared_ptr<RowLoss> loss, std::optional<Vector<double>> offset) {
  auto self = std::make_unique<PySolver>();
  self->columns = design.columns;
  SolverParts parts{
      &design.design, to_vector(y), std::move(penalty), {}, prox_weight, {l1_ratio, ridge, {}, {}},
      keeps_all};
  if (weights) parts.weights = to_vector(*weights);
  if (lower) parts.terms.lower = to_vector(*lower);
  if (upper) parts.terms.upper = to_vector(*upper);
  std::vector<double> offsets;
  if (offset) offsets = to_vector(*offset);
  SignalPoll poll(max_time);
  {
    WithoutGil released;
    if (loss) {
      self->solver = std::make_unique<NewtonSolver>(std::move(parts), std::move(loss),
                                                    std::move(offsets), std::ref(poll));
    } else {
      self->solver = std::make_unique<Solver>(std::move(parts), std::ref(poll));
    }
  }
  poll.rethrow();
  return self;
}

// Hands every point to Python, unless on_point is None; what is raised there, or by a signal, ends
// the path.
PathEnd follow_with(PySolver& self, const std::vector<double>& alphas,
                    const std::vector<double>& tolerances, Index max_iter,
                    std::vector<Start> starts, nb::object on_point, double max_time,
                    bool test_convexity, bool record, Minimum minimum, bool exchange) {
  SignalPoll poll(max_time, self.flag);
  const PathPlan plan{alphas, tolerances, std::move(starts)};
  const SolveOptions options{0.0, max_iter, minimum, exchange, test_convexity, std::ref(poll)};
  const bool ignored = on_point.is_none();
  const auto hand_over = [&](PathPoint&& point) {
    if (ignored) return false;
    WithGil gil;
    poll.rethrow();
    return static_cast<bool>(nb::bool_(on_point(std::move(point))));
  };
  PathEnd end;
  {
    WithoutGil released;
    end = follow(*self.solver, plan, options, hand_over, record);
  }
  poll.rethrow();
  return end;
}

// The same without Python in between: finished points are collected.
nb::tuple follow_alone(PySolver& self, const std::vector<double>& alphas,
                       const std::vector<double>& tolerances, Index max_iter,
                       std::vector<Start> starts, Minimum minimum) {
  SignalPoll poll(INFINITY, self.flag);
  const PathPlan plan{alphas, tolerances, std::move(starts)};
  const SolveOptions options{
      0.0, max_iter, minimum, /*exchange=*/false, /*test_convexity=*/false, std::ref(poll)};
  PathArrays found;
  const auto collect = [&](PathPoint&& point) {
    if (point.result.status != Status::kInterrupted) found.add(point);
    return false;
  };
  PathEnd end;
  {
    WithoutGil released;
    end = follow(*self.solver, plan, options, collect);
  }
  poll.rethrow();
  return nb::make_tuple(end, to_numpy(std::move(found.sizes)), to_numpy(std::move(found.columns)),
                        to_numpy(std::move(found.values)), to_numpy(std::move(found.intercepts)),
                        to_numpy(std::move(found.objective)), to_numpy(std::move(found.kkt)),
                        to_numpy(std::move(found.converged)));
}

void warm_start(PySolver& self, Vector<std::int64_t> columns, Vector<double> coef) {
  self.solver->warm_start(to_vector_of<Index>(columns), to_vector(coef));
}

std::tuple<Bytes, Bytes, Index, Index, Index> counters_of(const PathPoint& point) {
  const Counters& c = point.result.counters;
  return {c.x_bytes, c.shadow_bytes, c.rounds, c.epochs, c.solves};
}

// The bytes of some numbers: an array of NumPy on them takes half the time of one that owns a vector.
template <class Out, class T>
nb::bytearray bytes_of(const std::vector<T>& values) {
  const std::vector<Out> copy(values.begin(), values.end());
  return nb::bytearray(copy.data(), copy.size() * sizeof(Out));
}

// What the package wants to know of every point, at once: a call for each attribute would take longer than
// a short solve.
nb::tuple parts_of(const PathPoint& point) {
  const SolveResult& result = point.result;
  return nb::make_tuple(point.alpha, bytes_of<std::int64_t>(point.columns),
                        bytes_of<double>(point.coef), point.intercept, result.objective, result.kkt,
                        result.gap, result.iterations, static_cast<int>(result.status),
                        result.convex, point.passes, result.by_bound, result.by_reading,
                        result.by_shadow, result.deviance, static_cast<int>(result.minimum),
                        counters_of(point));
}

nb::tuple separation_of(const PathPoint& point) {
  const Separation& found = point.result.separation;
  return nb::make_tuple(to_numpy_of<std::int64_t>(found.columns), to_numpy(found.coef),
                        found.intercept);
}

// A point has the attributes of its result.
template <class T>
void def_result(nb::class_<PathPoint>& point, const char* name, T SolveResult::* member) {
  point.def_prop_ro(name, [member](const PathPoint& self) { return self.result.*member; });
}

void bind_point(nb::module_& m) {
  nb::enum_<Status>(m, "Status", "How a solve ended.")
      .value("CONVERGED", Status::kConverged)
      .value("ITERATIONS", Status::kIterations)
      .value("STALLED", Status::kStalled)
      .value("INTERRUPTED", Status::kInterrupted)
      .value("SEPARATED", Status::kSeparated);
  nb::enum_<Minimum>(m, "Minimum", "How strong a minimum is.")
      .value("STATIONARY", Minimum::kStationary)
      .value("COORDINATEWISE", Minimum::kCoordinatewise)
      .value("SWAP", Minimum::kSwap);
  nb::class_<PathPoint> point(m, "PathPoint", "A point of a path, with its certificate.");
  point.def_ro("alpha", &PathPoint::alpha)
      .def_prop_ro(
          "columns", [](const PathPoint& self) { return to_numpy_of<std::int64_t>(self.columns); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "values", [](const PathPoint& self) { return to_numpy(self.coef); },
          nb::rv_policy::automatic)
      .def_ro("intercept", &PathPoint::intercept)
      .def_ro("passes", &PathPoint::passes)
      .def_prop_ro(
          "separation", &separation_of,
          "Columns, coefficients and intercept of the direction along which the loss falls "
          "without end; empty unless the status is SEPARATED.")
      .def_prop_ro("counters", &counters_of,
                   "Bytes of X, bytes of its shadow, rounds, epochs, solves.")
      .def_prop_ro("parts", &parts_of,
                   "alpha, bytes of columns (int64) and of values, intercept, objective, kkt, "
                   "dual_gap, n_iter, "
                   "number of the status, convex, passes, by_bound, by_reading, by_shadow, "
                   "deviance, number of "
                   "the minimum, counters.");
  def_result(point, "status", &SolveResult::status);
  def_result(point, "kkt", &SolveResult::kkt);
  def_result(point, "dual_gap", &SolveResult::gap);
  def_result(point, "objective", &SolveResult::objective);
  def_result(point, "deviance", &SolveResult::deviance);
  def_result(point, "n_iter", &SolveResult::iterations);
  def_result(point, "minimum", &SolveResult::minimum);
  def_result(point, "convex", &SolveResult::convex);
  def_result(point, "by_bound", &SolveResult::by_bound);
  def_result(point, "by_shadow", &SolveResult::by_shadow);
  def_result(point, "by_reading", &SolveResult::by_reading);
  def_result(point, "objectives", &SolveResult::objectives);
}

void bind_path(nb::module_& m) {
  nb::class_<Start>(m, "Start",
                    "Where a solve begins: at the current point, unless made otherwise.")
      .def(nb::init<>())
      .def_static("lasso", &Start::lasso, "fraction"_a, "tol"_a)
      .def_static(
          "given",
          [](Vector<std::int64_t> columns, Vector<double> coef) {
            return Start::given(to_vector_of<Index>(columns), to_vector(coef));
          },
          "columns"_a, "coef"_a);
  nb::enum_<PathEnd>(m, "PathEnd", "How a path ended.")
      .value("COMPLETE", PathEnd::kComplete)
      .value("ENOUGH", PathEnd::kEnough)
      .value("INTERRUPTED", PathEnd::kInterrupted)
      .value("OVERFLOW", PathEnd::kOverflow);
}

}  // namespace

void bind_solver(nb::module_& m) {
  bind_point(m);
  bind_path(m);
  nb::class_<Flag>(m, "Flag", "Raised by one thread to stop the solvers of others.")
      .def(nb::init<>())
      .def("set", [](Flag& self) { self.raised = true; })
      .def_prop_ro("raised", [](const Flag& self) { return self.raised.load(); });
  nb::class_<PySolver>(m, "Solver", "Majorisation-minimisation along alphas.")
      .def("follow", &follow_with, "alphas"_a, "tolerances"_a, "max_iter"_a, "starts"_a,
           "on_point"_a.none(), "max_time"_a = INFINITY, "test_convexity"_a = true,
           "record"_a = false, "minimum"_a = Minimum::kStationary, "exchange"_a = false,
           "Solve for each alpha in turn; end once on_point(point) returns something true.")
      .def("follow_alone", &follow_alone, "alphas"_a, "tolerances"_a, "max_iter"_a, "starts"_a,
           "minimum"_a = Minimum::kStationary,
           "How the path ended; sizes of the supports, their columns and values, intercepts, "
           "objective, kkt, converged.")
      .def(
          "watch", [](PySolver& self, std::shared_ptr<Flag> flag) { self.flag = std::move(flag); },
          "flag"_a, "Stop every solve from now on once the flag is raised.")
      .def("warm_start", &warm_start, "columns"_a, "coef"_a)
      .def_prop_rw(
          "accounted",
          [](const PySolver& self) {
            const PathSolver::Account account = self.solver->accounted();
            return std::make_tuple(account.x, account.shadow);
          },
          [](PySolver& self, std::tuple<Bytes, Bytes> bytes) {
            self.solver->set_accounted({std::get<0>(bytes), std::get<1>(bytes)});
          },
          "Bytes of X and of its shadow that points handed out account for.")
      .def(
          "set_penalty",
          [](PySolver& self, std::shared_ptr<Penalty> penalty) {
            self.solver->set_penalty(std::move(penalty));
          },
          "penalty"_a)
      .def_prop_ro("null_deviance",
                   [](const PySolver& self) { return self.solver->null_deviance(); })
      .def_prop_ro("deviance", [](const PySolver& self) { return self.solver->deviance(); })
      .def_prop_ro("correlation_limit",
                   [](const PySolver& self) { return self.solver->correlation_limit(); })
      .def_prop_ro(
          "null_correlations",
          [](const PySolver& self) { return to_numpy(self.solver->null_correlations()); },
          nb::rv_policy::automatic);
  m.def("solver", &make_solver, "design"_a, "y"_a, "penalty"_a, "weights"_a.none(), "prox_weight"_a,
        "l1_ratio"_a = 1.0, "ridge"_a = 0.0, "lower"_a.none() = nb::none(),
        "upper"_a.none() = nb::none(), "keeps_all"_a = false, "max_time"_a = INFINITY,
        "loss"_a.none() = nb::none(), "offset"_a.none() = nb::none());
}

}  // namespace sparsieve::binding
