// Files are read whole rather than mapped: a mapped file that somebody cuts short while it is read ends the program.

#include "data/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#ifdef SCONET_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef SCONET_WITH_ZSTD
#include <zstd.h>
#endif

#include "sconet/errors.hpp"

namespace sconet {

char* Buffer::room(std::size_t bytes) {
  if (bytes > capacity_ - size_) {
    const std::size_t wanted = std::max(size_ + bytes, capacity_ + capacity_ / 2);
    void* larger = std::realloc(data_.get(), wanted);
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(data_.release());  // realloc has taken it
    data_.reset(static_cast<char*>(larger));
    capacity_ = wanted;
  }
  return data_.get() + size_;
}

namespace {

constexpr std::size_t kStep = std::size_t{1} << 18;

// A file that is open for reading.
class File {
 public:
  File(const std::string& path, const std::string& name) : name_(name) {
    if (path == "-") {
      descriptor_ = STDIN_FILENO;
      return;
    }
    do descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) fail(errno);
    owned_ = true;
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
        ::close(descriptor_);
        fail(EISDIR);
      }
      if (S_ISREG(status.st_mode) && status.st_size > 0) size_ = static_cast<std::size_t>(status.st_size);
    }
  }
  ~File() {
    if (owned_) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t size() const { return size_; }  // as far as it is known beforehand

  std::size_t read(char* to, std::size_t most) {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, most);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail(errno);
    }
  }

 private:
  [[noreturn]] void fail(int error) const {
    switch (error) {
      case ENOENT: throw IoError(fmt::format("{}: no such file", name_));
      case EISDIR: throw IoError(fmt::format("{}: is a directory", name_));
      case EACCES: throw IoError(fmt::format("{}: permission denied", name_));
      default: throw IoError(fmt::format("{}: cannot be read: {}", name_, std::generic_category().message(error)));
    }
  }

  const std::string& name_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::size_t size_ = 0;
};

Buffer read_all(const std::string& path, const std::string& name) {
  File file(path, name);
  Buffer bytes;
  // One more than the size, so that the end is seen without asking for more room.
  for (std::size_t step = file.size() > 0 ? file.size() + 1 : kStep;; step = kStep) {
    char* to = bytes.room(step);
    std::size_t filled = 0;
    while (filled < step) {
      const std::size_t got = file.read(to + filled, std::min(step - filled, std::size_t{1} << 30));
      if (got == 0) {
        bytes.grow(filled);
        return bytes;
      }
      filled += got;
    }
    bytes.grow(filled);
  }
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";

#if defined(SCONET_WITH_ZLIB) || defined(SCONET_WITH_ZSTD)
[[noreturn]] void ends_early(const std::string& name, const char* packing) {
  throw DataError(fmt::format("{}: the {} data ends early (truncated download?)", name, packing));
}
[[noreturn]] void damaged(const std::string& name, const char* packing, const char* why) {
  throw DataError(fmt::format("{}: the {} data is damaged ({})", name, packing, why));
}
#endif

// Room is made as bytes come out: what the packed file says about its size is not trusted.
#ifdef SCONET_WITH_ZLIB
Buffer unpack_gzip(std::string_view packed, const std::string& name) {
  struct Stream : z_stream {
    Stream() : z_stream{} {
      if (inflateInit2(this, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: with gzip's frame
    }
    ~Stream() { inflateEnd(this); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
  } stream;

  Buffer out;
  for (;;) {
    const std::size_t feed = std::min(packed.size(), std::size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(feed);
    stream.next_out = reinterpret_cast<Bytef*>(out.room(kStep));
    stream.avail_out = static_cast<uInt>(kStep);
    const int result = inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(feed - stream.avail_in);
    const std::size_t made = kStep - stream.avail_out;
    out.grow(made);
    if (result == Z_STREAM_END) {
      if (begins_with(packed, kGzip)) {  // another member
        inflateReset(&stream);
        continue;
      }
      // Some writers fill their last block with zeros.
      if (packed.find_first_not_of('\0') == std::string_view::npos) return out;
      if (kGzip.substr(0, packed.size()) == packed) ends_early(name, "gzip");
      damaged(name, "gzip", "something else follows it");
    }
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_BUF_ERROR)
      damaged(name, "gzip", stream.msg != nullptr ? stream.msg : "no reason given");
    if (packed.empty() && made == 0) ends_early(name, "gzip");
  }
}
#endif

#ifdef SCONET_WITH_ZSTD
Buffer unpack_zstd(std::string_view packed, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (stream == nullptr) throw std::bad_alloc();
  Buffer out;
  ZSTD_inBuffer from = {packed.data(), packed.size(), 0};
  for (;;) {
    ZSTD_outBuffer to = {out.room(kStep), kStep, 0};
    const std::size_t left = ZSTD_decompressStream(stream.get(), &to, &from);
    if (ZSTD_isError(left) != 0) damaged(name, "zstd", ZSTD_getErrorName(left));
    out.grow(to.pos);
    if (from.pos < from.size) continue;
    if (left == 0) return out;  // all of the last frame is out
    if (to.pos < to.size) ends_early(name, "zstd");
  }
}
#endif

#if !defined(SCONET_WITH_ZLIB) || !defined(SCONET_WITH_ZSTD)
[[noreturn]] void cannot_unpack(const std::string& name, const char* packing) {
  throw DataError(fmt::format("{}: it is compressed, and this sconet was built without {}", name, packing));
}
#endif
#ifndef SCONET_WITH_ZLIB
Buffer unpack_gzip(std::string_view, const std::string& name) { cannot_unpack(name, "zlib"); }
#endif
#ifndef SCONET_WITH_ZSTD
Buffer unpack_zstd(std::string_view, const std::string& name) { cannot_unpack(name, "zstd"); }
#endif

}  // namespace

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Source read_source(const std::string& path) {
  Source source;
  source.name = source_name(path);
  source.bytes = read_all(path, source.name);
  source.plain = path != "-";
  const std::string_view bytes = source.bytes.view();
  if (begins_with(bytes, kGzip)) {
    source.packing = "gzip";
    source.bytes = unpack_gzip(bytes, source.name);
  } else if (begins_with(bytes, kZstd)) {
    source.packing = "zstd";
    source.bytes = unpack_zstd(bytes, source.name);
  }
  if (!source.packing.empty()) source.plain = false;
  return source;
}

void check_readable(const std::string& path) {
  const std::string name = source_name(path);
  const File file(path, name);
}

}  // namespace sconet
