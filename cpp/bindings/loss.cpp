// Losses: the built-in ones, and those written in Python.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "binding.hpp"
#include "interpreter.hpp"
#include "sparsieve/loss/row_loss.hpp"

namespace sparsieve::binding {

using namespace nb::literals;

namespace {

// An object with value(eta, y), gradient(eta, y) and curvature(eta, y), arrays in and out, and maybe `minimum`,
// the infimum of value over eta: a number, one per row, or a function of y that returns them.
class PythonLoss final : public RowLoss {
 public:
  explicit PythonLoss(nb::object loss)
      : loss_(std::move(loss)),
        as_floats_(nb::module_::import_("sparsieve.penalties.checks").attr("as_floats")) {}
  ~PythonLoss() override {
    WithGil gil;
    loss_.reset();
    as_floats_.reset();
  }
  void evaluate(const double* eta, const double* y, Index n, double* value, double* residual,
                double* curvature) const override {
    if (n == 0) return;
    WithGil gil;
    call("value", eta, y, n, value);
    call("gradient", eta, y, n, residual);
    call("curvature", eta, y, n, curvature);
    for (Index i = 0; i < n; ++i) residual[i] = -residual[i];
  }
  void lowest(const double* y, Index n, double* out) const override {
    std::fill_n(out, n, std::numeric_limits<double>::quiet_NaN());
    if (n == 0) return;
    WithGil gil;
    if (!nb::hasattr(loss_, "minimum")) return;
    nb::object minimum = loss_.attr("minimum");
    if (PyCallable_Check(minimum.ptr())) minimum = minimum(array(y, n));
    double number;
    if (nb::try_cast(minimum, number)) {
      std::fill_n(out, n, number);
    } else {
      store(minimum, n, out);
    }
  }
  // By convexity f*(-kappa t) <= kappa f*(-t) + (1 - kappa) f*(0), and f*(0) = -inf f.
  void dual_loss(const double* eta, const double* y, Index n, double kappa,
                 double* out) const override {
    if (n == 0) return;
    std::vector<double> least(n);
    lowest(y, n, least.data());
    WithGil gil;
    call("value", eta, y, n, out);
    for (Index i = 0; i < n; ++i) out[i] = (1.0 - kappa) * (out[i] - least[i]);
  }
  double recession(double d, double) const override {
    return d == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
  }

 private:
  static nb::object array(const double* p, Index n) {
    return nb::cast(to_numpy(std::vector<double>(p, p + n)));
  }
  void call(const char* method, const double* eta, const double* y, Index n, double* out) const {
    store(loss_.attr(method)(array(eta, n), array(y, n)), n, out);
  }
  void store(const nb::object& result, Index n, double* out) const {
    Vector<double> values;
    try {
      values = nb::cast<Vector<double>>(as_floats_(result));
    } catch (const nb::cast_error&) {
      throw nb::value_error("a loss must return a 1-D array, one number per row");
    }
    if (static_cast<Index>(values.shape(0)) != n) {
      throw nb::value_error("a loss must return one number per row");
    }
    std::copy_n(values.data(), n, out);
  }
  nb::object loss_, as_floats_;
};

std::shared_ptr<RowLoss> shared(std::shared_ptr<const RowLoss> loss) {
  return std::const_pointer_cast<RowLoss>(loss);
}

nb::tuple evaluate(const RowLoss& loss, Vector<double> eta, Vector<double> y) {
  const Index n = eta.shape(0);
  if (eta.shape(0) != y.shape(0)) throw nb::value_error("eta and y must have equal lengths");
  std::vector<double> value(n), residual(n), curvature(n);
  loss.evaluate(eta.data(), y.data(), n, value.data(), residual.data(), curvature.data());
  return nb::make_tuple(to_numpy(std::move(value)), to_numpy(std::move(residual)),
                        to_numpy(std::move(curvature)));
}

}  // namespace

void bind_losses(nb::module_& m) {
  nb::class_<RowLoss>(m, "Loss", "A loss as the core sees it: a sum over rows.")
      .def_static("logistic", [] { return shared(logistic_loss()); })
      .def_static("poisson", [] { return shared(poisson_loss()); })
      .def_static(
          "negative_binomial", [](double theta) { return shared(negative_binomial_loss(theta)); },
          "theta"_a)
      .def_static(
          "huber", [](double delta) { return shared(huber_loss(delta)); }, "delta"_a)
      .def_static(
          "user",
          [](nb::object loss) -> std::shared_ptr<RowLoss> {
            return std::make_shared<PythonLoss>(std::move(loss));
          },
          "loss"_a)
      .def("evaluate", &evaluate, "eta"_a, "y"_a,
           "Values, minus gradients and curvatures per row.");
}

}  // namespace sparsieve::binding
