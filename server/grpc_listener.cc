#include "server/grpc_listener.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <utility>

#include "server/address.h"
#include "server/grpc_credentials.h"
#include "server/limits.h"
#include "server/log.h"
#include "server/rate_limiter.h"

namespace berth::server {
namespace {

using std::chrono::milliseconds;

constexpr int kMaxStreamsPerConnection = 32;
// A reflection call holds a thread as long as its client likes. Calls of our own services hold
// none.
constexpr int kMaxThreads = 32;
// How soon the server notices that a client has vanished, and how often a client may ping.
constexpr milliseconds kPingAfter{60'000};
constexpr milliseconds kPingTimeout{20'000};
constexpr milliseconds kLeastClientPing{10'000};
constexpr std::chrono::seconds kGrpcLineInterval{10};

// gRPC writes lines in its own format to standard error, mostly about failed handshakes.
void LogLine(gpr_log_func_args* line) {
  static RateLimiter lines(kGrpcLineInterval);
  if (line->severity < GPR_LOG_SEVERITY_ERROR) return;
  if (const auto held_back = lines.Admit()) {
    Log(LogLevel::kWarning, "gRPC", {{"error", line->message}, {"linesHeldBack", *held_back}});
  }
}

// Sets what gRPC has once for the whole process. It must be set before the first server is built.
void SetUpGrpc() {
  static std::once_flag once;
  std::call_once(once, [] {
    gpr_set_log_function(LogLine);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

absl::Status CheckAddress(const std::string& text, const Address& address, bool tls) {
  if (tls || IsLoopback(address)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" can be reached from other machines, so it needs mutual TLS"));
}

void SetLimits(const GrpcListenerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(options.max_request_bytes);
  builder.SetResourceQuota(grpc::ResourceQuota("berth").SetMaxThreads(kMaxThreads));
  const auto set = [&](const char* name, auto value) {
    builder.AddChannelArgument(name, static_cast<int>(value));
  };
  // Otherwise a second server on the same port would silently get half of the connections.
  set(GRPC_ARG_ALLOW_REUSEPORT, 0);
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  set(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, milliseconds(kMaxHandshakeTime).count());
  set(GRPC_ARG_KEEPALIVE_TIME_MS, kPingAfter.count());
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeout.count());
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kLeastClientPing.count());
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcListener>> GrpcListener::Start(GrpcListenerOptions options) {
  auto address = ParseAddress(options.address);
  if (!address.ok()) return address.status();
  absl::Status status = CheckAddress(options.address, *address, options.tls != nullptr);
  if (!status.ok()) return status;
  if (address->host.empty()) address->host = "::";  // IPv4, too
  SetUpGrpc();
  std::unique_ptr<GrpcListener> listener(new GrpcListener(std::move(options)));
  status = listener->Listen(ToString(*address));
  if (!status.ok()) return status;
  return listener;
}

GrpcListener::GrpcListener(GrpcListenerOptions options)
    : options_(std::move(options)),
      credentials_(options_.tls == nullptr ? grpc::InsecureServerCredentials()
                                           : MutualTls(options_.tls)) {}

GrpcListener::~GrpcListener() { Drain(milliseconds::zero()); }

absl::Status GrpcListener::Listen(const std::string& address) {
  grpc::ServerBuilder builder;
  SetLimits(options_, builder);
  builder.AddListeningPort(address, credentials_, &port_);
  for (const auto& service : options_.services) builder.RegisterService(service.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address, ": is the port in use?"));
  }
  PublishHealth();
  readiness_ = std::thread([this] { FollowReadiness(); });
  return absl::OkStatus();
}

void GrpcListener::PublishHealth() {
  const bool ready = !options_.not_ready || options_.not_ready().empty();
  grpc::HealthCheckServiceInterface& health = *server_->GetHealthCheckService();
  health.SetServingStatus("", ready);
  for (const std::string& name : options_.names) health.SetServingStatus(name, ready);
}

void GrpcListener::FollowReadiness() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, options_.readiness_interval, [this] { return stopping_; })) {
    PublishHealth();
  }
}

void GrpcListener::StopFollowing() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (readiness_.joinable()) readiness_.join();
}

bool GrpcListener::Drain(milliseconds time) {
  StopFollowing();
  if (server_ == nullptr) return true;
  server_->GetHealthCheckService()->Shutdown();
  const auto deadline = std::chrono::system_clock::now() + time;
  server_->Shutdown(deadline);
  server_.reset();
  return std::chrono::system_clock::now() < deadline;
}

}  // namespace berth::server
