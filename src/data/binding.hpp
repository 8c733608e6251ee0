// An encoder's columns found in a table or a matrix: what is looked up once, before rows are encoded in any order.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sconet/encoder.hpp"

namespace sconet {

class Binding {
 public:
  // Finds the columns: throws DataError that lists every column the table lacks, or gives the place of a cell that is
  // text where the encoder wants a number.
  Binding(const Encoder& encoder, const Table& table);
  Binding(const Encoder& encoder, MatrixView X);  // columns by their order; std::invalid_argument for a wrong number

  Index rows() const { return rows_; }

  // Throws with the place of the first cell of these rows, column by column, that is infinite, or is missing where that
  // is refused.
  void check(std::span<const Index> rows) const;

  // The inputs of rows row(0), ..., row(count - 1) into the first `count` rows of `out`; notes has an entry for each
  // column. False when check() has something to say about these rows.
  template <class Row>
  bool encode(Index count, Row&& row, Eigen::MatrixXd& out, EncodeNotes& notes) const;

  EncodeNotes empty_notes() const;

 private:
  struct Source {
    const InputColumn* column = nullptr;
    Index place = 0;                  // in the table or matrix
    const double* numbers = nullptr;  // number: of row i at i * stride
    Index stride = 1;
    const std::int32_t* codes = nullptr;  // text
    std::vector<std::int32_t> level_of_code;
    std::vector<std::int32_t> own_codes;  // of numbers that are meant as text
  };

  const Table* table_ = nullptr;  // null: a matrix
  bool refuse_missing_ = false;
  bool clip_ = false;
  Index rows_ = 0;
  std::vector<Source> sources_;
};

// The value of one input for a number that is not missing, by the quantiles' knots.
inline double between_knots(const InputColumn& column, double x) {
  const auto& knots = column.knots;
  if (!(x > knots.front())) return column.positions.front();
  if (!(x < knots.back())) return column.positions.back();
  std::size_t low = 0, high = knots.size() - 1;  // knots[low] <= x < knots[high]
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (knots[middle] <= x ? low : high) = middle;
  }
  const double t = (x - knots[low]) / (knots[high] - knots[low]);
  return column.positions[low] + t * (column.positions[high] - column.positions[low]);
}

// Numbers, none of them missing, to the values of their input; `rank` is where the second goes, if there are both.
inline void scale(const InputColumn& column, double* x, double* rank, Index count) {
  double* const by_rank = column.both ? rank : x;
  if (!column.knots.empty())
    for (Index i = 0; i < count; ++i) by_rank[i] = between_knots(column, x[i]);
  if (column.knots.empty() || column.both) {
    const double offset = column.offset, scale = column.scale;
    for (Index i = 0; i < count; ++i) x[i] = (x[i] - offset) / scale;
  }
}

// How many numbers lie beyond the training rows' range, rounding and a little more aside.
inline Index count_outside(const InputColumn& column, const double* x, Index count) {
  const double margin = (column.largest - column.least) / 20;
  const double low = column.least - margin, high = column.largest + margin;
  Index outside = 0;
  for (Index i = 0; i < count; ++i) outside += static_cast<Index>(x[i] < low) + static_cast<Index>(x[i] > high);
  return outside;
}

template <class Row>
bool Binding::encode(Index count, Row&& row, Eigen::MatrixXd& out, EncodeNotes& notes) const {
  bool good = true;
  Index at = 0;  // the next input
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    const InputColumn& column = *source.column;
    if (column.type == ColumnType::number) {
      // Collected first, so that the loops behind run on vectors.
      double* x = out.col(at).data();
      for (Index i = 0; i < count; ++i) x[i] = source.numbers[row(i) * source.stride];
      Index missing = 0, not_finite = 0;
      for (Index i = 0; i < count; ++i) {
        missing += static_cast<Index>(x[i] != x[i]);
        not_finite += static_cast<Index>(x[i] - x[i] != 0);
      }
      if (not_finite > (refuse_missing_ ? 0 : missing)) good = false;
      if (column.indicator)
        for (Index i = 0; i < count; ++i) out(i, at + column.inputs() - 1) = x[i] != x[i] ? 1.0 : 0.0;
      if (missing > 0)
        std::replace_if(
            x, x + count, [](double v) { return v != v; }, column.fill);
      if (column.knows_range()) notes.columns[s].outside += count_outside(column, x, count);
      notes.columns[s].cells += count;
      if (clip_)
        for (Index i = 0; i < count; ++i) x[i] = std::min(std::max(x[i], column.least), column.largest);
      scale(column, x, column.both ? out.col(at + 1).data() : nullptr, count);
      notes.columns[s].missing += missing;
    } else {
      const Index inputs = column.inputs();
      out.block(0, at, count, inputs).setZero();
      for (Index i = 0; i < count; ++i) {
        const std::int32_t code = source.codes[row(i)];
        const std::int32_t missing_level = column.missing_level ? static_cast<std::int32_t>(column.levels.size()) : -1;
        const std::int32_t level = code < 0 ? missing_level : source.level_of_code[static_cast<std::size_t>(code)];
        if (code < 0 && refuse_missing_) good = false;
        if (level < 0)
          ++(code < 0 ? notes.columns[s].missing_text : notes.columns[s].unseen);
        else
          out(i, at + level) = 1.0;
      }
    }
    at += column.inputs();
  }
  return good;
}

}  // namespace sconet
