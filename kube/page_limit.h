#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace berth::kube {

/// How many objects to ask for in the next page of a list whose pages are kept as a whole. An
/// object seldom has more than 10 KB, but annotations may make it 1.5 MB, and a page of such
/// objects would fill the memory. So a page that has too many bytes is asked for again with fewer
/// objects, down to one. A plain value.
///
///   PageLimit limit(500);
///   BodySink sink(limit.MaxBytes());
///   // ... A page that exceeds that: if (limit.Shrink()) ask again, else fail.
///   // ... A page that does not: limit.OnPage(sink.body().size());
class PageLimit {
 public:
  /// The most bytes of a page of several objects, and of one object.
  static constexpr std::size_t kMaxPageBytes = std::size_t{16} << 20;
  static constexpr std::size_t kMaxObjectBytes = std::size_t{256} << 20;

  /// Begins with `most` objects, and never asks for more.
  explicit PageLimit(std::size_t most) : most_(most), objects_(most) {}

  /// The value of the parameter `limit`.
  std::string text() const { return std::to_string(objects_); }

  /// The most bytes that the reply may have.
  std::size_t MaxBytes() const { return objects_ == 1 ? kMaxObjectBytes : kMaxPageBytes; }

  /// Call it when the reply has more than MaxBytes(). Returns whether to ask again for the page,
  /// which then has a quarter of the objects.
  bool Shrink() {
    if (objects_ == 1) return false;
    objects_ = std::max<std::size_t>(1, objects_ / kStep);
    return true;
  }

  /// Call it when a page has arrived. If four times as much would have been accepted, the next page
  /// may have four times the objects, so that a few large objects do not slow down a long list.
  void OnPage(std::size_t bytes) {
    if (bytes <= kMaxPageBytes / kStep) objects_ = std::min(most_, objects_ * kStep);
  }

 private:
  static constexpr std::size_t kStep = 4;

  std::size_t most_;
  std::size_t objects_;
};

}  // namespace berth::kube
