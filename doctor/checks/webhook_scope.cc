#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks/all.h"
#include "doctor/webhook_presence.h"

namespace berth::doctor::checks {

namespace {

// Every namespace has this label with its own name.
constexpr const char* kNameLabel = "kubernetes.io/metadata.name";

model::StringMap LabelsOf(const std::string& name, const Facts& facts) {
  if (facts.namespaces.ok()) {
    const auto found = std::ranges::find(*facts.namespaces, name, &NamespaceFacts::name);
    if (found != facts.namespaces->end()) return found->labels;
  }
  return {{kNameLabel, name}};
}

// The names of the webhooks that the API server calls for pods of the namespace.
std::vector<std::string> AskedAbout(const std::string& name,
                                    const WebhookConfigurationFacts& configuration,
                                    const Facts& facts) {
  const model::StringMap labels = LabelsOf(name, facts);
  std::vector<std::string> asked;
  for (const WebhookFacts& webhook : configuration.webhooks) {
    if (Matches(webhook.namespaces, labels)) asked.push_back(webhook.name);
  }
  return asked;
}

Findings JudgeScope(const WebhookConfigurationFacts& configuration, const Facts& facts) {
  if (configuration.webhooks.empty()) {
    return Problem(fmt::format("there is no {} {}, so the API server calls no webhook",
                               configuration.kind, facts.fullname),
                   "install the chart with its webhook, or give --release of the Helm release");
  }
  Findings found;
  for (const std::string& name : {std::string("kube-system"), facts.namespace_name}) {
    const std::vector<std::string> asked = AskedAbout(name, configuration, facts);
    if (asked.empty()) continue;
    Append(
        Problem(fmt::format("{} {} includes namespace {}: {}", configuration.kind, facts.fullname,
                            name, Listed(asked)),
                fmt::format("exclude it by a namespaceSelector: {} NotIn [{}]", kNameLabel, name)),
        found);
  }
  return found;
}

Findings CheckWebhookScope(const Facts& facts, const Rules& rules) {
  if (HasNoWebhook(facts, rules)) return NoWebhook();
  Findings found;
  for (const WebhookConfigurationFacts& configuration : *facts.webhooks) {
    Append(JudgeScope(configuration, facts), found);
  }
  if (!found.empty()) return found;
  return Ok(fmt::format("namespaces kube-system and {} are excluded", facts.namespace_name));
}

}  // namespace

Check WebhookScope() {
  return {.name = "webhook-scope",
          .help = "the webhook is not called for kube-system or Berth's own namespace",
          .needs = {Source::kWebhooks},
          .uses = {Source::kNamespaces},
          .run = CheckWebhookScope};
}

}  // namespace berth::doctor::checks
