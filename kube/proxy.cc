#include "kube/proxy.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "kube/percent.h"
#include "kube/server_url.h"

namespace berth::kube {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

/// One entry of NO_PROXY, or the host in question.
struct HostPort {
  std::string host;
  std::string port;  // empty for any port
};

/// Splits off ":443", unless the text is a bare IPv6 address.
HostPort Split(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool bracket = text.starts_with('[');
  const bool bare_v6 = !bracket && colon != text.find(':');
  HostPort target;
  if (colon != std::string_view::npos && !bare_v6 && !text.ends_with(']')) {
    target.port = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  if (bracket && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  target.host = absl::AsciiStrToLower(std::string(text));
  return target;
}

std::optional<ip::address> AddressOf(const std::string& host) {
  error_code error;
  const ip::address address = ip::make_address(host, error);
  if (error) return std::nullopt;
  return address;
}

bool IsInNetwork(const std::string& network, const ip::address& address) {
  error_code error;
  if (address.is_v4()) {
    const auto range = ip::make_network_v4(network, error);
    return !error &&
           ip::network_v4(address.to_v4(), range.prefix_length()).canonical() == range.canonical();
  }
  const auto range = ip::make_network_v6(network, error);
  return !error &&
         ip::network_v6(address.to_v6(), range.prefix_length()).canonical() == range.canonical();
}

bool IsInDomain(std::string domain, const std::string& host) {
  if (domain.starts_with("*.")) domain.erase(0, 1);
  if (domain.starts_with('.')) return host.ends_with(domain);
  return host == domain || host.ends_with("." + domain);
}

bool Names(const HostPort& entry, const std::string& host, std::string_view port) {
  if (entry.host.empty() || (!entry.port.empty() && entry.port != port)) return false;
  if (entry.host == "*") return true;
  const std::optional<ip::address> address = AddressOf(host);
  if (!address) return IsInDomain(entry.host, host);
  if (entry.host.find('/') != std::string::npos) return IsInNetwork(entry.host, *address);
  return AddressOf(entry.host) == address;
}

std::string FirstOf(const Environment& environment, const char* upper, const char* lower) {
  const std::string value = environment(upper);
  return value.empty() ? environment(lower) : value;
}

absl::Status Refuse(std::string_view url, std::string_view what,
                    std::string_view advice = "write http://HOST:PORT") {
  return absl::InvalidArgumentError(
      fmt::format("proxy \"{}\": {}; {}", WithoutCredentials(url), what, advice));
}

}  // namespace

absl::Status ParseProxyUrl(std::string_view url, ApiConfig& config) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos && url.substr(0, scheme) != "http") {
    // What stands before "://" is not repeated, because it may be a part of a password.
    return Refuse(url, "Berth speaks to proxies by plain HTTP (CONNECT) alone");
  }
  std::string_view rest = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
  rest = rest.substr(0, rest.find('/'));
  ApiProxy proxy;
  const std::size_t at = rest.rfind('@');
  if (at != std::string_view::npos) {
    std::optional<std::string> credentials = PercentDecoded(rest.substr(0, at));
    if (!credentials) {
      return Refuse(url, "the user or the password has a % without two hexadecimal digits after it",
                    "write %25 for a percent sign in them");
    }
    proxy.credentials = *std::move(credentials);
    rest.remove_prefix(at + 1);
  }
  const HostPort target = Split(rest);
  proxy.host = target.host;
  proxy.port = target.port.empty() ? "80" : target.port;
  if (proxy.host.empty() || !IsPort(proxy.port)) return Refuse(url, "has no host, or no port");
  config.proxy = std::move(proxy);
  return absl::OkStatus();
}

absl::Status UseProxyOf(const Environment& environment, ApiConfig& config) {
  if (config.proxy || IsLoopbackHost(config.host)) return absl::OkStatus();
  const std::string url = FirstOf(environment, "HTTPS_PROXY", "https_proxy");
  const std::string no_proxy = FirstOf(environment, "NO_PROXY", "no_proxy");
  if (url.empty() || IsExemptFromProxy(no_proxy, config.host, config.port)) {
    return absl::OkStatus();
  }
  const absl::Status parsed = ParseProxyUrl(url, config);
  if (parsed.ok()) return parsed;
  return absl::InvalidArgumentError(fmt::format(
      "HTTPS_PROXY: {}, or name the API server in NO_PROXY", std::string(parsed.message())));
}

bool IsExemptFromProxy(std::string_view no_proxy, std::string_view host, std::string_view port) {
  const std::string name = absl::AsciiStrToLower(std::string(host));
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(no_proxy.data(), no_proxy.size()), absl::ByAnyChar(", "))) {
    if (Names(Split({part.data(), part.size()}), name, port)) return true;
  }
  return false;
}

}  // namespace berth::kube
