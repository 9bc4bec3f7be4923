#pragma once
#include <cstddef>
namespace sparsieve {
double dot(const double* a, const double* b, std::size_t n);
}
