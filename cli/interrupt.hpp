// Ctrl-C: the first asks training to end with what it has, the second quits.
#pragma once

#include <stop_token>
#include <thread>

namespace sconet::cli {

// While one of these lives, SIGINT and SIGTERM ask `token()` to stop; the second one ends the process with exit code
// 130.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool happened() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  std::thread watcher_;
};

}  // namespace sconet::cli
