// One design for many responses: a shared Gram matrix stays as it is, and what is shared changes no answer
// beyond its rounding; columns that stand for others make everything less certain.
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/inner/choice.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/codes.hpp"

namespace {
using problems::Index;
using problems::Kind;
using problems::Problem;
using problems::Random;
using sparsieve::CodeArrays;
using sparsieve::CodesPlan;
using sparsieve::LazyDesign;
using sparsieve::SampleWeights;
using sparsieve::SharedGram;
using sparsieve::StandIn;
using sparsieve::WorkingSet;
using Vector = std::vector<double>;

Problem make_problem(Random& random, Index n, Index d) {
  return Problem(Kind::kDouble, random.normal_matrix(n, d), Vector(n, 1.0 / static_cast<double>(n)),
                 true);
}
}  // namespace

TEST("state: a shared Gram matrix is copied before it changes") {
  Random random(31);
  const Problem problem = make_problem(random, 30, 12);
  const auto design = problems::make_design(problem);
  const std::shared_ptr<const SharedGram> shared = sparsieve::gram_of_all(*design, {}, {});
  const Vector before(shared->gram.get(), shared->gram.get() + 12 * shared->capacity);
  WorkingSet set(shared);
  CHECK(set.gram(0) == shared->gram.get());
  WorkingSet copy = set;
  CHECK(copy.gram(3) == set.gram(3));
  copy.keep({1, 4, 7});
  CHECK(copy.size() == 3 && copy.column(2) == 7);
  CHECK(copy.gram(2)[1] == set.gram(7)[4]);
  copy.grow(*design, {2});
  CHECK_CLOSE(copy.gram(3)[0], set.gram(2)[1], 1e-12);
  set.drop_gram();
  CHECK(!set.has_gram());
  const Vector after(shared->gram.get(), shared->gram.get() + 12 * shared->capacity);
  for (Index a = 0; a < 12; ++a) {
    for (Index b = 0; b < 12; ++b) {
      CHECK(before[a * shared->capacity + b] == after[a * shared->capacity + b]);
    }
  }
}

TEST("inner: a Gram matrix that is shared is not given up for its size") {
  Random random(34);
  const Index n = 5, d = 4100;  // more columns than a working set of its own has a Gram matrix for
  settings::Setting setting(make_problem(random, n, d), random);
  const auto shared = sparsieve::gram_of_all(*setting.design, {}, {});
  std::vector<Index> all(d);
  std::iota(all.begin(), all.end(), Index{0});
  for (const bool together : {true, false}) {
    sparsieve::State state = setting.empty_state();
    sparsieve::share_gram(setting.inputs, state, shared, Vector(d, 0.0));
    if (!together) state.set.keep(all);  // a copy
    CHECK(state.size() == d);
    CHECK(state.set.is_shared() == together);
    sparsieve::Choice().choose(setting.inputs, state);
    CHECK(state.set.has_gram() == together);
  }
}

TEST("outer: codes are the same with a shared Gram matrix and without") {
  Random random(32);
  const Index n = 40, d = 70, count = 21;
  const Problem problem = make_problem(random, n, d);
  LazyDesign design(problem.storage, SampleWeights(problem.omega, problem.centre), 1,
                    sparsieve::ShadowUse::kNever);
  Vector y, alphas;
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < n; ++i) y.push_back(random.normal());
    alphas.push_back(0.05 + 0.01 * static_cast<double>(k));
  }
  CodesPlan plan{&design, settings::make_penalty(settings::Shape::kL1), {}, {}, nullptr, {}};
  CodeArrays alone, together;
  const std::vector<sparsieve::Start> starts(1);
  CHECK(sparsieve::solve_codes(plan, y, alphas, starts, alone) == sparsieve::PathEnd::kComplete);
  plan.shared = sparsieve::gram_of_all(*design.measured(), {}, {});
  CHECK(sparsieve::solve_codes(plan, y, alphas, starts, together) == sparsieve::PathEnd::kComplete);
  for (Index k = 0; k < count; ++k) {
    CHECK(alone.converged[k] && together.converged[k]);
    CHECK_AT_MOST(together.kkt[k], 1e-6);
    // Both are within their gaps of the minimum.
    const double apart = alone.gaps[k] + together.gaps[k];
    CHECK_CLOSE(alone.objective[k], together.objective[k], apart + 1e-14);
  }
}

TEST("outer: what stands for other columns is certified with their uncertainty") {
  Random random(33);
  const Index n = 40, d = 10;
  const Problem problem = make_problem(random, n, d);
  Vector y;
  for (Index i = 0; i < n; ++i) y.push_back(random.normal());
  const Vector alphas{0.1};
  double before = 0.0;
  for (const double uncertainty : {0.0, 1e-10, 1e-8}) {
    LazyDesign design(problem.storage, SampleWeights(problem.omega, problem.centre), 1,
                      sparsieve::ShadowUse::kNever, sparsieve::Scaling::kAsStored,
                      StandIn{uncertainty, {}});
    const CodesPlan plan{&design, settings::make_penalty(settings::Shape::kL1), {}, {}, nullptr,
                         {}};
    CodeArrays found;
    sparsieve::solve_codes(plan, y, alphas, std::vector<sparsieve::Start>(1), found);
    // A correlation may be off by u ||x|| ||y|| at least.
    CHECK(found.kkt[0] >= before + uncertainty);
    before = found.kkt[0];
  }
}
