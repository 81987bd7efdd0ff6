#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/json.h"
#include "policies/admission/request.h"

// The wire: AdmissionReview of k8s.io/api/admission/v1/types.go (v0.36.3).

namespace berth::admission {

/// Bytes of a uid. The API server's own are UUIDs; nobody needs more than a name may have.
inline constexpr std::size_t kMaxUid = 253;

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  friend bool operator==(const GroupVersionKind&, const GroupVersionKind&) = default;
};

/// "Deployment of apps/v1".
std::string ToString(const GroupVersionKind& kind);

/// What the API server asks. Points into the parser that it was read with.
struct Review {
  std::string uid;
  /// Of the object as it is sent: request.kind, not requestKind.
  GroupVersionKind kind;
  /// "status", "ephemeralcontainers"; empty: the object itself.
  std::string sub_resource;
  policies::admission::Operation operation = policies::admission::Operation::kCreate;
  std::string namespace_name;
  policies::admission::User user;
  /// Absent on DELETE and where there is none.
  std::optional<simdjson::dom::element> object;
  std::optional<simdjson::dom::element> old_object;
};

/// Reads an AdmissionReview. InvalidArgument with a sentence where it is none that could be
/// answered; the objects themselves are not looked into.
absl::StatusOr<Review> ReadReview(kube::JsonParser& parser, std::string_view body);

/// What the front of a review says of itself, as far as `text` has it and without the objects: the
/// API server writes them last. Nothing where it is no AdmissionReview whose uid and kind are
/// there.
std::optional<Review> ReadReviewFront(std::string_view text);

/// How much of a review is its front; an object's name, namespace and kind have 253 bytes each.
inline constexpr std::size_t kFrontBytes = 16 * 1024;

/// Why something is denied, in HTTP's terms.
enum class Denial {
  /// The object is not as it has to be: 422.
  kInvalid,
  /// It is larger than what is looked at: 413.
  kTooLarge,
  /// It could not be looked at now, and may be later: 503.
  kBusy,
};

/// What it is told.
struct Answer {
  /// JSON Patch; empty: nothing changes.
  std::string patch;
  /// Why it is denied; empty: it is allowed.
  std::string denial;
  Denial cause = Denial::kInvalid;
  std::vector<std::string> warnings;
  /// Without the webhook's name, which the API server puts in front.
  std::vector<std::pair<std::string, std::string>> audit_annotations;
};

/// The AdmissionReview that carries the answer. Never fails: what is no UTF-8 is replaced.
std::string ReviewReply(std::string_view uid, const Answer& answer);

}  // namespace berth::admission
