#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Bytes of one warning: kubectl's users see longer ones cut (admission/v1 types.go, Warnings).
inline constexpr std::size_t kMaxWarning = 120;
/// Warnings about one object: the API server drops what is beyond 4 KiB of them.
inline constexpr std::size_t kMaxWarnings = 12;
/// Bytes of what one policy says of one object to the audit log.
inline constexpr std::size_t kMaxEffectText = 1024;
/// Objections named in one denial.
inline constexpr std::size_t kMaxObjections = 3;

/// `text` fit for one line of at most `size` bytes, 3 at least: control characters, with which the
/// API server drops a warning (NewWarningHeader in k8s.io/apimachinery/pkg/util/net/http.go),
/// become blanks, and what is too long ends in "...".
std::string OneLine(std::string_view text, std::size_t size);

/// "spec.containers[0].resources has no memory limit; write limits.memory".
std::string ToString(const Objection& objection);

/// The warnings about one object.
class Warnings {
 public:
  void Add(std::string_view prefix, std::string_view text);

  /// At most kMaxWarnings, the last of which says how many more there are.
  std::vector<std::string> Take();

 private:
  std::vector<std::string> texts_;
  std::size_t more_ = 0;
};

/// The denials of one object: what every policy objects to.
class Denial {
 public:
  void Add(std::string_view policy, const std::vector<Objection>& objections);

  /// Empty: nobody objects.
  std::string Text() const;

 private:
  std::string text_;
  std::size_t named_ = 0;
  std::size_t more_ = 0;
};

}  // namespace berth::policies::admission
