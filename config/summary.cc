#include "config/summary.h"

#include <fmt/format.h>

#include <string_view>
#include <tuple>
#include <vector>

#include "model/suggest.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::config {

namespace {

std::string_view Security(const TlsConfig& tls, bool insecure_loopback) {
  if (insecure_loopback) return "plain HTTP";
  if (tls.cert_file.empty()) return "no certificate";
  return tls.client_ca_file.empty() ? "TLS" : "TLS with client certificates";
}

std::string Accelerators(const BerthConfiguration& config) {
  std::vector<std::string_view> names;
  for (const auto& spec : config.accelerators) names.push_back(spec.name);
  return model::Join(names);
}

std::string Weights(const policies::scheduling::PoliciesConfig& policies) {
  std::vector<std::string> weights;
  policies::ForEachPolicy(
      policies, [&]<typename Policy>(const policies::scheduling::PolicySettings<Policy>& settings) {
        const bool observed = settings.mode == policies::scheduling::Mode::kObserve;
        weights.push_back(observed ? fmt::format("{} observed", Policy::kName)
                                   : fmt::format("{} {}", Policy::kName, settings.weight));
      });
  return fmt::format("{}", fmt::join(weights, ", "));
}

std::size_t Conditions(const BerthConfiguration& config) {
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  return policies::scheduling::AllConditions(
             std::get<Health>(config.scheduling.policies.all).config)
      .size();
}

}  // namespace

std::string Summarize(const BerthConfiguration& config) {
  return fmt::format(
      "extender on {} ({}), admission on {} ({}), metrics on {}; accelerators {}; {} health "
      "conditions; weights {}",
      config.extender.listen, Security(config.extender.tls, config.extender.insecure_loopback),
      config.admission.listen, Security(config.admission.tls, config.admission.insecure_loopback),
      config.metrics.listen, Accelerators(config), Conditions(config),
      Weights(config.scheduling.policies));
}

}  // namespace berth::config
