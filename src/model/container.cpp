// Model files as bytes. The reader believes nothing: the header is parsed piece by piece into what the format can have,
// and every number in it is compared with the size of the file before it is used.

#include "model/container.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "io/fd.hpp"
#include "io/sha256.hpp"
#include "sconet/errors.hpp"

namespace sconet {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries =
    4096;  // of the metadata, and arrays: so that a header's memory stays in proportion
constexpr std::size_t kMostDimensions = 4;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;  // of an array, and the largest offset
constexpr std::size_t kPiece = 1 << 20;                       // read and hashed at a time

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kShaMark = "\"sha256\":\"";  // exactly once in a header, then the digits
constexpr std::size_t kShaDigits = 64;

// 8 * product, where a size of zero counts as one: so that no part of the product overflows either, in any order.
// Nothing when that is above kMostBytes.
template <class Sizes>
std::optional<std::uint64_t> bytes_of(const Sizes& shape) {
  std::uint64_t bytes = sizeof(double);
  bool empty = false;
  for (const auto size : shape) {
    if (size == 0) empty = true;
    if (size == 0) continue;
    if (static_cast<std::uint64_t>(size) > kMostBytes / bytes) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(size);
  }
  return empty ? 0 : bytes;
}

// Files are little-endian; turns them into this machine's order, or back.
void to_little_endian(double* values, std::size_t count) {
  if constexpr (std::endian::native != std::endian::little)
    for (std::size_t i = 0; i < count; ++i) {
      auto* bytes = reinterpret_cast<unsigned char*>(values + i);
      std::reverse(bytes, bytes + sizeof(double));
    }
}

// A name from a file, fit for a message: short and without characters that steer a terminal.
std::string shown(std::string_view name) {
  constexpr std::size_t most = 60;
  std::string text;
  for (const char c : name.substr(0, most)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (name.size() > most) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
    if (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) text.pop_back();
    text += "...";
  }
  return "'" + text + "'";
}

// --- writing -------------------------------------------------------------------------------------------------------
[[noreturn]] void refuse_container(const std::string& message) { throw std::invalid_argument(message); }

std::string quoted(const std::string& text) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    refuse_container(fmt::format("{} is not valid UTF-8", shown(text)));
  }
}

void check(const std::string& name, const Array& array) {
  const auto refuse = [&](const std::string& why) { refuse_container(fmt::format("array {} {}", shown(name), why)); };
  if (name == kMetadata) refuse("has the name of the metadata");
  if (array.shape.size() > kMostDimensions)
    refuse(fmt::format("has {} dimensions, expected at most {}", array.shape.size(), kMostDimensions));
  const bool negative = std::any_of(array.shape.begin(), array.shape.end(), [](auto size) { return size < 0; });
  if (negative || bytes_of(array.shape) != sizeof(double) * array.values.size())
    refuse(
        fmt::format("has {} values, which are not of shape [{}]", array.values.size(), fmt::join(array.shape, ", ")));
}

