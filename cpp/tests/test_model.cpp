// The two forms of the quadratic model: whatever happens to a state, its correlations are the true ones up
// to the error that it knows of, in both forms.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/model/forms.hpp"

namespace {
using namespace settings;
using sparsieve::fit_by_gram;
using sparsieve::gram_noise;
using sparsieve::model_of;
using sparsieve::SlotIndex;

// Columns of all kinds and sizes, or of much the same size (twice: then a bound that is too small for some
// columns is not hidden by a large one), in every storage and with all weights.
Setting random_setting(Random& random, Kind kind) {
  const Index n = 20 + random.below(60), d = 40;
  const Weights weights = problems::kEveryWeights[random.below(3)];
  const Vector omega = problems::make_weights(random, n, weights);
  const bool mixed = random.chance(0.35), sparse = problems::is_sparse(kind);
  Matrix x = mixed ? problems::mixed_columns(random, n, d, kind)
                   : make_columns(random, {n, d, false, 0.3, sparse ? 0.3 : 1.0});
  if (!mixed && !sparse && random.chance(0.5)) {
    for (double& v : x.values) v += 30.0;  // large means
  }
  Setting out(Problem(kind, x, omega, random.chance(0.6)), random);
  if (random.chance(0.5)) out.set_ridge(random, random.between(0.01, 1.0), random.chance(0.5));
  return out;
}

// Coefficients of the size that a fit would have, many of them zero.
Vector random_point(Random& random, const Setting& setting, const State& state) {
  Vector w(state.size(), 0.0);
  for (Index s = 0; s < state.size(); ++s) {
    if (random.chance(0.5)) w[s] = random.normal() / setting.design->raw_norm(state.column(s));
  }
  return w;
}

void check_correlations(const Setting& setting, const State& state, double room) {
  const Vector w = coefficients(setting, state);
  const Long r = true_residual(setting, w);
  const Vector plain = sparsieve::loss_correlations(setting.inputs, state);
  CHECK(static_cast<Index>(state.c.size()) == state.size());
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    // The ridge's pull is rounded twice.
    const double pull = setting.inputs.ridge.of(j) *
                        (std::fabs(setting.inputs.ridge.centre_of(j)) + std::fabs(w[j]));
    const double expected = true_correlation(setting, r, j, w[j]);
    CHECK_CLOSE(state.c[s], expected, room + 2.0 * kEps * pull);
    // What a screen is told: nothing of the ridge. Its pull is taken off with three roundings more.
    CHECK_CLOSE(plain[s], expected - setting.inputs.ridge.pull(j, w[j]),
                room + kEps * (5.0 * pull + 2.0 * std::fabs(expected)));
  }
}

// The residual at w and its square. A residual is a sum of so many products, and its square one of n terms.
void check_residual(const Setting& setting, const State& state) {
  const Problem& problem = setting.problem;
  const Vector w = coefficients(setting, state);
  const Long r = true_residual(setting, w);
  const double terms = static_cast<double>(state.point.support.size()) + 4.0;
  for (Index i = 0; i < problem.n(); ++i) {
    long double size = std::fabs(setting.z[i]), shift = 0.0L;
    for (Index j = 0; j < problem.d(); ++j) {
      size += std::fabs(w[j] * problem.x.at(i, j));
      shift += std::fabs(w[j] * problem.means[j]);
    }
    CHECK_CLOSE(state.point.residual.r[i], r[i], kEps * terms * (size + 2.0L * shift));
  }
  long double whole = setting.inputs.loss->response_size();
  for (Index s = 0; s < state.size(); ++s) {
    whole += setting.design->raw_norm(state.column(s)) * std::fabs(state.point.w[s]);
  }
  const double rows = static_cast<double>(problem.n()) / 8.0 + 8.0;
  CHECK_CLOSE(state.point.fit, true_fit(setting, w), 4.0 * kEps * (terms + rows) * whole * whole);
}

void check_lists(const State& state) {
  const auto& at = state.point;
  Index count = 0;
  for (Index s = 0; s < state.size(); ++s) {
    CHECK(at.sign[s] == (at.w[s] > 0.0) - (at.w[s] < 0.0));
    CHECK((at.place[s] >= 0) == (at.w[s] != 0.0));
    if (at.place[s] >= 0) CHECK(at.support[at.place[s]] == s);
    count += at.w[s] != 0.0;
  }
  CHECK(static_cast<Index>(at.support.size()) == count);
  // Without a Gram matrix slots are listed by their column.
  CHECK(static_cast<Index>(state.by_column.size()) == (state.set.has_gram() ? 0 : state.size()));
  for (std::size_t p = 1; p < state.by_column.size(); ++p) {
    CHECK(state.column(state.by_column[p - 1]) < state.column(state.by_column[p]));
  }
  std::vector<Index> columns;
  Vector coef;
  state.solution(columns, coef);
  CHECK(std::is_sorted(columns.begin(), columns.end()) &&
        static_cast<Index>(columns.size()) == count);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    CHECK(coef[k] == at.w[SlotIndex(state.set).slot(columns[k])] && coef[k] != 0.0);
  }
}

