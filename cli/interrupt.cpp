#include "interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "arguments.hpp"

namespace sconet::cli {
namespace {

// A signal handler may do little more than write to a pipe; a thread at its other end does the rest.
int pipe_ends[2] = {-1, -1};
volatile sig_atomic_t signals = 0;
struct sigaction old_int, old_term;

void on_signal(int) {
  const int saved = errno;
  if (signals > 0) _exit(kInterrupted);
  signals = 1;
  const char byte = 's';
  [[maybe_unused]] const auto written = write(pipe_ends[1], &byte, 1);
  errno = saved;
}

}  // namespace

Interrupt::Interrupt() {
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  signals = 0;
  watcher_ = std::thread([this] {
    char byte = 0;
    ssize_t got = 0;
    do got = read(pipe_ends[0], &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got == 1 && byte == 's') source_.request_stop();
  });
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_int);
  sigaction(SIGTERM, &action, &old_term);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
  const char byte = 'e';
  [[maybe_unused]] const auto written = write(pipe_ends[1], &byte, 1);
  watcher_.join();
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace sconet::cli
