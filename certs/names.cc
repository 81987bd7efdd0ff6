#include "certs/names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace berth::certs {

namespace {

// Returns the one canonical text of an address, of the many that IPv6 allows. nullopt if `text` is
// not an address.
std::optional<std::string> CanonicalAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> canonical{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, text.c_str(), bytes.data()) != 1) continue;
    inet_ntop(family, bytes.data(), canonical.data(), canonical.size());
    return canonical.data();
  }
  return std::nullopt;
}

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

}  // namespace

void Add(std::string_view host, Names& names) {
  const std::string text(host);
  if (const auto address = CanonicalAddress(text)) {
    names.addresses.insert(*address);
  } else {
    names.dns.insert(LowerCase(text));
  }
}

void AddService(std::string_view service, std::string_view namespace_name,
                std::span<const std::string> cluster_ips, Names& names) {
  std::string name(service);
  for (const std::string& part : {std::string(namespace_name), std::string("svc"),
                                  std::string("cluster.local"), std::string()}) {
    Add(name, names);
    name += "." + part;
  }
  for (const std::string& address : cluster_ips) {
    if (const auto canonical = CanonicalAddress(address)) names.addresses.insert(*canonical);
  }
}

std::vector<std::string> Texts(const Names& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names.dns) texts.push_back("DNS:" + name);
  for (const std::string& address : names.addresses) texts.push_back("IP:" + address);
  return texts;
}

}  // namespace berth::certs
