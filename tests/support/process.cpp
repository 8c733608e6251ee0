// Pipes, a pseudo-terminal and a fork: nothing here waits for the clock.

#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace sconet::testing {
namespace {

[[noreturn]] void become(std::vector<std::string> command) {
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

void wait_for(int process, Ran& ran) {
  int status = 0;
  rusage usage{};
  if (wait4(process, &status, 0, &usage) != process) throw std::runtime_error("wait4");
  ran.killed = WIFSIGNALED(status);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.peak_bytes = usage.ru_maxrss * 1024;
}

std::vector<std::string> with_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {SCONET_PROGRAM_PATH};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace

Ran sconet(const std::vector<std::string>& arguments, const How& how) { return run(with_program(arguments), how); }

Ran run(const std::vector<std::string>& command, const How& how) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) throw std::runtime_error("pipe");
  const int child = fork();
  if (child == 0) {
    dup2(in[0], 0);
    dup2(how.out_path.empty() ? out[1] : open(how.out_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
    dup2(how.err_path.empty() ? err[1] : open(how.err_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
    if (!how.folder.empty() && chdir(how.folder.c_str()) != 0) _exit(126);
    for (const auto& [name, value] : how.environment) setenv(name.c_str(), value.c_str(), 1);
    std::signal(SIGPIPE, SIG_DFL);
    if (how.in_child) how.in_child();
    become(command);
  }
  if (child < 0) throw std::runtime_error("fork");
  close(in[0]);
  close(out[1]);
  close(err[1]);
  Ran ran;
  std::signal(SIGPIPE, SIG_IGN);
  pollfd ends[3] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}, {in[1], POLLOUT, 0}};
  std::size_t written = 0;
  const auto close_end = [](pollfd& end) {
    close(end.fd);
    end.fd = -1;
  };
  if (how.input.empty()) close_end(ends[2]);
  char buffer[65536];
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends, 3, -1) < 0 && errno != EINTR) throw std::runtime_error("poll");
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t got = read(ends[i].fd, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got > 0)
        (i == 0 ? ran.out : ran.err).append(buffer, static_cast<std::size_t>(got));
      else
        close_end(ends[i]);
      if (got > 0 && i == 1 && how.on_error_output) how.on_error_output(ran.err, child);
    }
    if (ends[2].fd >= 0 && ends[2].revents != 0) {
      const ssize_t put =
          write(ends[2].fd, how.input.data() + written, std::min<std::size_t>(how.input.size() - written, 65536));
      if (put > 0) written += static_cast<std::size_t>(put);
      if (put < 0 || written == how.input.size()) close_end(ends[2]);
    }
  }
  if (ends[2].fd >= 0) close_end(ends[2]);
  wait_for(child, ran);
  return ran;
}

Ran sconet_in_terminal(const std::vector<std::string>& arguments,
                       const std::function<void(const std::string&, int, int)>& on_output) {
  int terminal = -1;
  const int child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) throw std::runtime_error("forkpty");
  if (child == 0) become(with_program(arguments));
  Ran ran;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(terminal, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // the other side is closed
    ran.out.append(buffer, static_cast<std::size_t>(got));
    if (on_output) on_output(ran.out, terminal, child);
  }
  close(terminal);
  wait_for(child, ran);
  return ran;
}

}  // namespace sconet::testing
