// The squared loss: its derivatives by differences, and weak duality.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/loss/loss.hpp"

namespace {
using namespace settings;
using sparsieve::Residual;
using sparsieve::Weighted;

template <class Body>
void for_settings(std::uint64_t seed, const Body& body) {
  for (const Weights weights : problems::kEveryWeights) {
    for (const bool centre : {false, true}) {
      for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
        Random random(seed);
        const Index n = 23;
        const double share = problems::is_sparse(kind) ? 0.4 : 1.0;
        Matrix x = make_columns(random, {n, 9, false, 0.5, share});
        const Vector omega = problems::make_weights(random, n, weights);
        if (kind == Kind::kDouble) problems::spoil_rows_without_weight(random, x, omega);
        const Setting setting(Problem(kind, x, omega, centre), random);
        const check::Note note(setting.problem.text() + ", weights " + problems::name(weights));
        body(setting, random);
      }
    }
  }
}

// The residual at origin - eta.
Residual residual_at(const Setting& setting, const Vector& eta) {
  Residual out;
  out.r = setting.inputs.loss->origin();
  for (std::size_t i = 0; i < eta.size(); ++i) out.r[i] -= eta[i];
  setting.inputs.loss->residual(out);
  return out;
}

double value_at(const Setting& setting, const Vector& eta) {
  return setting.inputs.loss->value(residual_at(setting, eta));
}
}  // namespace

TEST("loss: the value and what is known at zero") {
  for_settings(91, [](const Setting& setting, Random& random) {
    const auto& loss = *setting.inputs.loss;
    const Index n = setting.problem.n();
    const Vector eta = random.normals(n);
    long double truth = 0.0L, null = 0.0L;
    for (Index i = 0; i < n; ++i) {
      const long double r = static_cast<long double>(setting.z[i]) - eta[i];
      truth += 0.5L * setting.problem.omega[i] * r * r;
      null += static_cast<long double>(setting.problem.omega[i]) * setting.z[i] * setting.z[i];
    }
    // Sums in eight lanes of terms that are rounded three times.
    const double room = kEps * (static_cast<double>(n) / 8.0 + 8.0);
    CHECK_CLOSE(value_at(setting, eta), truth, room * truth);
    CHECK_CLOSE(loss.null_deviance(), null, room * null);
    CHECK(loss.origin() == setting.z &&
          loss.response_size() == setting.inputs.loss->response_size());
    CHECK(loss.quadratic());
  });
}

// The loss is quadratic, so that central differences are exact for any step.
TEST("loss: the residual is minus the gradient over the weights") {
  for_settings(92, [](const Setting& setting, Random& random) {
    const Index n = setting.problem.n();
    Vector eta = random.normals(n);
    const Residual at = residual_at(setting, eta);
    for (Index i = 0; i < n; ++i) {
      const double here = eta[i], h = 0.5;
      eta[i] = here + h;
      const double above = value_at(setting, eta);
      eta[i] = here - h;
      const double below = value_at(setting, eta);
      eta[i] = here;
      const double omega = setting.problem.omega[i];
      // Two values, each with the errors of its sum.
      const double room = 2.0 * kEps * (static_cast<double>(n) / 8.0 + 8.0) * (above + below);
      CHECK_CLOSE(-(above - below) / (2.0 * h), omega * at.r[i], room);
      CHECK(at.weighted.v[i] == omega * at.r[i]);
    }
  });
}

