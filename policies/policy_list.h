#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "model/config_field.h"

namespace berth::policies {

/// A compile-time list of policy classes. The engine creates one object of each, and the
/// configuration has one block for each.
template <typename... Policies>
struct PolicyList {};

/// The config of a policy without fields of its own.
struct NoConfig {
  friend bool operator==(const NoConfig&, const NoConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor&, NoConfig&) {}

inline std::vector<model::FieldError> Validate(const NoConfig&) { return {}; }

/// The settings of all policies of a list. `all` is indexed by type, as in
/// std::get<PolicySettings<HealthPolicy>>(all). `Settings` is the class template of the settings of
/// one policy; its kKey is the key of the policy's block.
template <template <typename> typename Settings, typename List>
struct SettingsOf;
template <template <typename> typename Settings, typename... Policies>
struct SettingsOf<Settings, PolicyList<Policies...>> {
  std::tuple<Settings<Policies>...> all;

  friend bool operator==(const SettingsOf&, const SettingsOf&) = default;
};

/// Visits one block for each policy, under its key.
template <typename Visitor, template <typename> typename Settings, typename... Policies>
void VisitFields(Visitor& visit, SettingsOf<Settings, PolicyList<Policies...>>& settings) {
  (visit(Settings<Policies>::kKey, std::get<Settings<Policies>>(settings.all), Policies::kHelp),
   ...);
}

/// Calls `visit(settings)` with the settings of each policy, in the order of the list.
template <template <typename> typename Settings, typename... Policies, typename Visit>
void ForEachPolicy(const SettingsOf<Settings, PolicyList<Policies...>>& settings, Visit visit) {
  (visit(std::get<Settings<Policies>>(settings.all)), ...);
}
template <template <typename> typename Settings, typename... Policies, typename Visit>
void ForEachPolicy(SettingsOf<Settings, PolicyList<Policies...>>& settings, Visit visit) {
  (visit(std::get<Settings<Policies>>(settings.all)), ...);
}

}  // namespace berth::policies
