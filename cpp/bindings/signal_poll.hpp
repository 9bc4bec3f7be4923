// Whether a solver shall stop: asked often by the core while it computes without the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "interpreter.hpp"

namespace sparsieve::binding {

// Raised by one thread to stop the solvers of others, which cannot see Ctrl-C themselves.
struct Flag {
  std::atomic<bool> raised{false};
};

// Looks for a flag, for the end of the time, and for Ctrl-C at most every few milliseconds; the GIL is
// taken only then. Once it said stop, it says so for ever. What a signal raised is kept until the solver
// has come to its end: on the way there it may ask a penalty written in Python, which must not be called
// with an error pending.
class SignalPoll {
 public:
  explicit SignalPoll(double max_time, std::shared_ptr<const Flag> flag = {})
      : flag_(std::move(flag)) {
    if (max_time < kForever) {
      deadline_ = last_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                              std::chrono::duration<double>(max_time));
    }
  }
  bool operator()() {
    if (stopped_) return true;
    if (flag_ && flag_->raised) return stopped_ = true;
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline_) return stopped_ = true;
    if (now - last_ < std::chrono::milliseconds(50)) return false;
    last_ = now;
    WithGil gil;
    if (PyErr_CheckSignals() == 0) return false;
    raised_.emplace();  // takes the pending error
    return stopped_ = true;
  }
  // With the GIL: raise what a signal raised.
  void rethrow() const {
    if (raised_) throw nanobind::python_error(*raised_);
  }

 private:
  // Seconds that count as no limit; the clock, which counts nanoseconds, could not hold ten times more.
  static constexpr double kForever = 1e9;
  std::shared_ptr<const Flag> flag_;
  std::optional<nanobind::python_error> raised_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  bool stopped_ = false;
};

}  // namespace sparsieve::binding