TEST("loss: products with the curvature are differences of gradients") {
  for_settings(93, [](const Setting& setting, Random& random) {
    const Problem& problem = setting.problem;
    const Vector eta = random.normals(problem.n()), w = random.normals(problem.d());
    Vector u(problem.n(), 0.0), moved = eta;
    for (Index j = 0; j < problem.d(); ++j) {
      for (Index i = 0; i < problem.n(); ++i)
        u[i] += static_cast<double>(problem.entry(i, j) * w[j]);
    }
    for (Index i = 0; i < problem.n(); ++i) moved[i] += u[i];
    const Residual one = residual_at(setting, eta), other = residual_at(setting, moved);
    Weighted product;
    setting.inputs.loss->curvature_times(one, u, product);
    for (Index i = 0; i < problem.n(); ++i) {
      const double size = std::fabs(setting.z[i]) + std::fabs(eta[i]) + std::fabs(u[i]);
      // A few roundings of each.
      CHECK_CLOSE(product.v[i], one.weighted.v[i] - other.weighted.v[i],
                  4.0 * kEps * problem.omega[i] * size);
    }
    // As the columns see it: the Hessian's product with w.
    for (Index j = 0; j < problem.d(); ++j) {
      double seen = 0.0;
      setting.design->correlate(product, &j, 1, &seen);
      long double truth = 0.0L, size = 0.0L;
      for (Index k = 0; k < problem.d(); ++k) {
        truth += problem.product(j, k) * w[k];
        size += problem.raw_norm(j) * problem.raw_norm(k) * std::fabs(w[k]);
      }
      // Sums over rows and over columns.
      CHECK_CLOSE(seen, truth,
                  kEps * (static_cast<double>(problem.n() + problem.d()) + 8.0) * size);
    }
  });
}

// P(w) = F(Xw) + sum_j lambda_j |w_j| is nowhere below the dual at kappa v, as long as kappa |c_j| is at most
// lambda_j: whatever the residual v is from.
TEST("loss: weak duality") {
  for_settings(94, [](const Setting& setting, Random& random) {
    const Problem& problem = setting.problem;
    const auto& loss = *setting.inputs.loss;
    const Index d = problem.d();
    for (int trial = 0; trial < 60; ++trial) {
      Vector from = random.normals(d), lambda(d);
      for (double& w : from) w *= random.chance(0.5) ? 0.3 : 0.0;
      const Long exact = true_residual(setting, from);
      Residual at;
      at.r.assign(exact.begin(), exact.end());
      loss.residual(at);
      long double linear = 0.0L, limit = kInf;
      for (Index i = 0; i < problem.n(); ++i) linear += at.weighted.v[i] * loss.origin()[i];
      for (Index j = 0; j < d; ++j) {
        lambda[j] = random.uniform();
        limit = std::min(limit, lambda[j] / std::fabs(problem.correlation(j, at.r)));
      }
      for (const double share : {1.0, -1.0, 0.5, random.between(-1.0, 1.0)}) {
        const double kappa = share * static_cast<double>(limit);
        const double dual = loss.dual(kappa, static_cast<double>(linear), at.weighted.norm2);
        for (int other = 0; other < 5; ++other) {
          Vector w = random.normals(d);
          for (double& x : w) x *= other == 0 ? 0.0 : std::pow(10.0, random.between(-2.0, 0.0));
          long double primal = 0.5L * true_fit(setting, w);
          for (Index j = 0; j < d; ++j) primal += lambda[j] * std::fabs(w[j]);
          // The dual has few roundings, of terms that are no larger than these; the residual is rounded too.
          const long double terms = std::fabs(kappa * linear) + kappa * kappa * at.weighted.norm2;
          CHECK_AT_MOST(dual, primal + 32.0L * kEps * (terms + primal));
        }
      }
    }
  });
}

// Where no lambda is exceeded at w = 0, that is the minimum, and the dual reaches it.
TEST("loss: strong duality at zero") {
  for_settings(95, [](const Setting& setting, Random&) {
    const auto& loss = *setting.inputs.loss;
    const Residual at = residual_at(setting, Vector(setting.problem.n(), 0.0));
    long double linear = 0.0L;
    for (Index i = 0; i < setting.problem.n(); ++i) linear += at.weighted.v[i] * loss.origin()[i];
    const double dual = loss.dual(1.0, static_cast<double>(linear), at.weighted.norm2);
    CHECK_CLOSE(dual, loss.value(at), 16.0 * kEps * loss.value(at));
    // And it is the best of all scales.
    for (const double kappa : {0.9, 0.999, 1.001, 1.1}) {
      CHECK(loss.dual(kappa, static_cast<double>(linear), at.weighted.norm2) < dual);
    }
  });
}
