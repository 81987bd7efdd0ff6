#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::server {

/// An address to listen on.
struct Address {
  /// An IPv4 or IPv6 address without brackets; empty: all addresses of the machine, both families.
  std::string host;
  /// 0: the system chooses.
  std::uint16_t port = 0;

  friend bool operator==(const Address&, const Address&) = default;
};

/// Reads "127.0.0.1:8443", "[::1]:8443", ":8443" or "localhost:8443" (which means 127.0.0.1). Other
/// host names are refused: what a server listens on must not depend on a name service.
absl::StatusOr<Address> ParseAddress(std::string_view text);

/// Writes what ParseAddress reads.
std::string ToString(const Address& address);

/// Whether only this machine can reach the address.
bool IsLoopback(const Address& address);

}  // namespace berth::server
