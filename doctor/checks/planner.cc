#include <fmt/format.h>

#include <algorithm>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"
#include "doctor/planning.h"
#include "policies/admission/gangs.h"

namespace berth::doctor::checks {
namespace {

// The names in planner.schedulers that no profile has which calls Berth. Empty if that is not
// known.
std::vector<std::string> WithoutProfile(const Facts& facts, const Rules& rules) {
  std::vector<std::string> without;
  if (!facts.scheduler.ok()) return without;
  const std::vector<std::string> profiles = BerthSchedulers(facts, rules);
  for (const std::string& name : rules.config.planner.schedulers) {
    if (std::ranges::find(profiles, name) == profiles.end()) without.push_back(name);
  }
  return profiles.empty() ? std::vector<std::string>() : without;
}

Findings JudgeNames(const std::vector<std::string>& without, const Facts& facts,
                    const Rules& rules) {
  return Warning(
      fmt::format("planner.schedulers names {}, but {} has no such profile", Listed(without),
                  facts.scheduler->source),
      fmt::format("write planner.schedulers: [{}], unless another kube-scheduler that calls Berth "
                  "has that name",
                  fmt::join(BerthSchedulers(facts, rules), ", ")));
}

bool GatesGangs(const config::BerthConfiguration& config) {
  using Settings = policies::admission::PolicySettings<policies::admission::GangsPolicy>;
  return std::get<Settings>(config.admission.judgement.policies.all).mode ==
         policies::admission::Mode::kEnforce;
}

// The webhook gates the pods of gangs, and the controller plans them: one is no use without the
// other.
Findings JudgeGangs(const config::BerthConfiguration& config) {
  const bool plans = PlansGangs(config.planner);
  const bool gates = GatesGangs(config);
  if (gates && !plans) {
    return Warning(
        "the pods of gangs get a scheduling gate (admission.policies.gangs.mode: Enforce), and "
        "nobody plans gangs: they wait until somebody takes it away",
        "write planner.gangs.enabled: true, with a name in planner.schedulers; or "
        "admission.policies.gangs.mode: \"Off\"");
  }
  if (!plans || gates) return {};
  return Warning(
      "planner.gangs.enabled is true, but pods of gangs get no scheduling gate: kube-scheduler may "
      "bind some of them before the others have a node",
      "write admission.policies.gangs.mode: Enforce, or planner.gangs.enabled: false");
}

// A kube-scheduler up to 1.36 takes over no nominations of gated pods that it finds when it starts
// to read pods. They are written again once its Lease names it, which is too early if it reads them
// only then (runCommand in k8s.io/kubernetes/cmd/kube-scheduler/app/server.go, v1.36.3).
Findings JudgeCache(const Facts& facts, const Rules& rules) {
  if (!PlansGangs(rules.config.planner) || !facts.scheduler.ok()) return {};
  if (!facts.scheduler->delays_cache) return {};
  return Warning(
      fmt::format(
          "{} has delayCacheUntilActive: when another process of kube-scheduler takes over, "
          "others may get nodes that are reserved for gangs",
          facts.scheduler->source),
      "remove delayCacheUntilActive: a kube-scheduler up to 1.36 then knows what is reserved as "
      "soon as it leads");
}

// Pods that wait for a PodGroup have nobody else who lets them go.
Findings JudgePodGroups(const Facts& facts, const config::BerthConfiguration& config) {
  using Settings = policies::admission::PolicySettings<policies::admission::GangsPolicy>;
  const auto& settings = std::get<Settings>(config.admission.judgement.policies.all);
  const bool waits = settings.config.hold == policies::admission::GangHold::kPodGroup;
  if (GatesGangs(config) && waits && !config.planner.gangs.pod_groups) {
    return Warning(
        "the pods of gangs wait for PodGroups (admission.policies.gangs.hold: PodGroup), and the "
        "controller creates none",
        "write planner.gangs.podGroups: true, or admission.policies.gangs.hold: Gate");
  }
  if (facts.pod_groups.value_or(true)) return {};
  return Warning(
      "planner.gangs.podGroups is true, but kube-apiserver does not serve "
      "scheduling.k8s.io/v1beta1: pods that wait for PodGroups are not placed",
      "turn the feature GenericWorkload on in kube-apiserver and kube-scheduler (Kubernetes 1.37), "
      "with --runtime-config=scheduling.k8s.io/v1beta1=true for kube-apiserver; or write "
      "admission.policies.gangs.hold: Gate");
}

Findings CheckPlanner(const Facts& facts, const Rules& rules) {
  const std::vector<std::string>& schedulers = rules.config.planner.schedulers;
  Findings found = JudgePodGroups(facts, rules.config);
  Append(JudgeGangs(rules.config), found);
  Append(JudgeCache(facts, rules), found);
  if (schedulers.empty()) {
    Append(Ok("planner.schedulers is empty, so the planner is off"), found);
    return found;
  }
  if (!Leads(facts)) {
    Append(
        Warning(fmt::format("no controller leads, so pods of {} get no planned node: {}",
                            Listed(schedulers), WhyNobodyLeads(facts)),
                fmt::format("look at the pods of {}-controller and at their log", facts.fullname)),
        found);
  }
  const std::vector<std::string> without = WithoutProfile(facts, rules);
  if (!without.empty()) Append(JudgeNames(without, facts, rules), found);
  if (!found.empty()) return found;
  return Ok(fmt::format("{} plans for pods of {}", facts.leader->holder, Listed(schedulers)));
}

}  // namespace

Check Planner() {
  return {.name = "planner",
          .help = "a controller leads that plans for the pods of kube-schedulers that call Berth",
          .needs = {Source::kLeader},
          .uses = {Source::kScheduler, Source::kService, Source::kPodGroups},
          .run = CheckPlanner};
}

}  // namespace berth::doctor::checks
