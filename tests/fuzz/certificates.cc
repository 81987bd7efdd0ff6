// The PEM of Secrets, which anybody may have written who may write Secrets.
#include "certs/certificate.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const auto certificates = certs::ParseCertificates(fuzz::TextOf(data, size));
  fuzz::RequireSentence(certificates.status());
  if (!certificates.ok()) return 0;
  const auto again = certs::ParseCertificates(certs::ToPem(*certificates));
  fuzz::Require(again.ok() && *again == *certificates, "what is written is read as it was");
  for (const certs::Certificate& each : *certificates) {
    // None of them may crash, whatever they say of an odd certificate.
    each.subject();
    each.issuer();
    each.names();
    each.not_before();
    each.not_after();
  }
  return 0;
}
