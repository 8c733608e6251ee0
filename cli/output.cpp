#include "output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "io/file.hpp"

namespace sconet::cli {

void print(const std::string& text, const std::string& path) {
  if (path != "-") return write_file(path, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw IoError(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
}

// The name of a file may be any bytes; JSON is UTF-8.
void print(const Json& json) { print(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'); }

void print(const Verbosity& verbosity, const Json& json, const std::string& text) {
  if (verbosity.json)
    print(json);
  else
    print(text);
}

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code ignored;
  return a == b || (std::filesystem::is_regular_file(a, ignored) && std::filesystem::equivalent(a, b, ignored));
}

void tell(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

std::string visible(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return text;
}

void say(const Verbosity& verbosity, const std::string& message) {
  if (!verbosity.quiet) tell(visible(message) + '\n');
}

void warn(const Verbosity& verbosity, const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) say(verbosity, "warning: " + warning);
}

Json to_json(const Metrics& m) {
  return {{"rows", m.rows}, {"rmse", m.rmse}, {"mae", m.mae}, {"r", m.r}, {"r2", m.r2}};
}

std::string metrics_header() {
  return fmt::format("{:<12} {:>9} {:>12} {:>12} {:>9} {:>9}\n", "", "rows", "RMSE", "MAE", "R", "R2");
}

std::string share(double value) { return std::isnan(value) ? "-" : fmt::format("{:.5f}", value); }

std::string metrics_line(const std::string& name, const Metrics& m) {
  return fmt::format("{:<12} {:>9} {:>12.5g} {:>12.5g} {:>9} {:>9}\n", name, m.rows, m.rmse, m.mae, share(m.r),
                     share(m.r2));
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) return;  // an empty field: missing
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ')) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + '"';
}

std::string describe(const Table& table) {
  return fmt::format("{}: {} row{}, {} column{}, {}", table.source, table.rows, table.rows == 1 ? "" : "s",
                     table.columns.size(), table.columns.size() == 1 ? "" : "s", table.description);
}

}  // namespace sconet::cli
