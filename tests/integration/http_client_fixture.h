#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "kube/api_config.h"
#include "kube/transport.h"
#include "tests/integration/fake_connection.h"

// Sockets that do as they are told, for the HTTP client; plain HTTP, as to `kubectl proxy`.

namespace berth::kube {

/// Keeps a reply and the pieces it came in.
class Kept final : public HttpSink {
 public:
  absl::Status OnHead(const HttpHead& reply_head) override {
    head = reply_head;
    return verdict_on_head;
  }
  absl::Status OnBody(std::string_view bytes) override {
    body += bytes;
    ++pieces;
    return absl::OkStatus();
  }

  HttpHead head;
  std::string body;
  std::atomic<int> pieces = 0;
  absl::Status verdict_on_head;
};

/// One server socket; replies are written as the bytes that the test gives.
class Server {
 public:
  Server() : Server(0, "127.0.0.1") {}
  Server(std::uint16_t port, const char* address)
      : listener_(berth::tests::ListenOnLoopback(port, address)) {}
  ~Server() {
    Close();
    close(listener_);
  }

  ApiConfig Config() const {
    ApiConfig config;
    config.tls = false;
    config.host = "127.0.0.1";
    config.port = std::to_string(berth::tests::PortOf(listener_));
    return config;
  }

  void Accept() {
    Close();
    socket_ = accept(listener_, nullptr, nullptr);
  }

  /// The head of the next request.
  std::string Read() {
    std::string head;
    char byte = 0;
    while (!head.ends_with("\r\n\r\n") && recv(socket_, &byte, 1, 0) == 1) head += byte;
    return head;
  }

  /// That many bytes of a body.
  std::string ReadBody(std::size_t length) {
    std::string body;
    char byte = 0;
    while (body.size() < length && recv(socket_, &byte, 1, 0) == 1) body += byte;
    return body;
  }

  void Write(const std::string& bytes) { send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

  void Close() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  /// Whether a connection waits to be accepted.
  bool Asked() const {
    pollfd incoming{.fd = listener_, .events = POLLIN, .revents = 0};
    return poll(&incoming, 1, 0) == 1;
  }

  int listener() const { return listener_; }
  int socket() const { return socket_; }

 private:
  const int listener_;
  int socket_ = -1;
};

inline constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

}  // namespace berth::kube