std::string header_of(const Container& container) {
  std::map<std::string, std::string> metadata = container.metadata;
  metadata["format"] = "sconet";
  metadata.emplace("format_version", "1");
  metadata["sha256"] = std::string(kShaDigits, '0');
  if (metadata.size() > kMostEntries || container.arrays.size() > kMostEntries)
    refuse_container(fmt::format("{} entries of metadata and {} arrays, expected at most {} of each", metadata.size(),
                                 container.arrays.size(), kMostEntries));

  std::string header = "{" + quoted(std::string(kMetadata)) + ":{";
  for (const auto& [key, text] : metadata) header += quoted(key) + ":" + quoted(text) + ",";
  header.back() = '}';
  std::uint64_t at = 0;
  for (const auto& [name, array] : container.arrays) {
    check(name, array);
    const std::uint64_t end = at + sizeof(double) * array.values.size();
    header += fmt::format(R"(,{}:{{"dtype":"F64","shape":[{}],"data_offsets":[{},{}]}})", quoted(name),
                          fmt::join(array.shape, ","), at, end);
    at = end;
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  if (header.size() > kHeaderLimit)
    refuse_container(fmt::format("the header needs {} bytes, the limit is {}: fewer or shorter names and texts",
                                 header.size(), kHeaderLimit));
  if (header.find(kShaMark) != header.rfind(kShaMark))
    refuse_container("a key of the metadata ends in \"sha256, which would hide the file's own");
  return header;
}

// --- reading -------------------------------------------------------------------------------------------------------
[[noreturn]] void refuse(const std::string& source, const std::string& message) {
  throw ModelFileError(source + ": " + message);
}

// An array as the header describes it.
struct Entry {
  const std::string* name = nullptr;
  Array* array = nullptr;
  bool has_dtype = false, has_shape = false, has_offsets = false;
  std::string dtype;
  std::array<std::uint64_t, kMostDimensions> sizes{};
  std::size_t dimensions = 0;  // counted beyond those that are kept
  std::array<std::uint64_t, 2> offsets{};
  std::size_t offset_count = 0;
};

struct Header {
  Container container;         // metadata, and arrays that are still empty
  std::vector<Entry> entries;  // in the order of the header
};

// Called by the parser for each piece of the JSON. It throws at the first that the format does not have, so nothing
// nested deeper or longer than a header is ever stored.
class HeaderBuilder {
 public:
  HeaderBuilder(const std::string& source, Header& header) : source_(source), header_(header) {}

  bool null() { wrong("null"); }
  bool boolean(bool) { wrong("true or false"); }
  bool number_integer(json::number_integer_t) { wrong("a negative number"); }
  bool number_float(json::number_float_t, const std::string&) { wrong("a number that is not whole or too large"); }
  bool binary(json::binary_t&) { wrong("bytes"); }

  bool number_unsigned(json::number_unsigned_t value) {
    if (place_ == Place::shape) {
      Entry& entry = header_.entries.back();
      if (entry.dimensions < kMostDimensions) entry.sizes[entry.dimensions] = value;
      ++entry.dimensions;
    } else if (place_ == Place::offsets) {
      Entry& entry = header_.entries.back();
      if (entry.offset_count < 2) entry.offsets[entry.offset_count] = value;
      ++entry.offset_count;
    } else {
      wrong("a number");
    }
    return true;
  }

  bool string(const std::string& text) {
    if (place_ == Place::metadata)
      header_.container.metadata[key_] = text;
    else if (place_ == Place::entry && key_ == "dtype")
      header_.entries.back().dtype = text.substr(0, 100);
    else
      wrong("text");
    return true;
  }

  bool start_object(std::size_t) {
    if (place_ == Place::start)
      place_ = Place::root;
    else if (place_ == Place::root)
      place_ = key_ == kMetadata ? Place::metadata : Place::entry;
    else
      wrong("an object");
    return true;
  }

  bool end_object() {
    if (place_ == Place::entry) {
      const Entry& entry = header_.entries.back();
      if (!entry.has_dtype || !entry.has_shape || !entry.has_offsets)
        bad(fmt::format("array {} has no '{}'", shown(*entry.name),
                        !entry.has_dtype   ? "dtype"
                        : !entry.has_shape ? "shape"
                                           : "data_offsets"));
    }
    place_ = place_ == Place::root ? Place::end : Place::root;
    return true;
  }

  bool start_array(std::size_t) {
    if (place_ != Place::entry || key_ == "dtype") wrong("a list");
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    return true;
  }

  bool end_array() {
    place_ = Place::entry;
    return true;
  }

  bool key(const std::string& key) {
    key_ = key;
    if (place_ == Place::root)
      root_key();
    else if (place_ == Place::metadata)
      metadata_key();
    else
      entry_key();
    return true;
  }

  // The parser's own text is left out: it quotes what it read, however long.
  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    bad(fmt::format("the header is not valid JSON at byte {}", position + 7));
  }

 private:
  enum class Place { start, root, metadata, entry, shape, offsets, end };

  [[noreturn]] void bad(const std::string& why) const { refuse(source_, "is not a model file: " + why); }

  [[noreturn]] void wrong(std::string_view found) const {
    switch (place_) {
      case Place::root: bad(fmt::format("{} is {}, expected an object", shown(key_), found));
      case Place::metadata: bad(fmt::format("metadata {} is {}, expected text", shown(key_), found));
      case Place::entry:
        bad(fmt::format("'{}' of array {} is {}, expected {}", key_, array_name(), found,
                        key_ == "dtype" ? "text" : "a list"));
      case Place::shape:
      case Place::offsets:
        bad(fmt::format("'{}' of array {} has {}, expected whole numbers", key_, array_name(), found));
      default: bad(fmt::format("the header is {}, expected an object", found));
    }
  }

  std::string array_name() const { return shown(*header_.entries.back().name); }

  void root_key() {
    if (key_ == kMetadata) {
      if (has_metadata_) bad("the header has the metadata twice");
      has_metadata_ = true;
      return;
    }
    if (header_.entries.size() == kMostEntries) bad(fmt::format("it has more than {} arrays", kMostEntries));
    const auto [it, is_new] = header_.container.arrays.try_emplace(key_);
    if (!is_new) bad(fmt::format("array {} is there twice", shown(key_)));
    header_.entries.emplace_back();
    header_.entries.back().name = &it->first;
    header_.entries.back().array = &it->second;
  }

  void metadata_key() {
    auto& metadata = header_.container.metadata;
    if (metadata.size() == kMostEntries) bad(fmt::format("it has more than {} entries of metadata", kMostEntries));
    if (!metadata.try_emplace(key_).second) bad(fmt::format("metadata {} is there twice", shown(key_)));
  }

  void entry_key() {
    Entry& entry = header_.entries.back();
    bool* seen = key_ == "dtype"          ? &entry.has_dtype
                 : key_ == "shape"        ? &entry.has_shape
                 : key_ == "data_offsets" ? &entry.has_offsets
                                          : nullptr;
    if (seen == nullptr) bad(fmt::format("array {} has an unknown key {}", array_name(), shown(key_)));
    if (*seen) bad(fmt::format("array {} has '{}' twice", array_name(), key_));
    *seen = true;
  }

  const std::string& source_;
  Header& header_;
  Place place_ = Place::start;
  std::string key_;  // the latest
  bool has_metadata_ = false;
};

