#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "server/metrics.h"
#include "server/tls_certificates.h"

namespace berth::process {

/// The certificates of an HTTPS server that follow their files, or null for plain HTTP on a
/// loopback address. `block` is that of the configuration, "extender". Changes are logged.
/// INVALID_ARGUMENT where there is neither a certificate nor `insecure_loopback`.
absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> OpenCertificates(
    const std::string& block, const config::TlsConfig& tls, bool insecure_loopback);

/// Logs that the certificate files of a listener were taken over, or why they were not.
void LogReload(std::string_view listener, const absl::Status& status);

/// berth_certificate_seconds_left, _reloads and _reload_failures. `certificates` may be null.
void AddCertificateMetrics(const std::shared_ptr<const server::TlsCertificates>& certificates,
                           server::Metrics& metrics);

}  // namespace berth::process
