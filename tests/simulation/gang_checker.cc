#include "tests/simulation/gang_checker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "fmt/format.h"
#include "model/kept_room.h"
#include "tests/simulation/gang_jobs.h"

namespace berth::simulation {
namespace {

using std::chrono::seconds;

// A plan may be carried out that much later: a writer that waits for its replies takes some
// seconds for each of the writes before.
constexpr Time kWritten = seconds(30);

// So long after kube-scheduler's Lease has changed hands a plan may not know that yet.
constexpr Time kTermKnown = seconds(30);

constexpr char kPlanLease[] = "berth.dev/plan-lease";
constexpr char kKept[] = "berth.dev/kept";

std::string IdentityOf(const std::string& who) { return who.substr(0, who.find('/')); }

}  // namespace

void GangChecker::Note(const ControllerProcess& controller) {
  auto& heard = heard_[controller.identity()];
  const Time now = timeline_->now();
  while (!heard.empty() && heard.front().time + kWritten < now) heard.pop_front();
  std::map<std::string, std::size_t> nominated;
  for (const auto& [key, pod] : controller.waiting()) {
    if (!pod.nominated_node.empty()) ++nominated[GangKeyOf(pod)];
  }
  const Revision bound = controller.snapshot().Read().ResourceVersion(cluster::Kind::kPods);
  if (!heard.empty() && heard.back().nominated == nominated && heard.back().bound == bound) {
    heard.back().time = now;
  } else {
    heard.push_back({now, std::move(nominated), bound});
  }
}

bool GangChecker::HasBegun(const std::string& gang) const {
  return std::ranges::any_of(server_->Of<model::Pod>().now(), [&gang](const auto& entry) {
    const model::Pod& pod = entry.second->value;
    const bool is_held = pod.gated || (!pod.scheduling_group.empty() && pod.node_name.empty());
    return GangKeyOf(pod) == gang && !pod.terminated && !is_held;
  });
}

std::size_t GangChecker::Placed(const std::string& gang, const Heard& heard) const {
  Past<model::Pod> bound(&server_->Of<model::Pod>());
  bound.MoveTo(heard.bound);
  const auto nominated = heard.nominated.find(gang);
  std::size_t placed = nominated == heard.nominated.end() ? 0 : nominated->second;
  for (const auto& [key, stored] : bound.contents()) {
    const model::Pod& pod = stored->value;
    placed += GangKeyOf(pod) == gang && !pod.node_name.empty() ? 1 : 0;
  }
  return placed;
}

bool GangChecker::KnewThatItRuns(const std::string& identity, const std::string& gang) {
  return std::ranges::any_of(heard_[identity], [&](const Heard& heard) {
    Past<model::Pod> bound(&server_->Of<model::Pod>());
    bound.MoveTo(heard.bound);
    return std::ranges::any_of(bound.contents(), [&gang](const auto& entry) {
      const model::Pod& pod = entry.second->value;
      return GangKeyOf(pod) == gang && !pod.node_name.empty() && !pod.terminated;
    });
  });
}

bool GangChecker::AreOfTerm(const std::string& gang) const {
  return std::ranges::all_of(server_->Of<model::Pod>().now(), [&](const auto& entry) {
    const model::Pod& pod = entry.second->value;
    if (GangKeyOf(pod) != gang || pod.terminated || pod.nominated_node.empty()) return true;
    return model::Find(pod.annotations, kPlanLease) == scheduler_->term();
  });
}

Complaint GangChecker::CheckPatch(const std::string& who, const model::Pod& before,
                                  const model::Pod& after) {
  const std::string gang = GangKeyOf(before);
  if (gang.empty() || !before.gated || after.gated || HasBegun(gang)) return std::nullopt;
  const std::string identity = IdentityOf(who);
  // To one whose watch has stalled it is one more pod of a gang that runs.
  if (KnewThatItRuns(identity, gang)) return std::nullopt;
  const Complaint complaint = CheckRelease(identity, gang, GangSizeOf(before));
  if (complaint) return complaint;
  const bool may_know = scheduler_->leads_since() + kTermKnown < timeline_->now();
  if (!may_know || AreOfTerm(gang)) return std::nullopt;
  return fmt::format("{} lets gang {} go, which was not nominated for kube-scheduler {}", identity,
                     gang, scheduler_->term());
}

Complaint GangChecker::CheckPodGroup(const std::string& who, const std::string& group) {
  for (const auto& [key, stored] : server_->Of<model::Pod>().now()) {
    const model::Pod& pod = stored->value;
    if (pod.terminated || pod.namespace_ + '/' + pod.scheduling_group != group) continue;
    const std::string gang = GangKeyOf(pod);
    if (HasBegun(gang) || KnewThatItRuns(IdentityOf(who), gang)) return std::nullopt;
    return CheckRelease(IdentityOf(who), gang, GangSizeOf(pod));
  }
  return std::nullopt;
}

Complaint GangChecker::CheckRelease(const std::string& identity, const std::string& gang,
                                    std::size_t size) {
  ++releases_;
  std::size_t most = 0;
  for (const Heard& heard : heard_[identity]) most = std::max(most, Placed(gang, heard));
  if (most >= size) return std::nullopt;
  return fmt::format("{} lets gang {} go, of which it knew {} of {} pods with a node", identity,
                     gang, most, size);
}

Complaint GangChecker::CheckNode(const std::string& who, const model::Node& node) {
  const auto text = model::Find(node.annotations, kKept);
  if (!text) return std::nullopt;
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;
  for (const model::KeptRoom& room : model::ParseKeptRooms(*text)) {
    sums[{room.gang, room.resource}] += room.devices;
  }
  for (const auto& [kept, devices] : sums) {
    const std::int64_t there = node.allocatable.Get(kept.second);
    if (devices <= there) continue;
    return fmt::format("{} keeps {} of {} devices of node {} for gang {}", IdentityOf(who), devices,
                       there, node.name, kept.first);
  }
  return std::nullopt;
}

}  // namespace berth::simulation
