// Writes a sample of the page and what it links to: write_sample FOLDER all|one.
#include <filesystem>
#include <fstream>

#include "study/sample.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto sample =
      std::string(argv[2]) == "one" ? sconet::testing::sample_of_one_set() : sconet::testing::sample_study();
  std::ofstream(folder / "index.html", std::ios::binary) << sample.page();
  for (const char* name : {"runs.jsonl", "table.csv", "table.md"}) std::ofstream(folder / name) << "sample\n";
}
