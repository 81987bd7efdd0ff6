#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "config/config.h"
#include "controller/object_client.h"
#include "model/time.h"

// What `berth certs show` knows about the certificates that the controller maintains, and how it
// prints that.

namespace berth::cli {

/// A Secret and the certificate in it.
struct CertificateView {
  std::string secret;
  /// Empty if the Secret has no certificate that can be read; then `problem` says why.
  std::string subject;
  /// Subject of the authority that signed it.
  std::string issuer;
  /// The names that the certificate is for: "DNS:localhost", "IP:127.0.0.1".
  std::vector<std::string> names;
  /// When the certificate ends.
  model::Time until = model::kNoTime;
  /// What is wrong with the certificate; empty if nothing is.
  std::string problem;
};

/// An authority that signed certificates earlier, and is trusted until it ends.
struct FormerView {
  std::string subject;
  model::Time until = model::kNoTime;
};

/// The authorities that a webhook configuration trusts.
struct BundleView {
  /// "MutatingWebhookConfiguration" or "ValidatingWebhookConfiguration".
  std::string kind;
  std::string name;
  /// Number of webhooks.
  std::size_t webhooks = 0;
  /// How many of them have the caBundle that the authority wants.
  std::size_t matching = 0;
};

/// Everything that `berth certs show` prints.
struct CertsView {
  /// The time as of which the certificates were judged.
  model::Time time;
  /// The authority's first, then those of servers and clients in the order of the configuration.
  std::vector<CertificateView> certificates;
  /// Authorities that are still trusted.
  std::vector<FormerView> formers;
  std::vector<BundleView> bundles;

  /// Whether no certificate has a problem and every webhook trusts the authority. Decides the exit
  /// code.
  bool AllWell() const;
};

/// Reads the Secrets and webhook configurations that `config` names from the API server. A Secret
/// that does not exist is no error, but a problem in the view. Returns the error of a request that
/// failed. Keys are only compared with their certificates and never kept.
absl::StatusOr<CertsView> ReadCerts(const controller::CertificatesConfig& config,
                                    const std::string& namespace_name, model::Time now,
                                    controller::ObjectClient& client);

/// The view as a table, with a line for each former authority and each webhook configuration after
/// it.
std::string CertsText(const CertsView& view);

/// The view as JSON. docs/certificates.md describes the format.
std::string CertsJson(const CertsView& view);

}  // namespace berth::cli
