// Arrays of Python as the core sees them, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sparsieve::binding {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::span<const T> to_span(const Vector<T>& a) {
  return {a.data(), a.shape(0)};
}

// A copy, of another type of numbers if need be.
template <class Out, class T>
std::vector<Out> to_vector_of(const Vector<T>& a) {
  return std::vector<Out>(a.data(), a.data() + a.shape(0));
}

template <class T>
std::vector<T> to_vector(const Vector<T>& a) {
  return to_vector_of<T>(a);
}

// A one-dimensional array that owns the numbers.
template <class T>
nb::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

// The same with a copy of the numbers as another type.
template <class Out, class T>
nb::object to_numpy_of(const std::vector<T>& values) {
  return to_numpy(std::vector<Out>(values.begin(), values.end()));
}

}  // namespace sparsieve::binding
