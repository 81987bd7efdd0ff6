#pragma once

#include <chrono>
#include <memory>

#include "absl/status/status.h"
#include "kube/api_config.h"
#include "kube/name_lookup.h"
#include "kube/transport.h"

namespace berth::kube {

/// Longest waits; a test lowers them.
struct HttpTimeouts {
  /// For the name server, and for each address it gave.
  std::chrono::milliseconds connect{std::chrono::seconds(10)};
  std::chrono::milliseconds handshake{std::chrono::seconds(10)};
  std::chrono::milliseconds write{std::chrono::seconds(10)};
  /// Until the reply's head has come. The API server gives up on a list after 60 s itself.
  std::chrono::milliseconds head{std::chrono::seconds(60)};
};

/// HTTP/1.1 over TLS 1.2 or later, verified, by one connection that is kept for the next request.
/// Files of the configuration are read for each connection, the token's for each request. After a
/// 401 or a 403 the connection is closed, so that the next request shows a client certificate that
/// was renewed meanwhile. Of several addresses each is tried; one that works is kept to, one that
/// failed is tried last.
///
/// Not thread-safe but for Stop().
class HttpClient final : public Transport {
 public:
  /// `ask` finds the addresses of hosts in place of the system, for tests.
  explicit HttpClient(ApiConfig config, HttpTimeouts timeouts = {}, NameLookup::Ask ask = {});
  ~HttpClient() override;

  absl::Status Send(const HttpRequest& request, HttpSink& sink) override;
  void Stop() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kube
