#include "study/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "io/file.hpp"
#include "io/sha256.hpp"
#include "sconet/errors.hpp"
#include "sconet/generators.hpp"

namespace sconet::study {
namespace {

constexpr std::array kKnown = {
    KnownSet{"DB1", "three bumps", "", "", ""},
    KnownSet{"DB2", "plant", "", "", ""},
    KnownSet{"DB3", "CCPP", "ccpp.csv", "d35a656f5081f3788927e9ca2867a4c1425ef6cba16555473fa303c17dce394a", "MW"},
    KnownSet{"DB4", "Superconduct", "superconduct.csv",
             "e4cc415fff542051f0337f6c9e3e2d6d3a907c0e9aa96ff4edec70643a8691f6", "K"},
    KnownSet{"DB5", "Delta ail", "delta_ail.csv", "39d03e68cb1a5ab71106fa38715461e709b7779259d326fd58fc62181be379f2",
             ""},
    KnownSet{"DB6", "Friedman", "friedman.csv", "474f84c0c6e7fed627e347d051aaff89e31a9d4bb343686c27fb3a7f0bd094f8", ""},
    KnownSet{"DB7", "House", "house.csv", "75f105d727522750d36241fca088561739e98d75bd98b8ff77807b004c7db381", "USD"},
    KnownSet{"DB8", "Concrete", "concrete.csv", "517b14fb95e7721044225095c4ccce894216a2905cb4c0c2a4dff06135a60d30",
             "MPa"},
    KnownSet{"DB9", "Stock", "stock.csv", "3333281922f274281d7aac16e1d063a7e20a0a115e9eaa2c5db3138e5fe77c86", ""},
    KnownSet{"DB10", "Wizmir", "wizmir.csv", "fc3cad209525285a403e3ae8d3e0002caa4ae827645b1bb51d430d3ddba48a40", "°F"},
    KnownSet{"friedman", "generated", "", "", ""},
};

Eigen::MatrixXd beside(const Dataset& data) {
  Eigen::MatrixXd all(data.X.rows(), data.X.cols() + data.Y.cols());
  all << data.X, data.Y;
  return all;
}

void generate(StudySet& set) {
  Eigen::MatrixXd values;
  if (set.info.id == "DB1") {
    values = beside(generate_db1());
    set.data = "generated";
  } else if (set.info.id == "DB2") {
    const Dataset random = generate_db2(), test = generate_db2_test();
    values.resize(random.X.rows() + test.X.rows(), random.X.cols() + 1);
    values << beside(random), beside(test);
    set.fixed_test = test.X.rows();
    set.data = "generated, seed 1";
  } else {
    values = beside(generate_friedman());
    set.data = "generated, seed 1";
  }
  std::vector<std::string> names;
  for (Index k = 1; k < values.cols(); ++k) names.push_back(fmt::format("x{}", k));
  names.emplace_back("y");
  set.table = make_table(values, names);
  set.table.source = set.info.id;
}

void read_known(StudySet& set, const KnownSet& known, const SetSource& source) {
  if (source.folder.empty())
    throw DataError(
        fmt::format("{} ({}) is read from the file {}: name the folder it is in (--data DIR); docs/datasets.md says "
                    "where to get it",
                    known.id, known.title, known.file));
  const std::string path = (std::filesystem::path(source.folder) / known.file).string();
  if (!std::filesystem::exists(path))
    throw IoError(fmt::format("{}: no such file, so there is no {} ({}); docs/datasets.md says where to get it", path,
                              known.id, known.title));
  const std::string bytes = read_file(path);
  set.data = sha256_hex(bytes);
  if (set.data != known.sha256) {
    const std::string difference = fmt::format("{} is not the file of the catalogue: its SHA-256 is {}, expected {}",
                                               path, set.data, known.sha256);
    if (source.strict) throw DataError(difference);
    set.info.notes.push_back(difference);
  }
  set.table = parse_table(bytes, path);
}

}  // namespace

std::span<const KnownSet> known_sets() { return kKnown; }

const KnownSet* known_set(std::string_view id) {
  const auto same = [&](const KnownSet& known) {
    return std::equal(known.id.begin(), known.id.end(), id.begin(), id.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  const auto found = std::find_if(kKnown.begin(), kKnown.end(), same);
  return found == kKnown.end() ? nullptr : &*found;
}

ThreeParts StudySet::deal(std::uint64_t seed) const {
  const std::vector<Index> rows = rows_with_targets(table, columns);
  const auto n = static_cast<Index>(rows.size());
  if (fixed_test == 0) {
    const ThreeParts parts = deal_622(n, seed);
    return {pick_rows(rows, parts.train), pick_rows(rows, parts.valid), pick_rows(rows, parts.test)};
  }
  const std::vector<Index> order = pick_rows(rows, shuffled_rows(n - fixed_test, seed));
  const auto valid = order.begin() + (n - fixed_test) * 3 / 4;
  return {{order.begin(), valid}, {valid, order.end()}, {rows.end() - fixed_test, rows.end()}};
}

StudySet load_set(const std::string& id, const SetSource& source) {
  StudySet set;
  if (const KnownSet* known = known_set(id)) {
    set.info.id = known->id;
    set.info.title = known->title;
    set.info.unit = known->unit;
    if (known->file.empty())
      generate(set);
    else
      read_known(set, *known, source);
    set.columns.targets = {"last"};
  } else {
    if (!std::filesystem::exists(id)) {
      std::string ids;
      for (const KnownSet& each : kKnown) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", each.id);
      throw IoError(fmt::format("{}: no such file, and no set of the catalogue ({})", id, ids));
    }
    const std::string bytes = read_file(id);
    set.info.id = id;
    set.info.title = std::filesystem::path(id).filename().string();
    set.data = sha256_hex(bytes);
    set.table = read_table(id, source.table);
    if (!source.target.empty()) set.columns.targets = {source.target};
    set.columns.ignore = source.ignore;
    if (source.target.empty() && set.table.outputs.empty())
      throw DataError(fmt::format("{}: name the column to predict (--target NAME)", id));
    for (const std::string& target : set.columns.targets.empty() ? set.table.outputs : set.columns.targets)
      set.data += ", target " + set.table.columns[static_cast<std::size_t>(set.table.column(target))].name;
    if (!source.reading.empty()) set.data += ", " + source.reading;
    set.info.notes = set.table.warnings;
    const Index without = set.table.rows - static_cast<Index>(rows_with_targets(set.table, set.columns).size());
    if (without > 0)
      set.info.notes.push_back(fmt::format("{} row{} without a target left out", without, without == 1 ? "" : "s"));
  }
  // What every run will have, and that the table does at all.
  const ThreeParts parts = set.deal(1);
  if (parts.train.empty() || parts.valid.empty() || parts.test.empty())
    throw DataError(fmt::format("{}: {} rows with a target are too few to be dealt 6:2:2 (at least 5)", set.info.id,
                                parts.train.size() + parts.valid.size() + parts.test.size()));
  const Encoder encoder = Encoder::fit(set.table, set.columns, {}, parts.train, set.info.notes);
  set.info.inputs = encoder.inputs();
  set.info.train_rows = static_cast<Index>(parts.train.size());
  set.info.valid_rows = static_cast<Index>(parts.valid.size());
  set.info.test_rows = static_cast<Index>(parts.test.size());
  return set;
}

void check_splits(const StudySet& set, std::uint64_t first_seed, std::int64_t runs) {
  for (std::int64_t k = 0; k < runs; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    std::vector<std::string> warnings;
    try {
      Encoder::fit(set.table, set.columns, {}, set.deal(seed).train, warnings);
    } catch (const DataError& error) {
      throw DataError(
          fmt::format("{}: the training rows that seed {} deals do not do: {}", set.info.id, seed, error.what()));
    }
  }
}

std::vector<std::string> available_sets(const std::string& folder) {
  std::vector<std::string> ids;
  for (const KnownSet& known : kKnown) {
    const bool generated = known.file.empty(), paper = known.id.starts_with("DB");
    const bool there = !folder.empty() && std::filesystem::exists(std::filesystem::path(folder) / known.file);
    if (paper && (generated || there)) ids.emplace_back(known.id);
  }
  return ids;
}

}  // namespace sconet::study