void check_state(const Setting& setting, const State& state, double room) {
  check_lists(state);
  check_correlations(setting, state, room);
  if (state.set.has_gram()) check_factor(setting, state);
}

// ------------------------------------------------------------------------------ what happens

void grow(const Setting& setting, Random& random, State& state) {
  std::vector<Index> fresh;
  for (const Index j : random.some(1 + random.below(8), setting.problem.d())) {
    if (!SlotIndex(state.set).contains(j) && setting.design->norm2(j) > 0.0) fresh.push_back(j);
  }
  std::reverse(fresh.begin(), fresh.end());
  model_of(state).grow(setting.inputs, state, fresh);
}

// Zeros may go, but for those that the residual still contains.
void keep_some(Random& random, State& state) {
  std::vector<Index> slots;
  for (Index s = 0; s < state.size(); ++s) {
    const bool part = state.point.stale && state.point.w_read[s] != 0.0;
    if (state.point.place[s] >= 0 || part || random.chance(0.6)) slots.push_back(s);
  }
  keep_slots(state, slots);
}

// Move w as an inner solver does, with the residual left behind where there is a Gram matrix.
void move(const Setting& setting, Random& random, State& state) {
  const Vector to = random_point(random, setting, state);
  const double t = std::pow(10.0, random.between(-6.0, 0.0));
  for (Index s = 0; s < state.size(); ++s) {
    double& w = state.point.w[s];
    w = random.chance(0.1) ? 0.0 : w + t * (to[s] - w);
  }
  state.anchored = false;
  model_of(state).list_support(setting.inputs, state);
}

// The bound of a correlation that came with the fresh columns or from the Gram matrix, at any w.
double gram_room(const Setting& setting, const State& state) {
  return gram_noise(setting.inputs, state, state.point.w) + state.pull_error;
}

// After a move: the model is settled in one of its ways, and the fit is known too.
void settle(const Setting& setting, Random& random, State& state) {
  const auto& model = model_of(state);
  if (!state.set.has_gram() || random.chance(0.3)) {
    model.settle(setting.inputs, state, random.chance(0.5) ? kInf : 0.0);
    check_residual(setting, state);
    return;
  }
  correlate_by_gram(setting.inputs, state);
  state.point.stale = true;
  state.known_error = gram_room(setting, state);
  if (!fit_by_gram(setting.inputs, state)) return;
  // What a fit must be exact to, relative (kFitShare in gram_model.cpp).
  const long double truth = true_fit(setting, coefficients(setting, state));
  CHECK_CLOSE(state.point.fit, truth, 1e-10L * truth);
}

// One of the things that happen to a state, and what is to be true after it.
void random_step(const Setting& setting, Random& random, State& state) {
  switch (random.below(6)) {
    case 0: {
      grow(setting, random, state);
      // Growing leaves the error of all correlations to the next settling, so it is noted here.
      const double fresh =
          state.set.has_gram() ? gram_room(setting, state) : rounding_noise(setting.inputs, state);
      state.known_error = std::max(fresh, state.known_error);
      return check_state(setting, state, state.known_error);
    }
    case 1:
      keep_some(random, state);
      return check_state(setting, state, state.known_error);
    case 2:
      place_at(setting.inputs, state, random_point(random, setting, state));
      check_residual(setting, state);
      return check_state(setting, state, state.known_error);
    case 3:
      if (!state.set.has_gram()) {
        CHECK(return_to_gram(setting.inputs, state));
        check_residual(setting, state);
        return check_state(setting, state, state.known_error);
      }
      leave_gram(state);
      check_lists(state);
      model_of(state).anchor(setting.inputs, state);
      check_residual(setting, state);
      return check_state(setting, state, state.known_error);
    default:
      move(setting, random, state);
      settle(setting, random, state);
      return check_state(setting, state, state.known_error);
  }
}
}  // namespace

TEST("model: correlations are true up to what is known of their error") {
  for (const Kind kind : problems::kEveryKind) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(1000 + seed);
      const Setting setting = random_setting(random, kind);
      State state = setting.empty_state();
      if (random.chance(0.5)) leave_gram(state);
      grow(setting, random, state);
      model_of(state).anchor(setting.inputs, state);
      for (int step = 0; step < 25; ++step) {
        const check::Note note(setting.problem.text() + ", seed " + std::to_string(seed) +
                               ", step " + std::to_string(step));
        random_step(setting, random, state);
      }
    }
  }
}

