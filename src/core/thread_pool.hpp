// Our own threads: a fixed team that takes numbered tasks. Which thread takes which task is left to chance; nothing may
// depend on it, so tasks write to places of their own and sums are added afterwards in task order.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "sconet/matrix_view.hpp"

namespace sconet {

class ThreadPool {
 public:
  // threads = 0: one per processor. The calling thread is one of the team.
  explicit ThreadPool(std::int64_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls task(i, worker) for every i in [0, count), worker in [0, size()), and returns when all are done. An exception
  // of a task is thrown here once the others have finished.
  template <class Task>
  void run(Index count, Task&& task) {
    using Plain = std::remove_reference_t<Task>;
    run_erased(
        count, [](void* context, Index i, int worker) { (*static_cast<Plain*>(context))(i, worker); },
        const_cast<void*>(static_cast<const void*>(&task)));
  }

 private:
  using Call = void (*)(void* context, Index i, int worker);
  void run_erased(Index count, Call call, void* context);
  void work(int worker);
  void take_tasks(int worker);

  std::vector<std::thread> workers_;
  bool spin_ = false;

  Call call_ = nullptr;
  void* context_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> next_{0};
  std::atomic<unsigned> generation_{0};  // raised for every run, and once more to end
  std::atomic<int> busy_{0};             // workers that have not finished this run
  std::atomic<bool> ending_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace sconet
