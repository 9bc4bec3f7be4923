#include "sparsieve/penalty/builtin.hpp"

#include <stdexcept>

namespace sparsieve {

namespace {
template <class Shape>
std::shared_ptr<Penalty> shaped(Shape shape) {
  return std::make_shared<ShapedPenalty<Shape>>(shape);
}
}  // namespace

std::shared_ptr<Penalty> builtin_penalty(const std::string& kind, double a, double b) {
  if (kind == "l1") return shaped(L1Shape{});
  if (kind == "logsum") return shaped(LogSumShape{a});
  if (kind == "mcp") return shaped(McpShape{a});
  if (kind == "scad") return shaped(ScadShape{a});
  if (kind == "capped_l1") return shaped(CappedL1Shape{a});
  if (kind == "lq") return shaped(LqShape{a, b});
  throw std::invalid_argument("unknown penalty");
}

}  // namespace sparsieve
