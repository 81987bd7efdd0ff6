#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "tests/simulation/timeline.h"

namespace berth::simulation {

/// What happened, a line each, where somebody wants to read it.
class Trace {
 public:
  Trace(const Timeline* timeline, bool kept) : timeline_(timeline), kept_(kept) {}

  template <typename... Args>
  void Write(fmt::format_string<Args...> format, Args&&... args) {
    if (!kept_) return;
    const double seconds = std::chrono::duration<double>(timeline_->now()).count();
    lines_.push_back(
        fmt::format("{:9.3f} {}", seconds, fmt::format(format, std::forward<Args>(args)...)));
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  const Timeline* const timeline_;
  const bool kept_;
  std::vector<std::string> lines_;
};

}  // namespace berth::simulation
