// One design, many responses.
#include "sparsieve/outer/codes.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "binding.hpp"
#include "signal_poll.hpp"

namespace sparsieve::binding {

using namespace nb::literals;

namespace {

std::optional<std::vector<double>> copied(const std::optional<Vector<double>>& values) {
  if (!values) return {};
  return to_vector(*values);
}

std::shared_ptr<const SharedGram> gram_of(PyDesign& design, std::optional<Vector<double>> weights) {
  SignalPoll poll(INFINITY);
  const std::vector<double> pi = copied(weights).value_or(std::vector<double>());
  std::shared_ptr<const SharedGram> gram;
  {
    WithoutGil released;
    gram = gram_of_all(*design.design.measured(), pi, std::ref(poll));
  }
  poll.rethrow();
  return gram;
}

nb::tuple codes(PyDesign& design, std::shared_ptr<const SharedGram> gram, Vector<double> y,
                Vector<double> alphas, std::vector<Start> starts, std::shared_ptr<Penalty> penalty,
                std::optional<Vector<double>> weights, double l1_ratio, double ridge,
                std::optional<Vector<double>> lower, std::optional<Vector<double>> upper,
                double tol, Index max_iter, Minimum minimum, std::shared_ptr<const Flag> flag) {
  SignalPoll poll(INFINITY, std::move(flag));
  const CodesPlan plan{&design.design,
                       std::move(penalty),
                       copied(weights),
                       Terms{l1_ratio, ridge, copied(lower).value_or(std::vector<double>()),
                             copied(upper).value_or(std::vector<double>())},
                       std::move(gram),
                       SolveOptions{tol, max_iter, minimum, /*exchange=*/false,
                                    /*test_convexity=*/false, std::ref(poll)}};
  CodeArrays found;
  PathEnd end;
  {
    WithoutGil released;
    end = solve_codes(plan, to_span(y), to_span(alphas), starts, found);
  }
  poll.rethrow();
  return nb::make_tuple(end, to_numpy(std::move(found.sizes)), to_numpy(std::move(found.columns)),
                        to_numpy(std::move(found.values)), to_numpy(std::move(found.intercepts)),
                        to_numpy(std::move(found.objective)), to_numpy(std::move(found.kkt)),
                        to_numpy(std::move(found.converged)), to_numpy(std::move(found.gaps)),
                        to_numpy(std::move(found.iterations)), to_numpy(std::move(found.status)));
}

}  // namespace

void bind_codes(nb::module_& m) {
  nb::class_<SharedGram>(m, "SharedGram", "A Gram matrix that several fits read.");
  m.def("gram_of", &gram_of, "design"_a, "weights"_a.none(),
        "The Gram matrix of all columns that can enter; None when stopped.");
  m.def("codes", &codes, "design"_a, "gram"_a.none(), "y"_a, "alphas"_a, "starts"_a, "penalty"_a,
        "weights"_a.none(), "l1_ratio"_a, "ridge"_a, "lower"_a.none(), "upper"_a.none(), "tol"_a,
        "max_iter"_a, "minimum"_a, "flag"_a.none(),
        "Solve for each response at its alpha: how it ended; sizes of the supports, their columns "
        "and "
        "values, intercepts, objective, kkt, converged, dual gaps, iterations, status.");
}

}  // namespace sparsieve::binding
