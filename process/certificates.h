#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "config/config.h"
#include "server/metrics.h"
#include "server/tls_certificates.h"

namespace berth::process {

/// The certificates of an HTTPS server that follow their files, or null for plain HTTP on a
/// loopback address. `block` is that of the configuration, "extender". Changes are logged.
/// INVALID_ARGUMENT where there is neither a certificate nor `insecure_loopback`.
absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> OpenCertificates(
    const std::string& block, const config::TlsConfig& tls, bool insecure_loopback);

/// The certificates of a listener, which follow their files; each change is logged under its name.
absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> FollowCertificates(
    const std::string& listener, const config::TlsConfig& tls);

/// berth_certificate_seconds_left, _reloads and _reload_failures. `certificates` may be null.
void AddCertificateMetrics(const std::shared_ptr<const server::TlsCertificates>& certificates,
                           server::Metrics& metrics);

}  // namespace berth::process
