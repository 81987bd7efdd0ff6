#include "kube/server_url.h"

#include <algorithm>
#include <optional>
#include <string>

#include "fmt/format.h"

namespace berth::kube {
namespace {

absl::Status RefuseServer(std::string_view url, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("{} in \"{}\"; write https://HOST:PORT", what, WithoutCredentials(url)));
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Cuts "host" or "[v6 address]" off the front of `authority`. Returns nullopt if a bracket is not
/// closed.
std::optional<std::string_view> TakeHost(std::string_view& authority) {
  const bool bracket = TakePrefix(authority, "[");
  const std::size_t end = authority.find(bracket ? ']' : ':');
  if (bracket && end == std::string_view::npos) return std::nullopt;
  const std::string_view host = authority.substr(0, end);
  authority.remove_prefix(std::min(authority.size(), host.size() + (bracket ? 1 : 0)));
  return host;
}

// Whether no character could end the request line or begin another header.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

absl::Status ParseAuthority(std::string_view url, std::string_view authority, ApiConfig& config) {
  if (authority.find('@') != std::string_view::npos) {
    return RefuseServer(url, "a user name or password is not allowed");
  }
  const std::optional<std::string_view> host = TakeHost(authority);
  if (!host || host->empty()) return RefuseServer(url, "no host");
  config.host = *host;
  config.port = config.tls ? "443" : "80";
  if (authority.empty()) return absl::OkStatus();
  if (!TakePrefix(authority, ":") || !IsPort(authority)) {
    return RefuseServer(url, "what follows the host is not a port from 1 to 65535");
  }
  config.port = authority;
  return absl::OkStatus();
}

}  // namespace

std::string_view WithoutCredentials(std::string_view url) {
  const std::size_t at = url.rfind('@');
  return at == std::string_view::npos ? url : url.substr(at + 1);
}

bool IsPort(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  int port = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    port = port * 10 + (digit - '0');
  }
  return port > 0 && port <= 65535;
}

bool IsLoopbackHost(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  // Must be an address, not a name such as 127.example.com.
  return host.starts_with("127.") &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

absl::Status ParseServerUrl(std::string_view url, ApiConfig& config) {
  const absl::Status status = ParseHttpUrl(url, config);
  if (!status.ok()) return status;
  if (!config.tls && !IsLoopbackHost(config.host)) {
    return RefuseServer(url, "plain http to another machine");
  }
  return absl::OkStatus();
}

absl::Status ParseHttpUrl(std::string_view url, ApiConfig& config) {
  std::string_view rest = url;
  config.tls = TakePrefix(rest, "https://");
  if (!config.tls && !TakePrefix(rest, "http://")) return RefuseServer(url, "no https:// in front");
  if (!IsPlain(url) || url.find_first_of("?#") != std::string_view::npos) {
    return RefuseServer(url, "a blank, a query or a fragment");
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const absl::Status status = ParseAuthority(url, rest.substr(0, slash), config);
  if (!status.ok()) return status;
  config.base_path = rest.substr(slash);
  while (config.base_path.ends_with('/')) config.base_path.pop_back();
  return absl::OkStatus();
}

}  // namespace berth::kube
