// Files that are no sound models: whatever is in them, the program says so in one sentence, returns 4 and takes little
// memory.

#include <filesystem>

#include "cli/program.hpp"
#include "io/sha256.hpp"

namespace sconet::testing {
namespace {

using nlohmann::ordered_json;

// --- making model files by hand, as docs/model-format.md has them --------------------------------------------------
const std::string kNoDigits(64, '0');

// The file with this header and data, its checksum computed. The header must have "sha256":"0...0" once.
std::string sealed(std::string header, const std::string& data) {
  while (header.size() % 8 != 0) header += ' ';
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  file += header + data;
  const std::size_t at = file.find("\"sha256\":\"" + kNoDigits);
  if (at != std::string::npos) file.replace(at + 10, 64, sha256_hex(file));
  return file;
}

// {"__metadata__":{...},ARRAYS}
std::string header_with(const std::string& more_metadata, const std::string& arrays) {
  return R"({"__metadata__":{"format":"sconet","format_version":"1","sha256":")" + kNoDigits + '"' + more_metadata +
         "}" + arrays + "}";
}

std::string with_description(const std::string& description) {
  return sealed(header_with(R"(,"kind":"model","model":)" + json(description).dump(), ""), "");
}

// A model file taken apart, to be altered and sealed again.
struct Parts {
  ordered_json header;
  std::string data;

