#include "checks/claimants.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/accelerator_requests.h"
#include "model/gang.h"
#include "policies/fit/fit.h"
#include "policies/fit/trimmed_pod.h"

namespace berth::checks {

namespace {

std::string FullName(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

// A pod that is known to belong to a gang may wait for other nodes than this one.
bool IsOfGang(const model::Pod& pod) { return pod.gated || !pod.scheduling_group.empty(); }

}  // namespace

Claimants::Claimants(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
                     Names names)
    : engine_(std::move(engine)),
      names_(std::move(names)),
      check_label_(CheckLabel(names_)),
      gang_gate_(model::GangNames(names_.prefix).gate) {}

void Claimants::Upsert(const model::Pod& pod, Clock::time_point now) {
  if (!IsWaiting(pod)) {
    Remove(pod);
    return;
  }
  Entry& entry = waiting_[FullName(pod)];
  if (entry.pod.uid != pod.uid) entry = Entry{.pod = {}, .seen = now};
  entry.pod = policies::fit::Trimmed(pod, names_.prefix, engine_->catalog());
  entry.epoch = epoch_;
}

void Claimants::Remove(const model::Pod& pod) {
  const auto found = waiting_.find(FullName(pod));
  if (found != waiting_.end() && found->second.pod.uid == pod.uid) waiting_.erase(found);
}

void Claimants::Keep(const kube::UnreadableObject& pod) {
  const auto found = waiting_.find(kube::FullNameOf(pod));
  if (found == waiting_.end()) return;
  if (!pod.uid.empty() && found->second.pod.uid != pod.uid) {
    waiting_.erase(found);
    return;
  }
  found->second.epoch = epoch_;
}

void Claimants::EndReplace() {
  std::erase_if(waiting_, [this](const auto& entry) { return entry.second.epoch != epoch_; });
}

std::vector<Claimants::Claim> Claimants::Serve(const model::ClusterView& view,
                                               std::vector<Place> places, model::Time time,
                                               Clock::time_point now) {
  std::vector<Claim> claims;
  for (auto& [name, waiting] : waiting_) {
    if (places.empty()) break;
    Entry& entry = waiting;
    if (!IsDue(entry, now)) continue;
    std::optional<policies::scheduling::PreparedPod> prepared;
    const auto taken = std::ranges::find_if(places, [&](const Place& place) {
      if (!CouldUse(entry, *place.node, now)) return false;
      if (!prepared) prepared = engine_->Prepare(entry.pod, view, time);
      return prepared->Judge(*place.node).fits;
    });
    if (taken == places.end()) continue;
    claims.push_back({taken->id, name});
    places.erase(taken);
    entry.served = now;
  }
  return claims;
}

bool Claimants::Want(const model::ClusterView& view, const model::NodeState& node, model::Time time,
                     Clock::time_point now) const {
  return std::ranges::any_of(waiting_, [&](const auto& each) {
    return CouldUse(each.second, node, now) &&
           engine_->Prepare(each.second.pod, view, time).Judge(node).fits;
  });
}

bool Claimants::IsWaiting(const model::Pod& pod) const {
  if (!pod.node_name.empty() || pod.terminated || pod.deleted != model::kNoTime) return false;
  if (pod.gated && !model::IsOnlyGate(pod.gates, gang_gate_)) return false;
  const bool is_check =
      pod.namespace_ == names_.namespace_name && model::Find(pod.labels, check_label_);
  return !is_check && !model::AcceleratorRequests(pod, engine_->catalog()).empty() &&
         policies::fit::ExcessOf(pod).empty();
}

bool Claimants::IsDue(const Entry& entry, Clock::time_point now) const {
  if (entry.served && now < *entry.served + kPerClaim) return false;
  return !entry.pod.unschedulable.empty() || !entry.pod.nominated_node.empty() ||
         now >= entry.seen + kHeadStart;
}

bool Claimants::HasPatience(const Entry& entry, Clock::time_point now) const {
  return IsOfGang(entry.pod) || now < entry.seen + kPatience;
}

bool Claimants::CouldUse(const Entry& entry, const model::NodeState& node,
                         Clock::time_point now) const {
  const std::string& nominated = entry.pod.nominated_node;
  if (nominated.empty() ? !HasPatience(entry, now) : nominated != node.node.name) return false;
  for (const auto& [resource, amount] : model::AcceleratorRequests(entry.pod, engine_->catalog())) {
    if (node.node.allocatable.Get(resource) < amount) return false;
  }
  return policies::fit::JudgeNode(entry.pod, node.node) == policies::fit::Misfit::kNone;
}

}  // namespace berth::checks
