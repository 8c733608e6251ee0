#include "sconet/cross_validation.hpp"

#include <fmt/format.h>

#include "data/row_choice.hpp"
#include "sconet/errors.hpp"

namespace sconet {

FoldResult cross_validate_fold(const Table& table, const FitOptions& options, Index fold, Index folds,
                               const FitExtras& extras) {
  if (fold < 0 || fold >= folds)
    throw std::invalid_argument(fmt::format("fold = {}: expected 0 <= fold < {}", fold, folds));
  const std::vector<Index> rows = rows_with_targets(table, options.columns);
  const auto n = static_cast<Index>(rows.size());
  if (n < folds || folds < 2)
    throw DataError(fmt::format("{}: {} rows with a target cannot be dealt into {} folds", table.source, n, folds));
  const Parts parts = deal_fold(n, fold, folds, options.train.seed);
  FitExtras on_the_others = extras;
  on_the_others.rows = pick_rows(rows, parts.others);
  const std::vector<Index> held_out = pick_rows(rows, parts.part);

  const Fitted fitted = Model::fit(table, options, on_the_others);
  const Encoder& encoder = fitted.model.encoder();
  FoldResult result;
  EncodeNotes notes;
  const Eigen::MatrixXd X = encoder.inputs(table, held_out, &notes);
  result.train = fitted.model.summary().train;
  result.test = measure(encoder.targets(table, held_out),
                        encoder.unscale_targets(fitted.model.network().predict(X, options.train.threads)));
  result.nodes = fitted.model.network().nodes();
  result.seconds = fitted.report.seconds;
  result.stop_reason = fitted.report.stop_reason;
  result.warnings = fitted.warnings;
  for (const auto& sentence : notes.sentences()) result.warnings.push_back("held-out rows: " + sentence);
  return result;
}

}  // namespace sconet
