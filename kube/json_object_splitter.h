#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/protobuf.h"

namespace berth::kube {

/// Cuts the API objects out of JSON text that arrives in pieces of any size: out of what `kubectl
/// get -o json` writes, of several such texts one after the other, and of the API server's list
/// replies. It holds no more than one object and the bytes that came with it, however long the text
/// is. Not thread-safe.
///
/// A list is an object with an array `items`; its items are cut out. Any other object is cut out as
/// a whole. Only brackets and quotes are looked at: whether an object is valid, its parser tells.
///
/// Example:
///
///   splitter.Append(bytes);
///   while (true) {
///     const auto object = splitter.Next();
///     if (!object.ok()) return object.status();
///     if (!object->has_value()) break;  // until more bytes arrive
///     Parse((*object)->text);
///   }
class JsonObjectSplitter {
 public:
  /// One object. Its views are valid until the next Append().
  struct Object {
    /// Empty if the object is too large.
    std::string_view text;
    /// The kind that the list gives to its items, "Pod" in a PodList, and its apiVersion. Empty in
    /// a List, and if the list names them behind its items.
    std::string_view list_kind;
    std::string_view list_api_version;
    /// Whether the object is an item of a list; else it is a document of its own.
    bool is_item = false;
    /// Whether the object is larger than the splitter holds. Its bytes were dropped.
    bool too_large = false;
  };

  /// `most_bytes` is the size of the largest object that is returned whole. etcd stores none of
  /// more than 1.5 MiB unless it is configured to.
  explicit JsonObjectSplitter(std::size_t most_bytes = kMaxObject) : most_bytes_(most_bytes) {}

  /// Takes the next bytes of the text.
  void Append(std::string_view bytes);

  /// Returns the next whole object, or nullopt until more bytes arrive. Returns InvalidArgument if
  /// something that is no JSON object stands where one must begin; the rest of the text cannot be
  /// read then.
  absl::StatusOr<std::optional<Object>> Next();

  /// Returns InvalidArgument if the text must not end here. Call it after the last bytes.
  absl::Status CheckEnd() const;

  /// metadata.continue of the last list that began; empty if it has none, and if it stands behind
  /// the items.
  const std::string& continue_token() const { return continue_token_; }

 private:
  /// What the scanned byte is a part of.
  enum class Place {
    /// Between documents.
    kOutside,
    /// In a document, but in none of its items.
    kDocument,
    /// Between the items of a list.
    kItems,
    /// In an item.
    kItem,
  };

  /// Scans from `at_` to the end of the next object. Returns whether there is one.
  bool FindEnd();
  /// Scans one byte that stands in no string; see `in_string_`.
  bool OnMark(char mark);
  bool OnOpening(char mark);
  bool OnClosing();
  /// Skips to the byte that ends the string, or to the end of the buffer.
  void ScanString();
  /// Skips bytes that mean nothing outside strings.
  void SkipPlain();
  /// Whether the key that was read last is `items`.
  bool IsKeyItems() const;
  /// Reads from the beginning of a list what it says of its items.
  void ReadFront();
  /// Drops what is buffered of an object that has become too large.
  void DropIfTooLarge();
  Object Take();

  const std::size_t most_bytes_;
  std::string buffer_;
  /// Of the first byte that was not scanned.
  std::size_t at_ = 0;
  /// Where the object that is being scanned begins, and where a returned one ended.
  std::size_t begin_ = 0;
  Place place_ = Place::kOutside;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  /// Whether the byte before was a backslash in a string.
  bool escaped_ = false;
  /// Where the string that was scanned last begins and ends, without its quotes. Only for strings
  /// of a document itself.
  std::size_t string_begin_ = 0;
  std::size_t string_end_ = 0;
  /// Whether the document is a list, whose items have been cut out.
  bool is_list_ = false;
  bool too_large_ = false;
  std::string list_kind_;
  std::string list_api_version_;
  std::string continue_token_;
  absl::Status error_;
};

}  // namespace berth::kube
