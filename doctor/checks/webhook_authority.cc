#include <fmt/format.h>

#include <algorithm>

#include "certs/trust.h"
#include "doctor/checks/all.h"
#include "doctor/webhook_presence.h"

namespace berth::doctor::checks {

namespace {

// The webhooks that do not trust the certificate: "enforce.mutate.berth.dev of
// MutatingWebhookConfiguration (self-signed certificate)".
std::vector<std::string> Distrusting(const Facts& facts, const std::string& chain) {
  std::vector<std::string> distrusting;
  for (const WebhookConfigurationFacts& configuration : *facts.webhooks) {
    for (const WebhookFacts& webhook : configuration.webhooks) {
      const absl::Status trusted = certs::Verify(chain, webhook.authorities, facts.now);
      if (trusted.ok()) continue;
      distrusting.push_back(fmt::format("{} of {} ({})", webhook.name, configuration.kind,
                                        std::string(trusted.message())));
    }
  }
  return distrusting;
}

Findings CheckWebhookAuthority(const Facts& facts, const Rules& rules) {
  if (HasNoWebhook(facts, rules)) return NoWebhook();
  const auto secret = std::ranges::find(*facts.secrets, AdmissionSecret(facts), &SecretFacts::name);
  if (secret == facts.secrets->end() || !secret->exists) {
    return Unknown(fmt::format("Secret {} does not exist, so caBundles cannot be compared with it",
                               AdmissionSecret(facts)),
                   "see check certificates");
  }
  const std::vector<std::string> distrusting = Distrusting(facts, secret->chain);
  if (distrusting.empty()) {
    return Ok(fmt::format("every caBundle fits Secret {}", secret->name));
  }
  return Problem(fmt::format("the certificate in Secret {} is not trusted by {}", secret->name,
                             Listed(distrusting)),
                 "the controller keeps caBundles in step: look at its log, and at check rights");
}

}  // namespace

Check WebhookAuthority() {
  return {.name = "webhook-ca",
          .help = "the API server trusts the webhook's certificate",
          .needs = {Source::kWebhooks, Source::kSecrets},
          .uses = {},
          .run = CheckWebhookAuthority};
}

}  // namespace berth::doctor::checks
