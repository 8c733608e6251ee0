// An open file of the system.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace sconet {

class Fd {
 public:
  explicit Fd(int number = -1) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Fd();
  explicit operator bool() const { return number_ >= 0; }
  int operator*() const { return number_; }

 private:
  int number_;
};

// Throws IoError with the path and the reason that errno has: "data.csv: no such file".
[[noreturn]] void refuse_reading(const std::string& path, int error);

// Opens for reading; a directory is refused. Throws IoError. With `wait` false, opening a pipe does not wait for its
// writer.
Fd open_to_read(const std::string& path, bool wait = true);

// Reads `size` bytes, or fewer at the end of the file: says how many. Throws IoError.
std::size_t read_up_to(const Fd& fd, void* bytes, std::size_t size, const std::string& path);

}  // namespace sconet
