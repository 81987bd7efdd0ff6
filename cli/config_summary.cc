#include "cli/config_summary.h"

#include <fmt/format.h>

#include <string_view>
#include <tuple>
#include <vector>

#include "cli/suggest.h"

namespace berth::cli {

namespace {

std::string_view Security(const ExtenderConfig& extender) {
  if (extender.insecure_loopback) return "plain HTTP";
  return extender.tls.client_ca_file.empty() ? "TLS" : "TLS with client certificates";
}

std::string Accelerators(const BerthConfiguration& config) {
  std::vector<std::string_view> names;
  for (const auto& spec : config.accelerators) names.push_back(spec.name);
  return Join(names);
}

template <typename... Policies>
std::string Weights(const scheduling::SettingsOf<scheduling::PolicyList<Policies...>>& settings) {
  std::vector<std::string> weights = {
      fmt::format("{} {}", Policies::kName,
                  std::get<scheduling::PolicySettings<Policies>>(settings.all).weight)...};
  return fmt::format("{}", fmt::join(weights, ", "));
}

std::size_t Conditions(const BerthConfiguration& config) {
  using Health = scheduling::PolicySettings<scheduling::HealthPolicy>;
  return std::get<Health>(config.scheduling.policies.all).config.conditions.size();
}

}  // namespace

std::string Summarize(const BerthConfiguration& config) {
  return fmt::format(
      "extender on {} ({}), metrics on {}; accelerators {}; {} health conditions; weights {}",
      config.extender.listen, Security(config.extender), config.metrics.listen,
      Accelerators(config), Conditions(config), Weights(config.scheduling.policies));
}

}  // namespace berth::cli
