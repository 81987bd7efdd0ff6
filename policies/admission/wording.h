#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

// How the engine words warnings and denials, within the limits of the API server and of readers.

namespace berth::policies::admission {

/// Bytes of one warning; kubectl's users see longer ones cut (admission/v1 types.go, Warnings).
inline constexpr std::size_t kMaxWarning = 120;
/// Bytes of a warning that tells why something will be denied. Such a text is a whole sentence with
/// advice. kMaxWarnings of them stay below the total from which on the API server cuts warnings.
inline constexpr std::size_t kMaxForetold = 250;
/// Warnings about one object. The API server drops warnings beyond a total of 4 KiB.
inline constexpr std::size_t kMaxWarnings = 12;
/// Bytes of one policy's text about one object in the audit log.
inline constexpr std::size_t kMaxEffectText = 1024;
/// Objections that one denial names.
inline constexpr std::size_t kMaxObjections = 3;

/// `text` as one line of at most `size` bytes; `size` must be at least 3. Control characters become
/// blanks, because the API server drops a warning that contains them (NewWarningHeader in
/// k8s.io/apimachinery/pkg/util/net/http.go). Characters that are invisible or turn the text around
/// are removed (model::InvisibleBytes()). A longer text ends in "...", without cutting a
/// character of UTF-8.
std::string OneLine(std::string_view text, std::size_t size);

/// The objection as a sentence: "spec.containers[0].resources has no memory limit; write
/// limits.memory".
std::string ToString(const Objection& objection);

/// Collects the warnings about one object. Not thread-safe.
class Warnings {
 public:
  /// Adds `prefix` + `text` as one warning, cut to kMaxWarning bytes. Drops it if it was added
  /// before.
  void Add(std::string_view prefix, std::string_view text);

  /// Adds `prefix` and the objection as one warning of at most kMaxForetold bytes. If it is longer,
  /// field and reason are cut, but not the advice.
  void Add(std::string_view prefix, const Objection& objection);

  /// Returns at most kMaxWarnings warnings. If there were more, the last one says how many. Call it
  /// once, at the end.
  std::vector<std::string> Take();

 private:
  // Adds the warning unless it is known.
  void AddLine(std::string warning);

  std::vector<std::string> texts_;  // each once, in the order of the calls
  std::size_t more_ = 0;            // how many did not fit
};

/// Collects the objections of all policies to one object. Not thread-safe.
class Denial {
 public:
  /// Names up to kMaxObjections objections in total and counts the rest.
  void Add(std::string_view policy, const std::vector<Objection>& objections);

  /// The message for the user; empty if there are no objections.
  std::string Text() const;

 private:
  std::string text_;
  std::size_t named_ = 0;  // how many objections `text_` names
  std::size_t more_ = 0;
};

}  // namespace berth::policies::admission
