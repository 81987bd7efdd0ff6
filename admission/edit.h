#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simdjson.h"

namespace berth::admission {

using Json = nlohmann::ordered_json;

/// What is to change in a JSON value: a tree with a branch for each part that may change. It is
/// written without looking at the value. PatchOf() then compares it with the value.
/// Thread-compatible.
///
///   Edit edit;
///   edit.Member("spec").Member("backoffLimit").Set(0);
///   const Json patch = PatchOf(edit, object);
///
/// One Edit either sets or removes its value, or changes members and elements, or extends an array.
class Edit {
 public:
  /// The edit of a member of the object that the value is or will be. The reference stays valid.
  Edit& Member(std::string_view key) {
    return members_.try_emplace(std::string(key)).first->second;
  }

  /// The edit of an element of the array that the value is. The element must exist in the value.
  Edit& Element(std::size_t index) { return elements_[index]; }

  /// Replaces the value, or creates it. Wins over edits of members.
  void Set(Json value) { value_ = std::move(value); }

  /// Removes the value if it exists.
  void Remove() { removed_ = true; }

  /// Add one element to the array that the value is or will be. The first one that is prepended
  /// stays first.
  void Prepend(Json element) { prepended_.push_back(std::move(element)); }
  void Append(Json element) { appended_.push_back(std::move(element)); }

 private:
  friend Json PatchOf(const Edit& edit, simdjson::dom::element root);
  class Writer;

  // Whether there is anything to do here or below.
  bool Changes() const;
  bool IsList() const { return !prepended_.empty() || !appended_.empty(); }
  // The value as it is to be if there is none yet.
  Json Whole() const;

  // What Set() gave.
  std::optional<Json> value_;
  bool removed_ = false;
  // What Member() and Element() gave; they may turn out not to change anything.
  std::map<std::string, Edit, std::less<>> members_;
  std::map<std::size_t, Edit> elements_;
  // New elements of an array, in their final order.
  std::vector<Json> prepended_;
  std::vector<Json> appended_;
};

/// Returns the edit of `root` as a JSON Patch (RFC 6902), an array of operations; empty if nothing
/// changes. A missing value is created in one operation with everything below it. A null counts as
/// missing. Never contains a needless operation.
Json PatchOf(const Edit& edit, simdjson::dom::element root);

}  // namespace berth::admission
