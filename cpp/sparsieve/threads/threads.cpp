#include "sparsieve/threads/threads.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

namespace sparsieve {
namespace {
// How long a thread stays awake for the next loop: waking it up takes about as long.
constexpr std::chrono::microseconds kAwake{50};

auto this_process() {
#ifdef _WIN32
  return _getpid();
#else
  return getpid();
#endif
}
}  // namespace

struct ThreadPool::Workers {
  const decltype(this_process()) owner = this_process();
  const std::function<void(Index)>* work = nullptr;
  Index used = 0;
  bool running = false;           // a loop; only the owner of the pool reads it
  std::atomic<int> loops{0};      // begun so far
  std::atomic<bool> open{false};  // the last one may still be joined
  std::atomic<int> inside{0};     // threads that may be working in it
  std::atomic<int> asleep{0};
  std::atomic<bool> over{false};  // no more loops will come
  std::mutex lock;
  std::condition_variable wake;
  std::vector<std::jthread> threads;

  ~Workers();
  void start_threads(Index count);
  void begin(Index count, const std::function<void(Index)>& body);
  void end();
  void run_thread(Index thread, int seen);
};

ThreadPool::ThreadPool() : outer_(current_) { current_ = this; }

ThreadPool::~ThreadPool() {
  current_ = outer_;
  // A child process made by fork has a copy of this state but not the threads: nothing can be joined or
  // woken.
  if (workers_ && workers_->owner != this_process()) static_cast<void>(workers_.release());
}

void ThreadPool::run(Index used, const std::function<void(Index)>& work) {
  if (!workers_) workers_ = std::make_unique<Workers>();
  Workers& all = *workers_;
  if (all.running || all.owner != this_process()) {
    work(0);
    return;
  }
  struct Ending {
    Workers& all;
    ~Ending() { all.end(); }
  };
  all.start_threads(used - 1);
  const Ending ending{all};
  all.begin(used, work);
  work(0);
}

void ThreadPool::Workers::start_threads(Index count) {
  try {
    while (static_cast<Index>(threads.size()) < count) {
      const Index thread = static_cast<Index>(threads.size()) + 1;
      threads.emplace_back(&Workers::run_thread, this, thread, loops.load());
    }
  } catch (const std::system_error&) {  // the system gives no more threads: go on with fewer
  }
}

void ThreadPool::Workers::begin(Index count, const std::function<void(Index)>& body) {
  running = true;
  work = &body;
  used = count;
  open = true;
  ++loops;
  if (asleep == 0) return;
  // A thread that is about to sleep holds the lock until it sleeps: wait for that, or it misses the call.
  {
    const std::lock_guard<std::mutex> guard(lock);
  }
  wake.notify_all();
}

// No thread joins the loop any more; those inside are on their last piece.
void ThreadPool::Workers::end() {
  open = false;
  while (inside > 0) std::this_thread::yield();
  running = false;
}

void ThreadPool::Workers::run_thread(Index thread, int seen) {
  while (true) {
    const auto until = std::chrono::steady_clock::now() + kAwake;
    const auto called = [&] { return loops != seen || over; };
    while (!called() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if (!called()) {
      std::unique_lock<std::mutex> guard(lock);
      ++asleep;
      wake.wait(guard, called);
      --asleep;
    }
    if (over) return;
    seen = loops;
    ++inside;
    if (open && thread < used) (*work)(thread);
    --inside;
  }
}

ThreadPool::Workers::~Workers() {
  {
    const std::lock_guard<std::mutex> guard(lock);
    over = true;
  }
  wake.notify_all();
  threads.clear();
}

}  // namespace sparsieve
