// The explanation of anything that predicts from encoded inputs.
#pragma once

#include <functional>
#include <span>

#include "sconet/explain.hpp"

namespace sconet {

// Encoded inputs to scaled targets, row by row; called by several threads.
using Predictor = std::function<Eigen::MatrixXd(MatrixView)>;

// All the rows must have their targets.
Explanation explain_rows(const Encoder& encoder, const Predictor& predict, const Table& table,
                         std::span<const Index> rows, const ExplainOptions& options, EncodeNotes* notes = nullptr);

// How many rows fit() explains a model with: few enough that it takes about a second at `weights` multiplications a
// row. 0: even few rows would take long.
std::int64_t rows_to_explain(const Encoder& encoder, double weights, const ExplainOptions& options);

// What a model's file keeps: the effects of the most important columns.
Explanation keep_most_important(Explanation explanation);

}  // namespace sconet
