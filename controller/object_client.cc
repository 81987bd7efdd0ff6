#include "controller/object_client.h"

#include <utility>

#include "fmt/format.h"
#include "kube/json_call.h"

namespace berth::controller {

namespace {

constexpr char kCertificateKey[] = "tls.crt";
constexpr char kPrivateKey[] = "tls.key";

std::string Target(const std::string& collection, std::string_view name) {
  return fmt::format("{}/{}", collection, name);
}

}  // namespace

std::string SecretsIn(std::string_view namespace_name) {
  return fmt::format("/api/v1/namespaces/{}/secrets", namespace_name);
}

std::string ServicesIn(std::string_view namespace_name) {
  return fmt::format("/api/v1/namespaces/{}/services", namespace_name);
}

std::string ConfigMapsIn(std::string_view namespace_name) {
  return fmt::format("/api/v1/namespaces/{}/configmaps", namespace_name);
}

std::string LeasesIn(std::string_view namespace_name) {
  return fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", namespace_name);
}

certs::SecretData DataOf(const kube::ApiObject& secret) {
  return {.certificates = secret.SecretValue(kCertificateKey),
          .key = certs::KeyPem(secret.SecretValue(kPrivateKey)),
          .authorities = secret.SecretValue(kAuthoritiesKey)};
}

void SetData(const certs::SecretData& data, kube::ApiObject& secret) {
  secret.SetSecretValue(kCertificateKey, data.certificates);
  secret.SetSecretValue(kPrivateKey, data.key.Reveal());
  secret.SetSecretValue(kAuthoritiesKey, data.authorities);
}

absl::StatusOr<kube::ApiObject> ObjectClient::Get(const std::string& collection,
                                                  std::string_view name) {
  const auto reply = kube::CallJson(*transport_, kube::HttpMethod::kGet, Target(collection, name));
  if (!reply.ok()) return reply.status();
  return kube::ApiObject::Parse(*reply);
}

absl::Status ObjectClient::Create(const std::string& collection, const kube::ApiObject& object) {
  return kube::CallJson(*transport_, kube::HttpMethod::kPost, collection, object.ToJson()).status();
}

absl::Status ObjectClient::Update(const std::string& collection, std::string_view name,
                                  const kube::ApiObject& object) {
  return kube::CallJson(*transport_, kube::HttpMethod::kPut, Target(collection, name),
                        object.ToJson())
      .status();
}

absl::Status ObjectClient::Patch(const std::string& collection, std::string_view name,
                                 std::string body) {
  return kube::CallJson(*transport_, kube::HttpMethod::kPatch, Target(collection, name),
                        std::move(body))
      .status();
}

}  // namespace berth::controller
