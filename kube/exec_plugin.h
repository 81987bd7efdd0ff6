#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/time.h"

// Programs that tell who a person is: the exec plugins of kubeconfigs, by which nearly every cloud
// has people log in
// (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins).

namespace berth::kube {

/// How a kubeconfig wants its plugin to be run. A plain value.
struct ExecPlugin {
  /// A path, or a name that is looked for in $PATH.
  std::string command = {};
  std::vector<std::string> arguments = {};
  /// Set beside the variables of this process, or in their place.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// As the kubeconfig names it, "client.authentication.k8s.io/v1" or ".../v1beta1". The plugin
  /// answers by the same.
  std::string api_version = {};
  /// What to do if the command is not there, in the words of the kubeconfig's author.
  std::string install_hint = {};
};

/// Who the client is, as a plugin answers: by a token, by a certificate, or by both. A plain value.
struct ExecCredential {
  std::string token = {};
  /// PEM; both or none.
  std::string client_certificate = {};
  std::string client_key = {};
  /// When to ask again at the latest; kNoTime if the plugin does not say.
  model::Time expires = model::kNoTime;

  bool operator==(const ExecCredential&) const = default;
};

/// Reads the ExecCredential that a plugin has written. Returns InvalidArgument, with a sentence
/// without the credential itself, if it is none of `api_version`, or has neither a token nor a
/// certificate with its key.
absl::StatusOr<ExecCredential> ReadExecCredential(std::string_view json,
                                                  std::string_view api_version);

/// Runs the plugin to its end, and returns what it wrote to its standard output. It has no input,
/// and the standard error of this process: there it asks people to log in. `stopped` is asked ten
/// times a second; once it is true, the plugin is killed.
///
/// Returns Unavailable, with a sentence, if the plugin cannot be started, fails, or writes more
/// than 1 MiB; Cancelled if it was stopped. Blocks. Thread-safe.
absl::StatusOr<std::string> RunExecPlugin(const ExecPlugin& plugin,
                                          const std::function<bool()>& stopped);

}  // namespace berth::kube
