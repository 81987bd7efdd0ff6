#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace berth::kube {

/// A credential: given as text, or as a file that may be replaced while we run and is therefore
/// read each time it is needed. Thread-compatible value type.
class TextSource {
 public:
  /// Not given.
  TextSource() = default;

  static TextSource Text(std::string text) { return TextSource(std::move(text), ""); }
  static TextSource File(std::string path) { return TextSource("", std::move(path)); }

  bool given() const { return !text_.empty() || !path_.empty(); }

  /// Empty for a text.
  const std::string& path() const { return path_; }

  /// Empty where not given. NotFound or PermissionDenied name the file.
  absl::StatusOr<std::string> Read() const;

 private:
  TextSource(std::string text, std::string path) : text_(std::move(text)), path_(std::move(path)) {}

  std::string text_;
  std::string path_;
};

/// The whole content of a file; the error names it. Credentials are small: over 16 MiB is refused.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

}  // namespace berth::kube
