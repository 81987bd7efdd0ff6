#include "cli/gang_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "cli/release.h"
#include "controller/pod_groups.h"
#include "kube/json_api.h"
#include "model/annotation.h"
#include "model/node.h"
#include "model/pod.h"
#include "planner/gang_ranks.h"

namespace berth::cli {

namespace {

using kube::JsonValue;

// A member, and what decides where it comes in the list.
struct RankedMember {
  model::Pod ranked = {};
  GangMember member = {};
  // The PodGroup that Berth creates for it. Empty: none.
  std::string group = {};
};

// What planner::OrderByRank() needs of the pod.
model::Pod RankedPod(const JsonValue& pod, const model::StringMap& annotations) {
  const JsonValue metadata = pod.Field("metadata");
  model::Pod ranked;
  ranked.name = metadata.Field("name").Text();
  metadata.Field("ownerReferences").ForEachItem([&ranked](const JsonValue& owner) {
    if (owner.Field("controller").Boolean()) ranked.controller_uid = owner.Field("uid").Text();
  });
  if (const auto index = model::Find(annotations, model::kJobCompletionIndex)) {
    ranked.annotations.emplace_back(model::kJobCompletionIndex, *index);
  }
  return ranked;
}

// A pod in a PodGroup of Berth is let go by the PodGroup.
bool IsPlanned(const JsonValue& pod, const model::GangNames& names) {
  const JsonValue spec = pod.Field("spec");
  return !pod.Field("metadata").Field("annotations").Field(names.plan).absent() ||
         !pod.Field("status").Field("nominatedNodeName").String().empty() ||
         !spec.Field("schedulingGroup").Field("podGroupName").String().empty();
}

std::vector<std::string> GatesOf(const JsonValue& pod) {
  std::vector<std::string> gates;
  const JsonValue spec = pod.Field("spec");
  spec.Field("schedulingGates").ForEachItem([&gates](const JsonValue& each) {
    gates.push_back(each.Field("name").Text());
  });
  return gates;
}

GangMember MemberOf(const JsonValue& pod, const model::GangNames& names) {
  const JsonValue metadata = pod.Field("metadata");
  const JsonValue spec = pod.Field("spec");
  const JsonValue status = pod.Field("status");
  GangMember member{.pod = metadata.Field("name").Text(), .gates = GatesOf(pod)};
  const bool gated = std::erase(member.gates, names.gate) > 0;
  const std::string bound = spec.Field("nodeName").Text();
  const std::string nominated = status.Field("nominatedNodeName").Text();
  member.node = bound.empty() ? nominated : bound;
  if (status.Field("phase").String() == "Succeeded") {
    member.state = MemberState::kSucceeded;
  } else if (!metadata.Field("deletionTimestamp").absent()) {
    member.state = MemberState::kEnding;
  } else if (!bound.empty()) {
    member.state = MemberState::kBound;
  } else if (!member.gates.empty()) {
    member.state = MemberState::kHeldBack;
  } else if (gated) {
    member.state = nominated.empty() ? MemberState::kGated : MemberState::kReserved;
  } else {
    member.state = IsPlanned(pod, names) ? MemberState::kReleased : MemberState::kOpen;
  }
  return member;
}

// The PodGroup in which the pod waits, if it is that of its gang. Empty: there is none.
std::string GroupOf(const JsonValue& pod, const std::string& gang) {
  std::string group = pod.Field("spec").Field("schedulingGroup").Field("podGroupName").Text();
  return group == model::PodGroupNameOf(gang) ? group : "";
}

// Where a PodGroup is, and its name.
using GroupPlace = std::pair<std::string, std::string>;

// The PodGroups for which pods need not wait. nullopt: nobody knows them.
using OpenGroups = std::optional<std::set<GroupPlace>>;

// Reads one PodGroup, or all of a namespace, or all if that is empty, too.
OpenGroups ReadOpenGroups(const GroupPlace& place, kube::Transport& transport) {
  const auto& [namespace_name, name] = place;
  const std::string in =
      namespace_name.empty() ? "" : fmt::format("/namespaces/{}", namespace_name);
  const std::string path = fmt::format("/apis/scheduling.k8s.io/v1beta1{}/podgroups", in);
  std::set<GroupPlace> open;
  const auto take = [&](const JsonValue& group) {
    const JsonValue metadata = group.Field("metadata");
    if (!controller::IsOpen(group)) return;
    open.emplace(metadata.Field("namespace").Text(), metadata.Field("name").Text());
  };
  kube::Api api(&transport);
  absl::Status read;
  if (name.empty()) {
    read = api.List(path, {{"scheduling.k8s.io", "podgroups", "list"}, namespace_name}, take);
  } else {
    const auto take_one = [&](const JsonValue& group) {
      if (controller::IsOpen(group)) open.insert(place);
    };
    read = api.Get(fmt::format("{}/{}", path, name),
                   {{"scheduling.k8s.io", "podgroups", "get"}, namespace_name, name}, take_one);
  }
  if (!read.ok() && !absl::IsNotFound(read)) return std::nullopt;
  return open;
}

// What the controller says in the condition of the pod. Empty if it does not wait: nobody corrects
// the condition of a pod that is bound.
std::string ReasonIn(const JsonValue& pod, const std::string& condition) {
  std::string reason;
  if (!pod.Field("spec").Field("nodeName").String().empty()) return reason;
  const JsonValue status = pod.Field("status");
  status.Field("conditions").ForEachItem([&](const JsonValue& each) {
    const bool waits =
        each.Field("type").String() == condition && each.Field("status").String() == "False";
    if (waits) reason = each.Field("message").Text();
  });
  return reason;
}

// Why nobody plans a pod that only the gate of gangs holds back: one cannot read to which gang it
// belongs. Empty if one can, or need not.
std::string WhyStray(const JsonValue& pod, const model::StringMap& annotations,
                     const model::GangNames& names) {
  if (!model::IsOnlyGate(GatesOf(pod), names.gate)) return "";
  const auto gang = model::GangOf(annotations, names);
  if (gang.ok() && gang->has_value()) return "";
  const std::string why =
      gang.ok() ? fmt::format("{} and {} are missing; write both", names.name, names.size)
                : std::string(gang.status().message());
  return fmt::format("nobody plans the pod {}: {}", pod.Field("metadata").Field("name").Text(),
                     why);
}

bool HasFailed(const JsonValue& pod) {
  return pod.Field("status").Field("phase").String() == "Failed";
}

std::string StateOf(const GangReport& report) {
  const std::int64_t left = report.size - report.Count(MemberState::kSucceeded);
  if (report.Count(MemberState::kBound) >= left) return "bound";
  const auto begun = report.Count(MemberState::kBound) + report.Count(MemberState::kReleased);
  if (begun > 0) return "released";
  if (report.Count(MemberState::kReserved) >= left) return "planned";
  const auto behind = report.Count(MemberState::kReserved) + report.Count(MemberState::kGated) +
                      report.Count(MemberState::kOpen);
  return behind >= left ? "waiting" : "collecting";
}

std::int64_t SizeIn(const model::StringMap& annotations, const model::GangNames& names) {
  const auto size = model::ParseGangSize(model::Find(annotations, names.size).value_or(""));
  return size.ok() ? *size : 0;
}

void SortOnce(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

// Takes pods, one by one, and tells of their gangs.
class GangReader {
 public:
  // If `gang` is not empty, all others are left out.
  GangReader(const model::GangNames& names, std::string gang)
      : names_(names), gang_(std::move(gang)) {}

  absl::Status List(const std::string& namespace_name, kube::Transport& transport) {
    const std::string path = namespace_name.empty()
                                 ? "/api/v1/pods"
                                 : fmt::format("/api/v1/namespaces/{}/pods", namespace_name);
    return kube::Api(&transport)
        .List(path, {{"", "pods", "list"}, namespace_name},
              [this](const JsonValue& pod) { Take(pod); });
  }

  // `groups` says which PodGroups are read if pods wait for such. Call it once, at the end.
  std::vector<GangReport> Reports(const GroupPlace& groups, kube::Transport& transport) {
    if (std::ranges::any_of(gangs_, [](const auto& each) { return WaitsForGroup(each.second); })) {
      const OpenGroups open = ReadOpenGroups(groups, transport);
      for (auto& [unused, gang] : gangs_) HoldBackWithoutGroup(open, gang);
    }
    std::vector<GangReport> reports;
    for (auto& [unused, gang] : gangs_) reports.push_back(ReportOf(gang));
    return reports;
  }

 private:
  struct Gathered {
    GangReport report;
    std::vector<RankedMember> members;
  };

  void Take(const JsonValue& pod) {
    const JsonValue metadata = pod.Field("metadata");
    const model::StringMap annotations = metadata.Field("annotations").StringMap();
    // As admission and the planner read it.
    const std::string name(model::Trim(model::Find(annotations, names_.name).value_or("")));
    const std::string stray = WhyStray(pod, annotations, names_);
    const bool is_listed = gang_.empty() ? !name.empty() || !stray.empty() : name == gang_;
    if (!is_listed || HasFailed(pod)) return;
    const std::string in = metadata.Field("namespace").Text();
    // Those without a name have nothing to do with each other.
    auto& [report, members] = gangs_[{in, name, name.empty() ? metadata.Field("name").Text() : ""}];
    report.namespace_name = in;
    report.name = name;
    report.size = std::max(report.size, SizeIn(annotations, names_));
    // The controller knows nothing of that pod, and says of the others only that it lacks one.
    if (!stray.empty()) report.reason = stray;
    if (report.reason.empty()) report.reason = ReasonIn(pod, names_.gate);
    if (report.topology.empty()) {
      report.topology = model::Trim(model::Find(annotations, names_.topology).value_or(""));
    }
    const model::Time created = metadata.Field("creationTimestamp").Time();
    if (members.empty() || created < report.created) report.created = created;
    members.push_back(
        {RankedPod(pod, annotations), MemberOf(pod, names_), GroupOf(pod, report.name)});
  }

  static bool IsWaiting(const RankedMember& each) {
    return !each.group.empty() && each.member.state == MemberState::kReleased;
  }

  static bool WaitsForGroup(const Gathered& gang) {
    return std::ranges::any_of(gang.members, IsWaiting);
  }

  // Has pods that wait for a PodGroup which is not there, or closed, count as gated. If nobody says
  // whether it is there, they count as released.
  static void HoldBackWithoutGroup(const OpenGroups& open, Gathered& gang) {
    for (RankedMember& each : gang.members) {
      if (!IsWaiting(each) || !open) continue;
      if (open->contains({gang.report.namespace_name, each.group})) continue;
      each.member.state = each.member.node.empty() ? MemberState::kGated : MemberState::kReserved;
    }
  }

  static GangReport ReportOf(Gathered& gang) {
    auto& [report, members] = gang;
    std::vector<const model::Pod*> pods;
    pods.reserve(members.size());
    for (const RankedMember& each : members) pods.push_back(&each.ranked);
    for (const std::size_t place : planner::OrderByRank(pods)) {
      report.members.push_back(std::move(members[place].member));
    }
    // Where no pod states a size that can be read, those that are there are all.
    if (report.size == 0) report.size = std::ssize(report.members);
    report.state = StateOf(report);
    return std::move(report);
  }

  const model::GangNames names_;
  const std::string gang_;
  // By namespace and name; those without a name by that of their only pod.
  std::map<std::tuple<std::string, std::string, std::string>, Gathered> gangs_;
};

}  // namespace

std::vector<std::string> GangReport::Nodes() const {
  std::vector<std::string> nodes;
  for (const GangMember& member : members) {
    if (!member.node.empty()) nodes.push_back(member.node);
  }
  SortOnce(nodes);
  return nodes;
}

std::int64_t GangReport::Count(MemberState member_state) const {
  return std::ranges::count(members, member_state, &GangMember::state);
}

absl::StatusOr<GangReport> ReadGang(const std::string& gang, const model::GangNames& names,
                                    kube::Transport& transport) {
  const auto named = ParseGang(gang);
  if (!named.ok()) return named.status();
  GangReader reader(names, named->name);
  const absl::Status listed = reader.List(named->namespace_, transport);
  if (!listed.ok()) return listed;
  const GroupPlace group(named->namespace_, model::PodGroupNameOf(named->name));
  std::vector<GangReport> reports = reader.Reports(group, transport);
  if (!reports.empty()) return std::move(reports.front());
  return absl::NotFoundError(
      fmt::format("no pod in the namespace {} belongs to the gang {}; pods name theirs in the "
                  "annotation {}",
                  named->namespace_, named->name, names.name));
}

absl::StatusOr<std::vector<GangReport>> ReadGangs(const std::string& namespace_name,
                                                  const model::GangNames& names,
                                                  kube::Transport& transport) {
  GangReader reader(names, "");
  const absl::Status listed = reader.List(namespace_name, transport);
  if (!listed.ok()) return listed;
  return reader.Reports({namespace_name, ""}, transport);
}

absl::Status AddDomains(kube::Transport& transport, std::vector<GangReport>& reports) {
  std::map<std::string, std::vector<GangReport*>> by_node;
  for (GangReport& report : reports) {
    if (report.topology.empty()) continue;
    for (const std::string& node : report.Nodes()) by_node[node].push_back(&report);
  }
  if (by_node.empty()) return absl::OkStatus();
  const auto take = [&](const JsonValue& node) {
    const JsonValue metadata = node.Field("metadata");
    const auto gangs = by_node.find(metadata.Field("name").Text());
    if (gangs == by_node.end()) return;
    const model::StringMap labels = metadata.Field("labels").StringMap();
    for (GangReport* report : gangs->second) {
      const auto domain = model::Find(labels, report->topology);
      if (domain) report->domains.emplace_back(*domain);
    }
  };
  const absl::Status listed =
      kube::Api(&transport).List("/api/v1/nodes", {{"", "nodes", "list"}}, take);
  for (GangReport& report : reports) SortOnce(report.domains);
  return listed;
}

}  // namespace berth::cli
