#include "kube/api_object.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"

namespace berth::kube {
namespace {

using Json = nlohmann::json;

constexpr char kMetadata[] = "metadata";
constexpr char kOwners[] = "ownerReferences";

const Json& Absent() {
  static const Json absent;
  return absent;
}

const Json& Member(const Json& object, std::string_view name) {
  if (!object.is_object()) return Absent();
  const auto found = object.find(std::string(name));
  return found == object.end() ? Absent() : *found;
}

std::string StringOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

std::string Decoded(const Json& value) {
  std::string decoded;
  return absl::Base64Unescape(StringOf(value), &decoded) ? decoded : "";
}

std::string Encoded(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

// Returns the object `name` in `parent`. Creates it, also in place of a null.
Json& ObjectIn(Json& parent, const std::string& name) {
  Json& member = parent[name];
  if (!member.is_object()) member = Json::object();
  return member;
}

bool IsTheOwner(const Json& reference, const OwnerReference& owner) {
  return StringOf(Member(reference, "kind")) == owner.kind &&
         StringOf(Member(reference, "name")) == owner.name;
}

void SetOwnerIn(Json& metadata, const OwnerReference& owner) {
  Json owners = Json::array();
  for (const Json& each : Member(metadata, kOwners)) {
    if (!IsTheOwner(each, owner)) owners.push_back(each);
  }
  owners.push_back({{"apiVersion", owner.api_version},
                    {"kind", owner.kind},
                    {"name", owner.name},
                    {"uid", owner.uid}});
  metadata[kOwners] = std::move(owners);
}

std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

ApiObject::ApiObject(Json json) : json_(std::make_unique<Json>(std::move(json))) {}
ApiObject::ApiObject(const ApiObject& other) : ApiObject(Json(*other.json_)) {}
ApiObject& ApiObject::operator=(const ApiObject& other) { return *this = ApiObject(other); }
ApiObject::ApiObject(ApiObject&&) noexcept = default;
ApiObject& ApiObject::operator=(ApiObject&&) noexcept = default;
ApiObject::~ApiObject() = default;

absl::StatusOr<ApiObject> ApiObject::Parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return absl::InvalidArgumentError("the text is not a JSON object");
  return ApiObject(std::move(json));
}

ApiObject ApiObject::New(std::string_view api_version, std::string_view kind,
                         std::string_view namespace_name, std::string_view name) {
  return ApiObject({{"apiVersion", api_version},
                    {"kind", kind},
                    {kMetadata, {{"namespace", namespace_name}, {"name", name}}}});
}

std::string ApiObject::ToJson() const { return TextOf(*json_); }

std::string ApiObject::MetadataString(std::string_view name) const {
  return StringOf(Member(Member(*json_, kMetadata), name));
}

std::string ApiObject::uid() const { return MetadataString("uid"); }

std::string ApiObject::Annotation(std::string_view name) const {
  return StringOf(Member(Member(Member(*json_, kMetadata), "annotations"), name));
}

void ApiObject::SetAnnotation(std::string_view name, std::string_view value) {
  ObjectIn(ObjectIn(*json_, kMetadata), "annotations")[std::string(name)] = value;
}

void ApiObject::SetLabel(std::string_view name, std::string_view value) {
  ObjectIn(ObjectIn(*json_, kMetadata), "labels")[std::string(name)] = value;
}

bool ApiObject::HasOwner(const OwnerReference& owner) const {
  for (const Json& each : Member(Member(*json_, kMetadata), kOwners)) {
    if (IsTheOwner(each, owner) && StringOf(Member(each, "uid")) == owner.uid) return true;
  }
  return false;
}

void ApiObject::SetOwner(const OwnerReference& owner) {
  SetOwnerIn(ObjectIn(*json_, kMetadata), owner);
}

std::string ApiObject::SecretValue(std::string_view key) const {
  return Decoded(Member(Member(*json_, "data"), key));
}

void ApiObject::SetSecretValue(std::string_view key, std::string_view value) {
  ObjectIn(*json_, "data")[std::string(key)] = Encoded(value);
}

void ApiObject::SetSecretType(std::string_view type) { (*json_)["type"] = type; }

std::vector<std::string> ApiObject::ClusterIps() const {
  std::vector<std::string> addresses;
  for (const Json& each : Member(Member(*json_, "spec"), "clusterIPs")) {
    addresses.push_back(StringOf(each));
  }
  return addresses;
}

std::vector<std::string> ApiObject::CaBundles() const {
  std::vector<std::string> bundles;
  for (const Json& webhook : Member(*json_, "webhooks")) {
    bundles.push_back(Decoded(Member(Member(webhook, "clientConfig"), "caBundle")));
  }
  return bundles;
}

void ApiObject::SetCaBundles(std::string_view pem) {
  if (!Member(*json_, "webhooks").is_array()) return;
  for (Json& webhook : (*json_)["webhooks"]) {
    if (webhook.is_object()) ObjectIn(webhook, "clientConfig")["caBundle"] = Encoded(pem);
  }
}

std::optional<std::string> ApiObject::ConfigMapValue(std::string_view key) const {
  const Json& value = Member(Member(*json_, "data"), key);
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

bool operator==(const ApiObject& a, const ApiObject& b) { return *a.json_ == *b.json_; }

std::string OwnersPatch(const ApiObject& object) {
  const Json json = Json::parse(object.ToJson(), nullptr, false);
  const Json metadata{{kOwners, Member(Member(json, kMetadata), kOwners)}};
  return TextOf(Json{{kMetadata, metadata}});
}

std::string WithOwner(std::string_view metadata, const OwnerReference& owner) {
  Json json = Json::parse(metadata, nullptr, false);
  if (!json.is_object()) json = Json::object();
  SetOwnerIn(json, owner);
  return TextOf(json);
}

}  // namespace berth::kube
