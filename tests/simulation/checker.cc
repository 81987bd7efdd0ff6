#include "tests/simulation/checker.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "policies/scheduling/health_profiles.h"
#include "tests/simulation/cluster_life.h"

namespace berth::simulation {
namespace {

using cluster::Kind;
using cluster::Snapshot;

const std::set<std::string>& ExcludingTypes() {
  static const auto types = [] {
    std::set<std::string> excluding;
    for (const policies::scheduling::HealthCondition& condition :
         policies::scheduling::AllConditions({})) {
      const bool for_all = condition.IsForAllPods() && condition.min_duration.count() == 0;
      if (for_all && condition.effect == policies::scheduling::Effect::kExclude) {
        excluding.insert(condition.type);
      }
    }
    return excluding;
  }();
  return types;
}

std::string TextOf(const model::Node& node) {
  std::string text = fmt::format("{} GPUs", node.allocatable.Get(kGpu));
  for (const model::Condition& condition : node.conditions) {
    text += fmt::format(", {} {} since {}", condition.type, static_cast<int>(condition.status),
                        condition.last_transition.time_since_epoch().count());
  }
  return text;
}

std::string TextOf(const StoredPointer<model::Node>& stored) {
  if (stored == nullptr) return "not there";
  if (stored->nameless()) return "nameless";
  return stored->unreadable() ? "unreadable" : TextOf(stored->value);
}

// The types of conditions that exclude and have this status.
std::set<std::string> ExcludingWith(model::ConditionStatus status, const model::Node& node) {
  std::set<std::string> types;
  for (const model::Condition& condition : node.conditions) {
    const bool counts = condition.status == status && ExcludingTypes().contains(condition.type);
    if (counts) types.insert(condition.type);
  }
  return types;
}

// Whether no pod may go there.
bool IsRefused(const StoredPointer<model::Node>& stored) {
  return stored == nullptr || stored->unreadable() ||
         !ExcludingWith(model::ConditionStatus::kTrue, stored->value).empty();
}

// Whether there is no node of that name, as far as can be told.
bool IsMissing(const StoredPointer<model::Node>& stored) {
  return stored == nullptr || stored->nameless();
}

// Whether the snapshot has it as it is stored.
bool Is(const model::NodeState& state, const StoredPointer<model::Node>& stored) {
  if (IsMissing(stored)) return false;
  return stored->unreadable() ? state.quarantined
                              : !state.quarantined && stored->value == state.node;
}

}  // namespace

Checker::Checker(const ApiServer* server)
    : server_(server), nodes_(&server->Of<model::Node>()), pods_(&server->Of<model::Pod>()) {}

Complaint Checker::MoveTo(Revision nodes, Revision pods) {
  if (nodes < nodes_.revision() || pods < pods_.revision()) {
    return fmt::format("the snapshot went back: nodes from revision {} to {}, pods from {} to {}",
                       nodes_.revision(), nodes, pods_.revision(), pods);
  }
  if (std::max(nodes, pods) > server_->revision()) {
    return fmt::format("the snapshot says revision {} of nodes and {} of pods; it is {}", nodes,
                       pods, server_->revision());
  }
  nodes_.MoveTo(nodes);
  pods_.MoveTo(pods);
  return std::nullopt;
}

// Whether it stands there as it was, or has been since.
bool Checker::MayBe(const model::NodeState& state) const {
  bool may = Is(state, nodes_.Find(state.node.name));
  nodes_.ForEachLater(state.node.name, [&](const Change<model::Node>& change) {
    may = may || Is(state, change.after);
  });
  return may;
}

bool Checker::MayLack(const std::string& name) const {
  bool may = false;
  nodes_.ForEachLater(name,
                      [&](const Change<model::Node>& change) { may |= IsMissing(change.after); });
  return may;
}

Complaint Checker::CheckNodes(const Snapshot::Reader& reader, bool whole) const {
  for (model::NodeIndex index = 0; index < reader.EndIndex(); ++index) {
    const model::NodeState* state = reader.At(index);
    if (state == nullptr) continue;
    const auto then = nodes_.Find(state->node.name);
    if (Is(*state, then) || (!whole && MayBe(*state))) continue;
    return fmt::format("node {} stands in the snapshot with {}{}; at revision {} it was {}",
                       state->node.name, TextOf(state->node),
                       state->quarantined ? ", in quarantine" : "", nodes_.revision(),
                       TextOf(then));
  }
  for (const auto& [name, stored] : nodes_.contents()) {
    if (stored->nameless() || reader.Find(name) || (!whole && MayLack(name))) continue;
    return fmt::format("node {} is not in the snapshot, and existed at revision {}", name,
                       nodes_.revision());
  }
  return whole ? CheckQuarantine(reader.Quarantined(Kind::kNodes)) : std::nullopt;
}

// Nobody can tell when one without a name is mended, or gone: until the next list there are as many
// as there were.
Complaint Checker::CheckQuarantine(const cluster::Quarantine& nodes) const {
  std::size_t named = 0;
  std::size_t nameless = 0;
  for (const auto& [name, stored] : nodes_.contents()) {
    if (stored->unreadable()) ++(stored->nameless() ? nameless : named);
  }
  if (nodes.size() - nodes.nameless() == named && nodes.nameless() >= nameless) {
    return std::nullopt;
  }
  return fmt::format(
      "{} nodes are in quarantine, {} of them without a name; at revision {} {} could not be read, "
      "and {} had no name",
      nodes.size(), nodes.nameless(), nodes_.revision(), named + nameless, nameless);
}

// A pod that cannot be read holds what was last known of it, which may be anything that it ever
// was, or nothing where Berth has begun later.
std::map<std::string, Checker::Range> Checker::UsedThen() const {
  std::map<std::string, Range> used;
  for (const auto& [key, stored] : pods_.contents()) {
    const model::Pod& pod = stored->value;
    if (pod.terminated || pod.node_name.empty()) continue;
    const std::int64_t amount = pod.requests.Get(kGpu);
    if (!stored->unreadable()) {
      used[pod.node_name].least += amount;
      used[pod.node_name].most += amount;
      continue;
    }
    std::map<std::string, std::int64_t> most;
    pods_.ForEachUpTo(key, [&](const Change<model::Pod>& change) {
      if (change.after == nullptr || change.after->unreadable()) return;
      const model::Pod& was = change.after->value;
      most[was.node_name] = std::max(most[was.node_name], was.requests.Get(kGpu));
    });
    for (const auto& [node, held] : most) used[node].most += held;
  }
  return used;
}

Complaint Checker::CheckUsed(const Snapshot::Reader& reader) const {
  std::map<std::string, Range> used = UsedThen();
  for (model::NodeIndex index = 0; index < reader.EndIndex(); ++index) {
    const model::NodeState* state = reader.At(index);
    if (state == nullptr) continue;
    const Range& range = used[state->node.name];
    const std::int64_t counted = state->used.Get(kGpu);
    if (range.least <= counted && counted <= range.most) continue;
    return fmt::format(
        "of node {} the snapshot counts {} GPUs as used; at revision {} it was {} "
        "to {}",
        state->node.name, counted, pods_.revision(), range.least, range.most);
  }
  return std::nullopt;
}

Complaint Checker::CheckTruth(const BerthProcess& berth) {
  if (!berth.snapshot().Synced()) return std::nullopt;
  const Snapshot::Reader reader = berth.snapshot().Read();
  Complaint complaint =
      MoveTo(reader.ResourceVersion(Kind::kNodes), reader.ResourceVersion(Kind::kPods));
  if (!complaint) complaint = CheckNodes(reader, berth.nodes_whole());
  if (!complaint && berth.pods_whole()) complaint = CheckUsed(reader);
  return complaint;
}

// Whether nobody may go there since the revision, or before.
bool Checker::IsRefusedSince(const std::string& name) const {
  bool always = IsRefused(nodes_.Find(name));
  nodes_.ForEachLater(
      name, [&](const Change<model::Node>& change) { always = always && IsRefused(change.after); });
  return always;
}

// Whether a condition that excludes is Unknown there and has been True before: for how long, and
// whether Berth has seen it, decides whether it still excludes.
bool Checker::WasBadAndIsUnknown(const std::string& name) const {
  const auto then = nodes_.Find(name);
  const std::set<std::string> unknown =
      ExcludingWith(model::ConditionStatus::kUnknown, then->value);
  bool was_bad = false;
  nodes_.ForEachUpTo(name, [&](const Change<model::Node>& change) {
    if (was_bad || change.after == nullptr) return;
    const std::set<std::string> bad =
        ExcludingWith(model::ConditionStatus::kTrue, change.after->value);
    was_bad =
        std::ranges::any_of(bad, [&](const std::string& type) { return unknown.contains(type); });
  });
  return was_bad;
}

Complaint Checker::CheckAnswer(const BerthProcess& berth, const BerthProcess::Answer& answer,
                               const std::vector<std::string>& asked, bool shortlist) {
  const extender::Decision& decision = answer.decision;
  Complaint complaint = MoveTo(decision.node_resource_version, decision.pod_resource_version);
  if (complaint) return complaint;
  const std::set<std::string> admitted(answer.result.node_names.begin(),
                                       answer.result.node_names.end());
  std::size_t good = 0;
  for (const std::string& name : asked) {
    if (admitted.contains(name) && IsRefusedSince(name)) {
      return fmt::format(
          "{} was admitted by a decision at revision {}, and was excluded then and "
          "ever since",
          name, nodes_.revision());
    }
    const auto then = nodes_.Find(name);
    const bool fits = !IsRefused(then);
    const bool may_be_remembered = fits && WasBadAndIsUnknown(name);
    good += fits && !may_be_remembered ? 1 : 0;
    if (!berth.nodes_whole() || fits == admitted.contains(name)) continue;
    // A shortlist leaves out nodes that fit; one that does not fit is in none either.
    if (may_be_remembered || (shortlist && fits)) continue;
    return fmt::format("{} was {}, and at revision {} it was {}", name,
                       fits ? "refused" : "admitted", nodes_.revision(),
                       then == nullptr ? "gone" : TextOf(then->value));
  }
  if (berth.nodes_whole() && admitted.empty() && good > 0) {
    return fmt::format("none of {} nodes was admitted, of which {} fit", asked.size(), good);
  }
  return std::nullopt;
}

Complaint Checker::CheckConverged(const BerthProcess& berth) const {
  if (!berth.snapshot().Synced() || !berth.nodes_whole() || !berth.pods_whole() ||
      !berth.services_whole()) {
    return fmt::format("not everything is listed: synced {}, whole nodes {}, pods {}, Services {}",
                       berth.snapshot().Synced(), berth.nodes_whole(), berth.pods_whole(),
                       berth.services_whole());
  }
  const Snapshot::Reader reader = berth.snapshot().Read();
  if (reader.IsBehind() || reader.OutageLately()) {
    return fmt::format("outages are not over: behind {}, lately {}", reader.IsBehind(),
                       reader.OutageLately());
  }
  Checker now(server_);
  Complaint complaint = now.MoveTo(server_->revision(), server_->revision());
  if (!complaint) complaint = now.CheckNodes(reader, true);
  if (!complaint) complaint = now.CheckUsed(reader);
  return complaint ? complaint : now.CheckServices(reader);
}

Complaint Checker::CheckServices(const Snapshot::Reader& reader) const {
  std::set<std::string> selected;
  // One without a name may select anything, and be there still.
  if (reader.Quarantined(Kind::kServices).nameless() > 0) return std::nullopt;
  for (const auto& [key, stored] : server_->Of<model::Service>().now()) {
    // One that cannot be read may select anything.
    if (stored->unreadable()) return std::nullopt;
    for (const auto& [label, value] : stored->value.selector) selected.insert(value);
  }
  for (const std::string& app : kApps) {
    const model::Pod pod{.namespace_ = kNamespace, .labels = {{kAppLabel, app}}};
    if (reader.ServiceSelects(pod) == selected.contains(app)) continue;
    return fmt::format("whether a Service selects the pods of {} is not as it is", app);
  }
  return std::nullopt;
}

}  // namespace berth::simulation
