#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace berth::kube {

/// The place of a value in an API object. It is written out only if something is wrong there:
///
///   const Path spec = root.Field("spec");
///   return spec.Field("containers")[0].Error("expected an object, got string");
///   // Pod.spec.containers[0]: expected an object, got string
///
/// A path points at its parent and at its name, which must outlive it. A value type.
class Path {
 public:
  /// A root. Its name may be empty, which means the document itself.
  explicit Path(std::string_view root) : name_(root) {}

  /// The member `name` of an object, written ".name".
  Path Field(std::string_view name) const { return Path(this, Kind::kField, name, 0); }

  /// The entry `name` of a map, written "["name"]".
  Path Key(std::string_view name) const { return Path(this, Kind::kKey, name, 0); }

  /// The element at `index` of an array, written "[index]".
  Path operator[](std::size_t index) const { return Path(this, Kind::kIndex, {}, index); }

  /// The whole path from the root.
  std::string ToString() const;

  /// Returns InvalidArgument with `what`, and this path in front unless it is empty.
  absl::Status Error(std::string_view what) const;

 private:
  /// How the last part of the path is written.
  enum class Kind { kRoot, kField, kKey, kIndex };

  Path(const Path* parent, Kind kind, std::string_view name, std::size_t index)
      : parent_(parent), kind_(kind), name_(name), index_(index) {}

  /// Null for a root.
  const Path* parent_ = nullptr;
  Kind kind_ = Kind::kRoot;
  std::string_view name_;
  std::size_t index_ = 0;
};

/// Returns `text` for use in a sentence: in quotes, with bytes that are not printable escaped, and
/// cut to 60 bytes.
std::string Quoted(std::string_view text);

}  // namespace berth::kube
