// The container of a model file: the layout of safetensors, read as if it were hostile. docs/model-format.md has the
// specification.
//
//   8 bytes   n, the length of the header, little-endian
//   n bytes   JSON: {"__metadata__": {text: text, ...}, name: {"dtype", "shape", "data_offsets"}, ...}, then blanks
//   the rest  the arrays, little-endian, row-major, without gaps, in the order of their offsets
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sconet {

struct Array {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // row-major
};

// Metadata has the entries "format" ("sconet"), "format_version" ("1" unless the caller needs a later one) and "sha256"
// beside those of the caller.
struct Container {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Array> arrays;  // dtype F64
  int version = 1;                      // the first whose readers understand the contents
};

inline constexpr int kFormatVersion = 2;               // the newest that can be read
inline constexpr std::int64_t kHeaderLimit = 1 << 20;  // bytes

// The bytes of the file. The same container gives the same bytes. Throws std::invalid_argument when an array's shape
// does not fit its values or the header would be above the limit.
std::string to_bytes(const Container& container);

// Reads and checks: length, header, format and version, names, types, shapes, offsets (in order, no gaps, no overlaps,
// no trailing bytes), duplicates, SHA-256. Nothing is allocated for an array before its size has been found to be that
// of the file. Throws ModelFileError ("model.sconet: ...") or IoError.
Container read_container(const std::string& path);
Container parse_container(std::string_view bytes, const std::string& source);

}  // namespace sconet
