// A small test module: tests register themselves, checks print one line when they fail, and random
// numbers are the same on every run.
//
//   TEST("one and one") { CHECK(1 + 1 == 2); }
//
// It is our own so that the tests need a compiler and nothing else.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace check {

// Called by the macros below.
struct Registered {
  Registered(const char* name, void (*body)());
};
inline long checks = 0;  // of the running test
inline void passed() { ++checks; }
void failed(const char* file, int line, const std::string& what);
void not_close(const char* file, int line, const char* what, long double x, long double y,
               long double room);
void not_at_most(const char* file, int line, const char* what, long double x, long double y);
std::string show(long double x);

// Runs the tests whose names contain argv[1], or all; returns the exit status.
int run(int argc, char** argv);

// Says where a test is (which storage, which seed) in each failure until the end of the block.
class Note {
 public:
  explicit Note(std::string text);
  ~Note();
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;
};

template <class A, class B, class C>
void close(const char* file, int line, const char* what, const A& a, const B& b,
           const C& tolerance) {
  const long double x = a, y = b, room = tolerance;
  // Equal infinities are close; a comparison with NaN is false, so NaN is close to nothing.
  if (x == y || std::fabs(x - y) <= room) return passed();
  not_close(file, line, what, x, y, room);
}

template <class A, class B>
void at_most(const char* file, int line, const char* what, const A& a, const B& b) {
  const long double x = a, y = b;
  if (x <= y) return passed();
  not_at_most(file, line, what, x, y);
}

// --------------------------------------------------------------------------------- random

using Index = std::ptrdiff_t;

// Columns one after the other.
struct Matrix {
  Index rows = 0, columns = 0;
  std::vector<double> values;
  Matrix() = default;
  Matrix(Index n, Index d) : rows(n), columns(d), values(static_cast<std::size_t>(n * d), 0.0) {}
  double& at(Index i, Index j) { return values[static_cast<std::size_t>(j * rows + i)]; }
  double at(Index i, Index j) const { return values[static_cast<std::size_t>(j * rows + i)]; }
  double* column(Index j) { return values.data() + j * rows; }
  const double* column(Index j) const { return values.data() + j * rows; }
};

// The generator splitmix64: a few lines, and the same numbers with every compiler and library, which
// the distributions of <random> do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Inside (0, 1), never at the ends.
  double uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  // From 0 to before count.
  Index below(Index count) {
    return static_cast<Index>(bits() % static_cast<std::uint64_t>(count));
  }
  bool chance(double p) { return uniform() < p; }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }
  double normal() {
    return std::sqrt(-2.0 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
  }
  // A ratio of two normal numbers: some of them are very large.
  double heavy_tailed() { return normal() / normal(); }
  std::vector<double> normals(Index count) {
    std::vector<double> out(static_cast<std::size_t>(count));
    for (double& x : out) x = normal();
    return out;
  }
  Matrix normal_matrix(Index n, Index d) {
    Matrix out(n, d);
    for (double& x : out.values) x = normal();
    return out;
  }
  // `count` different numbers below `limit`, increasing.
  std::vector<Index> some(Index count, Index limit) {
    std::vector<Index> out;
    for (Index j = 0; j < limit; ++j) {
      if (below(limit - j) < count - static_cast<Index>(out.size())) out.push_back(j);
    }
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace check

#define CHECK_JOIN_(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN_(a, b)

#define TEST(name)                                               \
  static void CHECK_JOIN(test_at_line_, __LINE__)();             \
  static const check::Registered CHECK_JOIN(at_line_, __LINE__)( \
      name, CHECK_JOIN(test_at_line_, __LINE__));                \
  static void CHECK_JOIN(test_at_line_, __LINE__)()

#define CHECK(condition) \
  ((condition) ? check::passed() : check::failed(__FILE__, __LINE__, #condition))

// |a - b| <= tolerance
#define CHECK_CLOSE(a, b, tolerance) \
  check::close(__FILE__, __LINE__, #a " = " #b, (a), (b), (tolerance))

// a <= b; unlike CHECK it says by how much it fails.
#define CHECK_AT_MOST(a, b) check::at_most(__FILE__, __LINE__, #a " <= " #b, (a), (b))