  explicit Parts(const std::string& file) {
    std::size_t n = 0;
    for (int i = 0; i < 8; ++i) n |= static_cast<std::size_t>(static_cast<unsigned char>(file[i])) << (8 * i);
    header = ordered_json::parse(file.substr(8, n));
    data = file.substr(8 + n);
  }
  json description() const { return json::parse(header["__metadata__"]["model"].get<std::string>()); }
  std::string file(const json& description) const {
    ordered_json changed = header;
    changed["__metadata__"]["model"] = description.dump();
    changed["__metadata__"]["sha256"] = kNoDigits;
    return sealed(changed.dump(), data);
  }
};

// All three commands refuse the file with one sentence that begins with its name.
void expect_no_model(const Folder& folder, const std::string& name, const std::string& part,
                     const Words& commands = {"check", "info", "predict"}) {
  for (const auto& command : commands) {
    SCOPED_TRACE(command + ' ' + name);
    const Ran ran = sconet_in(folder, command == "predict" ? Words{command, name, "plant.csv"} : Words{command, name});
    expect_refused_with(ran, 4, {"sconet: " + name + ": ", part});
    EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
    EXPECT_LT(ran.err.size(), 400U) << ran.err;
  }
}

TEST(BadModel, FilesOfAnotherKind) {
  const Folder folder;
  folder.write("plant.csv", plant(20));
  folder.write("empty", "");
  folder.write("short", "abc");
  folder.write("noise",
               std::string("\x93\x01\x00\x00\x00\x00\x00\x00\xff\xfe\x00 {}{}{}", 18) + std::string(1000, 'z'));
  folder.write("json", "{\"weights\": [1, 2, 3]}");
  expect_no_model(folder, "plant.csv", "is not a model file");
  expect_no_model(folder, "empty", "is empty: it is not a model file");
  expect_no_model(folder, "short", "is not a model file: it has 3 bytes");
  expect_no_model(folder, "noise", "");
  expect_no_model(folder, "json", "is not a model file");
  folder.write("other.safetensors",
               sealed(R"({"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", std::string(8, '\0')));
  expect_no_model(folder, "other.safetensors", "");
}

TEST(BadModel, WhatCannotBeReadIsAnotherMatter) {
  const Folder folder;
  folder.write("plant.csv", plant(20));
  std::filesystem::create_directory(folder / "dir");
  for (const std::string command : {"check", "info", "predict", "evaluate", "explain"}) {
    SCOPED_TRACE(command);
    const Words data = command == "check" || command == "info" ? Words{} : Words{"plant.csv"};
    expect_refused(sconet_in(folder, Words{command, "none"} + data), 5, "none: no such file");
    expect_refused(sconet_in(folder, Words{command, "dir"} + data), 5, "dir: is a directory");
  }
  train_plant(folder);
  std::filesystem::permissions(folder / "m.sconet", std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  How how = in(folder);
  how.in_child = without_root;
  expect_refused(sconet({"check", "m.sconet"}, how), 5, "m.sconet: permission denied");
}

TEST(BadModel, CutShort) {
  const Folder folder;
  train_plant(folder);
  const std::string whole = bytes_of(folder / "m.sconet");
  const std::size_t step = whole.size() / (SCONET_SANITIZED ? 12 : 40);
  for (std::size_t size = 1; size < whole.size(); size += step) {
    folder.write("cut", whole.substr(0, size));
    expect_no_model(folder, "cut", "", {"check"});
  }
  folder.write("cut", whole.substr(0, whole.size() - 1));
  expect_no_model(folder, "cut",
                  fmt::format("the file ends at byte {} of {}: it is truncated", whole.size() - 1, whole.size()));
  folder.write("cut", whole + '\0');
  expect_no_model(folder, "cut", "it has 1 bytes after its last array");
}

TEST(BadModel, FlippedBytes) {
  const Folder folder;
  train_plant(folder);
  const std::string whole = bytes_of(folder / "m.sconet");
  const std::size_t step = whole.size() / (SCONET_SANITIZED ? 12 : 40);
  for (std::size_t at = 0; at < whole.size(); at += step) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ (1 << at % 8));
    folder.write("flipped", altered);
    expect_no_model(folder, "flipped", "", {"check"});
  }
  std::string altered = whole;
  altered.back() = static_cast<char>(altered.back() ^ 1);
  folder.write("flipped", altered);
  expect_no_model(folder, "flipped", "the SHA-256 does not match: the file was altered or damaged");
}

TEST(BadModel, ACheckpoint) {
  const Folder folder;
  train_plant(folder, {"--checkpoint", "run.ck"});
  expect_no_model(folder, "run.ck", "is a sconet file but no model");
}

// Headers and descriptions that claim much. Memory stays below that of `sconet --version`, the file and this:
constexpr std::int64_t kRoom = std::int64_t{32} << 20;

TEST(BadModel, HostileFilesAreRefusedInLittleMemory) {
  const Folder folder;
  train_plant(folder);
  const std::int64_t usual = sconet({"--version"}).peak_bytes;
  const auto array = [](const std::string& name, const std::string& shape, const std::string& offsets) {
    return fmt::format(R"(,"{}":{{"dtype":"F64","shape":[{}],"data_offsets":[{}]}})", name, shape, offsets);
  };
  const auto arrays = [&](const std::string& list, std::size_t bytes) {
    return sealed(header_with(R"(,"kind":"model")", list), std::string(bytes, '\0'));
  };
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const Parts sound(bytes_of(folder / "m.sconet"));
  const auto altered = [&](const auto& change) {
    json description = sound.description();
    change(description);
    return sound.file(description);
  };
  ASSERT_EQ(sound.file(sound.description()), bytes_of(folder / "m.sconet"));  // so what is refused is the change

  struct Case {
    std::string name, file, part;
  };
  const std::vector<Case> cases = {
      {"header_of_2^64", std::string(8, '\xff') + "{}", "the header's length 18446744073709551615 is above the limit"},
      {"header_of_1MiB", std::string("\x00\x00\x10\x00\x00\x00\x00\x00{", 9), "truncated"},
      {"array_of_2^60", arrays(array("w", "1152921504606846976", "0,8"), 8), "array 'w'"},
      {"product_overflows", arrays(array("w", "4294967296,4294967296,2", "0,0"), 0), "array 'w'"},
      {"offsets_of_2^63", arrays(array("w", "1", "9223372036854775800,9223372036854775808"), 8), "array 'w'"},
      {"beyond_the_end", arrays(array("w", "100000000", "0,800000000"), 16), "truncated"},
      {"overlapping", arrays(array("a", "2", "0,16") + array("b", "2", "8,24"), 24), "array 'b'"},
      {"a_gap", arrays(array("a", "1", "0,8") + array("b", "1", "16,24"), 24), "array 'b'"},
      {"backwards", arrays(array("a", "1", "8,0"), 8), "array 'a'"},
      {"nested_header", sealed(R"({"__metadata__":)" + repeated("[", 900'000), ""), "is not a model file"},
      {"nested_objects", sealed(R"({"__metadata__":)" + repeated(R"({"a":)", 180'000), ""), "is not a model file"},
      {"nested_description", with_description(repeated("[", 500'000) + repeated("]", 500'000)), "too large"},
      {"nested_object_description", with_description(repeated(R"({"a":)", 120'000)), "too large"},
      {"unclosed_description", with_description(repeated("[", 7)), "not JSON"},
      {"wide_description", with_description('[' + repeated("0,", 400'000) + "0]"), "too large"},
      {"many_empty_objects", with_description('[' + repeated("{},", 300'000) + "{}]"), "too large"},
      {"empty_description", with_description(""), "not JSON"},
      {"null_description", with_description("null"), "lacks 'encoder'"},
      {"no_description", sealed(header_with(R"(,"kind":"model")", ""), ""), "the description of the model is missing"},
      {"many_knots", altered([](json& d) { d["encoder"]["columns"][0]["knots"] = 1'000'000; }), "encoder.knots"},
      {"more_knots", altered([](json& d) { d["encoder"]["columns"][0]["knots"] = 1ULL << 63; }), "knots"},
      {"other_levels", altered([](json& d) {
         d["encoder"]["columns"][2]["levels"] = {"A", "B"};
       }),
       "network.weights"},
      {"other_columns", altered([](json& d) { d["encoder"]["columns"] = json::array(); }), "the model has no inputs"},
      {"no_target", altered([](json& d) { d["encoder"]["targets"] = json::array(); }), "the model has no target"},
      {"option_out_of_bounds", altered([](json& d) { d["train"]["options"]["max_nodes"] = "-2"; }), "max_nodes"},
      {"no_such_activation", altered([](json& d) { d["network"]["activation"] = "magic"; }), "magic"},
  };
  for (const Case& c : cases) {
    folder.write(c.name, c.file);
    expect_no_model(folder, c.name, c.part);
    if (SCONET_SANITIZED) continue;
    EXPECT_LE(sconet_in(folder, {"check", c.name}).peak_bytes, usual + static_cast<std::int64_t>(c.file.size()) + kRoom)
        << c.name;
  }
}

}  // namespace
}  // namespace sconet::testing
