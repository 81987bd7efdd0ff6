#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace berth::kube {

/// An owner of an object: the garbage collector deletes the object when its owner no longer exists.
/// A metav1.OwnerReference without blockOwnerDeletion, which would need permissions for the owner.
/// A plain value.
struct OwnerReference {
  /// "apps/v1" and the like.
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// An API object of any kind that is read, changed in a few places and written back. All other
/// fields stay as they came. A field that is absent, or not of the expected type, reads as empty.
/// The object may be a Secret, so it cannot be printed or logged. A value type; not synchronised.
///
/// Example:
///
///   absl::StatusOr<ApiObject> secret = ApiObject::Parse(reply);
///   if (!secret.ok()) return secret.status();
///   secret->SetSecretValue("tls.crt", pem);
///   Put(secret->ToJson());
class ApiObject {
 public:
  /// Parses a JSON object. Returns InvalidArgument if `text` is not one; the error contains nothing
  /// of the text.
  static absl::StatusOr<ApiObject> Parse(std::string_view text);

  /// Makes an object that does not exist at the API server yet.
  static ApiObject New(std::string_view api_version, std::string_view kind,
                       std::string_view namespace_name, std::string_view name);

  ApiObject(const ApiObject& other);
  ApiObject& operator=(const ApiObject& other);
  ApiObject(ApiObject&&) noexcept;
  ApiObject& operator=(ApiObject&&) noexcept;
  ~ApiObject();

  /// The object as JSON, for the body of a POST or PUT. Bytes that are not UTF-8 are replaced.
  std::string ToJson() const;

  /// metadata.uid; empty if the object is new.
  std::string uid() const;

  /// The annotation's value, or empty if there is none.
  std::string Annotation(std::string_view name) const;
  /// Adds the annotation, or replaces its value.
  void SetAnnotation(std::string_view name, std::string_view value);
  /// Adds the label, or replaces its value.
  void SetLabel(std::string_view name, std::string_view value);

  /// Whether the object has this owner. Kind, name and UID must be equal.
  bool HasOwner(const OwnerReference& owner) const;

  /// Adds the owner. It replaces an owner of that kind and name with another UID.
  void SetOwner(const OwnerReference& owner);

  // For a v1.Secret:

  /// The decoded value of `key`. Empty if it is absent or not base64.
  std::string SecretValue(std::string_view key) const;
  /// Sets the value of `key`, which is stored in base64.
  void SetSecretValue(std::string_view key, std::string_view value);
  /// Sets the type, e.g. "kubernetes.io/tls".
  void SetSecretType(std::string_view type);

  // For a v1.Service:

  /// spec.clusterIPs; empty if there are none.
  std::vector<std::string> ClusterIps() const;

  // For a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration:

  /// The decoded clientConfig.caBundle of each webhook, in their order. Empty where one has none.
  std::vector<std::string> CaBundles() const;

  /// Sets the caBundle of every webhook to `pem`.
  void SetCaBundles(std::string_view pem);

  /// For a v1.ConfigMap: the value of `key` in `data`, or nullopt if there is none.
  std::optional<std::string> ConfigMapValue(std::string_view key) const;

  /// Compares the whole JSON.
  friend bool operator==(const ApiObject& a, const ApiObject& b);

 private:
  explicit ApiObject(nlohmann::json json);

  /// The string metadata.<name>, or empty.
  std::string MetadataString(std::string_view name) const;

  std::unique_ptr<nlohmann::json> json_;
};

/// Returns the body of a JSON merge patch that sets the owners of an object to those of `object`.
std::string OwnersPatch(const ApiObject& object);

/// Returns `metadata`, the JSON text of an object's metadata, with `owner` added as in
/// ApiObject::SetOwner().
std::string WithOwner(std::string_view metadata, const OwnerReference& owner);

}  // namespace berth::kube
