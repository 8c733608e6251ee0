// The bytes of a table file, out of whatever it is packed in.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace sconet {

// Bytes that grow at the end. Unlike in a std::string, room that is about to be written is not cleared first.
class Buffer {
 public:
  std::string_view view() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }

  // Room for `bytes` more, to write to. Throws std::bad_alloc.
  char* room(std::size_t bytes);
  // So many of them were written.
  void grow(std::size_t bytes) { size_ += bytes; }

 private:
  struct Free {
    void operator()(char* data) const { std::free(data); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

struct Source {
  std::string name;     // what messages call it
  std::string packing;  // "gzip", "zstd" or nothing
  bool plain = true;    // a file that can be opened again and has these bytes
  Buffer bytes;
};

// What messages call the file of that path; "-" is standard input.
std::string source_name(const std::string& path);

// Reads a file and unpacks it. Throws IoError when it cannot be read, DataError when it cannot be unpacked.
Source read_source(const std::string& path);

// Throws the IoError that read_source would throw because there is no such file, or none that can be read.
void check_readable(const std::string& path);

}  // namespace sconet
