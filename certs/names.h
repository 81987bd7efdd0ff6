#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::certs {

/// By what clients know a server: the subject alternative names of its certificate.
struct Names {
  /// In lower case.
  std::set<std::string> dns;
  /// As inet_ntop writes them.
  std::set<std::string> addresses;

  bool empty() const { return dns.empty() && addresses.empty(); }

  friend bool operator==(const Names&, const Names&) = default;
};

/// Adds a DNS name or an IP address, whichever it is.
void Add(std::string_view host, Names& names);

/// Adds all by which a Service is known within its cluster. `cluster_ips` are those of its spec;
/// what is no address, as "None", is left out.
void AddService(std::string_view service, std::string_view namespace_name,
                std::span<const std::string> cluster_ips, Names& names);

/// "DNS:localhost", "IP:127.0.0.1".
std::vector<std::string> Texts(const Names& names);

}  // namespace berth::certs
