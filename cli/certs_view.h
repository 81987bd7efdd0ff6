#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "config/config.h"
#include "controller/object_client.h"
#include "model/time.h"

namespace berth::cli {

/// The certificate in a Secret.
struct CertificateView {
  std::string secret;
  /// Empty: there is none that can be read, which `problem` says.
  std::string subject;
  std::string issuer;
  /// "DNS:localhost", "IP:127.0.0.1".
  std::vector<std::string> names;
  model::Time until = model::kNoTime;
  /// What is wrong with it; empty: nothing.
  std::string problem;
};

/// An authority that signed before, and is trusted until it ends.
struct FormerView {
  std::string subject;
  model::Time until = model::kNoTime;
};

/// What a webhook configuration trusts.
struct BundleView {
  std::string kind;
  std::string name;
  std::size_t webhooks = 0;
  /// Those whose caBundle is what the authority says.
  std::size_t matching = 0;
};

/// What `berth certs show` tells.
struct CertsView {
  model::Time time;
  /// The authority's first.
  std::vector<CertificateView> certificates;
  std::vector<FormerView> formers;
  std::vector<BundleView> bundles;

  bool AllWell() const;
};

/// Reads what `config` names from the API server. Nothing of a key is kept. Errors are those of
/// requests; what does not exist is none.
absl::StatusOr<CertsView> ReadCerts(const controller::CertificatesConfig& config,
                                    const std::string& namespace_name, model::Time now,
                                    controller::ObjectClient& client);

std::string CertsText(const CertsView& view);

/// Described in docs/certificates.md.
std::string CertsJson(const CertsView& view);

}  // namespace berth::cli
