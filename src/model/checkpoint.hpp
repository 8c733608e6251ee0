// A checkpoint: the options of a run and the keys of the nodes it has grown, from which the run goes on to the same
// bits.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sconet/encoder.hpp"
#include "sconet/options.hpp"
#include "sconet/report.hpp"

namespace sconet {

struct Checkpoint {
  std::map<std::string, std::string> settings;  // whatever the nodes depend on, by name, as text
  std::vector<NodeRecord> history;
};

// The settings a run's nodes depend on: all options but the number of threads and where the run ends.
std::map<std::string, std::string> run_settings(const TrainOptions& train, const EncoderOptions& encoder,
                                                double valid_fraction, Index rows, Index valid_rows);

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
Checkpoint load_checkpoint(const std::string& path);  // throws ModelFileError, IoError

}  // namespace sconet
