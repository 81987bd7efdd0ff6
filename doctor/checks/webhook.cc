#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks/all.h"
#include "doctor/webhook_presence.h"

namespace berth::doctor::checks {

namespace {

// Recognises Berth's warnings, such as `299 - "berth: ..."` and `299 - "berth (warn only): ..."`.
bool IsBerths(const std::string& warning) {
  return warning.find("\"berth: ") != std::string::npos ||
         warning.find("\"berth (") != std::string::npos ||
         warning.find("\"berth, ") != std::string::npos;
}

bool Answered(const WebhookTrial& trial, const std::string& prefix) {
  const auto ours = [&prefix](const std::string& name) { return name.starts_with(prefix + "/"); };
  return std::ranges::any_of(trial.warnings, IsBerths) ||
         std::ranges::any_of(trial.annotations, ours);
}

Findings CheckWebhook(const Facts& facts, const Rules& rules) {
  const WebhookTrial& trial = *facts.webhook_trial;
  if (!trial.refusal.empty()) {
    return Problem(fmt::format("no pod can be created in namespace {}: {}", trial.namespace_name,
                               trial.refusal),
                   "if this names a webhook that cannot be called, look at the pods of Berth's "
                   "admission, or set the namespace's label admission to \"off\" meanwhile");
  }
  if (Answered(trial, rules.config.prefix)) {
    return Ok(fmt::format("the webhook answers for pods of namespace {}", trial.namespace_name));
  }
  if (HasNoWebhook(facts, rules)) return NoWebhook();
  return Problem(
      fmt::format("the webhook did not react to a pod without limits in namespace {}: the API "
                  "server does not call it, or cannot reach it and continues without it",
                  trial.namespace_name),
      fmt::format("check whether label {}/admission of the namespace is \"off\", then the pods of "
                  "Berth's admission and their Service, then what keeps the API server from them",
                  rules.config.prefix));
}

}  // namespace

Check Webhook() {
  return {.name = "webhook",
          .help = "the API server calls the webhook for pods, and the webhook answers",
          .needs = {Source::kWebhookTrial},
          .uses = {Source::kWebhooks},
          .run = CheckWebhook};
}

}  // namespace berth::doctor::checks
