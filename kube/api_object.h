#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace berth::kube {

/// Who an object goes with: the garbage collector deletes it when its owner is gone
/// (metav1.OwnerReference; without blockOwnerDeletion, for which rights over the owner are needed).
struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// An API object of any kind that is read, changed in a few places and written back: everything
/// else stays as it came. What is absent, or not of the type that it should be, reads as empty.
/// It may be a Secret, so it can neither be printed nor logged. Not thread-safe.
class ApiObject {
 public:
  /// InvalidArgument where `text` is no JSON object; nothing of it is in the error.
  static absl::StatusOr<ApiObject> Parse(std::string_view text);

  /// One that does not exist yet.
  static ApiObject New(std::string_view api_version, std::string_view kind,
                       std::string_view namespace_name, std::string_view name);

  ApiObject(const ApiObject& other);
  ApiObject& operator=(const ApiObject& other);
  ApiObject(ApiObject&&) noexcept;
  ApiObject& operator=(ApiObject&&) noexcept;
  ~ApiObject();

  /// The body of a POST or PUT.
  std::string ToJson() const;

  std::string uid() const;

  std::string Annotation(std::string_view name) const;
  void SetAnnotation(std::string_view name, std::string_view value);
  void SetLabel(std::string_view name, std::string_view value);

  bool HasOwner(const OwnerReference& owner) const;

  /// In place of an owner of that kind and name with another uid, if it has one.
  void SetOwner(const OwnerReference& owner);

  // Of a v1.Secret.

  /// Decoded. Empty where it is absent or not base64.
  std::string SecretValue(std::string_view key) const;
  void SetSecretValue(std::string_view key, std::string_view value);
  void SetSecretType(std::string_view type);

  // Of a v1.Service.

  std::vector<std::string> ClusterIps() const;

  // Of a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration.

  /// Decoded, one for each webhook.
  std::vector<std::string> CaBundles() const;

  /// The same for all webhooks.
  void SetCaBundles(std::string_view pem);

  /// Of a v1.ConfigMap.
  std::optional<std::string> ConfigMapValue(std::string_view key) const;

  friend bool operator==(const ApiObject& a, const ApiObject& b);

 private:
  explicit ApiObject(nlohmann::json json);

  std::string MetadataString(std::string_view name) const;

  std::unique_ptr<nlohmann::json> json_;
};

/// The body of a JSON merge patch that leaves an object with these owners.
std::string OwnersPatch(const ApiObject& object);

/// `metadata`, JSON text of an object's metadata, with an owner added; see ApiObject::SetOwner().
std::string WithOwner(std::string_view metadata, const OwnerReference& owner);

}  // namespace berth::kube