// A number from 1 up, in digits.
bool is_whole(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.front() != '0';
}

void check_format(const std::map<std::string, std::string>& metadata, const std::string& source) {
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != "sconet")
    refuse(source, "is not a sconet model (a safetensors file of another program?)");
  const auto version = metadata.find("format_version");
  if (version == metadata.end()) refuse(source, "is not a model file: it has no 'format_version'");
  const std::string& text = version->second;
  if (!is_whole(text)) refuse(source, fmt::format("is not a model file: 'format_version' is {}", shown(text)));
  if (text.size() > 9 || std::stoi(text) > kFormatVersion)
    refuse(source, fmt::format("was written by a newer sconet (format {}); this one reads up to {}", text.substr(0, 20),
                               kFormatVersion));
}

// Where the digits of the SHA-256 begin in the header.
std::size_t find_sha(std::string_view text, const Header& header, const std::string& source) {
  const std::size_t mark = text.find(kShaMark);
  if (mark == std::string_view::npos || mark != text.rfind(kShaMark))
    refuse(source, "is not a model file: its header must have '\"sha256\":\"' once");
  const std::size_t at = mark + kShaMark.size();
  const std::string_view digits = text.substr(at, kShaDigits);
  const auto entry = header.container.metadata.find("sha256");
  if (digits.size() < kShaDigits || digits.find_first_not_of("0123456789abcdef") != std::string_view::npos ||
      entry == header.container.metadata.end() || entry->second != digits)
    refuse(source, "is not a model file: the 'sha256' of its metadata is not 64 lower-case hexadecimal digits");
  return at;
}

void check_entry(const Entry& entry, std::uint64_t expected_begin, const std::string& source) {
  const auto bad = [&](const std::string& why) {
    refuse(source, fmt::format("is not a model file: array {} {}", shown(*entry.name), why));
  };
  if (entry.dtype != "F64") bad(fmt::format("has the dtype {}, expected 'F64'", shown(entry.dtype)));
  if (entry.dimensions > kMostDimensions)
    bad(fmt::format("has {} dimensions, expected at most {}", entry.dimensions, kMostDimensions));
  if (entry.offset_count != 2) bad(fmt::format("has {} data_offsets, expected 2", entry.offset_count));
  const auto [begin, end] = entry.offsets;
  if (begin > kMostBytes || end > kMostBytes) bad(fmt::format("has offsets [{}, {}] that no file has", begin, end));
  if (end < begin) bad(fmt::format("ends at {}, before its beginning at {}", end, begin));
  if (begin < expected_begin)
    bad(fmt::format("begins at {} and overlaps what is stored up to {}", begin, expected_begin));
  if (begin > expected_begin) bad(fmt::format("begins at {} and leaves a gap after {}", begin, expected_begin));
  const auto needed = bytes_of(std::vector<std::uint64_t>(entry.sizes.begin(), entry.sizes.begin() + entry.dimensions));
  if (!needed) bad("has a shape that no file could hold");
  if (*needed != end - begin) bad(fmt::format("has {} bytes, its shape needs {}", end - begin, *needed));
}

// Gives the next bytes, as many as were asked for unless the file ends.
using Read = std::function<std::size_t(void*, std::size_t)>;

class Reader {
 public:
  Reader(std::uint64_t size, Read read, const std::string& source)
      : size_(size), read_(std::move(read)), source_(source) {}

  Container container() {
    const std::string text = read_header();
    Header header;
    HeaderBuilder builder(source_, header);
    json::sax_parse(text.begin(), text.end(), &builder);
    check_format(header.container.metadata, source_);
    const std::size_t sha_at = find_sha(text, header, source_);
    check_layout(header, text.size());

    Sha256 sha;
    sha.update(length_.data(), length_.size());
    sha.update(text.data(), sha_at);
    sha.update(std::string(kShaDigits, '0').data(), kShaDigits);
    sha.update(text.data() + sha_at + kShaDigits, text.size() - sha_at - kShaDigits);
    for (const Entry& entry : header.entries) read_array(entry, sha);
    if (sha.hex() != header.container.metadata["sha256"])
      refuse(source_, "the SHA-256 does not match: the file was altered or damaged");
    return std::move(header.container);
  }

