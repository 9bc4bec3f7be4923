#include "sparsieve/outer/codes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace sparsieve {
namespace {
// Responses whose correlations are computed together: every column is read once for all of them.
constexpr Index kTogether = 16;

// Responses as the solvers see them, and their correlations with every column.
std::vector<Prepared> prepare(const Design& design, std::span<const double> y, Index count) {
  const Index n = design.n();
  std::vector<Prepared> out(count);
  std::vector<Weighted> weighted(count);
  for (Index k = 0; k < count; ++k) {
    out[k].response = Response(design.weights(), {y.begin() + k * n, y.begin() + (k + 1) * n});
    design.weigh(out[k].response.z, weighted[k]);
    out[k].correlations.resize(design.d());
  }
  std::vector<double*> each;
  for (Prepared& one : out) each.push_back(one.correlations.data());
  design.correlate_many(weighted, each);
  return out;
}
}  // namespace

std::shared_ptr<const SharedGram> gram_of_all(const Design& design,
                                              const std::vector<double>& weights,
                                              const std::function<bool()>& stop) {
  std::vector<Index> columns;
  for (Index j = 0; j < design.d(); ++j) {
    const bool excluded = !weights.empty() && std::isinf(weights[j]);
    if (design.norm2(j) > 0.0 && !excluded) columns.push_back(j);
  }
  WorkingSet set;
  set.grow(design, columns, stop);
  if (set.size() < static_cast<Index>(columns.size())) return nullptr;
  return set.share();
}

PathEnd solve_codes(const CodesPlan& plan, std::span<const double> y,
                    std::span<const double> alphas, const std::vector<Start>& starts,
                    CodeArrays& out) {
  const Index n = plan.design->n(), count = static_cast<Index>(alphas.size());
  if (static_cast<Index>(y.size()) != n * count) {
    throw std::invalid_argument("one response per alpha");
  }
  const auto design = plan.design->measured();
  PathEnd end = PathEnd::kComplete;
  for (Index first = 0; first < count && end == PathEnd::kComplete; first += kTogether) {
    const Index some = std::min(kTogether, count - first);
    std::vector<Prepared> prepared = prepare(*design, y.subspan(first * n, some * n), some);
    for (Index k = 0; k < some && end == PathEnd::kComplete; ++k) {
      SolverParts parts{plan.design, {},         plan.penalty,           plan.weights,
                        0.0,         plan.terms, plan.shared != nullptr, std::move(prepared[k]),
                        plan.shared};
      Solver solver(std::move(parts), plan.options.poll);
      const Index at = first + k;
      const PathPlan alone{
          alphas.subspan(at, 1), {&plan.options.tol, 1}, {starts[starts.size() == 1 ? 0 : at]}};
      end = follow(solver, alone, plan.options, [&](PathPoint&& point) {
        if (point.result.status == Status::kInterrupted) return false;
        out.add(point);
        out.gaps.push_back(point.result.gap);
        out.iterations.push_back(point.result.iterations);
        out.status.push_back(static_cast<std::uint8_t>(point.result.status));
        out.minimum.push_back(static_cast<std::uint8_t>(point.result.minimum));
        return false;
      });
      if (plan.options.poll && plan.options.poll() && end == PathEnd::kComplete && at + 1 < count) {
        end = PathEnd::kInterrupted;
      }
    }
  }
  return end;
}

}  // namespace sparsieve
