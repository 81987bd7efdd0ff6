#include "process/certificates.h"

#include <absl/status/status.h>

#include <string_view>
#include <utility>

#include "server/log.h"

namespace berth::process {

namespace {

using server::Log;
using server::LogLevel;

void LogReload(std::string_view listener, const absl::Status& status) {
  if (status.ok()) {
    return Log(LogLevel::kInfo, "certificate reloaded", {{"listener", std::string(listener)}});
  }
  Log(LogLevel::kError, "certificate files are broken; the previous certificate stays in use",
      {{"listener", std::string(listener)}, {"error", std::string(status.message())}});
}

}  // namespace

absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> FollowCertificates(
    const std::string& listener, const config::TlsConfig& tls) {
  server::TlsCertificatesOptions options;
  options.files.certificate = tls.cert_file;
  options.files.key = tls.key_file;
  options.files.client_ca = tls.client_ca_file;
  options.on_reload = [listener](const absl::Status& status) { LogReload(listener, status); };
  return server::TlsCertificates::Open(std::move(options));
}

absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> OpenCertificates(
    const std::string& block, const config::TlsConfig& tls, bool insecure_loopback) {
  if (insecure_loopback) return nullptr;
  if (tls.cert_file.empty()) {
    return absl::InvalidArgumentError(
        block +
        ".tls: has no certFile and keyFile; write the names of two PEM files, or for plain "
        "HTTP on a loopback address " +
        block + ".insecureLoopback: true");
  }
  return FollowCertificates(block, tls);
}

void AddCertificateMetrics(const std::shared_ptr<const server::TlsCertificates>& certificates,
                           server::Metrics& metrics) {
  if (certificates == nullptr) return;
  metrics.AddGauge("berth_certificate_seconds_left",
                   "Seconds until the server's certificate expires; negative afterwards.", {},
                   [certificates] { return certificates->TimeLeft().count(); });
  metrics.AddGauge("berth_certificate_reloads", "Changes of certificate files that were loaded.",
                   {}, [certificates] { return static_cast<double>(certificates->reloads()); });
  metrics.AddGauge(
      "berth_certificate_reload_failures",
      "Changes of certificate files that were broken; the previous certificate stayed in use.", {},
      [certificates] { return static_cast<double>(certificates->reload_failures()); });
}

}  // namespace berth::process
