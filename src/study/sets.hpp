// The tables of a study: DB1-DB10 of the paper, Friedman's function, or a user's own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/row_choice.hpp"
#include "sconet/encoder.hpp"
#include "sconet/table.hpp"
#include "study/results.hpp"

namespace sconet::study {

// A set of the catalogue, docs/datasets.md.
struct KnownSet {
  std::string_view id;      // "DB3"
  std::string_view title;   // "CCPP"
  std::string_view file;    // in the data folder; empty: generated
  std::string_view sha256;  // of the file
  std::string_view unit;    // of the target, which is the last column
};

std::span<const KnownSet> known_sets();
const KnownSet* known_set(std::string_view id);  // null: there is none; the case of letters does not matter

struct StudySet {
  SetInfo info;
  Table table;
  ColumnChoice columns;
  std::string data;      // as in Run::data
  Index fixed_test = 0;  // so many of the last rows are the test rows of every run; 0: they are dealt too

  // The rows of a run, 6:2:2; where the test rows are fixed, 3:1 of the others.
  ThreeParts deal(std::uint64_t seed) const;
};

struct SetSource {
  std::string folder;               // where the catalogue's files are; may be empty
  std::string target;               // of a user's table; empty: what the file itself calls its output
  std::vector<std::string> ignore;  // columns of a user's table that are no inputs
  TableOptions table;               // how a user's table is read
  std::string reading;              // how `table` and `ignore` differ from the usual, as text
  bool strict = false;              // a checksum that is not the catalogue's is an error, not a note
};

// A set by its id in the catalogue or by the path of a table. Throws DataError or IoError.
StudySet load_set(const std::string& id, const SetSource& source);

// Throws DataError when the training rows of one of these seeds do not do (every input constant, say), before time is
// spent on the others.
void check_splits(const StudySet& set, std::uint64_t first_seed, std::int64_t runs);

// The ids of the paper's sets that can be had: the generated ones, and those whose file is in the folder.
std::vector<std::string> available_sets(const std::string& folder);

}  // namespace sconet::study
