#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api_object.h"
#include "kube/transport.h"

namespace berth::controller {

// Paths of collections.
std::string SecretsIn(std::string_view namespace_name);
std::string ServicesIn(std::string_view namespace_name);
std::string ConfigMapsIn(std::string_view namespace_name);
std::string LeasesIn(std::string_view namespace_name);
inline constexpr char kMutatingWebhooks[] =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
inline constexpr char kValidatingWebhooks[] =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// Reads and writes single objects by name. Errors as of kube::CallJson; an Update of what somebody
/// has written meanwhile is Aborted. Not thread-safe.
class ObjectClient {
 public:
  /// `transport` must outlive this.
  explicit ObjectClient(kube::Transport* transport) : transport_(transport) {}

  absl::StatusOr<kube::ApiObject> Get(const std::string& collection, std::string_view name);
  absl::Status Create(const std::string& collection, const kube::ApiObject& object);
  absl::Status Update(const std::string& collection, std::string_view name,
                      const kube::ApiObject& object);
  /// A JSON merge patch.
  absl::Status Patch(const std::string& collection, std::string_view name, std::string body);

 private:
  kube::Transport* const transport_;
};

}  // namespace berth::controller
