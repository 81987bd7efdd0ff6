#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::certs {

/// The names by which clients know a server: the subject alternative names of its certificate.
/// Add() brings them into one form, so that equal names compare equal. A plain value.
struct Names {
  /// DNS names in lower case.
  std::set<std::string> dns;
  /// IP addresses as inet_ntop writes them.
  std::set<std::string> addresses;

  bool empty() const { return dns.empty() && addresses.empty(); }

  friend bool operator==(const Names&, const Names&) = default;
};

/// Adds `host`, which is a DNS name or an IP address.
void Add(std::string_view host, Names& names);

/// Adds all names by which a Service is known within its cluster. `cluster_ips` are those of its
/// spec; entries that are not addresses, such as "None", are left out. The Service berth in the
/// namespace scheduling gets
///   berth
///   berth.scheduling
///   berth.scheduling.svc
///   berth.scheduling.svc.cluster.local
/// and its addresses.
void AddService(std::string_view service, std::string_view namespace_name,
                std::span<const std::string> cluster_ips, Names& names);

/// Returns texts for people: "DNS:localhost", "IP:127.0.0.1".
std::vector<std::string> Texts(const Names& names);

}  // namespace berth::certs
