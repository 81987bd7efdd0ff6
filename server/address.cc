#include "server/address.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <optional>

namespace berth::server {
namespace {

absl::Status Malformed(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("address \"", std::string(text),
                   "\": expected an IP address and a port, such as 127.0.0.1:8443, [::1]:8443 or "
                   ":8443 for all addresses"));
}

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool IsIp(int family, const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(family, host.c_str(), bytes.data()) == 1;
}

// Returns the host of "host:port" in the form that Address keeps; nothing if it is no such host.
std::optional<std::string> ParseHost(std::string_view text) {
  if (text.empty()) return "";
  if (text == "localhost") return "127.0.0.1";
  if (text.front() == '[' && text.back() == ']') {
    std::string inner(text.substr(1, text.size() - 2));
    if (IsIp(AF_INET6, inner)) return inner;
    return std::nullopt;
  }
  std::string host(text);
  if (IsIp(AF_INET, host)) return host;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Address> ParseAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Malformed(text);
  const std::optional<std::string> host = ParseHost(text.substr(0, colon));
  const std::optional<std::uint16_t> port = ParsePort(text.substr(colon + 1));
  if (!host || !port) return Malformed(text);
  return Address{*host, *port};
}

std::string ToString(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", address.host, v6 ? "]:" : ":", address.port);
}

bool IsLoopback(const Address& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24) == 127;
  }
  in6_addr v6{};
  return inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

}  // namespace berth::server
