#include "server/listener_log.h"

#include <chrono>
#include <utility>

#include "server/address.h"
#include "server/log.h"

namespace berth::server {

namespace {

constexpr std::chrono::seconds kListenerLineInterval{10};

}  // namespace

void LogListening(const std::string& listener, const std::string& address, std::uint16_t port) {
  Address bound = ParseAddress(address).value();
  bound.port = port;
  Log(LogLevel::kInfo, "listening", {{"listener", listener}, {"address", ToString(bound)}});
}

ListenerLog::ListenerLog(std::string listener)
    : listener_(std::move(listener)),
      handshake_lines_(kListenerLineInterval),
      limit_lines_(kListenerLineInterval),
      error_lines_(kListenerLineInterval) {}

void ListenerLog::OnHandshakeFailed(HandshakeFailure cause) {
  // Load balancers and probes only look whether the port is open.
  if (cause == HandshakeFailure::kClosed) return;
  if (const auto held_back = handshake_lines_.Admit()) {
    Log(LogLevel::kWarning, "TLS handshake failed",
        {{"listener", listener_}, {"cause", Name(cause)}, {"linesHeldBack", *held_back}});
  }
}

void ListenerLog::OnLimit(Limit limit) {
  if (const auto held_back = limit_lines_.Admit()) {
    Log(LogLevel::kWarning, "a client hit a limit",
        {{"listener", listener_}, {"limit", Name(limit)}, {"linesHeldBack", *held_back}});
  }
}

void ListenerLog::OnError(std::string_view message) {
  if (const auto held_back = error_lines_.Admit()) {
    Log(LogLevel::kError, "listener failed",
        {{"listener", listener_}, {"error", message}, {"linesHeldBack", *held_back}});
  }
}

}  // namespace berth::server
