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

/// What is to become of a JSON value: a tree that follows the value as far as something changes.
/// Written without looking at the value; PatchOf() looks what of it is there. Thread-compatible.
class Edit {
 public:
  /// What is to become of a member of the object that the value is, or is to be.
  Edit& Member(std::string_view key) {
    return members_.try_emplace(std::string(key)).first->second;
  }

  /// What is to become of an element of the array that the value is; it must be there.
  Edit& Element(std::size_t index) { return elements_[index]; }

  /// The value is to be this one.
  void Set(Json value) { value_ = std::move(value); }

  /// The value is to go.
  void Remove() { removed_ = true; }

  /// The array that the value is, or is to be, gets one more element; the first of those that are
  /// prepended stays first.
  void Prepend(Json element) { prepended_.push_back(std::move(element)); }
  void Append(Json element) { appended_.push_back(std::move(element)); }

 private:
  friend Json PatchOf(const Edit& edit, simdjson::dom::element root);
  class Writer;

  bool Changes() const;
  bool IsList() const { return !prepended_.empty() || !appended_.empty(); }
  Json Whole() const;

  std::optional<Json> value_;
  bool removed_ = false;
  std::map<std::string, Edit, std::less<>> members_;
  std::map<std::size_t, Edit> elements_;
  std::vector<Json> prepended_;
  std::vector<Json> appended_;
};

/// The edit of `root` as a JSON Patch (RFC 6902) without a needless operation: what is missing is
/// made in one, with all that is below it. A null is missing.
Json PatchOf(const Edit& edit, simdjson::dom::element root);

}  // namespace berth::admission
