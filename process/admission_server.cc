#include "process/admission_server.h"

#include <utility>

#include "process/certificates.h"
#include "process/engine.h"
#include "process/log_level.h"
#include "process/version.h"
#include "server/start_listener.h"

namespace berth::process {

absl::StatusOr<std::unique_ptr<AdmissionServer>> AdmissionServer::Start(
    ConfigFollower::Options config, std::shared_ptr<const server::TlsCertificates> certificates) {
  std::unique_ptr<AdmissionServer> server(new AdmissionServer(config.config));
  const absl::Status listening = server->Listen(config.config, std::move(certificates));
  if (!listening.ok()) return listening;
  server->follower_ = std::make_unique<ConfigFollower>(
      std::move(config), *server->metrics_,
      [self = server.get()](const config::BerthConfiguration& changed) {
        server::SetLogLevel(LogLevelOf(changed.log));
        self->webhook_.Use(MakeReviewer(changed));
      });
  return server;
}

AdmissionServer::AdmissionServer(const config::BerthConfiguration& config)
    : metrics_(std::make_shared<server::Metrics>()),
      webhook_(MakeReviewer(config), *metrics_,
               static_cast<std::size_t>(config.admission.max_body_bytes)) {
  metrics_->AddBuildInfo(Version(), Revision());
}

absl::Status AdmissionServer::Listen(const config::BerthConfiguration& config,
                                     std::shared_ptr<const server::TlsCertificates> certificates) {
  AddCertificateMetrics(certificates, *metrics_);
  auto plain = server::StartPlainListeners(
      {.metrics = config.metrics.listen, .probes = config.probes.listen}, metrics_,
      [this] { return NotReady(); });
  if (!plain.ok()) return plain.status();
  plain_listeners_ = *std::move(plain);
  auto webhook_listener = server::StartListener(
      "admission", config.admission.listen, webhook_.Routes(), std::move(certificates), *metrics_);
  if (!webhook_listener.ok()) return webhook_listener.status();
  webhook_listener_ = *std::move(webhook_listener);
  return absl::OkStatus();
}

std::vector<std::string> AdmissionServer::NotReady() const {
  if (draining_) return {"shutdown: draining"};
  return {};
}

bool AdmissionServer::Drain() {
  draining_ = true;
  follower_.reset();
  return server::DrainListener(*webhook_listener_);
}

}  // namespace berth::process
