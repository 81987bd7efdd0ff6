#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "config/config.h"
#include "server/metrics.h"
#include "server/tls_certificates.h"

// The certificates of Berth's listeners.

namespace berth::process {

/// Opens the certificates of an HTTPS server, like FollowCertificates. Returns null with
/// `insecure_loopback`, which means plain HTTP. Returns INVALID_ARGUMENT if there is neither a
/// certificate nor `insecure_loopback`. `block` is the server's block of the configuration, such as
/// "extender"; errors and log lines name it.
absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> OpenCertificates(
    const std::string& block, const config::TlsConfig& tls, bool insecure_loopback);

/// Opens the certificates of a listener. They follow their files on a thread of their own, which
/// logs each change under the name of the listener: new connections use the new files, existing
/// ones end with what they began with. If changed files are broken, the former certificates remain
/// in use, and the error is logged. Returns an error if the files do not make a valid pair now.
absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> FollowCertificates(
    const std::string& listener, const config::TlsConfig& tls);

/// Registers berth_certificate_seconds_left, berth_certificate_reloads and
/// berth_certificate_reload_failures. Does nothing if `certificates` is null.
void AddCertificateMetrics(const std::shared_ptr<const server::TlsCertificates>& certificates,
                           server::Metrics& metrics);

}  // namespace berth::process
