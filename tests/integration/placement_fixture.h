#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extender/decision_broker.h"
#include "placement/placement_service.h"
#include "proto/berth/v1/placement.grpc.pb.h"
#include "server/grpc_listener.h"
#include "tests/integration/test_pki.h"
#include "tests/unit/extender/fixtures.h"

namespace berth::tests {

/// A client's side of TLS.
struct GrpcClientTls {
  /// The CA that the server's certificate must come from, PEM.
  std::string ca;
  /// Nothing: it shows none.
  std::optional<PemPair> certificate;
};

/// A connection of its own to a listener on that port of 127.0.0.1.
std::shared_ptr<grpc::Channel> ConnectTo(std::uint16_t port,
                                         const std::optional<GrpcClientTls>& tls = {});

/// The reply to one call of a method that the test has no generated code for.
struct RawReply {
  grpc::Status status;
  std::string message;
};

/// The service over the snapshot of an ExtenderUnderTest, on a real listener on a free port of
/// 127.0.0.1. No call of a client waits longer than ten seconds.
class PlacementTest : public ::testing::Test {
 protected:
  PlacementTest();
  ~PlacementTest() override;

  /// Serves plain, or as `options` say.
  void Start(server::GrpcListenerOptions options = {});

  /// Serves over mutual TLS from the files tls.crt, tls.key and ca.crt of `directory`, which are
  /// written before, for clients of `ca`.
  void StartTls(std::function<void(const absl::Status&)> on_reload = {});

  std::shared_ptr<grpc::Channel> Connect(const std::optional<GrpcClientTls>& tls = {}) const {
    return ConnectTo(listener->port(), tls);
  }
  std::unique_ptr<v1::Placement::Stub> Client(const std::optional<GrpcClientTls>& tls = {}) const {
    return v1::Placement::NewStub(Connect(tls));
  }

  /// Whether a client that shows `tls` is served.
  grpc::Status TryWith(const GrpcClientTls& tls) const;

  /// One call with one message each way, both as bytes.
  static RawReply CallRaw(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                          const std::string& message);

  extender::ExtenderUnderTest berth;
  extender::DecisionBroker decisions;
  std::atomic<bool> ready = true;
  TestCa ca;
  TempDir directory;
  std::unique_ptr<server::GrpcListener> listener;
};

/// What one call needs, with its deadline.
std::unique_ptr<grpc::ClientContext> NewContext();

}  // namespace berth::tests