// Sums of equal terms are rounded in one direction, term by term: their errors add up.
TEST("model: what a long sum of equal terms loses is known") {
  const Index n = 100000;
  Matrix x(n, 1);
  for (double& v : x.values) v = 1.0;
  Random random(1050);
  Setting setting(Problem(Kind::kDouble, x, Vector(n, 1.0 / n), false), random);
  setting.z = Vector(n, 0.1);
  const sparsieve::Response response(setting.design->weights(), setting.z);
  setting.inputs.loss = std::make_shared<sparsieve::SquaredLoss>(*setting.design, response);
  for (const bool by_gram : {true, false}) {
    State state = setting.state_on_all();
    if (!by_gram) leave_gram(state);
    place_at(setting.inputs, state, {0.03});
    check_state(setting, state, state.known_error);
    CHECK_AT_MOST(state.known_error, 1e-10 * std::fabs(state.c[0]));
  }
}

// -------------------------------------------------------------------------- the Gram matrix

TEST("model: both forms give the same Gram matrix") {
  for (const Kind kind : problems::kEveryKind) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Random random(1100 + seed);
      const Setting setting = random_setting(random, kind);
      const check::Note note(setting.problem.text() + ", seed " + std::to_string(seed));
      const State by_gram = setting.state_on_all();
      State by_columns = by_gram;
      leave_gram(by_columns);
      std::vector<Index> slots = random.some(by_gram.size() / 2, by_gram.size()), columns;
      std::reverse(slots.begin(), slots.end());
      for (const Index s : slots) columns.push_back(by_gram.column(s));
      const Index k = static_cast<Index>(columns.size()), ld = k + 3;
      Vector one(k * ld, -7.0), other(k * ld, -7.0);
      CHECK(model_of(by_gram).gram(setting.inputs, by_gram, slots, one.data(), ld));
      CHECK(model_of(by_columns).gram(setting.inputs, by_columns, slots, other.data(), ld));
      for (Index p = 0; p < k; ++p) {
        for (Index q = 0; q < ld; ++q) {
          if (q > p) {  // nothing else is written
            CHECK(one[p * ld + q] == -7.0 && other[p * ld + q] == -7.0);
            continue;
          }
          // Sums of what columns are before centring.
          const long double truth = setting.problem.product(columns[p], columns[q]);
          const double sizes =
              setting.design->raw_norm(columns[p]) * setting.design->raw_norm(columns[q]);
          const double room =
              2.0 * kEps * sparsieve::product_roundings(setting.problem.n()) * sizes;
          CHECK_CLOSE(one[p * ld + q], truth, room);
          CHECK_CLOSE(other[p * ld + q], truth, room);
        }
      }
    }
  }
}

TEST("model: products with the Gram matrix and the Hessian") {
  Random random(1200);
  for (const Index d : {1, 7, 40}) {
    const Matrix x = make_columns(random, {30, d});
    Setting setting(Problem(Kind::kDouble, x, Vector(30, 1.0 / 30.0), true), random);
    setting.set_ridge(random, 0.3, true);
    const State state = setting.state_on_all();
    Vector from = random.normals(state.size()), by_gram = random.normals(state.size());
    from[0] = 0.0;
    Vector by_hessian = by_gram;
    const Vector start = by_gram;
    add_gram_product(setting.inputs, state, -0.7, from, by_gram);
    add_hessian_product(setting.inputs, state, -0.7, from, by_hessian);
    for (Index s = 0; s < state.size(); ++s) {
      long double sum = start[s], size = std::fabs(start[s]);
      for (Index t = 0; t < state.size(); ++t) {
        const long double term = -0.7L * state.set.gram(s)[t] * from[t];
        sum += term;
        size += std::fabs(term);
      }
      // One rounding for each term, and a few.
      const double room = kEps * (static_cast<double>(state.size()) + 4.0);
      CHECK_CLOSE(by_gram[s], sum, room * size);
      const long double more = -0.7L * setting.inputs.ridge.of(state.column(s)) * from[s];
      CHECK_CLOSE(by_hessian[s], sum + more, room * (size + std::fabs(more)));
    }
  }
}

// -------------------------------------------------------------------------------- stopped

// The factor is made in batches of 32; stopped between two of them, the Gram matrix is given up.
TEST("model: stopped while the factor is made") {
  Random random(1300);
  Setting setting(Problem(Kind::kDouble, make_columns(random, {60, 40}), Vector(60, 0.02), false),
                  random);
  State state = setting.state_on_all();
  const Vector w = random.normals(state.size());
  int left = 1;
  setting.inputs.poll = [&] { return left-- <= 0; };
  place_at(setting.inputs, state, w);
  setting.inputs.poll = nullptr;
  CHECK(!state.set.has_gram() && state.point.w == w);
  check_residual(setting, state);
  check_state(setting, state, state.known_error);
  CHECK(return_to_gram(setting.inputs, state));
  check_state(setting, state, state.known_error);
}
