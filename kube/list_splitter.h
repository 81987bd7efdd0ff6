#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace berth::kube {

/// Cuts the objects out of the body of a list reply, which may arrive in pieces of any size. It
/// holds no more of a page than one object and the bytes that came with it, however large the page
/// is: 500 pods as large as etcd stores them are 750 MiB. Not thread-safe.
///
/// The body is kBodyPrefix and a runtime.Unknown whose `raw` is the list. Go's encoders write
/// fields in the order of their numbers, so the kind comes before the list, and the list's version
/// before its objects.
///
/// Example:
///
///   splitter.Append(bytes);
///   while (true) {
///     const auto object = splitter.Next();
///     if (!object.ok()) return object.status();
///     if (!object->has_value()) break;  // until more bytes arrive
///     Decode(**object);
///   }
class ListSplitter {
 public:
  /// `kind` is the kind that the list must have, e.g. "NodeList".
  explicit ListSplitter(std::string_view kind) : kind_(kind) {}

  /// Takes the next bytes of the body. Invalidates all views from Next().
  void Append(std::string_view bytes);

  /// Returns the next whole object, or nullopt until more bytes arrive. Returns DataLoss if the
  /// body is not such a list; the rest of it cannot be read then.
  absl::StatusOr<std::optional<std::string_view>> Next();

  /// Returns DataLoss if the body must not end here. Call it after the last bytes.
  absl::Status CheckEnd() const;

  /// From the list's metadata. Empty until that has arrived; the token is also empty on the last
  /// page.
  const std::string& resource_version() const { return resource_version_; }
  const std::string& continue_token() const { return continue_token_; }

 private:
  struct FieldHead;
  /// The tag and the length of a field.
  static std::optional<FieldHead> ReadFieldHead(std::string_view bytes);

  /// Consumes kBodyPrefix once it is complete.
  absl::Status TakePrefix();
  /// Begins to read within the list.
  absl::Status EnterList(const FieldHead& field);
  /// Whether a field is larger than any object, or reaches beyond the list.
  bool IsTooLong(const FieldHead& field) const;
  /// Consumes a complete field. Returns it if it is an object.
  absl::StatusOr<std::optional<std::string_view>> Take(const FieldHead& field);
  /// Reads a field of the runtime.Unknown. False if it is malformed.
  bool ReadField(int number, std::string_view value);
  /// Reads a field of the list. False if it is malformed.
  bool ReadListField(int number, std::string_view value);
  /// The errors of Next() and CheckEnd().
  absl::Status NotTheKind() const;
  absl::Status Malformed() const;

  /// The bytes that were not consumed yet.
  std::string_view Rest() const { return std::string_view(buffer_).substr(position_); }

  const std::string kind_;
  std::string actual_kind_;
  std::string buffer_;
  std::size_t position_ = 0;   // of the first byte that was not consumed
  bool prefixed_ = false;      // kBodyPrefix was consumed
  bool entered_ = false;       // the list has begun
  std::size_t list_left_ = 0;  // bytes of the list that were not consumed
  std::string resource_version_;
  std::string continue_token_;
};

}  // namespace berth::kube
