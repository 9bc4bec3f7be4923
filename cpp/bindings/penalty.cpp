// Penalties: the built-in ones, and those written in Python.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.hpp"
#include "binding.hpp"
#include "interpreter.hpp"
#include "sparsieve/penalty/branch_and_bound.hpp"
#include "sparsieve/penalty/builtin.hpp"
#include "sparsieve/penalty/two_method.hpp"

namespace sparsieve::binding {

using namespace nb::literals;

namespace {

// An object with value(t, alpha) and slope(t, alpha).
class PythonPenalty final : public TwoMethodPenalty {
 public:
  explicit PythonPenalty(nb::object penalty)
      : penalty_(std::move(penalty)),
        as_floats_(nb::module_::import_("sparsieve.penalties.checks").attr("as_floats")) {}
  ~PythonPenalty() override {
    WithGil gil;
    penalty_.reset();
    as_floats_.reset();
  }
  void evaluate(const double* t, const double* alpha, Index k, double* value, double* slope,
                double* curvature) const override {
    if (k == 0) return;
    WithGil gil;  // once for all calls
    TwoMethodPenalty::evaluate(t, alpha, k, value, slope, curvature);
  }
  void minimise(const double* z, const double* h, const double* alpha, Index k, double* t,
                double* value) const override {
    if (k == 0) return;
    WithGil gil;
    TwoMethodPenalty::minimise(z, h, alpha, k, t, value);
  }
  void jump_thresholds(const double* h, const double* alpha, Index k, double* out) const override {
    if (k == 0) return;
    WithGil gil;
    TwoMethodPenalty::jump_thresholds(h, alpha, k, out);
  }

 private:
  void value_at(const double* t, const double* alpha, Index k, double* out) const override {
    call("value", t, alpha, k, out);
  }
  void slope_at(const double* t, const double* alpha, Index k, double* out) const override {
    call("slope", t, alpha, k, out);
  }
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
    std::copy_n(values.data(), k, out);
  }
  nb::object penalty_, as_floats_;
};

nb::tuple evaluate(const Penalty& penalty, Vector<double> t, Vector<double> alpha) {
  const Index k = t.shape(0);
  std::vector<double> value(k), slope(k), curvature(k);
  penalty.evaluate(t.data(), alpha.data(), k, value.data(), slope.data(), curvature.data());
  return nb::make_tuple(to_numpy(std::move(value)), to_numpy(std::move(slope)),
                        to_numpy(std::move(curvature)));
}

void check_lengths(bool equal) {
  if (!equal) throw nb::value_error("arrays must have one number per coordinate");
}

nb::tuple minimise(const Penalty& penalty, Vector<double> z, Vector<double> h,
                   Vector<double> alpha) {
  const Index k = z.shape(0);
  check_lengths(h.shape(0) == z.shape(0) && alpha.shape(0) == z.shape(0));
  std::vector<double> t(k), value(k);
  penalty.minimise(z.data(), h.data(), alpha.data(), k, t.data(), value.data());
  return nb::make_tuple(to_numpy(std::move(t)), to_numpy(std::move(value)));
}

auto jump_thresholds(const Penalty& penalty, Vector<double> h, Vector<double> alpha) {
  const Index k = h.shape(0);
  check_lengths(alpha.shape(0) == h.shape(0));
  std::vector<double> out(k);
  penalty.jump_thresholds(h.data(), alpha.data(), k, out.data());
  return to_numpy(std::move(out));
}

auto jump_thresholds_within(const Penalty& penalty, Vector<double> h, Vector<double> alpha,
                            Vector<double> cap) {
  const Index k = h.shape(0);
  check_lengths(alpha.shape(0) == h.shape(0) && cap.shape(0) == h.shape(0));
  std::vector<Coordinate> coordinates;
  for (Index i = 0; i < k; ++i) coordinates.push_back({0.0, h(i), alpha(i), cap(i)});
  return to_numpy(capped_thresholds(penalty, coordinates));
}

std::shared_ptr<Penalty> python_penalty(nb::object penalty) {
  return std::make_shared<PythonPenalty>(std::move(penalty));
}

}  // namespace

void bind_penalties(nb::module_& m) {
  nb::class_<Penalty>(m, "Penalty", "A penalty as the core sees it.")
      .def("evaluate", &evaluate, "t"_a, "alpha"_a, "Values, slopes and curvatures.")
      .def("minimise", &minimise, "z"_a, "h"_a, "alpha"_a,
           "Minimisers of h t^2/2 - z t + r(t) over t >= 0, and the minima, at most 0.")
      .def("jump_thresholds", &jump_thresholds, "h"_a, "alpha"_a,
           "The largest z up to which zero is a minimiser.")
      .def("jump_thresholds_within", &jump_thresholds_within, "h"_a, "alpha"_a, "cap"_a,
           "The same where t may not be beyond its cap.");
  m.def("builtin_penalty", &builtin_penalty, "kind"_a, "a"_a, "b"_a);
  m.def("python_penalty", &python_penalty, "penalty"_a);
}

}  // namespace sparsieve::binding
