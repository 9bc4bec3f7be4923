// Columns of X, and the design that solvers see.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "arrays.hpp"
#include "binding.hpp"
#include "interpreter.hpp"
#include "signal_poll.hpp"
#include "sparsieve/columns/csc_check.hpp"
#include "sparsieve/columns/row_sums.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve::binding {

using namespace nb::literals;

namespace {

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
  const char* wrong = csc_error<I>(data.shape(0), to_span(rows), to_span(starts), n);
  if (wrong) throw nb::value_error(wrong);
  const Index d = static_cast<Index>(starts.shape(0)) - 1;
  return {std::make_shared<Csc<T, I>>(data.data(), rows.data(), starts.data(), n, d),
          {nb::cast(data), nb::cast(rows), nb::cast(starts)}};
}

template <class T, class I>
void def_csc(nb::module_& m) {
  m.def("csc", &csc_columns<T, I>, "data"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "n_samples"_a);
}

void make_design(PyDesign* self, const Columns& columns, Vector<double> omega, bool centre,
                 int threads, bool shadow, bool at_first, bool standardise, double uncertainty,
                 std::optional<Vector<double>> deviations) {
  if (static_cast<Index>(omega.shape(0)) != columns.storage->n()) {
    throw nb::value_error("omega has the wrong length");
  }
  StandIn stands_for{uncertainty, {}};
  if (deviations) stands_for.deviations = to_vector(*deviations);
  if (deviations && static_cast<Index>(deviations->shape(0)) != columns.storage->d()) {
    throw nb::value_error("deviations have the wrong length");
  }
  const ShadowUse use = !shadow    ? ShadowUse::kNever
                        : at_first ? ShadowUse::kAtFirst
                                   : ShadowUse::kLazy;
  const Scaling scaling = standardise ? Scaling::kStandardised : Scaling::kAsStored;
  new (self) PyDesign{columns, LazyDesign(columns.storage, SampleWeights(to_vector(omega), centre),
                                          threads, use, scaling, std::move(stands_for))};
}

// None where the sums cannot stand for the rows.
nb::object sums_of_rows(const Columns& columns, Vector<double> y,
                        std::optional<Vector<double>> omega, int threads) {
  const auto n = static_cast<std::size_t>(columns.storage->n());
  if (y.shape(0) != n || (omega && omega->shape(0) != n)) {
    throw nb::value_error("y or omega has the wrong length");
  }
  SignalPoll poll(INFINITY);
  RowSums sums;
  {
    WithoutGil released;
    const ThreadPool pool;
    sums = row_sums(*columns.storage, y.data(), omega ? omega->data() : nullptr, threads,
                    std::ref(poll));
  }
  poll.rethrow();
  if (!sums.usable) return nb::none();
  return nb::make_tuple(sums.positive, sums.weight, sums.heaviest, to_numpy(std::move(sums.mean)),
                        to_numpy(std::move(sums.mean_low)), to_numpy(std::move(sums.products)),
                        sums.roundings, sums.mean_roundings);
}

}  // namespace

void bind_columns(nb::module_& m) {
  nb::class_<Columns>(m, "Columns", "Columns of X, read in place.")
      .def_prop_ro("shape",
                   [](const Columns& c) { return nb::make_tuple(c.storage->n(), c.storage->d()); });
  m.def("dense", &dense_columns<double>, "X"_a.noconvert());
  m.def("dense", &dense_columns<float>, "X"_a.noconvert());
  def_csc<double, std::int32_t>(m);
  def_csc<double, std::int64_t>(m);
  def_csc<float, std::int32_t>(m);
  def_csc<float, std::int64_t>(m);

  m.def("sums_of_rows", &sums_of_rows, "columns"_a, "y"_a, "omega"_a.none(), "threads"_a,
        "Rows with a weight, their sum of weights and the largest, means as two doubles each, "
        "products about them, bounds of roundings; None where they cannot stand for the rows.");

  nb::class_<PyDesign>(m, "Design", "Columns seen through sample weights, centred or not.")
      .def("__init__", &make_design, "columns"_a, "omega"_a, "centre"_a, "threads"_a = 1,
           "shadow"_a = true, "at_first"_a = false, "standardise"_a = false, "uncertainty"_a = 0.0,
           "deviations"_a.none() = nb::none())
      .def_prop_ro(
          "too_small",
          [](PyDesign& self) {
            return to_numpy_of<std::int64_t>(self.design.measured()->too_small());
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "too_large",
          [](PyDesign& self) {
            return to_numpy_of<std::int64_t>(self.design.measured()->too_large());
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "norms2",
          [](PyDesign& self) { return to_numpy(self.design.measured()->moments().norms2); },
          nb::rv_policy::automatic,
          "Weighted squared norms of the columns, centred where they are.")
      .def_prop_ro(
          "constant",
          [](PyDesign& self) {
            return to_numpy_of<std::int64_t>(self.design.measured()->moments().constant);
          },
          nb::rv_policy::automatic, "Constant columns, where columns are standardised.")
      .def_prop_ro(
          "factors",
          [](PyDesign& self) { return to_numpy(self.design.measured()->moments().factors); },
          nb::rv_policy::automatic,
          "What columns are multiplied by; empty unless they are standardised.")
      .def_prop_ro("usable", [](PyDesign& self) { return self.design.measured()->usable(); });
}

}  // namespace sparsieve::binding
