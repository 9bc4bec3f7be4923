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

// A one-dimensional array that owns its numbers. A property that returns one needs the policy
// `automatic`: by default nanobind makes the object of the property its owner as well.
template <class T>
using Owned = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Owned<T> to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Owned<T>(owned->data(), {owned->size()}, owner);
}

// The same with a copy of the numbers as another type.
template <class Out, class T>
Owned<Out> to_numpy_of(const std::vector<T>& values) {
  return to_numpy(std::vector<Out>(values.begin(), values.end()));
}

}  // namespace sparsieve::binding
