// The thin binding: arrays in, arrays out. Nothing is computed here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "interpreter.hpp"
#include "sparsieve/outer/solver.hpp"
#include "sparsieve/pwl/pwl.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace sparsieve;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::vector<T> to_vector(const Vector<T>& a) {
  return std::vector<T>(a.data(), a.data() + a.shape(0));
}

template <class T>
nb::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

// Storage with the arrays it reads kept alive.
struct Columns {
  std::shared_ptr<const Storage> storage;
  std::vector<nb::object> owners;
};

template <class T>
Columns dense_columns(Matrix<T> x) {
  const Index n = x.shape(0), d = x.shape(1);
  if (n > 1 && x.stride(0) != 1) throw nb::value_error("X must be stored by columns");
  const Index ld = d > 1 ? x.stride(1) : n;
  if (d > 1 && ld < n) throw nb::value_error("X must not overlap itself");
  return {std::make_shared<Dense<T>>(x.data(), n, d, ld), {nb::cast(x)}};
}

template <class T, class I>
Columns csc_columns(Vector<T> data, Vector<I> rows, Vector<I> starts, Index n) {
  const Index d = static_cast<Index>(starts.shape(0)) - 1;
  const I nnz = static_cast<I>(data.shape(0));
  if (d < 0 || rows.shape(0) != data.shape(0)) throw nb::value_error("malformed CSC arrays");
  if (starts.data()[0] != 0 || starts.data()[d] > nnz) throw nb::value_error("malformed indptr");
  for (Index j = 0; j < d; ++j) {
    const I first = starts.data()[j], last = starts.data()[j + 1];
    if (last < first || last > nnz) throw nb::value_error("malformed indptr");
    for (I p = first; p < last; ++p) {
      const I row = rows.data()[p];
      if (row < 0 || row >= n || (p > first && row <= rows.data()[p - 1])) {
        throw nb::value_error("CSC row indices must be sorted, unique and inside X");
      }
    }
  }
  return {std::make_shared<Csc<T, I>>(data.data(), rows.data(), starts.data(), n, d),
          {nb::cast(data), nb::cast(rows), nb::cast(starts)}};
}

// A penalty written in Python: an object with value(t, alpha) and slope(t, alpha).
class PythonPenalty final : public Penalty {
 public:
  explicit PythonPenalty(nb::object penalty)
      : penalty_(std::move(penalty)),
        as_floats_(nb::module_::import_("sparsieve._penalty_checks").attr("as_floats")) {}
  ~PythonPenalty() override {
    WithGil gil;
    penalty_.reset();
    as_floats_.reset();
  }
  void evaluate(const double* t, const double* alpha, Index k, double* value, double* slope,
                double* curvature) const override {
    if (k == 0) return;
    WithGil gil;
    call("value", t, alpha, k, value);
    call("slope", t, alpha, k, slope);
    // r'' by a forward difference: it only steers the acceleration.
    std::vector<double> ahead(t, t + k);
    for (Index i = 0; i < k; ++i) ahead[i] += step(t[i]);
    call("slope", ahead.data(), alpha, k, curvature);
    for (Index i = 0; i < k; ++i) {
      curvature[i] = std::min((curvature[i] - slope[i]) / step(t[i]), 0.0);
    }
  }

 private:
  static double step(double t) { return 1e-6 * std::max(t, 1e-3); }
  void call(const char* method, const double* t, const double* alpha, Index k, double* out) const {
    const auto array = [k](const double* p) { return to_numpy(std::vector<double>(p, p + k)); };
    nb::object result = penalty_.attr(method)(array(t), array(alpha));
    Vector<double> values;
    try {
      values = nb::cast<Vector<double>>(as_floats_(result));
    } catch (const nb::cast_error&) {
      throw nb::value_error(
          "a penalty's value and slope must return a 1-D array, one number per coordinate");
    }
    if (static_cast<Index>(values.shape(0)) != k) {
      throw nb::value_error("a penalty must return one number per coordinate");
    }
    for (Index i = 0; i < k; ++i) {
      if (!std::isfinite(values.data()[i])) {
        throw nb::value_error("a penalty returned a number that is not finite");
      }
      out[i] = values.data()[i];
    }
  }
  nb::object penalty_, as_floats_;
};

std::shared_ptr<Penalty> make_penalty(const std::string& kind, double a, double b) {
  if (kind == "l1") return std::make_shared<ShapedPenalty<L1Shape>>(L1Shape{});
  if (kind == "logsum") return std::make_shared<ShapedPenalty<LogSumShape>>(LogSumShape{a});
  if (kind == "mcp") return std::make_shared<ShapedPenalty<McpShape>>(McpShape{a});
  if (kind == "scad") return std::make_shared<ShapedPenalty<ScadShape>>(ScadShape{a});
  if (kind == "capped_l1") return std::make_shared<ShapedPenalty<CappedL1Shape>>(CappedL1Shape{a});
  if (kind == "lq") return std::make_shared<ShapedPenalty<LqShape>>(LqShape{a, b});
  throw nb::value_error("unknown penalty");
}

