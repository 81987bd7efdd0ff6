#include <fmt/format.h>

#include "absl/status/status.h"
#include "kube/exec_plugin.h"
#include "kube/json.h"
#include "kube/json_value.h"
#include "kube/path.h"

namespace berth::kube {
namespace {

absl::Status NoCredential(std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("its answer {}", why));
}

absl::Status ReadStatus(const JsonValue& status, ExecCredential& credential) {
  credential.token = status.Field("token").Text();
  credential.client_certificate = status.Field("clientCertificateData").Text();
  credential.client_key = status.Field("clientKeyData").Text();
  const JsonValue expires = status.Field("expirationTimestamp");
  credential.expires = expires.Time();
  if (!expires.absent() && credential.expires == model::kNoTime) {
    return NoCredential("has a status.expirationTimestamp that is no time in RFC 3339");
  }
  if (credential.client_certificate.empty() != credential.client_key.empty()) {
    return NoCredential("has only one of status.clientCertificateData and status.clientKeyData");
  }
  if (credential.token.empty() && credential.client_certificate.empty()) {
    return NoCredential("has neither status.token nor status.clientCertificateData");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ExecCredential> ReadExecCredential(std::string_view json,
                                                  std::string_view api_version) {
  JsonParser parser;
  const auto root = parser.Parse(json);
  if (!root.ok()) return NoCredential("is no JSON");
  absl::Status error;
  const Path path("ExecCredential");
  const JsonValue answer(*root, path, error);
  const std::string_view kind = answer.Field("kind").String();
  const std::string_view version = answer.Field("apiVersion").String();
  ExecCredential credential;
  absl::Status read = ReadStatus(answer.Field("status"), credential);
  if (!error.ok()) return error;
  if (kind != "ExecCredential" || version != api_version) {
    return NoCredential(fmt::format(
        "is {} of {}, but the kubeconfig says ExecCredential of \"{}\"; is the plugin of another "
        "version?",
        Quoted(kind), Quoted(version), api_version));
  }
  if (!read.ok()) return read;
  return credential;
}

}  // namespace berth::kube
