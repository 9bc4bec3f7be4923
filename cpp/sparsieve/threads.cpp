#include "sparsieve/threads.hpp"

#include <chrono>
#include <system_error>

namespace sparsieve {
namespace {
// How long a helper stays awake for the next loop: waking it takes about as long.
constexpr std::chrono::microseconds kAwake{50};
}  // namespace

void Crew::share(Index used, const std::function<void(Index)>& work) {
  try {
    while (static_cast<Index>(helpers_.size()) < used - 1) {
      const Index thread = static_cast<Index>(helpers_.size()) + 1;
      helpers_.emplace_back(&Crew::serve, this, thread, calls_.load());
    }
  } catch (const std::system_error&) {  // no more threads to be had: fewer will do
  }
  work_ = &work;
  used_ = used;
  open_ = true;
  ++calls_;
  if (asleep_ > 0) {
    // Whoever is about to sleep holds the lock until it does.
    {
      const std::lock_guard<std::mutex> guard(lock_);
    }
    wake_.notify_all();
  }
  const Closing closing{*this};
  work(0);
}

// From here on nobody begins; whoever has begun is on its last piece.
Crew::Closing::~Closing() {
  crew.open_ = false;
  while (crew.inside_ > 0) std::this_thread::yield();
}

void Crew::serve(Index thread, int seen) {
  while (true) {
    const auto until = std::chrono::steady_clock::now() + kAwake;
    const auto called = [&] { return calls_ != seen || over_; };
    while (!called() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if (!called()) {
      std::unique_lock<std::mutex> guard(lock_);
      ++asleep_;
      wake_.wait(guard, called);
      --asleep_;
    }
    if (over_) return;
    seen = calls_;
    ++inside_;
    if (open_ && thread < used_) (*work_)(thread);
    --inside_;
  }
}

Crew::~Crew() {
  current_ = outer_;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    over_ = true;
  }
  wake_.notify_all();
  helpers_.clear();
}

}  // namespace sparsieve
