#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/path.h"
#include "model/amount.h"
#include "model/node.h"
#include "model/quantity.h"
#include "model/time.h"
#include "simdjson.h"

namespace berth::kube {

/// A value in a JSON document that may be absent; null counts as absent. Reading a value as a type
/// that it does not have is an error, which names the value's path. `error` keeps the first error
/// of the document; what is read after it must not be used. Absent values read as empty.
///
/// Example:
///
///   absl::Status error;
///   const JsonValue pod(root, Path("Pod"), error);
///   const JsonValue metadata = pod.Field("metadata");
///   const std::string name = metadata.Field("name").Text();
///   if (!error.ok()) return error;  // "Pod.metadata.name: expected a string, got number"
///
/// A value points at its parent, at `error` and into the parser's document. All of them must
/// outlive it: keep a parent in a variable if its children are used later. Not thread-safe.
class JsonValue {
 public:
  /// The root of a document, or of a part of one. `path` names it in errors.
  JsonValue(simdjson::dom::element value, const Path& path, absl::Status& error);

  /// Whether the value is absent or null.
  bool absent() const { return !value_.has_value(); }
  /// The value's place in the document.
  const Path& path() const { return path_; }
  /// The value itself, or nullopt if it is absent.
  std::optional<simdjson::dom::element> element() const { return value_; }

  /// The member of an object with that name (case-sensitive). If there are several, the last one
  /// counts, as in Go. Absent if this value is absent.
  JsonValue Field(std::string_view name) const;

  /// The contents of a string; empty if absent. Valid as long as the parser's document.
  std::string_view String() const;
  /// A copy of String().
  std::string Text() const { return std::string(String()); }

  /// Calls visit(JsonValue) for every element of an array except nulls. The indices in paths count
  /// nulls. Does nothing if absent; this holds for the next two functions, too.
  template <typename Visit>
  void ForEachItem(Visit visit) const {
    ForEachPlace([&visit](std::size_t, const JsonValue& value) {
      if (!value.absent()) visit(value);
    });
  }

  /// Calls visit(std::size_t index, JsonValue) for every element of an array. Nulls are visited as
  /// absent values.
  template <typename Visit>
  void ForEachPlace(Visit visit) const {
    simdjson::dom::array array;
    if (!Get(array, "an array")) return;
    std::size_t index = 0;
    for (const simdjson::dom::element item : array) {
      visit(index, JsonValue(item, path_[index], *error_));
      ++index;
    }
  }

  /// Calls visit(std::string_view key, JsonValue) for every member of an object except nulls.
  template <typename Visit>
  void ForEachMember(Visit visit) const {
    simdjson::dom::object object;
    if (!Get(object, "an object")) return;
    for (const auto [key, member] : object) {
      const JsonValue value(member, path_.Key(key), *error_);
      if (!value.absent()) visit(key, value);
    }
  }

  /// A whole number within 64 bits; 0 if absent.
  std::int64_t Integer() const;

  /// false if absent.
  bool Boolean() const;

  /// The value as JSON without blanks; empty if absent.
  std::string Json() const;

  /// A name of `most` bytes at most; empty if absent. See NameFromText() for errors.
  std::string Name(std::size_t most) const;

  /// A map of strings, such as labels; empty if absent.
  model::StringMap StringMap() const;

  /// A quantity, which may also be a JSON number; 0 if absent. See AmountFromText() for errors.
  model::Amount Amount() const;

  /// Like Amount(), but keeps the text.
  model::Quantity Quantity() const;

  /// A time in RFC 3339. kNoTime if it is absent or anything else, which is no error.
  model::Time Time() const;

  /// Reports an error about this value: `what`, with the path in front.
  void Report(std::string_view what) const { error_->Update(path_.Error(what)); }

  /// Reports an error that already contains its path. Does nothing if it is OK.
  void Report(const absl::Status& error) const { error_->Update(error); }

 private:
  JsonValue(std::optional<simdjson::dom::element> value, Path path, absl::Status* error)
      : value_(value), path_(path), error_(error) {}

  /// Reads the value as a T into `result`. Returns false if it is absent or no T; the latter is
  /// reported as an error that calls a T `expected`.
  template <typename T>
  bool Get(T& result, std::string_view expected) const {
    if (absent()) return false;
    if (value_->get(result) == simdjson::SUCCESS) return true;
    ReportType(expected);
    return false;
  }

  /// Reports that the value is not what was expected.
  void ReportType(std::string_view expected) const;

  /// The text of a quantity. The text of a number is stored in `number`, which the result then
  /// points into. nullopt if the value is absent or cannot be a quantity.
  std::optional<std::string_view> QuantityText(std::string& number) const;

  /// nullopt if absent.
  std::optional<simdjson::dom::element> value_;
  Path path_;
  /// Of the document; not owned.
  absl::Status* error_;
};

}  // namespace berth::kube
