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

/// A value in a JSON document that may be absent; null counts as absent. Reading one as what it is
/// not is an error that names its path; `error` keeps the first error of the document, and what is
/// read after it is of no use. Absent values read as empty.
///
/// Points at its parent, at `error` and into the parser's document, which must outlive it.
class JsonValue {
 public:
  JsonValue(simdjson::dom::element value, const Path& path, absl::Status& error);

  bool absent() const { return !value_.has_value(); }
  const Path& path() const { return path_; }
  /// Nothing where absent.
  std::optional<simdjson::dom::element> element() const { return value_; }

  /// The member of that name (exact case) of an object; of several the last one, as for Go.
  JsonValue Field(std::string_view name) const;

  /// Lives as long as the parser's document.
  std::string_view String() const;
  /// A copy of String().
  std::string Text() const { return std::string(String()); }

  /// Calls visit(JsonValue) for every element of an array but nulls. The paths count nulls.
  template <typename Visit>
  void ForEachItem(Visit visit) const {
    ForEachPlace([&visit](std::size_t, const JsonValue& value) {
      if (!value.absent()) visit(value);
    });
  }

  /// Calls visit(std::size_t index, JsonValue) for every element of an array; nulls are absent.
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

  /// Calls visit(std::string_view key, JsonValue) for every member of an object but nulls.
  template <typename Visit>
  void ForEachMember(Visit visit) const {
    simdjson::dom::object object;
    if (!Get(object, "an object")) return;
    for (const auto [key, member] : object) {
      const JsonValue value(member, path_.Key(key), *error_);
      if (!value.absent()) visit(key, value);
    }
  }

  /// A whole number within 64 bits; 0 where absent.
  std::int64_t Integer() const;

  /// False where absent.
  bool Boolean() const;

  /// Itself as JSON without blanks; empty where absent.
  std::string Json() const;

  /// A map of strings, such as labels.
  model::StringMap StringMap() const;

  /// A quantity, which may also be a number.
  model::Amount Amount() const;

  /// The same with its text.
  model::Quantity Quantity() const;

  /// RFC 3339; kNoTime where absent or anything else: no error.
  model::Time Time() const;

  /// Makes it an error, with the path in front of `what`.
  void Report(std::string_view what) const { error_->Update(path_.Error(what)); }

  /// The same of an error that has its path; OK is none.
  void Report(const absl::Status& error) const { error_->Update(error); }

 private:
  JsonValue(std::optional<simdjson::dom::element> value, Path path, absl::Status* error)
      : value_(value), path_(path), error_(error) {}

  /// Reads the value as a T, called `expected` in the error. False where it is absent or no T.
  template <typename T>
  bool Get(T& result, std::string_view expected) const {
    if (absent()) return false;
    if (value_->get(result) == simdjson::SUCCESS) return true;
    ReportType(expected);
    return false;
  }

  void ReportType(std::string_view expected) const;

  /// What a quantity is written as; a number has to be kept in `number`. Nothing: it is no
  /// quantity.
  std::optional<std::string_view> QuantityText(std::string& number) const;

  std::optional<simdjson::dom::element> value_;
  Path path_;
  absl::Status* error_;
};

}  // namespace berth::kube
