#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tests/integration/test_pki.h"

namespace berth::tests {

/// What a server of `ca` needs for TLS, with a certificate for loopback.
std::shared_ptr<SSL_CTX> MakeFakeContext(const TestCa& ca, bool require_client_certificate);

/// A listening socket; port 0: a free one.
int ListenOnLoopback(std::uint16_t port, const char* address = "127.0.0.1");
int ConnectToLoopback(std::uint16_t port);
std::uint16_t PortOf(int listener);

/// The server's end of one TLS connection, blocking. Not thread-safe but for Shutdown().
class FakeConnection {
 public:
  /// Takes over `socket`.
  FakeConnection(int socket, SSL_CTX* context);
  ~FakeConnection();
  FakeConnection(const FakeConnection&) = delete;
  FakeConnection& operator=(const FakeConnection&) = delete;

  bool Handshake();

  /// Waits until the client has read why it was refused, and closed.
  void Linger();

  /// Up to the end of `\r\n\r\n`; empty when the client has gone.
  std::string ReadHead();

  /// That many bytes, or fewer when the client has gone.
  std::string ReadBody(std::size_t length);

  /// False when the client has gone.
  bool Write(std::string_view bytes);

  /// One piece of a chunked body, or its end when `bytes` is empty.
  bool WriteChunk(std::string_view bytes);

  /// The common name of the client's certificate; empty where it showed none.
  std::string ClientName() const;

  /// Whether the client has closed, without waiting.
  bool ClientGone();

  /// Ends whatever waits here. May be called from any thread.
  void Shutdown();

 private:
  const int socket_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

}  // namespace berth::tests
