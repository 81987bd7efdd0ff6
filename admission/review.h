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

// The messages between the API server and the webhook: AdmissionReview in
// k8s.io/api/admission/v1/types.go (v0.36.3).

namespace berth::admission {

/// The most bytes that a uid may have. The API server's own are UUIDs; a name may have as many
/// bytes.
inline constexpr std::size_t kMaxUid = 253;

/// The most members and items of one object, without metadata.managedFields: two such objects, as
/// an update has them, fit into the kube::kMaxValues of a review. So whoever may create an object
/// may change it.
inline constexpr std::size_t kMaxValuesOfObject = 120'000;

/// A metav1.GroupVersionKind. The group of the core API is empty.
struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  friend bool operator==(const GroupVersionKind&, const GroupVersionKind&) = default;
};

/// For people: "Deployment of apps/v1".
std::string ToString(const GroupVersionKind& kind);

/// A request of the API server. `object` and `old_object` point into the parser that read it, and
/// are valid until that parser reads something else.
struct Review {
  /// Identifies the request; the answer repeats it.
  std::string uid;
  /// Kind of the object as it is sent: request.kind, not requestKind.
  GroupVersionKind kind;
  /// "status", "ephemeralcontainers"; empty for the object itself.
  std::string sub_resource;
  policies::admission::Operation operation = policies::admission::Operation::kCreate;
  std::string namespace_name;
  /// The user who sends the request.
  policies::admission::User user;
  /// The new object. Absent on DELETE.
  std::optional<simdjson::dom::element> object;
  /// The object before an UPDATE or DELETE.
  std::optional<simdjson::dom::element> old_object;
  /// Of an UPDATE that cannot be read: whether the stored object could be, so that the update is to
  /// blame.
  bool update_is_to_blame = false;
};

/// Reads an AdmissionReview. Returns InvalidArgument, with a sentence that names the field, if the
/// body is not JSON or not a v1 review that could be answered, or if an object has more than
/// kMaxValuesOfObject. Checks of the objects otherwise only that they are JSON objects. May leave
/// out their managedFields, which nothing here judges.
absl::StatusOr<Review> ReadReview(kube::JsonParser& parser, std::string_view body);

/// Reads the beginning of a review, as far as `text` contains it, without the objects, which the
/// API server writes last. Returns nothing if `text` is not the beginning of an AdmissionReview
/// with a uid and a kind. If `text` ends before the operation, the operation is taken to be CREATE.
std::optional<Review> ReadReviewFront(std::string_view text);

/// Reads the object before an UPDATE alone, in a review that cannot be read as a whole. Empty if
/// the object could not be read in any review, or if there is none.
std::optional<simdjson::dom::element> ReadOldObject(kube::JsonParser& parser,
                                                    std::string_view body);

/// Returns what tells who created a pod or Job and its pods: an object that has only the owners,
/// and the annotations of the object and of the template of its pods, which the API server keeps
/// small. `object` is JSON, as large as it may be.
std::string OutlineOf(std::string_view object);

/// Reads a review that cannot be read as a whole, with the outlines of both objects in their place.
absl::StatusOr<Review> ReadReviewOutline(kube::JsonParser& parser, std::string_view body);

/// How many bytes of a review contain everything before the objects. The object's name, namespace
/// and kind have up to 253 bytes each, and the rest is short.
inline constexpr std::size_t kFrontBytes = 16 * 1024;

/// Why an object is denied, as a code of HTTP.
enum class Denial {
  /// 422: the object breaks a rule.
  kInvalid,
  /// 413: the object is larger than Berth reads.
  kTooLarge,
  /// 503: Berth could not read the object now; a later request may succeed.
  kBusy,
};

/// The webhook's answer to one review.
struct Answer {
  /// A JSON Patch; empty if nothing changes.
  std::string patch;
  /// Why the object is denied; empty if it is allowed.
  std::string denial;
  /// Only for a denial.
  Denial cause = Denial::kInvalid;
  /// Lines that the API server passes on to the client.
  std::vector<std::string> warnings;
  /// Key and text for the audit log. The API server puts the webhook's name before the keys.
  std::vector<std::pair<std::string, std::string>> audit_annotations;
};

/// Returns the AdmissionReview with the answer, as JSON. Never fails: bytes that are not UTF-8 are
/// replaced.
std::string ReviewReply(std::string_view uid, const Answer& answer);

}  // namespace berth::admission
