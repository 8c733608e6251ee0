// The container of model files: what is written comes back to the bit, and whatever else a file may hold, the answer is
// a ModelFileError that says what is wrong, in memory bounded by the size of the file.

#include "model/container.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <random>
#include <string>

#include "io/file.hpp"
#include "io/sha256.hpp"
#include "sconet/errors.hpp"

// --- memory: every allocation of this program is counted -----------------------------------------------------------
namespace {

std::size_t live_bytes = 0, peak_bytes = 0;

void* counted(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += ::malloc_usable_size(memory);
  peak_bytes = std::max(peak_bytes, live_bytes);
  return memory;
}

void uncounted(void* memory) noexcept {
  if (memory != nullptr) live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }

namespace sconet {
namespace {

// Beyond the size of the file, for a header of the largest size (1 MiB): the header itself, the parser's buffers for
// one text or number of that length, which double as they grow, and the copies it makes of it for its own message.
// Measured: 9.6 MiB for a number of a million digits, 7.7 for a text that does not end, 3.9 for one that is accepted.
constexpr std::size_t kMemoryForTheHeader = 10 << 20;

// Says how a file of these bytes is refused, "" if it is not, and checks the memory that this took.
std::string refusal(const std::string& bytes) {
  std::string message;
  const std::size_t before = live_bytes;
  peak_bytes = live_bytes;
  try {
    parse_container(bytes, "model");
  } catch (const ModelFileError& e) {
    message = e.what();
  }
  EXPECT_LE(peak_bytes - before, bytes.size() + kMemoryForTheHeader);
  EXPECT_LT(message.size(), 400u);
  return message;
}

std::string length_bytes(std::uint64_t n) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(n >> shift & 255);
  return bytes;
}

// Puts the right SHA-256 into a file that has a place for it, so that the other checks are what is tested.
std::string sealed(std::string bytes) {
  const std::string mark = "\"sha256\":\"";
  const std::size_t at = bytes.find(mark);
  if (at == std::string::npos || at + mark.size() + 64 > bytes.size()) return bytes;
  bytes.replace(at + mark.size(), 64, 64, '0');
  return bytes.replace(at + mark.size(), 64, sha256_hex(bytes));
}

// A file with this header, padded, and so many bytes of data.
std::string file_with(std::string header, std::size_t data_bytes = 0) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return sealed(length_bytes(header.size()) + header + std::string(data_bytes, 'd'));
}

const std::string kSha = "\"sha256\":\"" + std::string(64, '0') + "\"";
const std::string kMeta = R"("__metadata__":{"format":"sconet","format_version":"1",)" + kSha + "}";

// A file with the usual metadata and these arrays.
std::string file_of(const std::string& arrays, std::size_t data_bytes = 0) {
  return file_with("{" + kMeta + (arrays.empty() ? "" : ",") + arrays + "}", data_bytes);
}

std::string entry(const std::string& shape, const std::string& offsets, const std::string& name = "w") {
  return fmt::format(R"("{}":{{"dtype":"F64","shape":{},"data_offsets":{}}})", name, shape, offsets);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

// What the caller gave is there, and nothing else but the format's own entries.
bool same(const Container& read, const Container& written) {
  Container wanted = written;
  for (const auto* key : {"format", "format_version", "sha256"})
    if (!read.metadata.contains(key)) return false;
  wanted.metadata["format"] = "sconet";
  wanted.metadata["format_version"] = "1";
  wanted.metadata["sha256"] = read.metadata.at("sha256");
  return read.metadata == wanted.metadata && std::equal(read.arrays.begin(), read.arrays.end(), wanted.arrays.begin(),
                                                        wanted.arrays.end(), [](const auto& a, const auto& b) {
                                                          return a.first == b.first &&
                                                                 a.second.shape == b.second.shape &&
                                                                 same_bits(a.second.values, b.second.values);
                                                        });
}

Container example() {
  const double nan = std::bit_cast<double>(std::uint64_t{0x7ff4'0000'dead'beef});
  Container c;
  c.metadata = {{"activation", "sigmoid"}, {"inputs", "[\"Größe\",\"b\"]"}};
  c.arrays["biases"] = {{3}, {0.5, -0.0, nan}};
  c.arrays["empty"] = {{0, 4}, {}};
  c.arrays["scalar"] = {{}, {std::numeric_limits<double>::denorm_min()}};
  c.arrays["weights"] = {{2, 3}, {1, 2, 3, 4, 5, std::numeric_limits<double>::infinity()}};
  return c;
}

// --- what is written -----------------------------------------------------------------------------------------------
TEST(Container, ComesBack) {
  const std::string bytes = to_bytes(example());
  const Container read = parse_container(bytes, "model");
  EXPECT_TRUE(same(read, example()));
  EXPECT_EQ(to_bytes(read), bytes);
  EXPECT_TRUE(same(parse_container(to_bytes({}), "model"), {}));
}

TEST(Container, HasTheLayoutOfTheSpecification) {
  Container c;
  c.arrays["w"] = {{1, 2}, {1.0, -2.0}};
  const std::string bytes = to_bytes(c);
  std::string expected = "{\"__metadata__\":{\"format\":\"sconet\",\"format_version\":\"1\"," + kSha +
                         "},\"w\":{\"dtype\":\"F64\",\"shape\":[1,2],\"data_offsets\":[0,16]}}";
  expected.resize((expected.size() + 7) / 8 * 8, ' ');
  expected = length_bytes(expected.size()) + expected + std::string("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16);
  EXPECT_EQ(bytes, sealed(expected));
  EXPECT_EQ(parse_container(bytes, "model").metadata.at("sha256"),  // the example of docs/model-format.md
            "478e786478b5d3d7a72f5a303c61fef30ccec3692be25f167c160f32c0d06852");
}

rc::Gen<std::string> text() {
  static const std::vector<std::string> pieces = {
      "a",  "B", "weights", " ", "\"", "\\",           "ä",  "漢", "😀",
      "\n", "/", "{",       "}", ":",  "__metadata__", "\t", "0",  "sha256"};
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)),
                      [](const std::vector<std::string>& parts) {
                        std::string all;
                        for (const auto& part : parts) all += part;
                        return all;
                      });
}

rc::Gen<double> any_double() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](auto n) { return std::bit_cast<double>(n); }),
      rc::gen::element(0.0, -0.0, std::numeric_limits<double>::denorm_min(),
                       std::bit_cast<double>(std::uint64_t{0xfff8'1234'5678'9abc}),
                       std::bit_cast<double>(std::uint64_t{0x7ff0'0000'0000'0001})));
}

RC_GTEST_PROP(Container, ComesBackWhateverIsInIt, ()) {
  Container c;
  c.metadata = *rc::gen::container<std::map<std::string, std::string>>(text(), text());
  std::erase_if(c.metadata, [](const auto& item) { return item.first.ends_with("\"sha256"); });  // refused, see below
  for (const auto& name : *rc::gen::container<std::vector<std::string>>(text())) {
    if (name == "__metadata__") continue;
    Array& array = c.arrays[name];
    array.shape =
        *rc::gen::resize(4, rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 4)));
    if (array.shape.size() > 4) array.shape.resize(4);
    std::size_t count = 1;
    for (const auto size : array.shape) count *= static_cast<std::size_t>(size);
    array.values = *rc::gen::container<std::vector<double>>(count, any_double());
  }
  const std::string bytes = to_bytes(c);
  const Container read = parse_container(bytes, "model");
  RC_ASSERT(same(read, c));
  RC_ASSERT(to_bytes(read) == bytes);
  RC_ASSERT(bytes.find("{") == 8u);
}

TEST(Container, IsRefusedWhenItCannotBeWritten) {
  const auto why = [](const Container& c) -> std::string {
    try {
      to_bytes(c);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  const auto with = [](const std::string& name, Array array) {
    Container c;
    c.arrays[name] = std::move(array);
    return c;
  };
  EXPECT_EQ(why(with("w", {{2, 2}, {1, 2, 3}})), "array 'w' has 3 values, which are not of shape [2, 2]");
  EXPECT_EQ(why(with("w", {{-1, -1}, {1}})), "array 'w' has 1 values, which are not of shape [-1, -1]");
  constexpr std::int64_t large = std::int64_t{1} << 40;
  EXPECT_NE(why(with("w", {{large, large}, {}})), "");
  EXPECT_NE(why(with("w", {{large, large, 0}, {}})), "");
  EXPECT_EQ(why(with("w", {{1, 1, 1, 1, 1}, {1}})), "array 'w' has 5 dimensions, expected at most 4");
  EXPECT_EQ(why(with("__metadata__", {{1}, {1}})), "array '__metadata__' has the name of the metadata");
  EXPECT_EQ(why(with("\xff", {{1}, {1}})), "'\xff' is not valid UTF-8");
  Container c;
  c.metadata["k"] = std::string(1 << 20, 'x');
  EXPECT_NE(why(c).find("the limit is 1048576"), std::string::npos);
  c.metadata = {{"x\"sha256", "text"}};
  EXPECT_NE(why(c).find("would hide"), std::string::npos);
  c.metadata.clear();
  for (int i = 0; i < 5000; ++i) c.metadata[std::to_string(i)] = "";
  EXPECT_EQ(why(c), "5003 entries of metadata and 0 arrays, expected at most 4096 of each");
}

// --- damage --------------------------------------------------------------------------------------------------------
TEST(ContainerDamage, TruncatedAnywhere) {
  const std::string bytes = to_bytes(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(refusal(bytes.substr(0, size)), "") << size;
  EXPECT_EQ(refusal(""), "model: is empty: it is not a model file");
  EXPECT_EQ(refusal(bytes.substr(0, 7)), "model: is not a model file: it has 7 bytes");
  EXPECT_EQ(refusal(bytes.substr(0, bytes.size() - 1)),
            fmt::format("model: the file ends at byte {} of {}: it is truncated", bytes.size() - 1, bytes.size()));
  EXPECT_TRUE(refusal(bytes.substr(0, 20)).starts_with("model: the file ends at byte 20 of "));
}

TEST(ContainerDamage, EveryBitOfTheHeaderAndEveryByteOfTheData) {
  std::string bytes = to_bytes(example());
  const std::size_t data = 8 + static_cast<unsigned char>(bytes[0]) + 256u * static_cast<unsigned char>(bytes[1]);
  ASSERT_LT(data, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      if (i >= data && bit != static_cast<int>(i % 8)) continue;
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
      const std::string message = refusal(bytes);
      EXPECT_NE(message, "") << "byte " << i << " bit " << bit;
      if (i >= data) {
        EXPECT_EQ(message, "model: the SHA-256 does not match: the file was altered or damaged");
      }
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
    }
  EXPECT_EQ(refusal(bytes), "");
}

TEST(ContainerDamage, BytesAppended) {
  const std::string bytes = to_bytes(example());
  EXPECT_EQ(refusal(bytes + "x"), "model: is not a model file: it has 1 bytes after its last array");
  EXPECT_EQ(refusal(bytes + bytes),
            fmt::format("model: is not a model file: it has {} bytes after its last array", bytes.size()));
}

// --- hostile headers -----------------------------------------------------------------------------------------------
// The message, without its beginning.
std::string bad(const std::string& bytes) {
  const std::string message = refusal(bytes), start = "model: is not a model file: ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

TEST(ContainerHeader, TheHelperMakesSoundFiles) {
  EXPECT_EQ(refusal(file_of("")), "");
  EXPECT_EQ(refusal(file_of(entry("[2]", "[0,16]"), 16)), "");
  EXPECT_EQ(refusal(file_of(entry("[2]", "[0,16]", "b") + "," + entry("[1]", "[16,24]", "a"), 24)), "");
  EXPECT_EQ(refusal(file_of(entry("[0,4611686018427387904]", "[0,0]"), 0)),
            "model: is not a model file: array 'w' has a shape that no file could hold");
}

TEST(ContainerHeader, Length) {
  const std::string rest(100, '{');
  EXPECT_EQ(bad(length_bytes(std::uint64_t{1} << 63) + rest),
            "the header's length 9223372036854775808 is above the limit of 1048576 bytes");
  EXPECT_EQ(bad(length_bytes((1 << 20) + 1) + rest), "the header's length 1048577 is above the limit of 1048576 bytes");
  EXPECT_EQ(bad(length_bytes(0) + rest), "the header's length is 0");
  EXPECT_EQ(bad(length_bytes(1) + rest), "the header's length is 1");
  EXPECT_EQ(bad(length_bytes(8) + "        "), "the header is not an object in '{' and '}'");
  EXPECT_EQ(bad(length_bytes(200) + rest), "model: the file ends at byte 108 of 208: it is truncated");
  std::string header = "{" + kMeta + "}";
  while (header.size() % 8 != 3) header += ' ';
  EXPECT_EQ(bad(sealed(length_bytes(header.size()) + header)),
            fmt::format("the header's length {} is not a multiple of 8", header.size()));
}

TEST(ContainerHeader, FormatAndVersion) {
  const std::string other = "model: is not a sconet model (a safetensors file of another program?)";
  EXPECT_EQ(refusal(file_with("{}")), other);
  EXPECT_EQ(refusal(file_with(R"({"__metadata__":{"format":"pt"}})")), other);
  EXPECT_EQ(refusal(file_with(R"({"w":{"dtype":"F32","shape":[1,1,1,1,1],"data_offsets":[0,4]}})", 4)), other);
  const auto version = [](const std::string& text) {
    return file_with(R"({"__metadata__":{"format":"sconet","format_version":)" + text + "," + kSha + "}}");
  };
  EXPECT_EQ(refusal(version("\"1\"")), "");
  EXPECT_EQ(refusal(version("\"2\"")), "");
  EXPECT_EQ(refusal(version("\"3\"")), "model: was written by a newer sconet (format 3); this one reads up to 2");
  EXPECT_EQ(refusal(version("\"99999999999999999999999\"")),
            "model: was written by a newer sconet (format 99999999999999999999); this one reads up to 2");
  for (const std::string text : {"0", "01", "", "x", "1 ", "-1", "1.0"})
    EXPECT_EQ(bad(version("\"" + text + "\"")), "'format_version' is '" + text + "'");
  EXPECT_EQ(bad(version("1")), "metadata 'format_version' is a number, expected text");
  EXPECT_EQ(bad(file_with(R"({"__metadata__":{"format":"sconet",)" + kSha + "}}")), "it has no 'format_version'");
}

TEST(ContainerHeader, Sha) {
  const auto with = [](const std::string& more) {
    return file_with(R"({"__metadata__":{"format":"sconet","format_version":"1")" + more + "}}");
  };
  const std::string once = "its header must have '\"sha256\":\"' once";
  const std::string digits = "the 'sha256' of its metadata is not 64 lower-case hexadecimal digits";
  EXPECT_EQ(bad(with("")), once);
  EXPECT_EQ(bad(with(R"(,"sha256": ")" + std::string(64, '0') + "\"")), once);
  EXPECT_EQ(bad(with("," + kSha + R"(,"x\"sha256":"a")")), once);
  EXPECT_EQ(bad(with(R"(,"sha256":"12")")), digits);
  EXPECT_EQ(bad(with(R"(,"x\)" + kSha)), digits);
  EXPECT_EQ(bad(length_bytes(0) + ""), "the header's length is 0");
  std::string upper = file_of("");
  const std::size_t at = upper.find("\"sha256\":\"") + 10;
  std::transform(upper.begin() + static_cast<std::ptrdiff_t>(at), upper.begin() + static_cast<std::ptrdiff_t>(at + 64),
                 upper.begin() + static_cast<std::ptrdiff_t>(at), ::toupper);
  EXPECT_EQ(bad(upper), digits);
}

TEST(ContainerHeader, Duplicates) {
  const std::string w = entry("[1]", "[0,8]"), again = entry("[1]", "[8,16]");
  EXPECT_EQ(bad(file_of(w + "," + again, 16)), "array 'w' is there twice");
  EXPECT_EQ(bad(file_of(w + "," + entry("[1]", "[8,16]", "\\u0077"), 16)), "array 'w' is there twice");
  EXPECT_EQ(bad(file_of(R"("__metadata__":{})")), "the header has the metadata twice");
  EXPECT_EQ(bad(file_with(R"({"__metadata__":{"a":"1","a":"1","format":"sconet","format_version":"1",)" + kSha + "}}")),
            "metadata 'a' is there twice");
  EXPECT_EQ(bad(file_of(R"("w":{"dtype":"F64","dtype":"F64","shape":[1],"data_offsets":[0,8]})", 8)),
            "array 'w' has 'dtype' twice");
  EXPECT_EQ(bad(file_of(R"("w":{"dtype":"F64","shape":[1],"shape":[1],"data_offsets":[0,8]})", 8)),
            "array 'w' has 'shape' twice");
}

TEST(ContainerHeader, Offsets) {
  const auto two = [](const std::string& first, const std::string& second, std::size_t data) {
    return bad(file_of(entry("[1]", first, "a") + "," + entry("[1]", second, "b"), data));
  };
  EXPECT_EQ(two("[0,8]", "[8,16]", 16), "");
  EXPECT_EQ(two("[0,8]", "[0,8]", 8), "array 'b' begins at 0 and overlaps what is stored up to 8");
  EXPECT_EQ(two("[0,8]", "[4,12]", 12), "array 'b' begins at 4 and overlaps what is stored up to 8");
  EXPECT_EQ(two("[0,8]", "[16,24]", 24), "array 'b' begins at 16 and leaves a gap after 8");
  EXPECT_EQ(two("[8,16]", "[0,8]", 16), "array 'a' begins at 8 and leaves a gap after 0");  // out of order
  const auto one = [](const std::string& shape, const std::string& offsets, std::size_t data) {
    return bad(file_of(entry(shape, offsets), data));
  };
  EXPECT_EQ(one("[1]", "[8,0]", 8), "array 'w' ends at 0, before its beginning at 8");
  EXPECT_EQ(one("[1]", "[0,8]", 9), "it has 1 bytes after its last array");
  EXPECT_TRUE(one("[2]", "[0,16]", 8).ends_with("it is truncated"));
  EXPECT_TRUE(one("[1152921504606846]", "[0,9223372036854768]", 8).ends_with("it is truncated"));
  EXPECT_EQ(one("[1]", "[0]", 8), "array 'w' has 1 data_offsets, expected 2");
  EXPECT_EQ(one("[1]", "[]", 8), "array 'w' has 0 data_offsets, expected 2");
  EXPECT_EQ(one("[1]", "[0,8,8]", 8), "array 'w' has 3 data_offsets, expected 2");
  EXPECT_EQ(one("[1]", "[0,18446744073709551615]", 8),
            "array 'w' has offsets [0, 18446744073709551615] that no file has");
  EXPECT_EQ(one("[1]", "[18446744073709551608,18446744073709551615]", 8),
            "array 'w' has offsets [18446744073709551608, 18446744073709551615] that no file has");
}

TEST(ContainerHeader, Shapes) {
  const auto with = [](const std::string& shape) { return bad(file_of(entry(shape, "[0,8]"), 8)); };
  const std::string none = "array 'w' has a shape that no file could hold";
  const std::string whole = "'shape' of array 'w' has a number that is not whole or too large, expected whole numbers";
  EXPECT_EQ(with("[1]"), "");
  EXPECT_EQ(with("[]"), "");
  EXPECT_EQ(with("[1,1,1,1]"), "");
  EXPECT_EQ(with("[1,1,1,1,1]"), "array 'w' has 5 dimensions, expected at most 4");
  EXPECT_EQ(with("[2]"), "array 'w' has 8 bytes, its shape needs 16");
  EXPECT_EQ(with("[0]"), "array 'w' has 8 bytes, its shape needs 0");
  EXPECT_EQ(with("[-1]"), "'shape' of array 'w' has a negative number, expected whole numbers");
  EXPECT_EQ(with("[-0]"), "'shape' of array 'w' has a negative number, expected whole numbers");
  EXPECT_EQ(with("[1.0]"), whole);
  EXPECT_EQ(with("[0.5]"), whole);
  EXPECT_EQ(with("[1e0]"), whole);
  EXPECT_EQ(with("[1e300]"), whole);
  EXPECT_EQ(with("[18446744073709551616]"), whole);
  EXPECT_EQ(with("[18446744073709551615]"), none);
  EXPECT_EQ(with("[9223372036854775808]"), none);
  EXPECT_EQ(with("[2305843009213693953]"), none);  // times 8 it wraps to 8
  EXPECT_EQ(with("[4294967296,4294967296]"), none);
  EXPECT_EQ(with("[4294967296,4294967296,0]"), none);
  EXPECT_EQ(with("[0,4294967296,4294967296]"), none);
  EXPECT_EQ(with("[3,6148914691236517206]"), none);
  EXPECT_EQ(with("[true]"), "'shape' of array 'w' has true or false, expected whole numbers");
  EXPECT_EQ(with("[null]"), "'shape' of array 'w' has null, expected whole numbers");
  EXPECT_EQ(with("[\"1\"]"), "'shape' of array 'w' has text, expected whole numbers");
  EXPECT_EQ(with("[[1]]"), "'shape' of array 'w' has a list, expected whole numbers");
  EXPECT_EQ(with("[{}]"), "'shape' of array 'w' has an object, expected whole numbers");
  EXPECT_EQ(with("1"), "'shape' of array 'w' is a number, expected a list");
  EXPECT_EQ(with("{}"), "'shape' of array 'w' is an object, expected a list");
}

TEST(ContainerHeader, TypesAndKeys) {
  const auto with = [](const std::string& inside) { return bad(file_of("\"w\":" + inside, 8)); };
  EXPECT_EQ(with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
            "array 'w' has the dtype 'F32', expected 'F64'");
  EXPECT_EQ(with(R"({"dtype":"f64","shape":[1],"data_offsets":[0,8]})"),
            "array 'w' has the dtype 'f64', expected 'F64'");
  EXPECT_EQ(with(R"({"dtype":64,"shape":[1],"data_offsets":[0,8]})"),
            "'dtype' of array 'w' is a number, expected text");
  EXPECT_EQ(with(R"({"dtype":["F64"],"shape":[1],"data_offsets":[0,8]})"),
            "'dtype' of array 'w' is a list, expected text");
  EXPECT_EQ(with(R"({"shape":[1],"data_offsets":[0,8]})"), "array 'w' has no 'dtype'");
  EXPECT_EQ(with(R"({"dtype":"F64","data_offsets":[0,8]})"), "array 'w' has no 'shape'");
  EXPECT_EQ(with(R"({"dtype":"F64","shape":[1]})"), "array 'w' has no 'data_offsets'");
  EXPECT_EQ(with(R"({"dtype":"F64","shape":[1],"data_offsets":[0,8],"more":1})"),
            "array 'w' has an unknown key 'more'");
  EXPECT_EQ(with("[]"), "'w' is a list, expected an object");
  EXPECT_EQ(with("null"), "'w' is null, expected an object");
  EXPECT_EQ(with("\"x\""), "'w' is text, expected an object");
  EXPECT_EQ(bad(file_with(R"({"__metadata__":"x"})")), "'__metadata__' is text, expected an object");
  EXPECT_EQ(bad(file_with(R"({"__metadata__":{"a":{}}})")), "metadata 'a' is an object, expected text");
  EXPECT_EQ(bad(file_with(R"({"__metadata__":{"a":null}})")), "metadata 'a' is null, expected text");
  EXPECT_EQ(bad(file_with(R"([1])")), "the header is not an object in '{' and '}'");
}

TEST(ContainerHeader, MessagesAreFitForATerminal) {
  EXPECT_EQ(bad(file_of(R"("\u001b[31m\n":1)")), "'?[31m?' is a number, expected an object");
  EXPECT_EQ(bad(file_of("\"" + std::string(100, 'n') + "\":1")),
            "'" + std::string(60, 'n') + "...' is a number, expected an object");
  std::string umlauts = "n";
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  const std::string message = bad(file_of("\"" + umlauts + "\":1"));
  EXPECT_TRUE(message.starts_with("'" + umlauts.substr(0, 59) + "...'")) << message;
}

TEST(ContainerHeader, NotJson) {
  const auto is_not_json = [](const std::string& header) {
    return bad(file_with(header)).starts_with("the header is not valid JSON at byte ");
  };
  EXPECT_EQ(bad(file_with("{x}")), "the header is not valid JSON at byte 9");
  EXPECT_TRUE(is_not_json("{" + kMeta + "}}"));
  EXPECT_TRUE(is_not_json("{" + kMeta + "} {}"));
  EXPECT_TRUE(is_not_json("{" + kMeta + ",}"));
  EXPECT_TRUE(is_not_json("{" + kMeta + ",\"\xff\":1}"));          // invalid UTF-8
  EXPECT_TRUE(is_not_json("{" + kMeta + ",\"\xc0\x80\":1}"));      // overlong
  EXPECT_TRUE(is_not_json("{" + kMeta + ",\"\xed\xa0\x80\":1}"));  // surrogate
  EXPECT_TRUE(is_not_json("{" + kMeta + ",\"\\ud800\":1}"));
  EXPECT_TRUE(is_not_json("{" + kMeta + ",\"\x01\":1}"));
  EXPECT_TRUE(is_not_json("{/* */" + kMeta + "}"));
  EXPECT_TRUE(is_not_json("{" + kMeta + ",\"w\":{\"dtype\":\"F64\",\"shape\":[01]}}"));
  EXPECT_TRUE(is_not_json(std::string("{\0}", 3)));
  EXPECT_EQ(bad(file_with("{" + kMeta + "}\n")), "the header is not an object in '{' and '}'");
}

TEST(ContainerHeader, Bombs) {
  constexpr std::size_t room = (1 << 20) - 1000;
  const auto repeated = [](const std::string& piece) {
    std::string all;
    while (all.size() + piece.size() < room) all += piece;
    return all;
  };
  EXPECT_EQ(bad(file_with("{" + kMeta + ",\"w\":" + repeated("[") + "}")), "'w' is a list, expected an object");
  EXPECT_EQ(bad(file_with("{" + kMeta + ",\"w\":{\"shape\":" + repeated("[") + "}")),
            "'shape' of array 'w' has a list, expected whole numbers");
  EXPECT_EQ(bad(file_with(repeated("{\"a\":") + "}")), "array 'a' has an unknown key 'a'");
  EXPECT_EQ(bad(file_with("{\"__metadata__\":" + repeated("{\"a\":") + "}")),
            "metadata 'a' is an object, expected text");
  EXPECT_EQ(bad(file_of(entry("[" + repeated("1,") + "1]", "[0,8]"), 8)),
            fmt::format("array 'w' has {} dimensions, expected at most 4", repeated("1,").size() / 2 + 1));
  EXPECT_NE(bad(file_of(entry("[1]", "[" + repeated("1,") + "1]"), 8)), "");

  std::string many = "{\"__metadata__\":{";
  for (int i = 0; many.size() < room; ++i) many += fmt::format("\"{:x}\":\"\",", i);
  many.back() = '}';
  EXPECT_EQ(bad(file_with(many + "}")), "it has more than 4096 entries of metadata");
  std::string arrays;
  for (int i = 0; arrays.size() < room; ++i) arrays += entry("[0]", "[0,0]", fmt::format("{:x}", i)) + ",";
  arrays.pop_back();
  EXPECT_EQ(bad(file_of(arrays)), "it has more than 4096 arrays");

  const std::string longest(room, 'x');
  EXPECT_EQ(bad(file_with("{\"__metadata__\":{\"" + longest + "\":1}}")),
            "metadata '" + std::string(60, 'x') + "...' is a number, expected text");
  EXPECT_EQ(bad(file_with("{\"__metadata__\":{\"a\":\"" + longest + "}}")),
            "the header is not valid JSON at byte 1047608")
      << "an open text";
  EXPECT_NE(bad(file_with("{\"__metadata__\":{\"a\":\"" + longest + "\x01\"}}")), "");
  EXPECT_EQ(bad(file_with("{\"w\":{\"dtype\":\"" + longest + "\"}}")), "array 'w' has no 'shape'");
  EXPECT_NE(bad(file_of(entry("[" + std::string(room, '9') + "]", "[0,8]"), 8)), "");
  EXPECT_NE(bad(file_of("\"w\":" + std::string(room, '-'))), "");
  EXPECT_EQ(refusal(file_with(R"({"__metadata__":{"format":"sconet","format_version":"1","a":")" + longest + "\"," +
                              kSha + "}}")),
            "");
}

// --- files ---------------------------------------------------------------------------------------------------------
class ContainerFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sconet-container-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(ContainerFile, IsReadAndChecked) {
  const std::string bytes = to_bytes(example());
  write_file(path("model"), bytes);
  EXPECT_TRUE(same(read_container(path("model")), example()));
  write_file(path("model"), bytes.substr(0, bytes.size() - 5));
  try {
    read_container(path("model"));
    FAIL();
  } catch (const ModelFileError& e) {
    EXPECT_EQ(e.what(), fmt::format("{}: the file ends at byte {} of {}: it is truncated", path("model"),
                                    bytes.size() - 5, bytes.size()));
  }
  write_file(path("model"), "");
  EXPECT_THROW(read_container(path("model")), ModelFileError);
}

TEST_F(ContainerFile, ThatIsNoFileIsAnIoError) {
  const auto why = [](const std::string& file) -> std::string {
    try {
      read_container(file);
    } catch (const IoError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why(path("absent")), path("absent") + ": no such file");
  EXPECT_EQ(why(folder_), folder_.string() + ": is a directory");
  EXPECT_EQ(why("/dev/zero"), "/dev/zero: is not a regular file");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(why(path("pipe")), path("pipe") + ": is not a regular file");  // and nobody waits for a writer
}

TEST_F(ContainerFile, IsInMemoryOnce) {
  const std::size_t size = 32 << 20;
  {
    Container large;
    large.arrays["a"] = {{1 << 20}, std::vector<double>(1 << 20, 1.5)};
    large.arrays["b"] = {{3 << 10, 1 << 10}, std::vector<double>(3 << 20, 2.5)};
    write_file(path("model"), to_bytes(large));
  }
  const std::size_t before = live_bytes;
  peak_bytes = live_bytes;
  const Container read = read_container(path("model"));
  EXPECT_LE(peak_bytes - before, size + 100000);  // a small header needs little
  EXPECT_GE(peak_bytes - before, size);           // and is counted
  EXPECT_EQ(read.arrays.at("b").values.back(), 2.5);
}

// A header may claim anything; memory follows the file.
TEST_F(ContainerFile, AClaimTakesNoMemory) {
  const std::string bytes = file_of(entry("[134217728]", "[0,1073741824]"), 8);
  write_file(path("model"), bytes);
  const std::size_t before = live_bytes;
  peak_bytes = live_bytes;
  EXPECT_THROW(read_container(path("model")), ModelFileError);
  EXPECT_LE(peak_bytes - before, 100000u);
}

// --- anything ------------------------------------------------------------------------------------------------------
// Mutations of a sound file, most of them with a right SHA-256: refused as a model file, or a sound container.
TEST(ContainerFuzz, RefusedOrSound) {
  std::mt19937_64 random(20250117);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string sound = to_bytes(example());
  const std::vector<std::string> words = {
      "{", "}", "[", "]", ",",        ":",          "\"",   "\\",   "0",       "9",
      "-", "e", ".", " ", "\"w\":{}", "\"shape\":", "null", "\xff", "\\u0000", "18446744073709551615"};
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = sound;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(bytes.size()), count = 1 + below(12);
      switch (below(6)) {
        case 0: bytes[at] = static_cast<char>(below(256)); break;
        case 1: bytes[at] = static_cast<char>('0' + below(10)); break;
        case 2: bytes.erase(at, count); break;
        case 3: bytes.insert(at, words[below(words.size())]); break;
        case 4: bytes.insert(at, sound.substr(below(sound.size()), count)); break;
        default: bytes.replace(at, count, sound.substr(below(sound.size()), count));
      }
      if (bytes.size() < 9) break;
    }
    // Half of them get a length that fits again, the rest keep whatever they have.
    if (below(2) == 0) {
      const std::size_t data =
          sound.size() - 8 - (static_cast<unsigned char>(sound[0]) + 256u * static_cast<unsigned char>(sound[1]));
      if (bytes.size() > data + 16) bytes.replace(0, 8, length_bytes(bytes.size() - 8 - data));
    }
    bytes = sealed(bytes);
    const std::size_t before = live_bytes;
    peak_bytes = live_bytes;
    try {
      const Container read = parse_container(bytes, "model");
      const std::string again = to_bytes(read);
      ASSERT_EQ(to_bytes(parse_container(again, "model")), again);
      ++accepted;
    } catch (const ModelFileError&) {
    }
    ASSERT_LE(peak_bytes - before, bytes.size() + kMemoryForTheHeader);
  }
  EXPECT_GT(accepted, 100);  // the checks behind the SHA-256 were reached
}

}  // namespace
}  // namespace sconet
