#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::yaml {

/// What is wrong with a file that a person wrote, and where.
struct SourceError {
  std::string file;
  /// Counted from 1; 0: the file as a whole.
  int line = 0;
  /// The field, such as "health.conditions[3].type"; empty: none in particular.
  std::string path;
  /// What is wrong and what to write instead.
  std::string message;

  friend bool operator==(const SourceError&, const SourceError&) = default;
};

/// "FILE:LINE: path: message", without the parts that are not known.
std::string ToString(const SourceError& error);

/// One line each, the last one without line end.
std::string ToString(const std::vector<SourceError>& errors);

/// `path`.`key`, or `key` alone at the top.
std::string FieldPath(std::string_view path, std::string_view key);

/// `path`[`index`].
std::string ItemPath(std::string_view path, std::size_t index);

}  // namespace berth::yaml
