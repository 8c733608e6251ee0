#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "output.hpp"

namespace sconet::cli {

Progress::Style Progress::style(const std::string& name, bool quiet) {
  if (name == "bar") return Style::bar;
  if (name == "plain") return Style::plain;
  if (name == "none" || quiet) return Style::none;
  return isatty(STDERR_FILENO) == 1 ? Style::bar : Style::none;
}

// As long as the last nodes took, for each node to come.
std::string Progress::time_left(const NodeRecord& node) {
  seconds_.push_back(node.seconds);
  if (seconds_.size() < 2) return "";
  if (seconds_.size() > 11) seconds_.erase(seconds_.begin());
  const double per_node = (seconds_.back() - seconds_.front()) / static_cast<double>(seconds_.size() - 1);
  const double left = per_node * static_cast<double>(most_ - done(node));
  if (left < 90) return fmt::format("{:.0f} s left", left);
  if (left < 5400) return fmt::format("{:.0f} min left", left / 60);
  return fmt::format("{:.1f} h left", left / 3600);
}

void Progress::show(const NodeRecord& node) {
  if (style_ == Style::none) return;
  const std::string left = time_left(node);
  const auto now = std::chrono::steady_clock::now();
  const auto pause = std::chrono::milliseconds(style_ == Style::bar ? 100 : 1000);
  const bool last = done(node) >= most_;
  if (now - last_ < pause && !last) return;
  last_ = now;
  std::string errors = fmt::format("RMSE {:.4g}", node.train_rmse);
  if (!std::isnan(node.valid_rmse)) errors += fmt::format(" (validation {:.4g})", node.valid_rmse);
  if (grows_) errors += fmt::format("  scale {:g}", node.scale);
  const std::string text = fmt::format("{}{}/{} {}  {}  {}", label_, done(node), most_, unit_, errors, left);
  if (style_ == Style::plain) {
    tell(text + '\n');
    return;
  }
  constexpr std::int64_t kWidth = 20;
  const auto filled = static_cast<std::size_t>(kWidth * done(node) / std::max<std::int64_t>(most_, 1));
  tell(fmt::format("\r[{}{}] {}\033[K", std::string(filled, '#'), std::string(kWidth - filled, '-'), text));
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  tell("\r\033[K");
  drawn_ = false;
}

}  // namespace sconet::cli
