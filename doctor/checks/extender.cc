#include <fmt/format.h>

#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

std::string WhatToLookAt(const config::BerthConfiguration& config) {
  std::string advice = "look at the extender's log; it may not have listed nodes and pods yet";
  if (config.extender.tls.client_ca_file.empty()) return advice;
  advice += ". It answers only clients with a certificate that it trusts: give --cert and --key";
  for (const controller::ClientCertificateConfig& client : config.controller.certificates.clients) {
    advice += fmt::format(", those of Secret {}", client.secret);
  }
  return advice;
}

Findings CheckExtender(const Facts& facts, const Rules& rules) {
  const FilterTrial& trial = *facts.filter_trial;
  if (!trial.error.empty()) {
    return Problem(fmt::format("{} cannot answer filter: {}", trial.url, trial.error),
                   WhatToLookAt(rules.config));
  }
  if (trial.fit == 0 && trial.refused < trial.asked) {
    return Problem(fmt::format("{} gives reasons for only {} of {}", trial.url, trial.refused,
                               Counted(trial.asked, "refused node")),
                   "is this Berth's extender? `berth stanza` prints its address");
  }
  return Ok(fmt::format("{} answers: {} of {} fit a pod with one device", trial.url, trial.fit,
                        Counted(trial.asked, "node")));
}

}  // namespace

Check Extender() {
  return {.name = "extender",
          .help = "the extender answers a filter request",
          .needs = {Source::kFilterTrial},
          .uses = {},
          .run = CheckExtender};
}

}  // namespace berth::doctor::checks
