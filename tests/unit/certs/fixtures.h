#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "certs/authority.h"
#include "certs/names.h"
#include "certs/server_certificate.h"

namespace berth::certs {

using std::chrono::hours;
using std::chrono::seconds;

inline constexpr Time kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 21)};
inline constexpr hours kDay{24};
inline constexpr hours kAuthorityLife = 3650 * kDay;
inline constexpr hours kServerLife = 90 * kDay;

inline Names NamesOf(const std::vector<std::string>& hosts) {
  Names names;
  for (const std::string& host : hosts) Add(host, names);
  return names;
}

/// Unless a test says otherwise, of a server called localhost.
inline Names Localhost() { return NamesOf({"localhost", "127.0.0.1", "::1"}); }

inline Authority MakeAuthority(Time now = kNow, seconds life = kAuthorityLife,
                               std::vector<Certificate> formers = {}) {
  return FirstAuthority(life, std::move(formers), now).value();
}

inline Authority Rotate(const Authority& former, Time now = kNow, seconds life = kAuthorityLife) {
  return NextAuthority(former, life, now).value();
}

inline SecretData MakeServer(const Authority& authority, Time now = kNow,
                             seconds life = kServerLife, const Names& names = Localhost()) {
  return NewServerCertificate(authority, names, life, now).value();
}

}  // namespace berth::certs
