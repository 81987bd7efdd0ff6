#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "certs/secret_data.h"
#include "kube/api_object.h"
#include "kube/transport.h"

namespace berth::controller {

// Paths of collections at the API server, without a slash at the end:
// "/api/v1/namespaces/berth-system/secrets". Append a slash and a name for the path of an object.
std::string SecretsIn(std::string_view namespace_name);
std::string ServicesIn(std::string_view namespace_name);
std::string ConfigMapsIn(std::string_view namespace_name);
std::string LeasesIn(std::string_view namespace_name);
inline constexpr char kMutatingWebhooks[] =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
inline constexpr char kValidatingWebhooks[] =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

// Reads and writes the data of a Secret of type kubernetes.io/tls.
inline constexpr char kAuthoritiesKey[] = "ca.crt";
certs::SecretData DataOf(const kube::ApiObject& secret);
void SetData(const certs::SecretData& data, kube::ApiObject& secret);

/// Reads and writes single objects by name. Each method sends one request and blocks until its
/// reply has come. Errors are those of kube::CallJson(). Not thread-safe.
///
/// `collection` is one of the paths above.
class ObjectClient {
 public:
  /// `transport` must outlive this.
  explicit ObjectClient(kube::Transport* transport) : transport_(transport) {}

  /// Returns the object; NotFound if it does not exist, InvalidArgument if the reply is not an
  /// object.
  absl::StatusOr<kube::ApiObject> Get(const std::string& collection, std::string_view name);
  /// Creates the object; Aborted if one of its name exists.
  absl::Status Create(const std::string& collection, const kube::ApiObject& object);

  /// Writes the whole object, which was read before; Aborted if somebody has written it since.
  absl::Status Update(const std::string& collection, std::string_view name,
                      const kube::ApiObject& object);

  /// Applies `body`, a JSON merge patch (RFC 7386), to the object.
  absl::Status Patch(const std::string& collection, std::string_view name, std::string body);

 private:
  kube::Transport* const transport_;
};

}  // namespace berth::controller
