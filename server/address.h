#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::server {

/// An IP address and a TCP port to listen on. A plain value.
struct Address {
  /// An IPv4 or IPv6 address as text, without brackets. Empty: all addresses of the machine, IPv4
  /// and IPv6.
  std::string host;
  /// 0: the system chooses a free port.
  std::uint16_t port = 0;

  friend bool operator==(const Address&, const Address&) = default;
};

/// Parses "HOST:PORT". Accepts these forms:
/// - "127.0.0.1:8443", an IPv4 address;
/// - "[::1]:8443", an IPv6 address in brackets;
/// - ":8443", all addresses of the machine;
/// - "localhost:8443", which means 127.0.0.1.
///
/// Rejects other host names, because the address that a server listens on must not depend on a name
/// service. The port is a decimal number from 0 to 65535.
///
/// Returns INVALID_ARGUMENT for any other text. The message quotes it and shows what to write.
absl::StatusOr<Address> ParseAddress(std::string_view text);

/// Returns `address` in the form that ParseAddress() reads: "127.0.0.1:8443", "[::1]:8443",
/// ":8443".
std::string ToString(const Address& address);

/// Returns true if only this machine can reach the address: it is in 127.0.0.0/8 or is ::1. An
/// empty host is not a loopback address.
bool IsLoopback(const Address& address);

}  // namespace berth::server
