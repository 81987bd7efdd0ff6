#include "cli/certs_renewal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/age.h"
#include "controller/certificate_keeper.h"
#include "model/annotation.h"
#include "model/suggest.h"

namespace berth::cli {

namespace {

absl::Status NoSuchSecret(const std::string& name, const std::vector<std::string_view>& known) {
  return absl::InvalidArgumentError(
      fmt::format("{}: is not a Secret of controller.certificates{}; there are {}", name,
                  model::DidYouMean(name, known), model::Join(known)));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SecretsToRenew(
    const controller::CertificatesConfig& config, const std::vector<std::string>& named,
    bool authority) {
  std::vector<std::string> secrets;
  const std::vector<std::string> leaves = controller::SecretsOf(config);
  std::vector<std::string_view> known{config.authority.secret};
  known.insert(known.end(), leaves.begin(), leaves.end());
  if (config.servers.empty()) {
    return absl::InvalidArgumentError(
        "controller.certificates.servers is empty: the controller makes no certificates; renew "
        "them with the tool that makes them");
  }
  for (const std::string& name : named) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return NoSuchSecret(name, known);
    }
    secrets.push_back(name);
  }
  if (authority) secrets.push_back(config.authority.secret);
  if (!secrets.empty()) return secrets;
  return leaves;
}

absl::Status AskForRenewal(const std::string& namespace_name, const std::string& secret,
                           std::string_view prefix, model::Time now,
                           controller::ObjectClient& client) {
  const std::string annotation = model::kRenewAnnotation.Below(prefix);
  const nlohmann::json patch{{"metadata", {{"annotations", {{annotation, FormatTime(now)}}}}}};
  const absl::Status status =
      client.Patch(controller::SecretsIn(namespace_name), secret, patch.dump());
  if (!absl::IsNotFound(status)) return status;
  return absl::NotFoundError(
      fmt::format("there is no Secret {} in namespace {}; the controller makes what is missing by "
                  "itself: look at its log if it does not",
                  secret, namespace_name));
}

}  // namespace berth::cli
