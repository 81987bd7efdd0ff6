#include "controller/avoid_plan.h"

#include <algorithm>
#include <utility>

#include "model/node.h"

namespace berth::controller {

namespace {

using model::Avoided;

// Entries of an owner whose times differ by less are about the same failure.
constexpr model::Duration kSameFailure = std::chrono::minutes(1);

void Add(std::vector<Avoided>& entries, const Avoided& added) {
  const auto twin = std::ranges::find(entries, added.owner, &Avoided::owner);
  if (twin == entries.end()) {
    entries.push_back(added);
  } else {
    twin->until = std::max(twin->until, added.until);
  }
}

std::vector<Avoided> EntriesOf(const model::Node& node, std::string_view annotation) {
  const auto text = model::Find(node.annotations, annotation);
  return text ? model::ParseAvoided(*text) : std::vector<Avoided>();
}

}  // namespace

std::vector<Avoided> MergeAvoided(std::vector<Avoided> present, const std::vector<Avoided>& added,
                                  model::Time now) {
  for (const Avoided& entry : added) Add(present, entry);
  std::erase_if(present, [now](const Avoided& entry) { return entry.until <= now; });
  std::ranges::stable_sort(present, {}, &Avoided::until);
  if (present.size() > model::kMostAvoided) {
    present.erase(present.begin(), present.end() - model::kMostAvoided);
  }
  return present;
}

void ForgetNoted(const model::ClusterView& view, std::string_view annotation,
                 FailedOwners& failed) {
  for (auto& [name, entries] : failed) {
    const auto index = view.Find(name);
    const model::NodeState* const state = index ? view.At(*index) : nullptr;
    if (state == nullptr) continue;
    const std::vector<Avoided> present = EntriesOf(state->node, annotation);
    std::erase_if(entries, [&present](const Avoided& entry) {
      const auto twin = std::ranges::find(present, entry.owner, &Avoided::owner);
      // Another controller may have written it, and heard of the pod a little earlier.
      return twin != present.end() &&
             model::SaturatingAdd(twin->until, kSameFailure) >= entry.until;
    });
  }
}

std::vector<AvoidChange> PlanAvoided(const model::ClusterView& view, std::string_view annotation,
                                     const FailedOwners& failed, model::Time now) {
  std::vector<AvoidChange> changes;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const state = view.At(i);
    if (state == nullptr || state->quarantined) continue;
    const model::Node& node = state->node;
    const auto added = failed.find(node.name);
    if (node.annotations.empty() && added == failed.end()) continue;
    const std::vector<Avoided> present = EntriesOf(node, annotation);
    const std::vector<Avoided> wanted =
        MergeAvoided(present, added != failed.end() ? added->second : std::vector<Avoided>(), now);
    const bool is_same = std::ranges::is_permutation(present, wanted);
    if (!is_same) changes.push_back({node.name, node.uid, model::AvoidedText(wanted)});
  }
  return changes;
}

std::size_t CountAvoided(const model::ClusterView& view, std::string_view annotation,
                         model::Time now) {
  std::size_t count = 0;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const state = view.At(i);
    if (state == nullptr || state->node.annotations.empty()) continue;
    const std::vector<Avoided> entries = EntriesOf(state->node, annotation);
    count += static_cast<std::size_t>(
        std::ranges::count_if(entries, [now](const Avoided& entry) { return entry.until > now; }));
  }
  return count;
}

}  // namespace berth::controller
