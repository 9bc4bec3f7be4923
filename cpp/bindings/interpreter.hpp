// Leaving and asking for the GIL so that the interpreter may end while a thread computes.
//
// Once Python shuts down, a thread that asks for the GIL is ended by a forced unwinding; begun inside a
// destructor, which must not throw, that aborts the process. So a thread that finds the interpreter
// leaving stops for good instead (Python itself does so since 3.14): the process ends around it. Not
// the thread that ends the interpreter: it still runs what others registered for the end, and frees
// what is left.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace sparsieve {

class Interpreter {
 public:
  // Ask Python to call leave() before it shuts down. A plain C function: an object of nanobind's
  // would still be alive when nanobind looks for leaks.
  static void watch() {
    static PyMethodDef method = {"leave", &Interpreter::leave, METH_NOARGS, nullptr};
    nanobind::object hook = nanobind::steal(PyCFunction_New(&method, nullptr));
    nanobind::module_::import_("atexit").attr("register")(hook);
  }

 private:
  friend class WithoutGil;
  friend class WithGil;
  // With the GIL: from now on nobody asks for it, and those who have
  // asked already are served first. The wait is bounded, because a fork copies the count of threads
  // that do not exist in the child.
  static PyObject* leave(PyObject*, PyObject*) {
    last_ = std::this_thread::get_id();
    leaving_.store(true);
    PyThreadState* state = PyEval_SaveThread();
    for (int k = 0; k < 1000 && asking_.load() != 0; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    PyEval_RestoreThread(state);
    Py_RETURN_NONE;
  }
  static void ask() {
    asking_.fetch_add(1);
    if (!leaving_.load() || std::this_thread::get_id() == last_) return;
    asking_.fetch_sub(1);
    nanobind::set_leak_warnings(false);  // what this thread holds is lost on purpose
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  static void served() { asking_.fetch_sub(1); }
  inline static std::atomic<int> asking_{0};
  inline static std::atomic<bool> leaving_{false};
  inline static std::thread::id last_;  // written before leaving_, read after it
};

// Computes without the GIL until the end of the scope.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    Interpreter::ask();
    PyEval_RestoreThread(state_);
    Interpreter::served();
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the GIL until the end of the scope.
class WithGil {
 public:
  WithGil() {
    Interpreter::ask();
    state_ = PyGILState_Ensure();
    Interpreter::served();
  }
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace sparsieve
