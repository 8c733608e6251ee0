// Memory for the kernels: doubles on a 64-byte boundary, zero at first.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "kernels/kernels.hpp"
#include "sconet/matrix_view.hpp"

namespace sconet {

inline Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(Index size) : size_(size) {
    const auto bytes = static_cast<std::size_t>(round_up(size * Index{sizeof(double)}, kernels::kAlignment));
    data_.reset(static_cast<double*>(std::aligned_alloc(kernels::kAlignment, bytes)));
    if (!data_ && bytes > 0) throw std::bad_alloc();
    clear();
  }

  // Makes room for `size` doubles; what was there is lost, what is new is zero.
  void reserve(Index size) {
    if (size > size_) *this = AlignedBuffer(size);
  }
  void clear() { std::fill_n(data_.get(), size_, 0.0); }

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  Index size() const { return size_; }
  double& operator[](Index i) { return data_.get()[i]; }
  double operator[](Index i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(double* p) const { std::free(p); }
  };
  std::unique_ptr<double, Free> data_;
  Index size_ = 0;
};

}  // namespace sconet
