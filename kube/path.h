#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace berth::kube {

/// Where in an API object a value stands, written out only when something is wrong there:
///
///   const Path spec = root.Field("spec");
///   return spec.Field("containers")[0].Error("expected an object, got string");
///   // Pod.spec.containers[0]: expected an object, got string
///
/// A path points at its parent and at its name, which must outlive it.
class Path {
 public:
  /// `root` may be empty: the document itself.
  explicit Path(std::string_view root) : name_(root) {}

  /// ".name"
  Path Field(std::string_view name) const { return Path(this, Kind::kField, name, 0); }

  /// "["name"]", for the keys of maps
  Path Key(std::string_view name) const { return Path(this, Kind::kKey, name, 0); }

  /// "[index]"
  Path operator[](std::size_t index) const { return Path(this, Kind::kIndex, {}, index); }

  std::string ToString() const;

  /// InvalidArgument with this path in front of `what`.
  absl::Status Error(std::string_view what) const;

 private:
  enum class Kind { kRoot, kField, kKey, kIndex };

  Path(const Path* parent, Kind kind, std::string_view name, std::size_t index)
      : parent_(parent), kind_(kind), name_(name), index_(index) {}

  const Path* parent_ = nullptr;
  Kind kind_ = Kind::kRoot;
  std::string_view name_;
  std::size_t index_ = 0;
};

/// `text` for a sentence: in quotes, not printable bytes escaped, shortened to 60 bytes.
std::string Quoted(std::string_view text);

}  // namespace berth::kube
