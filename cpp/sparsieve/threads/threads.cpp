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
// How long a helper stays awake for the next loop: waking it takes about as long.
constexpr std::chrono::microseconds kAwake{50};

auto this_process() {
#ifdef _WIN32
  return _getpid();
#else
  return getpid();
#endif
}
}  // namespace

struct Crew::Helpers {
  const decltype(this_process()) owner = this_process();
  const std::function<void(Index)>* work = nullptr;
  Index used = 0;
  bool sharing = false;           // seen by the owner only
  std::atomic<int> calls{0};      // loops so far
  std::atomic<bool> open{false};  // the last one still has work to take
  std::atomic<int> inside{0};     // helpers that may be looking at it
  std::atomic<int> asleep{0};
  std::atomic<bool> over{false};  // no more loops
  std::mutex lock;
  std::condition_variable wake;
  std::vector<std::jthread> threads;

  ~Helpers();
  void hire(Index count);
  void begin(Index count, const std::function<void(Index)>& body);
  void end();
  void serve(Index thread, int seen);
};

Crew::Crew() : outer_(current_) { current_ = this; }

Crew::~Crew() {
  current_ = outer_;
  // A child has a copy of the state, but nobody who could be joined or woken.
  if (helpers_ && helpers_->owner != this_process()) static_cast<void>(helpers_.release());
}

void Crew::share(Index used, const std::function<void(Index)>& work) {
  if (!helpers_) helpers_ = std::make_unique<Helpers>();
  Helpers& all = *helpers_;
  if (all.sharing || all.owner != this_process()) {
    work(0);
    return;
  }
  struct Ending {
    Helpers& all;
    ~Ending() { all.end(); }
  };
  all.hire(used - 1);
  const Ending ending{all};
  all.begin(used, work);
  work(0);
}

void Crew::Helpers::hire(Index count) {
  try {
    while (static_cast<Index>(threads.size()) < count) {
      const Index thread = static_cast<Index>(threads.size()) + 1;
      threads.emplace_back(&Helpers::serve, this, thread, calls.load());
    }
  } catch (const std::system_error&) {  // no more threads to be had: fewer will do
  }
}

void Crew::Helpers::begin(Index count, const std::function<void(Index)>& body) {
  sharing = true;
  work = &body;
  used = count;
  open = true;
  ++calls;
  if (asleep == 0) return;
  // Whoever is about to sleep holds the lock until it does.
  {
    const std::lock_guard<std::mutex> guard(lock);
  }
  wake.notify_all();
}

// From here on nobody begins; whoever has begun is on its last piece.
void Crew::Helpers::end() {
  open = false;
  while (inside > 0) std::this_thread::yield();
  sharing = false;
}

void Crew::Helpers::serve(Index thread, int seen) {
  while (true) {
    const auto until = std::chrono::steady_clock::now() + kAwake;
    const auto called = [&] { return calls != seen || over; };
    while (!called() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if (!called()) {
      std::unique_lock<std::mutex> guard(lock);
      ++asleep;
      wake.wait(guard, called);
      --asleep;
    }
    if (over) return;
    seen = calls;
    ++inside;
    if (open && thread < used) (*work)(thread);
    --inside;
  }
}

Crew::Helpers::~Helpers() {
  {
    const std::lock_guard<std::mutex> guard(lock);
    over = true;
  }
  wake.notify_all();
  threads.clear();
}

}  // namespace sparsieve
