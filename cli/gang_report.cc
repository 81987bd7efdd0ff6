#include "cli/gang_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "cli/release.h"
#include "cli/text_table.h"
#include "controller/pod_groups.h"
#include "kube/json_api.h"
#include "model/node.h"

namespace berth::cli {

namespace {

using kube::JsonValue;

constexpr std::pair<MemberState, std::string_view> kMemberStates[] = {
    {MemberState::kGated, "gated"},        {MemberState::kHeldBack, "held back"},
    {MemberState::kReserved, "reserved"},  {MemberState::kReleased, "released"},
    {MemberState::kBound, "bound"},        {MemberState::kEnding, "ending"},
    {MemberState::kSucceeded, "succeeded"}};

std::string_view WordFor(MemberState state) {
  for (const auto& [each, word] : kMemberStates) {
    if (each == state) return word;
  }
  return "";
}

// A member, and what decides where it comes in the list.
struct RankedMember {
  std::uint64_t rank = 0;
  GangMember member = {};
  // The PodGroup that Berth creates for it. Empty: none.
  std::string group = {};
};

// As planner::Gangs has it.
std::uint64_t RankIn(const model::StringMap& annotations) {
  std::uint64_t rank = std::numeric_limits<std::uint64_t>::max();
  const auto text = model::Find(annotations, "batch.kubernetes.io/job-completion-index");
  if (text) std::from_chars(text->data(), text->data() + text->size(), rank);
  return rank;
}

GangMember MemberOf(const JsonValue& pod, const std::string& gate) {
  const JsonValue metadata = pod.Field("metadata");
  const JsonValue spec = pod.Field("spec");
  const JsonValue status = pod.Field("status");
  GangMember member{.pod = metadata.Field("name").Text()};
  bool gated = false;
  spec.Field("schedulingGates").ForEachItem([&](const JsonValue& each) {
    const std::string name = each.Field("name").Text();
    gated = gated || name == gate;
    if (name != gate) member.gates.push_back(name);
  });
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
    member.state = MemberState::kReleased;
  }
  return member;
}

// The PodGroup in which the pod waits, if it is that of its gang. Empty: there is none.
std::string GroupOf(const JsonValue& pod, const std::string& gang) {
  std::string group = pod.Field("spec").Field("schedulingGroup").Field("podGroupName").Text();
  return group == model::PodGroupNameOf(gang) ? group : "";
}

// Has pods that wait for a PodGroup which is not there, or closed, count as gated. If nobody says
// whether it is there, they count as released.
void HoldBackWithoutGroup(const std::string& namespace_name, kube::Transport& transport,
                          std::vector<RankedMember>& members) {
  std::map<std::string, bool> missing;
  for (RankedMember& each : members) {
    if (each.group.empty() || each.member.state != MemberState::kReleased) continue;
    const auto [known, is_new] = missing.try_emplace(each.group, false);
    if (is_new) {
      const std::string path = fmt::format(
          "/apis/scheduling.k8s.io/v1beta1/namespaces/{}/podgroups/{}", namespace_name, each.group);
      const kube::Need need{{"scheduling.k8s.io", "podgroups", "get"}, namespace_name, each.group};
      bool is_open = true;
      const absl::Status status =
          kube::Api(&transport).Get(path, need, [&](const JsonValue& group) {
            is_open = controller::IsOpen(group);
          });
      known->second = absl::IsNotFound(status) || !is_open;
    }
    if (!known->second) continue;
    each.member.state = each.member.node.empty() ? MemberState::kGated : MemberState::kReserved;
  }
}

// What the controller says in the condition of the pod. Empty if it does not wait.
std::string ReasonIn(const JsonValue& pod, const std::string& condition) {
  std::string reason;
  const JsonValue status = pod.Field("status");
  status.Field("conditions").ForEachItem([&](const JsonValue& each) {
    const bool waits =
        each.Field("type").String() == condition && each.Field("status").String() == "False";
    if (waits) reason = each.Field("message").Text();
  });
  return reason;
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
  const auto behind = report.Count(MemberState::kReserved) + report.Count(MemberState::kGated);
  return behind >= left ? "waiting" : "collecting";
}

std::int64_t SizeIn(const model::StringMap& annotations, const model::GangNames& names) {
  const auto size = model::ParseGangSize(model::Find(annotations, names.size).value_or(""));
  return size.ok() ? *size : 0;
}

std::string CountsIn(const GangReport& report) {
  std::string counts;
  for (const auto& [state, word] : kMemberStates) {
    const std::int64_t count = report.Count(state);
    if (count > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word);
  }
  const auto there =
      static_cast<std::int64_t>(report.members.size()) - report.Count(MemberState::kEnding);
  return fmt::format("{} of {} pods are there: {}", there, report.size, counts);
}

nlohmann::ordered_json OrNull(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

std::string StateInWords(const GangMember& member) {
  if (member.state != MemberState::kHeldBack) return std::string(WordFor(member.state));
  return fmt::format("held back by {}", fmt::join(member.gates, ", "));
}

}  // namespace

std::int64_t GangReport::Count(MemberState member_state) const {
  return std::ranges::count(members, member_state, &GangMember::state);
}

absl::StatusOr<GangReport> ReadGang(const std::string& gang, const model::GangNames& names,
                                    kube::Transport& transport) {
  const auto named = ParseGang(gang);
  if (!named.ok()) return named.status();
  GangReport report{.namespace_name = named->namespace_, .name = named->name};
  std::vector<RankedMember> ranked;
  const auto take = [&](const JsonValue& pod) {
    const model::StringMap annotations = pod.Field("metadata").Field("annotations").StringMap();
    if (model::Find(annotations, names.name) != report.name || HasFailed(pod)) return;
    ranked.push_back({RankIn(annotations), MemberOf(pod, names.gate), GroupOf(pod, report.name)});
    report.size = std::max(report.size, SizeIn(annotations, names));
    if (report.reason.empty()) report.reason = ReasonIn(pod, names.gate);
  };
  const std::string& in = report.namespace_name;
  const absl::Status listed =
      kube::Api(&transport)
          .List(fmt::format("/api/v1/namespaces/{}/pods", in), {{"", "pods", "list"}, in}, take);
  if (!listed.ok()) return listed;
  if (ranked.empty()) {
    return absl::NotFoundError(
        fmt::format("no pod in the namespace {} belongs to the gang {}; pods name theirs in the "
                    "annotation {}",
                    in, report.name, names.name));
  }
  HoldBackWithoutGroup(in, transport, ranked);
  std::ranges::stable_sort(ranked, {}, [](const RankedMember& each) {
    return std::tuple(each.rank, std::string_view(each.member.pod));
  });
  for (RankedMember& each : ranked) report.members.push_back(std::move(each.member));
  // Where no pod states a size that can be read, those that are there are all.
  if (report.size == 0) report.size = std::ssize(report.members);
  report.state = StateOf(report);
  return report;
}

std::string GangText(const GangReport& report) {
  std::string text = fmt::format("gang {}/{} of {}: {}\n{}\n", report.namespace_name, report.name,
                                 report.size, report.state, CountsIn(report));
  if (!report.reason.empty()) text += fmt::format("why: {}\n", report.reason);
  std::vector<std::vector<std::string>> rows = {{"POD", "STATE", "NODE"}};
  for (const GangMember& member : report.members) {
    rows.push_back({member.pod, StateInWords(member), member.node});
  }
  return text + '\n' + TextTable(rows);
}

std::string GangJson(const GangReport& report) {
  nlohmann::ordered_json pods = nlohmann::ordered_json::array();
  for (const GangMember& member : report.members) {
    nlohmann::ordered_json pod = {{"name", member.pod}, {"state", WordFor(member.state)}};
    pod["node"] = OrNull(member.node);
    pod["gates"] = member.gates;
    pods.push_back(std::move(pod));
  }
  nlohmann::ordered_json json = {{"namespace", report.namespace_name},
                                 {"gang", report.name},
                                 {"size", report.size},
                                 {"state", report.state}};
  json["reason"] = OrNull(report.reason);
  json["pods"] = std::move(pods);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace berth::cli
