#include "core/thread_pool.hpp"

#include <algorithm>
#include <utility>

namespace sconet {
namespace {

// Runs follow each other within microseconds, so a thread looks a while before it sleeps; not when there are more
// threads than processors, where looking would keep others from working.
template <class T>
void wait_while_equal(const std::atomic<T>& value, T old, bool spin) {
  for (int i = 0; spin && i < 4000; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::int64_t threads) {
  const auto processors = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  if (threads == 0) threads = processors;
  spin_ = threads <= processors;
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int w = 1; w < threads; ++w) workers_.emplace_back(&ThreadPool::work, this, w);
  } catch (...) {
    // No more threads or no memory for them: fewer give the same result.
  }
}

ThreadPool::~ThreadPool() {
  ending_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run_erased(Index count, Call call, void* context) {
  call_ = call;
  context_ = context;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  const bool alone = workers_.empty() || count <= 1;
  if (!alone) {
    busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
  }
  take_tasks(0);
  if (!alone)
    for (int left; (left = busy_.load(std::memory_order_acquire)) != 0;) wait_while_equal(busy_, left, spin_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::take_tasks(int worker) {
  for (Index i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
    try {
      call_(context_, i, worker);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
}

void ThreadPool::work(int worker) {
  for (unsigned seen = 0;;) {
    wait_while_equal(generation_, seen, spin_);
    ++seen;
    if (ending_.load(std::memory_order_relaxed)) return;
    take_tasks(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace sconet
