#pragma once

#include <chrono>
#include <memory>

#include "absl/status/status.h"
#include "kube/api_config.h"
#include "kube/name_lookup.h"
#include "kube/transport.h"

namespace berth::kube {

/// The name by which Berth makes itself known. The API server writes it as the manager of fields
/// that Berth has changed.
inline constexpr char kUserAgent[] = "berth";

/// The longest waits of an HttpClient. Tests lower them.
struct HttpTimeouts {
  /// For the answer of the name server, and for the connection to each address that it returned.
  /// With a proxy, also for the tunnel.
  std::chrono::milliseconds connect{std::chrono::seconds(10)};
  /// For the TLS handshake.
  std::chrono::milliseconds handshake{std::chrono::seconds(10)};
  /// For sending the request.
  std::chrono::milliseconds write{std::chrono::seconds(10)};
  /// From the end of the request until the reply's head has arrived. The API server itself gives up
  /// on a list after 60 s.
  std::chrono::milliseconds head{std::chrono::seconds(60)};
};

/// Sends requests to an API server by HTTP/1.1 over TLS 1.2 or later, with the server's certificate
/// verified.
/// - It keeps one connection for the next request. If that breaks before a reply, a request that
///   the server cannot have carried out, or a GET, is repeated once on a new connection.
/// - It reads the files of the configuration for each new connection, and the token's for each
///   request.
/// - If the configuration names an exec plugin, that tells the token or the certificate: before the
///   first request, when they have expired, and after a 401.
/// - After a 401 or a 403 it closes the connection. The next request then presents a client
///   certificate that was renewed in the meantime.
/// - If the host has several addresses, it tries each. It prefers the address that worked last, and
///   tries the one that failed last after all others.
///
/// Example:
///
///   absl::StatusOr<ApiConfig> config = FindApiConfig(path, ProcessEnvironment());
///   if (!config.ok()) return config.status();
///   HttpClient client(*config);
///   absl::StatusOr<std::string> node = CallJson(client, HttpMethod::kGet, "/api/v1/nodes/gpu-7");
///
/// Not thread-safe except for Stop(). No thread of its own except for name lookups.
class HttpClient final : public Transport {
 public:
  /// Does not connect yet. `ask` replaces the system's name lookup, for tests.
  explicit HttpClient(ApiConfig config, HttpTimeouts timeouts = {}, NameLookup::Ask ask = {});
  ~HttpClient() override;

  /// Blocks; see Transport::Send.
  absl::Status Send(const HttpRequest& request, HttpSink& sink) override;
  /// From any thread; see Transport::Stop.
  void Stop() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kube
