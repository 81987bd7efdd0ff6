#include "process/grpc_server.h"

#include <chrono>
#include <string>
#include <utility>

#include "process/certificates.h"
#include "server/listener_log.h"
#include "server/tls_certificates.h"

namespace berth::process {

namespace {

// Calls are answered from memory. One that takes longer has a client that does not read.
constexpr std::chrono::seconds kDrainTime{2};

// Returns null for plain gRPC.
absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> OpenGrpcCertificates(
    const config::TlsConfig& config, server::Metrics& metrics) {
  if (config.cert_file.empty()) return nullptr;
  auto certificates = FollowCertificates("grpc", config);
  if (!certificates.ok()) return certificates;
  metrics.AddGauge("berth_grpc_certificate_seconds_left",
                   "Seconds until the gRPC listener's certificate expires; negative afterwards.",
                   {}, [opened = *certificates] { return opened->TimeLeft().count(); });
  return certificates;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const config::GrpcConfig& config,
                                                              GrpcService service,
                                                              server::ReadinessCheck not_ready,
                                                              server::Metrics& metrics) {
  auto certificates = OpenGrpcCertificates(config.tls, metrics);
  if (!certificates.ok()) return certificates.status();
  server::GrpcListenerOptions listening;
  listening.address = config.listen;
  listening.tls = *std::move(certificates);
  listening.services = {std::move(service.service)};
  listening.names = {std::move(service.name)};
  listening.not_ready = std::move(not_ready);
  auto listener = server::GrpcListener::Start(std::move(listening));
  if (!listener.ok()) return listener.status();
  server::LogListening("grpc", config.listen, (*listener)->port());
  return std::unique_ptr<GrpcServer>(
      new GrpcServer(std::move(service.end_streams), *std::move(listener)));
}

bool GrpcServer::Drain() {
  end_streams_();
  return listener_->Drain(kDrainTime);
}

}  // namespace berth::process