// Raised by one thread to stop the solvers of others, which cannot see Ctrl-C themselves.
struct Flag {
  std::atomic<bool> raised{false};
};

// Looks for a flag, and for Ctrl-C at most every few milliseconds; the GIL is taken only then. Once it
// said stop, it says so for ever. What a signal raised is kept until the solver has come to its end: on
// the way there it may ask a penalty written in Python, which must not be called with an error pending.
class SignalPoll {
 public:
  bool operator()() {
    if (stopped_) return true;
    if (flag_ && flag_->raised) return stopped_ = true;
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline_) return stopped_ = true;
    if (now - last_ < std::chrono::milliseconds(50)) return false;
    last_ = now;
    WithGil gil;
    if (PyErr_CheckSignals() == 0) return false;
    raised_.emplace();  // takes the pending error
    return stopped_ = true;
  }
  // With the GIL: raise what a signal raised.
  void rethrow() const {
    if (raised_) throw nb::python_error(*raised_);
  }
  explicit SignalPoll(double max_time, std::shared_ptr<const Flag> flag = {})
      : flag_(std::move(flag)) {
    if (std::isfinite(max_time)) {
      deadline_ = last_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                              std::chrono::duration<double>(max_time));
    }
  }

 private:
  std::shared_ptr<const Flag> flag_;
  std::optional<nb::python_error> raised_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  bool stopped_ = false;
};

struct PyDesign {
  Columns columns;
  LazyDesign design;
};

struct PySolver {
  Columns columns;
  std::shared_ptr<const Flag> flag;
  std::unique_ptr<Solver> solver;
};

std::unique_ptr<PySolver> make_solver(PyDesign& design, Vector<double> y,
                                      std::shared_ptr<Penalty> penalty,
                                      std::optional<Vector<double>> weights, bool positive, double,
                                      double max_time) {
  auto self = std::make_unique<PySolver>();
  self->columns = design.columns;
  SolverParts parts{&design.design, to_vector(y), std::move(penalty), {}, positive};
  if (weights) parts.weights = to_vector(*weights);
  SignalPoll poll(max_time);
  {
    WithoutGil released;
    self->solver = std::make_unique<Solver>(std::move(parts), std::ref(poll));
  }
  poll.rethrow();
  return self;
}

// The lasso that a solve starts from: nothing for a fraction of 0.
struct LassoStart {
  double fraction, tol;
  void move(Solver& solver, double alpha, SolveOptions options) const {
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
    LassoStart{fraction, start_tol}.move(*self.solver, alpha, options);
    result = self.solver->solve(alpha, options, record);
  }
  poll.rethrow();
  return result;
}

