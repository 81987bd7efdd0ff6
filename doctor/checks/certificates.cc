#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "certs/certificate.h"
#include "certs/trust.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

// A certificate is overdue if less than this share of its validity is left. The controller renews
// it when a third is left.
constexpr double kOverdue = 0.25;

std::string Day(model::Time time) {
  return absl::FormatTime("%Y-%m-%d", absl::FromChrono(time), absl::UTCTimeZone());
}

bool IsOverdue(const certs::Certificate& certificate, model::Time now) {
  const auto left = static_cast<double>((certificate.not_after() - now).count());
  const auto life =
      static_cast<double>((certificate.not_after() - certificate.not_before()).count());
  return left < kOverdue * life;
}

// `where` names the certificate: "tls.crt of Secret berth-admission-tls (CN=berth-admission)".
Findings JudgeLife(const std::string& where, const certs::Certificate& certificate, model::Time now,
                   const std::string& advice) {
  if (now < certificate.not_before()) {
    return Problem(fmt::format("{} is not valid before {}", where, Day(certificate.not_before())),
                   "compare the clocks of the controller's node and of this machine");
  }
  if (now >= certificate.not_after()) {
    return Problem(fmt::format("{} expired on {}", where, Day(certificate.not_after())), advice);
  }
  if (!IsOverdue(certificate, now)) return {};
  const auto days = std::chrono::duration_cast<std::chrono::days>(certificate.not_after() - now);
  return Warning(fmt::format("{} should have been renewed: it expires in {}", where,
                             Counted(static_cast<std::size_t>(days.count()), "day")),
                 advice);
}

Findings JudgeSecret(const SecretFacts& secret, model::Time now) {
  const std::string advice = fmt::format(
      "look at the log of the controller, or of cert-manager; `berth certs renew {}` requests a "
      "new one",
      secret.name);
  const auto chain = certs::ParseCertificates(secret.chain);
  if (!chain.ok()) {
    return Problem(
        fmt::format("tls.crt of Secret {} {}", secret.name, std::string(chain.status().message())),
        advice);
  }
  Findings found;
  for (const certs::Certificate& certificate : *chain) {
    Append(JudgeLife(fmt::format("tls.crt of Secret {} ({})", secret.name, certificate.subject()),
                     certificate, now, advice),
           found);
  }
  // Judges all authorities together, because former ones among them end first.
  const absl::Status trusted = certs::Verify(secret.chain, secret.authorities, now, secret.usage);
  if (found.empty() && !trusted.ok()) {
    return Problem(fmt::format("ca.crt of Secret {} does not fit its tls.crt: {}", secret.name,
                               std::string(trusted.message())),
                   advice);
  }
  return found;
}

// Judges a Secret that does not exist. It is missing only if the controller should have made it.
Findings JudgeMissing(const SecretFacts& secret, const controller::CertificatesConfig& config) {
  const std::vector<std::string> made = controller::SecretsOf(config);
  if (std::ranges::find(made, secret.name) != made.end()) {
    return Problem(
        fmt::format("Secret {} does not exist, so pods that mount it cannot start", secret.name),
        "the controller makes it: look at its log, and at check rights");
  }
  if (!config.servers.empty()) return {};  // no such server
  return Note(fmt::format(
      "there is no Secret {}: certificates that Berth does not make are not checked", secret.name));
}

// Until when all certificates are valid. All of them must be readable.
model::Time EndOf(const std::vector<SecretFacts>& secrets) {
  model::Time end = model::kForever;
  for (const SecretFacts& secret : secrets) {
    if (!secret.exists) continue;
    const auto chain = certs::ParseCertificates(secret.chain);
    for (const certs::Certificate& certificate : *chain)
      end = std::min(end, certificate.not_after());
  }
  return end;
}

Findings CheckCertificates(const Facts& facts, const Rules& rules) {
  Findings found;
  for (const SecretFacts& secret : *facts.secrets) {
    Append(secret.exists ? JudgeSecret(secret, facts.now)
                         : JudgeMissing(secret, rules.config.controller.certificates),
           found);
  }
  if (!found.empty()) return found;
  return Ok(fmt::format("all certificates are valid until {}", Day(EndOf(*facts.secrets))));
}

}  // namespace

Check Certificates() {
  return {.name = "certificates",
          .help = "certificates are renewed in time",
          .needs = {Source::kSecrets},
          .uses = {},
          .run = CheckCertificates};
}

}  // namespace berth::doctor::checks
