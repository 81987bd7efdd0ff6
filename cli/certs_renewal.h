#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "controller/object_client.h"
#include "model/time.h"

namespace berth::cli {

/// The Secrets that `berth certs renew` is about: those that are named, or all of servers; with
/// `authority` that of the authority, and those of servers only where they are named.
/// INVALID_ARGUMENT: one that the configuration does not have.
absl::StatusOr<std::vector<std::string>> SecretsToRenew(
    const controller::CertificatesConfig& config, const std::vector<std::string>& named,
    bool authority);

/// Asks the controller for a new certificate: annotates the Secret. The error says what to do.
absl::Status AskForRenewal(const std::string& namespace_name, const std::string& secret,
                           std::string_view prefix, model::Time now,
                           controller::ObjectClient& client);

}  // namespace berth::cli
