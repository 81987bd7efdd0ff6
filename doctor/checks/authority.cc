#include <fmt/format.h>

#include "certs/trust.h"
#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

const SecretFacts* ExtenderSecretOf(const Facts& facts) {
  if (!facts.secrets.ok()) return nullptr;
  for (const SecretFacts& secret : *facts.secrets) {
    if (secret.name == ExtenderSecret(facts) && secret.exists) return &secret;
  }
  return nullptr;
}

Findings Compare(const std::string& authorities, const std::string& what, const Facts& facts) {
  const SecretFacts* secret = ExtenderSecretOf(facts);
  if (secret == nullptr) {
    return Unknown(fmt::format("Secret {} cannot be read, so {} cannot be compared with it",
                               ExtenderSecret(facts), what),
                   "see check certificates");
  }
  const absl::Status trusted = certs::Verify(
      secret->chain, authorities.empty() ? secret->authorities : authorities, facts.now);
  if (trusted.ok()) return Ok(fmt::format("{} fits Secret {}", what, secret->name));
  return Problem(fmt::format("{} does not fit the certificate in Secret {}: {}", what, secret->name,
                             std::string(trusted.message())),
                 "write the caData that `berth stanza` prints, and restart kube-scheduler: it "
                 "reads caData only once");
}

// Judges which certificates kube-scheduler trusts.
Findings JudgeTrust(const ExtenderEntry& entry, const Facts& facts) {
  if (!entry.url_prefix.starts_with("https://")) {
    return Note(fmt::format("kube-scheduler calls {} without TLS", entry.url_prefix));
  }
  if (entry.insecure || (entry.ca_data.empty() && entry.ca_file.empty())) {
    return Problem(
        fmt::format("kube-scheduler accepts any certificate from {}: without a CA it verifies none",
                    entry.url_prefix),
        "write the tlsConfig that `berth stanza` prints");
  }
  if (!entry.ca_data.empty()) return Compare(entry.ca_data, "caData of " + entry.url_prefix, facts);
  // The chart's kube-scheduler uses the Secret's own ca.crt.
  if (facts.scheduler->from_chart) return Compare("", "caFile of " + entry.url_prefix, facts);
  return Note(fmt::format("the CA of {} is in {} on kube-scheduler's machine, which is not checked",
                          entry.url_prefix, entry.ca_file));
}

Findings CheckAuthority(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [&](const ExtenderEntry& entry) {
    Findings found = JudgeTrust(entry, facts);
    const bool wanted = !rules.config.extender.tls.client_ca_file.empty();
    if (!wanted || entry.shows_certificate) return found;
    Append(Problem(fmt::format("kube-scheduler presents no client certificate to {}, which "
                               "requires one (extender.tls.clientCAFile)",
                               entry.url_prefix),
                   "write certFile and keyFile into tlsConfig, as `berth stanza --cert FILE --key "
                   "FILE` prints them"),
           found);
    return found;
  });
}

}  // namespace

Check Authority() {
  return {.name = "ca",
          .help = "kube-scheduler trusts the extender's certificate",
          .needs = {Source::kScheduler},
          .uses = {Source::kService, Source::kSecrets},
          .run = CheckAuthority};
}

}  // namespace berth::doctor::checks
