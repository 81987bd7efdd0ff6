#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::yaml {

/// What is wrong in a file that a person wrote, and where. A plain value.
struct SourceError {
  std::string file;
  /// Counted from 1. 0 if the error is about the whole file, or the line is not known.
  int line = 0;
  /// The field, e.g. "health.conditions[3].type". Empty if the error is not about one field.
  std::string path;
  /// What is wrong and what to write instead.
  std::string message;

  friend bool operator==(const SourceError&, const SourceError&) = default;
};

/// Returns "FILE:LINE: path: message", without the parts that are not known.
std::string ToString(const SourceError& error);

/// Returns one line for each error. The last line has no line end.
std::string ToString(const std::vector<SourceError>& errors);

/// Returns the path of a field of the map at `path`: "spec" and "nodeName" give "spec.nodeName".
/// `key` alone if `path` is empty.
std::string FieldPath(std::string_view path, std::string_view key);

/// Returns the path of an item of the list at `path`: "containers" and 3 give "containers[3]".
std::string ItemPath(std::string_view path, std::size_t index);

}  // namespace berth::yaml
