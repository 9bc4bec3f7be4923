#include "sparsieve/outer/path.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sparsieve {

namespace {

void check_lengths(const PathPlan& plan) {
  const std::size_t count = plan.alphas.size();
  if (plan.tolerances.size() != count) throw std::invalid_argument("one tolerance per alpha");
  if (plan.starts.size() != 1 && plan.starts.size() != count) {
    throw std::invalid_argument("one start for all alphas, or one per alpha");
  }
}

// Moves the solver to where the solve for alpha begins; false if there is no computing from there.
bool begin(PathSolver& solver, const Start& start, double alpha, SolveOptions options) {
  switch (start.from) {
    case Start::From::kCurrent:
      return true;
    case Start::From::kLasso:
      options.tol = start.tol;
      solver.start_from_lasso(alpha, start.fraction, options);
      return true;
    case Start::From::kGiven:
      solver.warm_start(start.columns, start.coef, options.poll);
      return std::isfinite(solver.deviance());
  }
  return true;
}

}  // namespace

Start Start::lasso(double fraction, double tol) {
  Start start;
  start.from = From::kLasso;
  start.fraction = fraction;
  start.tol = tol;
  return start;
}

Start Start::given(std::vector<Index> columns, std::vector<double> coef) {
  Start start;
  start.from = From::kGiven;
  start.columns = std::move(columns);
  start.coef = std::move(coef);
  return start;
}

PathEnd follow(PathSolver& solver, const PathPlan& plan, SolveOptions options,
               const OnPoint& on_point, bool record) {
  check_lengths(plan);
  for (std::size_t k = 0; k < plan.alphas.size(); ++k) {
    if (k > 0 && options.poll && options.poll()) return PathEnd::kInterrupted;
    // 1) go to where this solve begins
    const Start& start = plan.starts[plan.starts.size() == 1 ? 0 : k];
    options.tol = plan.tolerances[k];
    if (!begin(solver, start, plan.alphas[k], options)) return PathEnd::kOverflow;
    // 2) solve
    PathPoint point;
    point.alpha = plan.alphas[k];
    point.result = solver.solve(point.alpha, options, record);
    solver.solution(point.columns, point.coef);
    point.intercept = solver.intercept();
    point.passes = solver.account(point.result.counters);
    // 3) hand the point out
    const bool interrupted = point.result.status == Status::kInterrupted;
    const bool enough = on_point(std::move(point));
    if (interrupted) return PathEnd::kInterrupted;
    if (enough) return PathEnd::kEnough;
  }
  return PathEnd::kComplete;
}

void PathArrays::add(const PathPoint& point) {
  sizes.push_back(static_cast<std::int64_t>(point.columns.size()));
  columns.insert(columns.end(), point.columns.begin(), point.columns.end());
  values.insert(values.end(), point.coef.begin(), point.coef.end());
  // Where there is no solution, nobody must predict with the last point on the way to infinity.
  const bool separated = point.result.status == Status::kSeparated;
  intercepts.push_back(separated ? std::numeric_limits<double>::quiet_NaN() : point.intercept);
  objective.push_back(point.result.objective);
  kkt.push_back(point.result.kkt);
  converged.push_back(point.result.status == Status::kConverged);
}

}  // namespace sparsieve
