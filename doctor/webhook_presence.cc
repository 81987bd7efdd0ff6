#include "doctor/webhook_presence.h"

#include <algorithm>

namespace berth::doctor {

bool HasNoWebhook(const Facts& facts, const Rules& rules) {
  if (!facts.webhooks.ok()) return false;
  return rules.config.controller.certificates.webhooks.empty() &&
         std::ranges::none_of(*facts.webhooks, &WebhookConfigurationFacts::exists);
}

Findings NoWebhook() {
  return Note(
      "the chart is installed without its webhook: pods and Jobs are neither changed nor denied");
}

}  // namespace berth::doctor
