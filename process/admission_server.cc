#include "process/admission_server.h"

#include <utility>

#include "process/certificates.h"
#include "process/engine.h"
#include "server/start_listener.h"

namespace berth::process {

absl::StatusOr<std::unique_ptr<Server>> AdmissionServer::Start(ConfigFollower::Options config) {
  const config::WebhookConfig& webhook = config.config.admission;
  auto certificates = OpenCertificates("admission", webhook.tls, webhook.insecure_loopback);
  if (!certificates.ok()) return certificates.status();
  std::unique_ptr<AdmissionServer> server(new AdmissionServer(config.config));
  auto listeners = Listen(config.config,
                          Endpoint{.name = "admission",
                                   .address = webhook.listen,
                                   .routes = server->webhook_.Routes(),
                                   .certificates = *std::move(certificates)},
                          server->metrics_, [self = server.get()] { return self->NotReady(); });
  if (!listeners.ok()) return listeners.status();
  server->listeners_ = *std::move(listeners);
  server->follower_ = Follow(std::move(config), *server->metrics_,
                             [self = server.get()](const config::BerthConfiguration& changed) {
                               self->webhook_.Use(MakeReviewer(changed));
                             });
  return server;
}

AdmissionServer::AdmissionServer(const config::BerthConfiguration& config)
    : metrics_(std::make_shared<server::Metrics>()),
      webhook_(MakeReviewer(config), *metrics_,
               static_cast<std::size_t>(config.admission.max_body_bytes)) {}

std::vector<std::string> AdmissionServer::NotReady() const {
  if (draining_) return {"shutdown: draining"};
  return {};
}

bool AdmissionServer::Drain() {
  draining_ = true;
  follower_.reset();
  return server::DrainListener(*listeners_.endpoint);
}

}  // namespace berth::process
