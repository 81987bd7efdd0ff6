#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "controller/object_client.h"
#include "model/time.h"

// What `berth certs renew` does.

namespace berth::cli {

/// Returns the names of the Secrets that `berth certs renew` renews. These are the Secrets in
/// `named` and, with `authority`, that of the authority. If that is none, they are those of all
/// servers and clients. Returns INVALID_ARGUMENT for a Secret that the configuration does not have,
/// or if it has no servers.
absl::StatusOr<std::vector<std::string>> SecretsToRenew(
    const controller::CertificatesConfig& config, const std::vector<std::string>& named,
    bool authority);

/// Asks the controller for a new certificate by annotating the Secret. Blocks until the API server
/// has answered; the controller acts later. Returns NOT_FOUND, with advice, if the Secret does not
/// exist, or the error of the request.
absl::Status AskForRenewal(const std::string& namespace_name, const std::string& secret,
                           std::string_view prefix, model::Time now,
                           controller::ObjectClient& client);

}  // namespace berth::cli
