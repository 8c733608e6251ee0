// A read-only look at somebody else's matrix of doubles, in any storage order: nothing is copied.
#pragma once

#include <Eigen/Core>
#include <type_traits>

namespace sconet {

using Index = Eigen::Index;

// Made implicitly from any Eigen matrix, vector, map or block of doubles, row- or column-major. An expression that
// has no memory of its own (A * 2) must be evaluated first. Like std::string_view it does not own what it shows: use
// it as an argument, do not store it.
class MatrixView {
 public:
  MatrixView() = default;

  MatrixView(const double* data, Index rows, Index cols, Index row_stride, Index col_stride)
      : data_(data), rows_(rows), cols_(cols), row_stride_(row_stride), col_stride_(col_stride) {}

  template <class Derived>
  requires(std::is_same_v<typename Derived::Scalar, double> && (Derived::Flags & Eigen::DirectAccessBit) != 0)
      MatrixView(const Eigen::DenseBase<Derived>& m)  // NOLINT(google-explicit-constructor)
      : MatrixView(m.derived().data(), m.rows(), m.cols(), rows_apart(m.derived()), cols_apart(m.derived())) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }
  const double* data() const { return data_; }
  Index row_stride() const { return row_stride_; }
  Index col_stride() const { return col_stride_; }
  double operator()(Index row, Index col) const { return data_[row * row_stride_ + col * col_stride_]; }

 private:
  template <class Derived>
  static Index rows_apart(const Derived& m) {
    return Derived::IsRowMajor ? m.outerStride() : m.innerStride();
  }
  template <class Derived>
  static Index cols_apart(const Derived& m) {
    return Derived::IsRowMajor ? m.innerStride() : m.outerStride();
  }

  const double* data_ = nullptr;
  Index rows_ = 0, cols_ = 0;
  Index row_stride_ = 1, col_stride_ = 0;
};

}  // namespace sconet
