// Files: what reading says when it cannot, and that a written file is the old one or the new one whatever happens, even
// when the program is killed at any of its system calls.

#include "io/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sconet/errors.hpp"

namespace sconet {
namespace {

namespace fs = std::filesystem;

// The message of the IoError that f throws.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const IoError& e) {
    return e.what();
  }
  return "(no IoError)";
}

// Runs f in a process of its own. Gives its exit code; 99: it threw something or was killed.
int in_child(const std::function<int()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(f());
    } catch (...) {
      ::_exit(99);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sconet-file-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.insert(entry.path().filename().string());
    return all;
  }
  static mode_t mode(const std::string& file) {
    struct stat info {};
    EXPECT_EQ(::stat(file.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  // Runs f in a child that is nobody special: root passes every permission.
  int as_nobody(const std::function<int()>& f) const {
    return in_child([&] {
      if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 98;
      return f();
    });
  }

  fs::path folder_;
};

TEST_F(File, IsReadWhole) {
  const std::string text = std::string("a\0b\xff\n", 5) + std::string(300000, 'x');
  put("data", text);
  EXPECT_EQ(read_file(path("data")), text);
  put("empty", "");
  EXPECT_EQ(read_file(path("empty")), "");
  EXPECT_NE(read_file("/proc/self/status"), "");  // has no size
}

TEST_F(File, IsReadFromStandardInput) {
  const std::string text(200000, 'y');
  put("data", text);
  EXPECT_EQ(in_child([&] {
              const int fd = ::open(path("data").c_str(), O_RDONLY);
              ::dup2(fd, STDIN_FILENO);
              return read_file("-") == text ? 0 : 1;
            }),
            0);
  EXPECT_EQ(in_child([&] {
              ::close(STDIN_FILENO);
              return refusal([] { read_file("-"); }) == "standard input: cannot be read: Bad file descriptor" ? 0 : 1;
            }),
            0);
}

TEST_F(File, IsReadFromAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string text(200000, 'z');
  std::thread writer([&] { std::ofstream(path("pipe")) << text; });
  EXPECT_EQ(read_file(path("pipe")), text);
  writer.join();
}

TEST_F(File, SaysWhyItCannotBeRead) {
  EXPECT_EQ(refusal([&] { read_file(path("absent")); }), path("absent") + ": no such file");
  EXPECT_EQ(refusal([&] { read_file(folder_); }), folder_.string() + ": is a directory");
  put("secret", "x");
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(path("secret"), fs::perms::none);
  EXPECT_EQ(as_nobody([&] {
              return refusal([&] { read_file(path("secret")); }) == path("secret") + ": permission denied" ? 0 : 1;
            }),
            0);
}

TEST_F(File, IsWritten) {
  for (const std::string& text : {std::string(), std::string("one"), std::string(3000000, 'x'), std::string("\0", 1)}) {
    write_file(path("model"), text);
    EXPECT_EQ(read_file(path("model")), text);
    EXPECT_EQ(names(), std::set<std::string>{"model"});
  }
}

TEST_F(File, IsWrittenInTheCurrentFolder) {
  EXPECT_EQ(in_child([&] {
              if (::chdir(folder_.c_str()) != 0) return 1;
              write_file("model", "one");
              fs::create_symlink("model", "link");
              write_file("link", "two");
              return 0;
            }),
            0);
  EXPECT_EQ(read_file(path("model")), "two");
  EXPECT_EQ(names(), (std::set<std::string>{"link", "model"}));
}

TEST_F(File, ANewOneHonoursTheUmask) {
  for (const mode_t mask : {022, 077, 002}) {
    const mode_t before = ::umask(mask);
    write_file(path("model"), "text");
    ::umask(before);
    EXPECT_EQ(mode(path("model")), 0666 & ~mask);
    fs::remove(path("model"));
  }
}

TEST_F(File, KeepsThePermissionsOfTheOneItReplaces) {
  for (const mode_t kept : {0600, 0640, 0666, 0755}) {
    put("model", "old");
    ASSERT_EQ(::chmod(path("model").c_str(), kept), 0);
    write_file(path("model"), "new");
    EXPECT_EQ(mode(path("model")), kept);
  }
}

TEST_F(File, AReadOnlyOneIsNotReplaced) {
  put("model", "old");
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(path("model"), fs::perms::owner_read | fs::perms::others_read);
  EXPECT_EQ(as_nobody([&] {
              return refusal([&] { write_file(path("model"), "new"); }) ==
                             path("model") + ": cannot be written: Permission denied"
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(read_file(path("model")), "old");
}

TEST_F(File, FollowsSymbolicLinks) {
  fs::create_directory(path("models"));
  fs::create_symlink("models/one", path("link"));
  fs::create_symlink("link", path("link of a link"));
  write_file(path("link of a link"), "new");  // the end of the chain does not exist yet
  EXPECT_EQ(read_file(path("models/one")), "new");
  write_file(path("link"), "newer");
  EXPECT_EQ(read_file(path("models/one")), "newer");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(names(), (std::set<std::string>{"link", "link of a link", "models"}));
  EXPECT_EQ(std::distance(fs::directory_iterator(path("models")), {}), 1);

  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(refusal([&] { write_file(path("loop"), "x"); }),
            path("loop") + ": cannot be written: Too many levels of symbolic links");
}

TEST_F(File, MayHaveTheLongestName) {
  const std::string name(255, 'n');
  write_file(path(name), "one");
  write_file(path(name), "two");
  EXPECT_EQ(read_file(path(name)), "two");
  EXPECT_EQ(names(), std::set<std::string>{name});
}

TEST_F(File, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(refusal([&] { write_file(path("absent/model"), "x"); }),
            path("absent/model") + ": cannot be written: there is no folder '" + path("absent/") + "'");
  EXPECT_EQ(refusal([&] { write_file(folder_, "x"); }), folder_.string() + ": cannot be written: Is a directory");
  EXPECT_EQ(refusal([&] { write_file(path("absent/"), "x"); }),
            path("absent/") + ": cannot be written: Is a directory");
  EXPECT_EQ(refusal([&] { write_file("", "x"); }), ": cannot be written: it has no name");
  put("file", "");
  EXPECT_EQ(refusal([&] { write_file(path("file/model"), "x"); }),
            path("file/model") + ": cannot be written: Not a directory");
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(File, AReadOnlyFolderIsRefused) {
  fs::permissions(folder_,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_EQ(as_nobody([&] {
              return refusal([&] { write_file(path("model"), "x"); }) ==
                             path("model") + ": cannot be written: Permission denied"
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_TRUE(names().empty());
}

// A limit on the size of files stands for a full disk: writing stops in the middle.
TEST_F(File, AFullDiskLeavesTheOldOne) {
  const auto write_beyond_the_limit = [&](const std::string& name) {
    return in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{100000, 100000};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 97;
      return refusal([&] { write_file(path(name), std::string(300000, 'n')); }) ==
                     path(name) + ": cannot be written: File too large"
                 ? 0
                 : 1;
    });
  };
  put("model", "old");
  EXPECT_EQ(write_beyond_the_limit("model"), 0);
  EXPECT_EQ(read_file(path("model")), "old");
  EXPECT_EQ(write_beyond_the_limit("other"), 0);
  EXPECT_EQ(names(), std::set<std::string>{"model"});
}

TEST_F(File, WhatIsNoFileIsWrittenDirectly) {
  EXPECT_EQ(refusal([] { write_file("/dev/full", "x"); }), "/dev/full: cannot be written: No space left on device");
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string text(200000, 'p');
  std::string got;
  std::thread reader([&] { got = read_file(path("pipe")); });
  write_file(path("pipe"), text);
  reader.join();
  EXPECT_EQ(got, text);

  // /dev/stdout is a link in the end to something that is not a path, here a file that something was written to before.
  EXPECT_EQ(in_child([&] {
              const int fd = ::open(path("out").c_str(), O_WRONLY | O_CREAT, 0600);
              if (::write(fd, "before ", 7) != 7) return 1;
              fs::create_symlink("/proc/self/fd/" + std::to_string(fd), path("stdout"));
              write_file(path("stdout"), "after");
              return 0;
            }),
            0);
  EXPECT_EQ(read_file(path("out")), "before after");
}

// From now on this process is on a file system that has no files without a name: a filter answers EOPNOTSUPP.
bool forbid_nameless_files() {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  constexpr unsigned flags_at = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
  constexpr unsigned nameless = O_TMPFILE & ~O_DIRECTORY;
  std::array<sock_filter, 6> filter = {
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags_at),
       BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, nameless, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog program{filter.size(), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         ::open("/tmp", O_TMPFILE | O_WRONLY, 0600) < 0 && errno == EOPNOTSUPP;
#else
  return false;
#endif
}

TEST_F(File, IsWrittenWhereFilesNeedAName) {
  constexpr int no_filter = 77;
  const int end = in_child([&] {
    if (!forbid_nameless_files()) return no_filter;
    ::umask(027);
    put(".model.saving", "of a program that was killed");
    write_file(path("model"), "one");
    if (read_file(path("model")) != "one" || mode(path("model")) != 0640) return 1;
    if (::chmod(path("model").c_str(), 0604) != 0) return 2;
    write_file(path("model"), "two");
    if (read_file(path("model")) != "two" || mode(path("model")) != 0604) return 3;
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100000, 100000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 4;
    if (refusal([&] { write_file(path("model"), std::string(300000, 'n')); }) !=
        path("model") + ": cannot be written: File too large")
      return 5;
    return read_file(path("model")) == "two" ? 0 : 6;
  });
  if (end == no_filter) GTEST_SKIP() << "this system has no filter for system calls";
  EXPECT_EQ(end, 0);
  EXPECT_EQ(names(), std::set<std::string>{"model"});
}

TEST_F(File, ManyWritersAtOnceLeaveOneOfTheirs) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> writers;
    for (char c : {'a', 'b', 'c', 'd'})
      writers.emplace_back([&, c] { write_file(path("model"), std::string(20000, c)); });
    for (auto& writer : writers) writer.join();
    const std::string text = read_file(path("model"));
    EXPECT_EQ(text, std::string(20000, text.at(0)));
    EXPECT_EQ(names(), std::set<std::string>{"model"});
    if (round % 2 == 0) fs::remove(path("model"));
  }
}

// Kills a program that writes at its k-th stop before or after a system call, for every k.
class Killed : public File {
 protected:
  void SetUp() override {
    File::SetUp();
    const int fd = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (fd < 0)
      GTEST_SKIP() << "the temporary folder has no files without a name; a kill leaves a temporary file there";
    ::close(fd);
  }

  enum class End { killed, finished, not_permitted };

  End write_and_kill(const std::string& text, int k) const {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) < 0) ::_exit(77);
      ::raise(SIGSTOP);
      try {
        write_file(path("model"), text);
      } catch (...) {
        ::_exit(99);
      }
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) return End::not_permitted;
    for (int stop = 0; stop < k; ++stop) {
      if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) < 0) break;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      if (WIFEXITED(status)) {
        EXPECT_EQ(WEXITSTATUS(status), 0);
        return End::finished;
      }
    }
    ::kill(child, SIGKILL);
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return End::killed;
  }
};

TEST_F(Killed, ANewFileIsThereCompleteOrNotAtAll) {
  const std::string text(50000, 'n');
  int absent = 0, complete = 0;
  for (int k = 1;; ++k) {
    ASSERT_LT(k, 2000);
    const End end = write_and_kill(text, k);
    if (end == End::not_permitted) GTEST_SKIP() << "this system does not permit ptrace";
    if (names().empty()) {
      ++absent;
      ASSERT_NE(end, End::finished);
    } else {
      ++complete;
      ASSERT_EQ(names(), std::set<std::string>{"model"}) << "killed at stop " << k;
      ASSERT_EQ(read_file(path("model")), text) << "killed at stop " << k;
      fs::remove(path("model"));
    }
    if (end == End::finished) break;
  }
  EXPECT_GT(absent, 10);
  EXPECT_GT(complete, 1);
}

TEST_F(Killed, AnExistingFileIsTheOldOrTheNewOne) {
  const std::string old_text(30000, 'o'), text(50000, 'n');
  int old_ones = 0, new_ones = 0, between = 0;
  for (int k = 1;; ++k) {
    ASSERT_LT(k, 2000);
    put("model", old_text);
    const End end = write_and_kill(text, k);
    if (end == End::not_permitted) GTEST_SKIP() << "this system does not permit ptrace";
    const std::string found = read_file(path("model"));
    ASSERT_TRUE(found == old_text || found == text) << "killed at stop " << k;
    ++(found == text ? new_ones : old_ones);
    if (names().size() > 1) {  // between the link and the renaming: complete, and gone with the next save
      ++between;
      ASSERT_EQ(names(), (std::set<std::string>{".model.saving", "model"})) << "killed at stop " << k;
      ASSERT_EQ(read_file(path(".model.saving")), text) << "killed at stop " << k;
      ASSERT_EQ(found, old_text);
      write_file(path("model"), "next");
      ASSERT_EQ(read_file(path("model")), "next");
      ASSERT_EQ(names(), std::set<std::string>{"model"});
    }
    if (end == End::finished) break;
  }
  EXPECT_GT(old_ones, 10);
  EXPECT_GE(new_ones, 1);  // the last, which finished; what comes after the renaming differs between systems
  EXPECT_LE(between, 2);   // after linkat, before renameat
}

}  // namespace
}  // namespace sconet
