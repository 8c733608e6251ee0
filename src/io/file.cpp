// Files by the system's own calls: the promise that a file is the old one or the new one needs them.

#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>

#include "io/fd.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// A call that a signal broke off is made again.
template <class Call>
auto again(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

[[noreturn]] void refuse_writing(const std::string& path, const std::string& why) {
  throw IoError(fmt::format("{}: cannot be written: {}", path, why));
}

// What is to be written where. The folder is kept open, so that renaming it meanwhile does no harm.
struct Job {
  std::string path;    // as the caller gave it: for messages
  Fd folder;           // of the file, after symbolic links
  std::string name;    // in the folder
  std::string hidden;  // ".NAME", the beginning of the names beside it
  std::optional<struct stat> old;
  std::string_view bytes;
};

void write_all(const Fd& fd, const Job& job) {
  for (std::string_view left = job.bytes; !left.empty();) {
    const ssize_t written = again([&] { return ::write(*fd, left.data(), left.size()); });
    if (written < 0) refuse_writing(job.path, reason(errno));
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Some file systems have nothing to flush and say EINVAL.
void flush(const Fd& fd, const Job& job) {
  if (again([&] { return ::fsync(*fd); }) < 0 && errno != EINVAL) refuse_writing(job.path, reason(errno));
}

// Owner (as far as we may) and permissions of the file that is replaced. Before the bytes, so that a private file is
// private from the start.
void fill(const Fd& fd, const Job& job) {
  if (job.old) {
    const bool owner_kept = ::fchown(*fd, job.old->st_uid, job.old->st_gid) == 0;
    // Rights of another owner or group are not handed to ours: set-user-id and set-group-id go.
    const mode_t mask = owner_kept ? 07777 : 0777;
    if (::fchmod(*fd, job.old->st_mode & mask) < 0) refuse_writing(job.path, reason(errno));
  }
  write_all(fd, job);
  flush(fd, job);
}

bool link_nameless(const Fd& fd, const Job& job, const std::string& name) {
  const std::string self = fmt::format("/proc/self/fd/{}", *fd);
  return ::linkat(AT_FDCWD, self.c_str(), *job.folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// The file has no name until it is complete, so whatever ends the program takes it away. A new file is linked to its
// name. Linking replaces nothing, so an existing one needs a second name for the moment before the renaming.
// False: this system or folder cannot do that, or another program saved the same file at the same time.
bool save_nameless(const Job& job) {
  const std::string saving = job.hidden + ".saving";
  ::unlinkat(*job.folder, saving.c_str(), 0);  // of a program that was killed at that moment
#ifdef O_TMPFILE
  const Fd fd(again([&] { return ::openat(*job.folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666); }));
  if (!fd) return false;
  fill(fd, job);
  if (!job.old && link_nameless(fd, job, job.name)) return true;
  if (!link_nameless(fd, job, saving)) return false;
  if (::renameat(*job.folder, saving.c_str(), *job.folder, job.name.c_str()) == 0) return true;
  ::unlinkat(*job.folder, saving.c_str(), 0);
#endif
  return false;
}

std::string random_name(const Job& job) {
  static constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string name = job.hidden + ".";
  for (int i = 0; i < 6; ++i) name += letters[random() % letters.size()];
  return name;
}

// A temporary file with a name. It is removed on every failure, but a kill leaves it behind.
void save_named(const Job& job) {
  std::string name;
  Fd fd;
  for (int tries = 0; !fd; ++tries) {
    name = random_name(job);
    fd = Fd(again([&] {
      return ::openat(*job.folder, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, job.old ? 0600 : 0666);
    }));
    if (!fd && (errno != EEXIST || tries == 100)) refuse_writing(job.path, reason(errno));
  }
  try {
    fill(fd, job);
    if (::renameat(*job.folder, name.c_str(), *job.folder, job.name.c_str()) < 0)
      refuse_writing(job.path, reason(errno));
  } catch (...) {
    ::unlinkat(*job.folder, name.c_str(), 0);
    throw;
  }
}

// Devices, pipes and what /dev/stdout stands for: there is nothing to replace.
void write_directly(const Job& job) {
  const Fd fd(again([&] { return ::open(job.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }));
  if (!fd) refuse_writing(job.path, reason(errno));
  write_all(fd, job);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Where a chain of symbolic links leads, whether or not there is a file. Nothing when one of them is in /proc: those
// stand for open files and their text is no path.
std::optional<std::string> follow_links(const std::string& path) {
  std::string at = path;
  for (int links = 0; links < 40; ++links) {
    struct stat info {};
    if (::lstat(at.c_str(), &info) < 0 || !S_ISLNK(info.st_mode)) return at;
    struct stat proc {};
    if (::stat("/proc/self", &proc) == 0 && proc.st_dev == info.st_dev) return std::nullopt;
    std::array<char, PATH_MAX> text{};
    const ssize_t size = ::readlink(at.c_str(), text.data(), text.size());
    if (size <= 0) refuse_writing(path, reason(errno));
    at = text.front() == '/' ? "" : folder_of(at);
    at.append(text.data(), static_cast<std::size_t>(size));
  }
  refuse_writing(path, reason(ELOOP));
}

}  // namespace

Fd::~Fd() {
  if (number_ >= 0) ::close(number_);
}

void refuse_reading(const std::string& path, int error) {
  std::string why;
  switch (error) {
    case ENOENT: why = "no such file"; break;
    case EISDIR: why = "is a directory"; break;
    case EACCES: why = "permission denied"; break;
    default: why = fmt::format("cannot be read: {}", reason(error));
  }
  throw IoError(fmt::format("{}: {}", path, why));
}

Fd open_to_read(const std::string& path, bool wait) {
  Fd fd(again([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (wait ? 0 : O_NONBLOCK)); }));
  struct stat info {};
  if (!fd || ::fstat(*fd, &info) < 0) refuse_reading(path, errno);
  if (S_ISDIR(info.st_mode)) refuse_reading(path, EISDIR);
  return fd;
}

std::size_t read_up_to(const Fd& fd, void* bytes, std::size_t size, const std::string& path) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = again([&] { return ::read(*fd, static_cast<char*>(bytes) + done, size - done); });
    if (got < 0) refuse_reading(path, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string read_file(const std::string& path) {
  const Fd fd = path == "-" ? Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) : open_to_read(path);
  const std::string name = path == "-" ? "standard input" : path;
  struct stat info {};
  if (!fd || ::fstat(*fd, &info) < 0) refuse_reading(name, errno);
  // The size is a guess: a pipe has none and a file may grow. One more byte finds the end without growing.
  std::size_t room = S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) + 1 : 0;
  std::string bytes;
  std::size_t size = 0;
  try {
    do {
      room = std::max<std::size_t>(room, 1 << 16);
      bytes.resize(size + room);
      size += read_up_to(fd, bytes.data() + size, room, name);
      room = size;
    } while (size == bytes.size());
  } catch (const std::bad_alloc&) {
    refuse_reading(name, ENOMEM);
  } catch (const std::length_error&) {
    refuse_reading(name, ENOMEM);
  }
  bytes.resize(size);
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  Job job{path, Fd(), "", "", std::nullopt, bytes};
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) refuse_writing(path, reason(EISDIR));
    job.old = info;
  } else if (errno != ENOENT) {
    refuse_writing(path, reason(errno));
  }
  const std::optional<std::string> target = follow_links(path);
  if (!target || (job.old && !S_ISREG(info.st_mode))) return write_directly(job);
  // A new name could be put in the place of a file that its owner protected. We do not.
  if (job.old && ::faccessat(AT_FDCWD, target->c_str(), W_OK, AT_EACCESS) < 0) refuse_writing(path, reason(errno));

  const std::string folder = folder_of(*target);
  job.name = name_of(*target);
  if (job.name.empty()) refuse_writing(path, path.empty() ? "it has no name" : reason(EISDIR));
  job.hidden = "." + job.name.substr(0, 240);  // leaves room below the 255 bytes that names have
  job.folder = Fd(again([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!job.folder) {
    const int error = errno;
    refuse_writing(path, error == ENOENT ? fmt::format("there is no folder '{}'", folder) : reason(error));
  }
  if (!save_nameless(job)) save_named(job);
  flush(job.folder, job);
}

}  // namespace sconet
