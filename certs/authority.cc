#include "certs/authority.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"

namespace berth::certs {

namespace {

using Certificates = std::vector<Certificate>;

absl::Status Wrong(std::string_view key, std::string_view what) {
  return absl::InvalidArgumentError(std::string(key) + " " + std::string(what));
}

absl::StatusOr<Certificates> Read(std::string_view key, const std::string& pem) {
  auto certificates = ParseCertificates(pem);
  if (!certificates.ok()) return Wrong(key, std::string(certificates.status().message()));
  return certificates;
}

bool Contains(const Certificates& certificates, const Certificate& one) {
  return std::find(certificates.begin(), certificates.end(), one) != certificates.end();
}

// Returns the authorities among `candidates`, each once and without `self`, at most kMaxFormers.
Certificates Formers(const Certificates& candidates, const Certificate& self) {
  Certificates formers;
  for (const Certificate& each : candidates) {
    const bool wanted = each.IsAuthority() && !(each == self) && !Contains(formers, each);
    if (wanted && formers.size() < kMaxFormers) formers.push_back(each);
  }
  return formers;
}

void EraseEnded(Certificates& certificates, Time now) {
  std::erase_if(certificates, [now](const Certificate& each) { return each.not_after() < now; });
}

std::string Trusted(const Authority& authority) {
  return authority.issuer.certificate.Pem() + ToPem(authority.formers);
}

absl::StatusOr<Issuer> NewIssuer(std::chrono::seconds life, Time now) {
  auto key = PrivateKey::Generate();
  if (!key.ok()) return key.status();
  auto certificate = IssueRoot(*key, ValidFor(life, now));
  if (!certificate.ok()) return certificate.status();
  return Issuer{*std::move(certificate), *std::move(key)};
}

}  // namespace

absl::StatusOr<Authority> ReadAuthority(const SecretData& data) {
  auto certificates = Read("tls.crt", data.certificates);
  if (!certificates.ok()) return certificates.status();
  auto key = PrivateKey::Parse(data.key);
  if (!key.ok()) return Wrong("tls.key", std::string(key.status().message()));
  const Certificate& self = certificates->front();
  if (!self.Fits(*key)) return Wrong("tls.key", "is not the key of the certificate in tls.crt");
  if (!self.IsAuthority())
    return Wrong("tls.crt", "begins with a certificate that is not an authority's");
  Authority authority{.issuer = {self, *std::move(key)},
                      .chain = {certificates->begin() + 1, certificates->end()}};
  if (data.authorities.empty()) return authority;
  const auto trusted = Read("ca.crt", data.authorities);
  if (!trusted.ok()) return trusted.status();
  authority.formers = Formers(*trusted, self);
  return authority;
}

SecretData ToSecret(const Authority& authority) {
  return {.certificates = authority.issuer.certificate.Pem() + ToPem(authority.chain),
          .key = authority.issuer.key.Pem(),
          .authorities = Trusted(authority)};
}

absl::StatusOr<Authority> FirstAuthority(std::chrono::seconds life,
                                         const std::vector<Certificate>& formers, Time now) {
  auto issuer = NewIssuer(life, now);
  if (!issuer.ok()) return issuer.status();
  Certificates kept = Formers(formers, issuer->certificate);
  return WithoutEnded({.issuer = *std::move(issuer), .formers = std::move(kept)}, now);
}

absl::StatusOr<Authority> NextAuthority(const Authority& former, std::chrono::seconds life,
                                        Time now) {
  Certificates formers{former.issuer.certificate};
  formers.insert(formers.end(), former.formers.begin(), former.formers.end());
  auto next = FirstAuthority(life, formers, now);
  if (!next.ok()) return next;
  const Certificate& self = next->issuer.certificate;
  const Time end = std::min(self.not_after(), former.issuer.certificate.not_after());
  auto cross = IssueCross(self, former.issuer, {self.not_before(), end});
  if (!cross.ok()) return cross.status();
  next->chain = {*std::move(cross)};
  next->chain.insert(next->chain.end(), former.chain.begin(), former.chain.end());
  if (next->chain.size() > kMaxFormers) {
    next->chain.erase(next->chain.begin() + kMaxFormers, next->chain.end());
  }
  return WithoutEnded(*std::move(next), now);
}

std::string Bundle(const Authority& authority, Time now) {
  return Trusted(WithoutEnded(authority, now));
}

Authority WithoutEnded(Authority authority, Time now) {
  EraseEnded(authority.chain, now);
  EraseEnded(authority.formers, now);
  return authority;
}

}  // namespace berth::certs
