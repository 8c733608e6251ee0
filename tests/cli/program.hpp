// What the tests of the program share: small tables, and how a run that failed must look.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sconet/sconet.hpp"
#include "support/process.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCONET_SANITIZED 1
#else
#define SCONET_SANITIZED 0
#endif

namespace sconet::testing {

using nlohmann::json;
using Words = std::vector<std::string>;

// temp,flow,grade,y with that many rows; numbers with four decimals, three grades.
inline std::string plant(int rows, std::uint64_t seed = 1) {
  std::uint64_t state = seed * 2654435761U + 12345;
  const auto uniform = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  };
  std::string text = "temp,flow,grade,y\n";
  for (int i = 0; i < rows; ++i) {
    const double temp = 20 + 60 * uniform(), flow = 5 * uniform();
    const int grade = static_cast<int>(3 * uniform());
    const double y = 100 * std::sin(temp / 15) + 12 * flow * flow + 30 * grade + uniform();
    text += fmt::format("{:.4f},{:.4f},{},{:.4f}\n", temp, flow, "ABC"[grade], y);
  }
  return text;
}

inline How in(const Folder& folder) {
  How how;
  how.folder = folder.path();
  return how;
}

// Runs the program in the folder.
inline Ran sconet_in(const Folder& folder, const Words& arguments) { return sconet(arguments, in(folder)); }

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A model of plant.csv with a dozen nodes, of RMPI-SCN unless a method is named: `m.sconet` in the folder, and its
// table `plant.csv`.
inline void train_plant(const Folder& folder, const Words& more = {}) {
  folder.write("plant.csv", plant(150));
  Words train = {"train", "plant.csv", "-t", "y", "-o", "m.sconet", "--max-nodes", "12", "--candidates", "20"};
  if (std::find(more.begin(), more.end(), "--method") == more.end()) train = train + Words{"--method", "rmpi"};
  const Ran ran = sconet_in(folder, train + more);
  ASSERT_EQ(ran.exit, 0) << ran.err;
}

// The run failed with this code and says exactly this; standard output is empty.
inline void expect_refused(const Ran& ran, int code, const std::string& message) {
  EXPECT_EQ(ran.exit, code);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "sconet: " + message + "\n");
}

// The same for messages that are not compared whole.
inline void expect_refused_with(const Ran& ran, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(ran.exit, code);
  EXPECT_EQ(ran.out, "");
  for (const auto& part : parts) EXPECT_NE(ran.err.find(part), std::string::npos) << part << "\nis not in\n" << ran.err;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  return fields;
}

// The whole text is one number.
inline double number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) throw std::runtime_error("no number: " + text);
  return value;
}

// Column c of a CSV text without quotes, below its header.
inline std::vector<double> numbers_of(const std::string& csv, std::size_t c = 0) {
  std::vector<double> values;
  const auto lines = lines_of(csv);
  for (std::size_t i = 1; i < lines.size(); ++i) values.push_back(number(fields_of(lines[i]).at(c)));
  return values;
}

// The child gives up root's rights, so that permissions hold for it too.
inline void without_root() {
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(125);
}

}  // namespace sconet::testing
