// An encoder's columns found in a table or a matrix: what is looked up once, before rows are encoded in any order.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "sconet/encoder.hpp"

namespace sconet {

class Binding {
 public:
  // Finds and checks: throws DataError that lists every column the table lacks, or gives the place of a cell that is
  // text where the encoder wants a number, is infinite, or is missing where that is refused.
  Binding(const Encoder& encoder, const Table& table);
  Binding(const Encoder& encoder, MatrixView X);  // columns by their order; std::invalid_argument for a wrong number

  Index rows() const { return rows_; }

  // The inputs of rows row(0), ..., row(count - 1) into the first `count` rows of `out`; notes has an entry for each
  // column.
  template <class Row>
  void encode(Index count, Row&& row, Eigen::MatrixXd& out, EncodeNotes& notes) const;

  EncodeNotes empty_notes() const;

 private:
  struct Source {
    const InputColumn* column = nullptr;
    const double* numbers = nullptr;  // number: of row i at i * stride
    Index stride = 1;
    const std::int32_t* codes = nullptr;  // text
    std::vector<std::int32_t> level_of_code;
    std::vector<std::int32_t> own_codes;  // of numbers that are meant as text
  };
  void check_numbers(const Table* table, Index table_column, const Source& source, bool refuse_missing) const;

  Index rows_ = 0;
  std::vector<Source> sources_;
};

// The value of one input for a number that is not missing.
inline double scaled(const InputColumn& column, double x) {
  if (column.knots.empty()) return (x - column.offset) / column.scale;
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

template <class Row>
void Binding::encode(Index count, Row&& row, Eigen::MatrixXd& out, EncodeNotes& notes) const {
  Index at = 0;  // the next input
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    const InputColumn& column = *source.column;
    if (column.type == ColumnType::number) {
      Index missing = 0;
      for (Index i = 0; i < count; ++i) {
        const double x = source.numbers[row(i) * source.stride];
        const bool gone = x != x;
        missing += gone;
        out(i, at) = scaled(column, gone ? column.fill : x);
        if (column.indicator) out(i, at + 1) = gone ? 1.0 : 0.0;
      }
      notes.columns[s].missing += missing;
    } else {
      const Index inputs = column.inputs();
      out.block(0, at, count, inputs).setZero();
      for (Index i = 0; i < count; ++i) {
        const std::int32_t code = source.codes[row(i)];
        const std::int32_t missing_level = column.missing_level ? static_cast<std::int32_t>(column.levels.size()) : -1;
        const std::int32_t level = code < 0 ? missing_level : source.level_of_code[static_cast<std::size_t>(code)];
        if (level < 0)
          ++notes.columns[s].unseen;
        else
          out(i, at + level) = 1.0;
      }
    }
    at += column.inputs();
  }
}

}  // namespace sconet
