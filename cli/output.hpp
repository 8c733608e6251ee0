// Results on standard output, messages on standard error.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace sconet::cli {

using Json = nlohmann::ordered_json;

// Writes to standard output, or to a file (whole or not at all). Throws IoError when it cannot.
void print(const std::string& text, const std::string& path = "-");
void print(const Json& json);
void print(const Verbosity& verbosity, const Json& json, const std::string& text);  // the one that was asked for

bool same_file(const std::string& a, const std::string& b);  // by whatever names; false for standard input and output

void tell(const std::string& text);  // on standard error; that it cannot be written must not end a run of hours
// Without characters that steer a terminal: names come from files of strangers.
std::string visible(std::string text);

void say(const Verbosity& verbosity, const std::string& message);  // on standard error, unless quiet
void warn(const Verbosity& verbosity, const std::vector<std::string>& warnings);

Json to_json(const Metrics& metrics);
std::string share(double value);  // R and R2 in a table; "-" for NaN
std::string metrics_header();     // of a table with a line for each
std::string metrics_line(const std::string& name, const Metrics& metrics);

// The shortest text that reads back to the same number, and a text as a field of a CSV file.
void append_number(std::string& out, double value);
std::string csv_field(const std::string& text);

// "data.csv: 1030 rows, 9 columns, comma-separated text with a header line"
std::string describe(const Table& table);

}  // namespace sconet::cli
