#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/listener.h"
#include "server/tls_certificates.h"
#include "tests/integration/server_client.h"
#include "tests/integration/test_pki.h"

namespace berth::tests {

/// What a listener told, to be waited for. Thread-safe.
class Recorder : public server::ListenerObserver {
 public:
  /// Events by name: "opened", "closed", "error", "request /path 200", "limit body_bytes",
  /// "handshake timeout".
  int Count(const std::string& event) const;
  /// Whether it happened `times` times within `patience`.
  bool Await(const std::string& event, int times = 1,
             std::chrono::milliseconds patience = std::chrono::seconds(10)) const;
  /// Messages of errors.
  std::vector<std::string> Errors() const;

  void OnConnectionOpened() override { Record("opened"); }
  void OnConnectionClosed() override { Record("closed"); }
  void OnHandshakeFailed(server::HandshakeFailure cause) override;
  void OnLimit(server::Limit limit) override;
  void OnRequest(std::string_view path, int status, std::chrono::nanoseconds elapsed) override;
  void OnError(std::string_view message) override;

 private:
  void Record(const std::string& event);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, int> counts_;
  std::vector<std::string> errors_;
};

/// A door that handlers wait at until the test opens it. Thread-safe.
class Gate {
 public:
  void Open();
  /// Counts the caller in, and waits.
  void Pass();
  /// Whether somebody came within ten seconds.
  bool AwaitArrival() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

enum class ClientCertificates { kNone, kOptional, kRequired };

inline constexpr std::size_t kEchoMaxBody = 100'000;
inline constexpr std::size_t kFrontBytes = 8;

/// A real listener on a free port of 127.0.0.1 with these routes:
///   GET  /hello   "hello"
///   POST /echo    the body, of kEchoMaxBody bytes at most
///   POST /worded  like /echo for 10 bytes; refusals are worded by the route with status 200
///   POST /fronted like /echo; refusals are the first kFrontBytes of the body and the sentence
///   GET  /throw   throws
///   GET  /gate    waits at `gate`, then "passed"
///   GET  /big     32 MiB
class ServerTest : public ::testing::Test {
 protected:
  ~ServerTest() override;

  /// Serves over TLS; `ask`: for clients' certificates of `ca`.
  void UseTls(ClientCertificates ask = ClientCertificates::kNone);
  void Start();

  std::unique_ptr<RawClient> Connect();
  /// What a client of Connect() uses; null without TLS.
  const ClientTls* client_tls() const { return options.tls ? &tls : nullptr; }

  server::ListenerOptions options;
  std::shared_ptr<Recorder> seen = std::make_shared<Recorder>();
  Gate gate;
  TestCa ca;
  TempDir directory;
  ClientTls tls;
  std::unique_ptr<server::Listener> listener;
};

/// A request as text; `fields` are whole lines.
std::string Request(std::string_view method, std::string_view target, std::string_view body = "",
                    std::string_view fields = "");

}  // namespace berth::tests
