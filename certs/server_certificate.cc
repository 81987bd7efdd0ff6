#include "certs/server_certificate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace berth::certs {

absl::StatusOr<Certificate> ReadServerCertificate(const SecretData& data) {
  auto certificates = ParseCertificates(data.certificates);
  if (!certificates.ok()) {
    return absl::InvalidArgumentError("tls.crt " + std::string(certificates.status().message()));
  }
  const auto key = PrivateKey::Parse(data.key);
  if (!key.ok()) {
    return absl::InvalidArgumentError("tls.key " + std::string(key.status().message()));
  }
  if (!certificates->front().Fits(*key)) {
    return absl::InvalidArgumentError("tls.key is not the key of the certificate in tls.crt");
  }
  return certificates->front();
}

absl::StatusOr<SecretData> NewServerCertificate(const Authority& authority, const Names& names,
                                                std::chrono::seconds life, Time now, Usage usage) {
  const Authority current = WithoutEnded(authority, now);
  const auto key = PrivateKey::Generate();
  if (!key.ok()) return key.status();
  Validity validity = ValidFor(life, now);
  validity.not_after = std::min(validity.not_after, current.issuer.certificate.not_after());
  const auto certificate = IssueLeaf(*key, names, usage, current.issuer, validity);
  if (!certificate.ok()) return certificate.status();
  return SecretData{.certificates = certificate->Pem() + ToPem(current.chain),
                    .key = key->Pem(),
                    .authorities = Bundle(current, now)};
}

std::vector<Certificate> TrustedBy(const SecretData& data) {
  return ParseCertificates(data.authorities).value_or(std::vector<Certificate>());
}

}  // namespace berth::certs
