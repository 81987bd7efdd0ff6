#include "admission/review.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "kube/json_text.h"
#include "kube/json_value.h"

namespace berth::admission {

namespace {

using Json = nlohmann::ordered_json;
using kube::JsonValue;
using policies::admission::Operation;

constexpr std::string_view kApiVersion = "admission.k8s.io/v1";
constexpr std::string_view kKind = "AdmissionReview";

void CheckVersion(const JsonValue& review) {
  const JsonValue version = review.Field("apiVersion");
  if (version.String() != kApiVersion) {
    version.Report("is " + kube::Quoted(version.String()) +
                   "; write admissionReviewVersions: [v1] in the webhook configuration");
  }
  const JsonValue kind = review.Field("kind");
  if (kind.String() != kKind) {
    kind.Report("is " + kube::Quoted(kind.String()) + ", expected AdmissionReview");
  }
}

std::string ReadUid(const JsonValue& request) {
  const JsonValue uid = request.Field("uid");
  std::string text = uid.Text();
  if (text.empty()) uid.Report("is missing; every request has one");
  if (text.size() > kMaxUid) {
    uid.Report("has " + std::to_string(text.size()) + " bytes, more than the " +
               std::to_string(kMaxUid) + " of a name");
  }
  return text;
}

GroupVersionKind ReadKind(const JsonValue& kind) {
  GroupVersionKind result{.group = kind.Field("group").Text(),
                          .version = kind.Field("version").Text(),
                          .kind = kind.Field("kind").Text()};
  if (result.kind.empty()) kind.Field("kind").Report("is missing; every object has one");
  return result;
}

std::optional<Operation> OperationOf(std::string_view text) {
  if (text == "CREATE") return Operation::kCreate;
  if (text == "UPDATE") return Operation::kUpdate;
  if (text == "DELETE") return Operation::kDelete;
  if (text == "CONNECT") return Operation::kConnect;
  return std::nullopt;
}

Operation ReadOperation(const JsonValue& operation) {
  const std::string_view text = operation.String();
  if (const auto known = OperationOf(text)) return *known;
  operation.Report("is " + kube::Quoted(text) + ", expected CREATE, UPDATE, DELETE or CONNECT");
  return Operation::kConnect;
}

policies::admission::User ReadUser(const JsonValue& info) {
  policies::admission::User user{.name = info.Field("username").Text()};
  info.Field("groups").ForEachItem(
      [&user](const JsonValue& group) { user.groups.push_back(group.Text()); });
  return user;
}

std::optional<simdjson::dom::element> ReadObject(const JsonValue& object) {
  // Reports an error unless it is an object.
  static_cast<void>(object.Field(""));
  return object.element();
}

Review ReadRequest(const JsonValue& request) {
  if (request.absent()) request.Report("is missing; it holds the object to review");
  return {.uid = ReadUid(request),
          .kind = ReadKind(request.Field("kind")),
          .sub_resource = request.Field("subResource").Text(),
          .operation = ReadOperation(request.Field("operation")),
          .namespace_name = request.Field("namespace").Text(),
          .user = ReadUser(request.Field("userInfo")),
          .object = ReadObject(request.Field("object")),
          .old_object = ReadObject(request.Field("oldObject"))};
}

// Reason and code as in k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
std::pair<const char*, int> MeaningOf(Denial cause) {
  switch (cause) {
    case Denial::kTooLarge:
      return {"RequestEntityTooLarge", 413};
    case Denial::kBusy:
      return {"ServiceUnavailable", 503};
    case Denial::kInvalid:
      break;
  }
  return {"Invalid", 422};
}

Json Status(const Answer& answer) {
  Json status = {{"status", "Failure"}, {"message", answer.denial}};
  const auto [reason, code] = MeaningOf(answer.cause);
  status["reason"] = reason;
  status["code"] = code;
  return status;
}

// Only what is judged has to be readable. Of an object of Kubernetes' own kinds, managedFields
// alone can be as deep as its author likes, in the metadata of the object and of its templates.
absl::StatusOr<simdjson::dom::element> ParseReview(kube::JsonParser& parser,
                                                   std::string_view body) {
  const auto root = parser.Parse(body);
  if (root.ok()) return root;
  const std::string judged = kube::WithoutMembers(body, "managedFields");
  return judged == body ? root : parser.Parse(judged);
}

std::string PlainMember(const kube::JsonText& object, std::string_view name) {
  const auto member = object.Member(name);
  return std::string(member ? member->PlainString().value_or("") : "");
}

// Returns the value to which these names of members lead, as it is written; null if there is none.
std::string_view ViewAt(std::string_view object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto member = kube::JsonText(object).Member(name);
    if (!member) return "null";
    object = member->text();
  }
  return object;
}

std::string TextAt(std::string_view object, std::initializer_list<std::string_view> names) {
  return std::string(ViewAt(object, names));
}

bool HasTooManyValues(std::string_view text) {
  return kube::HasMoreValues(text, kMaxValuesOfObject);
}

// The same of an object without its managedFields.
bool IsTooLarge(std::string_view object) {
  return HasTooManyValues(object) &&
         HasTooManyValues(kube::WithoutMembers(object, "managedFields"));
}

absl::Status CheckObjects(std::string_view body) {
  if (!HasTooManyValues(body)) return absl::OkStatus();
  for (const std::string_view member : {"object", "oldObject"}) {
    if (!IsTooLarge(ViewAt(body, {"request", member}))) continue;
    return absl::InvalidArgumentError(fmt::format(
        "AdmissionReview.request.{}: has more than the {} members and items that Berth reads of an "
        "object",
        member, kMaxValuesOfObject));
  }
  return absl::OkStatus();
}

}  // namespace

