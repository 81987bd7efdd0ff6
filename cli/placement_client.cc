#include "cli/placement_client.h"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>
#include <string_view>

#include "proto/berth/v1/placement.grpc.pb.h"
#include "server/address.h"
#include "yaml/file.h"

namespace berth::cli {

namespace {

constexpr std::chrono::seconds kPatience{30};
// An explanation of 7,500 nodes with ten conditions each has some 6 MB.
constexpr int kMaxReplyBytes = 256 << 20;
constexpr std::size_t kMaxPemBytes = 4 << 20;

bool IsLoopback(const std::string& address) {
  const auto parsed = server::ParseAddress(address);
  return parsed.ok() && server::IsLoopback(*parsed);
}

absl::StatusOr<std::string> ReadPem(const std::string& option, const std::string& file) {
  auto text = yaml::ReadFile(file, kMaxPemBytes);
  if (text.ok()) return text;
  return absl::InvalidArgumentError(
      fmt::format("{} {}: {}", option, file, std::string(text.status().message())));
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsFor(
    const PlacementEndpoint& server) {
  if (!server.tls()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions pem;
  const struct {
    const char* option;
    const std::string& file;
    std::string& text;
  } files[] = {{"--ca", server.ca_file, pem.pem_root_certs},
               {"--cert", server.cert_file, pem.pem_cert_chain},
               {"--key", server.key_file, pem.pem_private_key}};
  for (const auto& [option, file, text] : files) {
    auto read = ReadPem(option, file);
    if (!read.ok()) return read.status();
    text = *std::move(read);
  }
  return grpc::SslCredentials(pem);
}

absl::StatusOr<std::unique_ptr<v1::Placement::Stub>> Connect(const PlacementEndpoint& server) {
  // The status repeats what gRPC would write to standard error, and the messages below say it in
  // Berth's words.
  gpr_set_log_function([](gpr_log_func_args*) {});
  auto credentials = CredentialsFor(server);
  if (!credentials.ok()) return credentials.status();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxReplyBytes);
  // A port that kubectl forwards cannot be reached through a proxy.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (!server.tls_server_name.empty()) {
    arguments.SetSslTargetNameOverride(server.tls_server_name);
  }
  return v1::Placement::NewStub(
      grpc::CreateCustomChannel(server.address, *std::move(credentials), arguments));
}

std::string_view WhatToDo(const PlacementEndpoint& server) {
  if (!server.tls()) {
    return "is grpc.listen set there? If grpc.tls is set, too, give --cert, --key and --ca";
  }
  return "is grpc.listen set there, is its certificate signed by --ca and valid for the host of "
         "--server (else give --tls-server-name), and is --cert signed by its clientCAFile?";
}

absl::Status ErrorOf(const grpc::Status& status, const PlacementEndpoint& server) {
  const std::string& message = status.error_message();
  // These messages come from Berth itself and are meant for people.
  if (message.starts_with("berth: ")) {
    const auto code = status.error_code() == grpc::StatusCode::INVALID_ARGUMENT
                          ? absl::StatusCode::kInvalidArgument
                          : absl::StatusCode::kUnavailable;
    return absl::Status(code, fmt::format("{}: {}", server.address, message.substr(7)));
  }
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return absl::UnavailableError(
          fmt::format("{} cannot be reached: {}; {}", server.address, message, WhatToDo(server)));
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::UnavailableError(fmt::format("{} did not answer within {} s; {}", server.address,
                                                kPatience.count(), WhatToDo(server)));
    case grpc::StatusCode::UNIMPLEMENTED:
      return absl::UnavailableError(
          fmt::format("{} does not serve berth.v1.Placement; is it the address of grpc.listen of a "
                      "`berth extender`, and has that one this version?",
                      server.address));
    default:
      return absl::UnavailableError(fmt::format("{}: {}", server.address, message));
  }
}

// While one exists, gRPC stays initialised; the last one waits until it has cleaned up. Otherwise
// it cleans up in a thread of its own, which the end of the process interrupts.
class GrpcUse {
 public:
  GrpcUse() { grpc_init(); }
  ~GrpcUse() { grpc_shutdown_blocking(); }
  GrpcUse(const GrpcUse&) = delete;
  GrpcUse& operator=(const GrpcUse&) = delete;
};

// Calls one method of the service.
template <typename Request, typename Response>
absl::StatusOr<Response> Call(const PlacementEndpoint& server, const Request& request,
                              grpc::Status (v1::Placement::Stub::*method)(grpc::ClientContext*,
                                                                          const Request&,
                                                                          Response*)) {
  const GrpcUse use;
  const auto stub = Connect(server);
  if (!stub.ok()) return stub.status();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  Response response;
  const grpc::Status status = (stub->get()->*method)(&context, request, &response);
  if (!status.ok()) return ErrorOf(status, server);
  return response;
}

}  // namespace

absl::Status Validate(const PlacementEndpoint& server) {
  const bool all = !server.cert_file.empty() && !server.key_file.empty() && !server.ca_file.empty();
  const bool none = server.cert_file.empty() && server.key_file.empty() && server.ca_file.empty();
  if (server.address.find(':') == std::string::npos) {
    return absl::InvalidArgumentError(
        fmt::format("--server {}: write host:port, the address of grpc.listen", server.address));
  }
  if (!all && !none) {
    return absl::InvalidArgumentError("--cert, --key and --ca go together; give all three");
  }
  if (none && !server.tls_server_name.empty()) {
    return absl::InvalidArgumentError("--tls-server-name has no effect without --ca");
  }
  if (none && !IsLoopback(server.address)) {
    return absl::InvalidArgumentError(fmt::format(
        "--server {} is not a loopback address, so Berth serves it over mutual TLS only; give "
        "--cert, --key and --ca",
        server.address));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::ExplainResponse> ExplainBy(const PlacementEndpoint& server,
                                              const std::string& pod_json) {
  v1::ExplainRequest request;
  request.set_pod(pod_json);
  return Call(server, request, &v1::Placement::Stub::Explain);
}

absl::StatusOr<v1::CapacityResponse> CapacityBy(const PlacementEndpoint& server) {
  return Call(server, v1::CapacityRequest(), &v1::Placement::Stub::Capacity);
}

absl::StatusOr<v1::HoldingsResponse> HoldingsBy(const PlacementEndpoint& server,
                                                const std::string& namespace_name) {
  v1::HoldingsRequest request;
  request.set_namespace_(namespace_name);
  return Call(server, request, &v1::Placement::Stub::Holdings);
}

}  // namespace berth::cli
