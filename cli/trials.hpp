// What the method auto and ensembles tell of themselves.
#pragma once

#include <string>

#include "output.hpp"

namespace sconet::cli {

// "44 trials in 3 rounds; chose candidates cauchy 0.3 on inputs scaled both ways, 365 nodes, ridge 0.001; RMSE on rows
// held out 4.57", with the end of the line; empty for a model that was neither chosen nor is an ensemble.
std::string choice_line(const Model& model);

// The line of a table of metrics; empty where nothing was held out, or auto was given validation rows instead. With
// several targets the error is of scaled targets, which does not belong into that table.
std::string held_out_line(const Model& model);

// A table of the trials that the model remembers, the chosen one marked; and how large each network of an ensemble is.
std::string trials_table(const ModelSummary& summary);
std::string members_text(const ModelSummary& summary);

// Adds tried, trials, held_out_rmse and members, those that there are.
void add_trials(Json& json, const ModelSummary& summary);

}  // namespace sconet::cli
