#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace berth::kube {

/// Cuts the objects out of the body of a list reply, however that was split. No more of a page is
/// held than one of its objects and what came with it, whatever the whole page takes: 500 pods as
/// large as etcd stores them are 750 MiB. Not thread-safe.
///
/// The body is kBodyPrefix and a runtime.Unknown whose `raw` is the list. Go's encoders write
/// fields by their numbers, so the kind comes before the list, and its version before its objects.
class ListSplitter {
 public:
  /// `kind`: what the list must be, "NodeList".
  explicit ListSplitter(std::string_view kind) : kind_(kind) {}

  /// Takes the next bytes of the body. Views from Next() end here.
  void Append(std::string_view bytes);

  /// The next whole object, or nothing until more bytes come. DataLoss where the body is no such
  /// list; the rest of it is lost then.
  absl::StatusOr<std::optional<std::string_view>> Next();

  /// DataLoss where the body must not end here.
  absl::Status CheckEnd() const;

  /// Those of the list; empty until they have come.
  const std::string& resource_version() const { return resource_version_; }
  const std::string& continue_token() const { return continue_token_; }

 private:
  struct FieldHead;
  static std::optional<FieldHead> ReadFieldHead(std::string_view bytes);

  absl::Status TakePrefix();
  absl::Status EnterList(const FieldHead& field);
  bool IsTooLong(const FieldHead& field) const;
  absl::StatusOr<std::optional<std::string_view>> Take(const FieldHead& field);
  bool ReadField(int number, std::string_view value);
  bool ReadListField(int number, std::string_view value);
  absl::Status NotTheKind() const;
  absl::Status Malformed() const;

  std::string_view Rest() const { return std::string_view(buffer_).substr(position_); }

  const std::string kind_;
  std::string actual_kind_;
  std::string buffer_;
  std::size_t position_ = 0;   // of the first byte that was not taken
  bool prefixed_ = false;      // kBodyPrefix was taken
  bool entered_ = false;       // the list has begun
  std::size_t list_left_ = 0;  // bytes of the list that were not taken
  std::string resource_version_;
  std::string continue_token_;
};

}  // namespace berth::kube