nb::tuple solver_solution(const PySolver& self) {
  std::vector<Index> columns;
  std::vector<double> coef;
  self.solver->solution(columns, coef);
  const double intercept = self.solver->intercept();
  return nb::make_tuple(to_numpy(std::vector<std::int64_t>(columns.begin(), columns.end())),
                        to_numpy(std::move(coef)), intercept);
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
    for (std::size_t k = 0; k < alphas.shape(0); ++k) {
      LassoStart{fraction, start_tol}.move(*self.solver, alphas.data()[k], options);
      const SolveResult result = self.solver->solve(alphas.data()[k], options);
      if (result.status == Status::kInterrupted) break;
      self.solver->solution(support, coef);
      sizes.push_back(static_cast<std::int64_t>(support.size()));
      columns.insert(columns.end(), support.begin(), support.end());
      values.insert(values.end(), coef.begin(), coef.end());
      intercepts.push_back(self.solver->intercept());
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

nb::dict solve_pwl(PyDesign& design, Vector<double> z, Vector<double> l1, double prox_weight,
                   std::optional<Vector<double>> centre, double tol, Index max_epochs,
                   bool screen) {
  PwlProblem problem;
  problem.design = design.design.measured().get();
  problem.z = to_vector(z);
  problem.l1 = to_vector(l1);
  problem.prox_weight = prox_weight;
  if (centre) problem.centre = to_vector(*centre);
  SignalPoll poll(INFINITY);
  PwlOptions options;
  options.tol = tol;
  options.max_epochs = max_epochs;
  options.screen = screen;
  options.poll = std::ref(poll);
  PwlResult result;
  if (problem.design->too_large().empty()) {  // else the caller refuses X
    WithoutGil released;
    result = PwlSolver(problem).solve(options);
  }
  poll.rethrow();
  nb::dict out;
  out["coef"] = to_numpy(std::move(result.w));
  out["residual"] = to_numpy(std::move(result.r));
  out["screened"] =
      to_numpy(std::vector<std::uint8_t>(result.screened.begin(), result.screened.end()));
  out["primal"] = result.primal;
  out["dual"] = result.dual;
  out["gap"] = result.gap;
  out["n_epochs"] = result.epochs;
  out["converged"] = result.converged;
  return out;
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of sparsieve.";
  nb::set_leak_warnings(false);  // an interrupted thread may hold objects when Python ends
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError,
                      "not enough memory for this fit; pass X as float32 or sparse, use fewer "
                      "columns, or shadow=False.");
    }
  });
  Interpreter::watch();
  m.def("instruction_set", &instruction_set, "Instruction set chosen at run time.");

  nb::class_<Columns>(m, "Columns", "Columns of X, read in place.")
      .def_prop_ro("shape",
                   [](const Columns& c) { return nb::make_tuple(c.storage->n(), c.storage->d()); });
  m.def("dense", &dense_columns<double>, "X"_a.noconvert());
  m.def("dense", &dense_columns<float>, "X"_a.noconvert());
  m.def("csc", &csc_columns<double, std::int32_t>, "data"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "n_samples"_a);
  m.def("csc", &csc_columns<double, std::int64_t>, "data"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "n_samples"_a);
  m.def("csc", &csc_columns<float, std::int32_t>, "data"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "n_samples"_a);
  m.def("csc", &csc_columns<float, std::int64_t>, "data"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "n_samples"_a);

  nb::class_<PyDesign>(m, "Design", "Columns seen through sample weights, centred or not.")
      .def(
          "__init__",
          [](PyDesign* self, const Columns& columns, Vector<double> omega, bool centre, int threads,
             bool shadow, bool at_first) {
            const ShadowUse use = !shadow    ? ShadowUse::kNever
                                  : at_first ? ShadowUse::kAtFirst
                                             : ShadowUse::kLazy;
            if (static_cast<Index>(omega.shape(0)) != columns.storage->n()) {
              throw nb::value_error("omega has the wrong length");
            }
            new (self) PyDesign{
                columns,
                LazyDesign(columns.storage, SampleWeights(to_vector(omega), centre), threads, use)};
          },
          "columns"_a, "omega"_a, "centre"_a, "threads"_a = 1, "shadow"_a = true,
          "at_first"_a = false)
      .def_prop_ro("too_small",
                   [](PyDesign& self) {
                     const auto& j = self.design.measured()->too_small();
                     return to_numpy(std::vector<std::int64_t>(j.begin(), j.end()));
                   })
      .def_prop_ro("too_large",
                   [](PyDesign& self) {
                     const auto& j = self.design.measured()->too_large();
                     return to_numpy(std::vector<std::int64_t>(j.begin(), j.end()));
                   })
      .def_prop_ro("usable", [](PyDesign& self) { return self.design.measured()->usable(); })
      .def_prop_ro("passes", [](PyDesign& self) {
        const auto design = self.design.measured();
        return design->passes(design->bytes_read());
      });

  nb::class_<Penalty>(m, "Penalty", "A penalty as the core sees it.")
      .def(
          "evaluate",
          [](const Penalty& self, Vector<double> t, Vector<double> alpha) {
            const Index k = t.shape(0);
            std::vector<double> value(k), slope(k), curvature(k);
            self.evaluate(t.data(), alpha.data(), k, value.data(), slope.data(), curvature.data());
            return nb::make_tuple(to_numpy(std::move(value)), to_numpy(std::move(slope)),
                                  to_numpy(std::move(curvature)));
          },
          "t"_a, "alpha"_a);
  m.def("builtin_penalty", &make_penalty, "kind"_a, "a"_a, "b"_a);
  m.def(
      "python_penalty",
      [](nb::object penalty) -> std::shared_ptr<Penalty> {
        return std::make_shared<PythonPenalty>(std::move(penalty));
      },
      "penalty"_a);

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
      .def_prop_ro("rounds", [](const SolveResult& r) { return r.counters.rounds; })
      .def_ro("convex", &SolveResult::convex)
      .def_ro("passes", &SolveResult::passes)
      .def_ro("by_bound", &SolveResult::by_bound)
      .def_ro("by_shadow", &SolveResult::by_shadow)
      .def_ro("by_reading", &SolveResult::by_reading)
      .def_ro("objectives", &SolveResult::objectives);

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
      .def(
          "warm_start",
          [](PySolver& self, Vector<std::int64_t> columns, Vector<double> coef) {
            std::vector<Index> j(columns.data(), columns.data() + columns.shape(0));
            self.solver->warm_start(j, to_vector(coef));
          },
          "columns"_a, "coef"_a)
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
      .def_prop_ro("null_correlations",
                   [](const PySolver& self) { return to_numpy(self.solver->null_correlations()); });
  m.def("solver", &make_solver, "design"_a, "y"_a, "penalty"_a, "weights"_a.none(), "positive"_a,
        "prox_weight"_a, "max_time"_a = INFINITY);
  m.def("solve_pwl", &solve_pwl, "design"_a, "z"_a, "l1_weights"_a, "prox_weight"_a,
        "prox_center"_a.none(), "tol"_a, "max_epochs"_a, "screen"_a);
}
