// Files: read whole, written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace sconet {

// The bytes of a file; "-" is standard input. Throws IoError: "data.csv: no such file", "data: is a directory", ...
std::string read_file(const std::string& path);

// Whatever happens (a full disk, a kill, a power cut), afterwards the file is either the old one or the new one,
// complete. Written to a file without a name in the same folder where the system can do that (or else a temporary one),
// flushed to the disk, given the name, and the folder flushed too. Keeps the permissions of the file it replaces;
// follows a symbolic link. Throws IoError.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace sconet