 private:
  [[noreturn]] void truncated(std::uint64_t needed) const {
    refuse(source_, fmt::format("the file ends at byte {} of {}: it is truncated", size_, needed));
  }

  void read(void* bytes, std::size_t count) {
    if (read_(bytes, count) < count) refuse(source_, "the file became shorter while it was read");
  }

  std::string read_header() {
    if (size_ == 0) refuse(source_, "is empty: it is not a model file");
    if (size_ < length_.size()) refuse(source_, fmt::format("is not a model file: it has {} bytes", size_));
    read(length_.data(), length_.size());
    std::uint64_t n = 0;
    for (std::size_t i = length_.size(); i-- > 0;) n = n << 8 | length_[i];
    if (n > kHeaderLimit)
      refuse(source_, fmt::format("is not a model file: the header's length {} is above the limit of {} bytes", n,
                                  kHeaderLimit));
    if (n < 2) refuse(source_, fmt::format("is not a model file: the header's length is {}", n));
    if (n + length_.size() > size_) truncated(n + length_.size());
    std::string text(n, ' ');
    read(text.data(), text.size());
    const std::size_t last = text.find_last_not_of(' ');
    if (text.front() != '{' || text[last] != '}')
      refuse(source_, "is not a model file: the header is not an object in '{' and '}'");
    return text;
  }

  // After this every size in the header is that of the file.
  void check_layout(const Header& header, std::size_t header_size) const {
    if (header_size % 8 != 0)
      refuse(source_, fmt::format("is not a model file: the header's length {} is not a multiple of 8", header_size));
    std::uint64_t at = 0;
    for (const Entry& entry : header.entries) {
      check_entry(entry, at, source_);
      at = entry.offsets[1];
    }
    const std::uint64_t needed = length_.size() + header_size + at;
    if (size_ < needed) truncated(needed);
    if (size_ > needed)
      refuse(source_, fmt::format("is not a model file: it has {} bytes after its last array", size_ - needed));
  }

  void read_array(const Entry& entry, Sha256& sha) {
    Array& array = *entry.array;
    array.shape.assign(entry.sizes.begin(), entry.sizes.begin() + entry.dimensions);
    const auto count = static_cast<std::size_t>((entry.offsets[1] - entry.offsets[0]) / sizeof(double));
    try {
      array.values.resize(count);
    } catch (const std::bad_alloc&) {
      refuse(source_, fmt::format("array {} with {} values does not fit into memory", shown(*entry.name), count));
    } catch (const std::length_error&) {
      refuse(source_, fmt::format("array {} with {} values does not fit into memory", shown(*entry.name), count));
    }
    // Read into its place and hashed there: there is no second copy.
    auto* bytes = reinterpret_cast<unsigned char*>(array.values.data());
    for (std::size_t done = 0; done < count * sizeof(double);) {
      const std::size_t piece = std::min(kPiece, count * sizeof(double) - done);
      read(bytes + done, piece);
      sha.update(bytes + done, piece);
      done += piece;
    }
    to_little_endian(array.values.data(), count);
  }

  std::uint64_t size_;
  Read read_;
  const std::string& source_;
  std::array<unsigned char, 8> length_{};
};

}  // namespace

std::string to_bytes(const Container& container) {
  const std::string header = header_of(container);
  std::size_t size = 8 + header.size();
  for (const auto& [name, array] : container.arrays) size += sizeof(double) * array.values.size();

  std::string bytes;
  bytes.reserve(size);
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(header.size() >> shift & 255);
  bytes += header;
  for (const auto& [name, array] : container.arrays)
    for (double value : array.values) {
      to_little_endian(&value, 1);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  const std::string digits = sha256_hex(bytes);
  bytes.replace(8 + header.find(kShaMark) + kShaMark.size(), kShaDigits, digits);
  return bytes;
}

Container read_container(const std::string& path) {
  const Fd fd = open_to_read(path, false);
  struct stat info {};
  if (::fstat(*fd, &info) < 0) refuse_reading(path, errno);
  if (!S_ISREG(info.st_mode)) throw IoError(path + ": is not a regular file");
  const auto read = [&](void* bytes, std::size_t count) { return read_up_to(fd, bytes, count, path); };
  return Reader(static_cast<std::uint64_t>(info.st_size), read, path).container();
}

Container parse_container(std::string_view bytes, const std::string& source) {
  std::string_view left = bytes;
  const auto read = [&](void* to, std::size_t count) {
    count = std::min(count, left.size());
    std::memcpy(to, left.data(), count);
    left.remove_prefix(count);
    return count;
  };
  return Reader(bytes.size(), read, source).container();
}

}  // namespace sconet