std::string ToString(const GroupVersionKind& kind) {
  return kind.kind + " of " + (kind.group.empty() ? "" : kind.group + "/") + kind.version;
}

absl::StatusOr<Review> ReadReview(kube::JsonParser& parser, std::string_view body) {
  const auto root = ParseReview(parser, body);
  if (!root.ok()) return root.status();
  absl::Status error = CheckObjects(body);
  if (!error.ok()) return error;
  const JsonValue review(*root, kube::Path(kKind), error);
  CheckVersion(review);
  Review result = ReadRequest(review.Field("request"));
  if (!error.ok()) return error;
  return result;
}

std::optional<Review> ReadReviewFront(std::string_view text) {
  const kube::JsonText root(text);
  const auto request = root.Member("request");
  const bool is_review =
      PlainMember(root, "apiVersion") == kApiVersion && PlainMember(root, "kind") == kKind;
  if (!is_review || !request) return std::nullopt;
  Review review;
  review.uid = PlainMember(*request, "uid");
  if (const auto kind = request->Member("kind")) {
    review.kind = {.group = PlainMember(*kind, "group"),
                   .version = PlainMember(*kind, "version"),
                   .kind = PlainMember(*kind, "kind")};
  }
  review.sub_resource = PlainMember(*request, "subResource");
  // A text that ends before the operation may be a creation.
  review.operation = OperationOf(PlainMember(*request, "operation")).value_or(Operation::kCreate);
  review.namespace_name = PlainMember(*request, "namespace");
  const bool answerable = !review.uid.empty() && review.uid.size() <= kMaxUid;
  if (!answerable || review.kind.kind.empty()) return std::nullopt;
  return review;
}

std::optional<simdjson::dom::element> ReadOldObject(kube::JsonParser& parser,
                                                    std::string_view body) {
  const std::string_view object = ViewAt(body, {"request", "oldObject"});
  if (IsTooLarge(object)) return std::nullopt;
  // As deep as in a review: nobody could write one that is deeper.
  const auto root = ParseReview(parser, R"({"request":{"oldObject":)" + std::string(object) + "}}");
  if (!root.ok()) return std::nullopt;
  const simdjson::dom::element read = (*root)["request"]["oldObject"];
  if (!read.is_object()) return std::nullopt;
  return read;
}

std::string OutlineOf(std::string_view object) {
  return R"({"metadata":{"annotations":)" + TextAt(object, {"metadata", "annotations"}) +
         R"(,"ownerReferences":)" + TextAt(object, {"metadata", "ownerReferences"}) +
         R"(},"spec":{"template":{"metadata":{"annotations":)" +
         TextAt(object, {"spec", "template", "metadata", "annotations"}) + "}}}}";
}

absl::StatusOr<Review> ReadReviewOutline(kube::JsonParser& parser, std::string_view body) {
  const auto request = kube::JsonText(body).Member("request");
  if (!request) return absl::InvalidArgumentError("AdmissionReview.request: is missing");
  std::string members;
  request->ForEachMember([&members](const kube::JsonText& key, const kube::JsonText& value) {
    const bool is_object = value.IsObject() && (key.Spells("object") || key.Spells("oldObject"));
    if (!members.empty()) members += ',';
    members.append(key.text()).append(":");
    members += is_object ? OutlineOf(value.text()) : std::string(value.text());
    return true;
  });
  return ReadReview(parser, R"({"apiVersion":")" + std::string(kApiVersion) + R"(","kind":")" +
                                std::string(kKind) + R"(","request":{)" + members + "}}");
}

std::string ReviewReply(std::string_view uid, const Answer& answer) {
  Json response = {{"uid", uid}, {"allowed", answer.denial.empty()}};
  if (!answer.denial.empty()) response["status"] = Status(answer);
  if (!answer.patch.empty()) {
    response["patchType"] = "JSONPatch";
    response["patch"] = absl::Base64Escape(answer.patch);
  }
  if (!answer.warnings.empty()) response["warnings"] = answer.warnings;
  for (const auto& [key, text] : answer.audit_annotations) {
    response["auditAnnotations"][key] = text;
  }
  const Json review = {
      {"apiVersion", kApiVersion}, {"kind", kKind}, {"response", std::move(response)}};
  return review.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth::admission
