#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace berth::kube {

/// A credential, given as text or as a file. A file may be replaced while the process runs, as
/// kubelet does with a service account's token, so it is read each time that the credential is
/// needed. A value type: copies are independent, and concurrent reads are safe.
class TextSource {
 public:
  /// Not given.
  TextSource() = default;

  /// The credential itself. An empty text counts as not given.
  static TextSource Text(std::string text) { return TextSource(std::move(text), ""); }
  /// A file that contains the credential.
  static TextSource File(std::string path) { return TextSource("", std::move(path)); }

  /// Whether it is a text or a file.
  bool given() const { return !text_.empty() || !path_.empty(); }

  /// The file, or empty if it is not one.
  const std::string& path() const { return path_; }

  /// Returns the text, or empty if it is not given. Reads the file, with the errors of
  /// ReadWholeFile().
  absl::StatusOr<std::string> Read() const;

 private:
  TextSource(std::string text, std::string path) : text_(std::move(text)), path_(std::move(path)) {}

  /// At most one of the two is not empty.
  std::string text_;
  std::string path_;
};

/// Returns the whole content of a file. Errors name the file: NotFound, PermissionDenied or another
/// error of the system, and InvalidArgument for over 16 MiB, because credentials are small.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

}  // namespace berth::kube
