#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tests/integration/test_pki.h"

struct ssl_st;

namespace berth::tests {

struct ClientTls {
  /// The CA that the server's certificate must come from, PEM.
  std::string ca;
  std::optional<PemPair> certificate;
  /// Highest version offered, as TLS1_1_VERSION; 0: the highest there is.
  int max_version = 0;
  /// What ALPN offers, in wire format; empty: no ALPN.
  std::string alpn;
};

/// How the server's side of a connection ended.
enum class End { kOpen, kClosed, kReset, kTimeout };

struct ServerReply {
  /// 0: none came.
  int status = 0;
  /// Status line and fields as sent.
  std::string header;
  std::string body;
};

/// A client that does exactly what a test tells it to, over a blocking socket to 127.0.0.1. No call
/// waits longer than ten seconds. Not thread-safe.
class RawClient {
 public:
  /// Connects; `tls` null: plain. Check connected() afterwards.
  explicit RawClient(std::uint16_t port, const ClientTls* tls = nullptr);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Whether TCP, and TLS if asked for, came about on the client's side.
  bool connected() const { return connected_; }
  /// OpenSSL's reason why it did not, or why the last read failed.
  const std::string& error() const { return error_; }

  /// Whether everything was taken.
  bool Send(std::string_view bytes);
  /// Tells the server that this is the end (TLS's close_notify), but keeps the socket.
  void SayGoodbye();

  /// One reply with Content-Length; `head`: to a HEAD request, without body.
  ServerReply ReadReply(bool head = false);

  /// Everything that was not returned yet, up to and with the next `end`. Empty if that does not
  /// come.
  std::string ReadUntil(std::string_view end);

  /// Whether something of the next reply came.
  bool AwaitBytes() { return ReadMore(); }

  /// Reads and discards until the server ends the connection.
  End ReadToEnd();

  // Of a TLS connection:
  std::string protocol() const;
  std::string alpn() const;
  /// Whether another connection could resume this one's session; known once a reply was read.
  bool resumable() const;
  /// Serial number of the server's certificate, hexadecimal; empty without handshake.
  std::string server_serial() const;

 private:
  bool Connect(std::uint16_t port);
  bool StartTls(const ClientTls& tls);
  bool ReadMore();
  End EndOfTls(int result);

  int socket_ = -1;
  std::shared_ptr<ssl_st> ssl_;
  bool connected_ = false;
  std::string received_;
  std::string error_;
  End end_ = End::kOpen;
};

}  // namespace berth::tests
