#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "doctor/checks/all.h"
#include "policies/admission/checkpoint.h"

namespace berth::doctor::checks {

namespace {

const policies::admission::CheckpointConfig& ConfigOf(const config::BerthConfiguration& config) {
  using Settings = policies::admission::PolicySettings<policies::admission::CheckpointPolicy>;
  return std::get<Settings>(config.admission.judgement.policies.all).config;
}

using Claim = std::pair<std::string, std::string>;  // namespace and name

// The claims that pods ask for, each with the name of one such pod.
std::map<Claim, std::string> Wanted(const std::vector<PodFacts>& pods,
                                    const std::string& by_default) {
  std::map<Claim, std::string> wanted;
  for (const PodFacts& pod : pods) {
    if (pod.checkpoint.empty() || pod.checkpoint == "false") continue;
    const std::string& name = pod.checkpoint == "true" ? by_default : pod.checkpoint;
    wanted.emplace(Claim(pod.namespace_name, name), pod.name);
  }
  return wanted;
}

bool IsForSeveralNodes(const ClaimFacts& claim) {
  return std::ranges::find(claim.access_modes, "ReadWriteMany") != claim.access_modes.end();
}

Findings Judge(const std::map<Claim, std::string>& wanted, const std::vector<ClaimFacts>& claims) {
  std::map<Claim, const ClaimFacts*> by_name;
  for (const ClaimFacts& claim : claims) {
    by_name.emplace(Claim(claim.namespace_name, claim.name), &claim);
  }
  std::vector<std::string> missing;
  std::vector<std::string> narrow;
  for (const auto& [claim, pod] : wanted) {
    const auto found = by_name.find(claim);
    const std::string name = fmt::format("{}/{} (for {})", claim.first, claim.second, pod);
    if (found == by_name.end()) {
      missing.push_back(name);
    } else if (!IsForSeveralNodes(*found->second)) {
      narrow.push_back(name);
    }
  }
  Findings all;
  if (!missing.empty()) {
    Append(Problem(fmt::format(
                       "pods ask for {} that does not exist: {}",
                       missing.size() == 1 ? "a PersistentVolumeClaim" : "PersistentVolumeClaims",
                       Listed(missing)),
                   "create it with accessModes: [ReadWriteMany], or annotate the pods with the "
                   "name of an existing claim"),
           all);
  }
  if (!narrow.empty()) {
    Append(Warning(fmt::format("a retry on another node cannot mount its checkpoints while the "
                               "claim is not ReadWriteMany: {}",
                               Listed(narrow)),
                   "use a claim with accessModes: [ReadWriteMany]"),
           all);
  }
  return all;
}

Findings CheckCheckpoints(const Facts& facts, const Rules& rules) {
  const policies::admission::CheckpointConfig& config = ConfigOf(rules.config);
  if (config.target == policies::admission::CheckpointTarget::kObjectStore) {
    return Ok("checkpoints go to " + config.uri + ", which needs no claims");
  }
  const std::map<Claim, std::string> wanted = Wanted(*facts.pods, config.claim);
  Findings found = Judge(wanted, *facts.claims);
  if (!found.empty()) return found;
  return Ok(fmt::format("{} for checkpoints, none missing", Counted(wanted.size(), "claim")));
}

}  // namespace

Check Checkpoints() {
  return {.name = "checkpoints",
          .help = "checkpoint claims exist, and several nodes can mount them",
          .needs = {Source::kPods, Source::kClaims},
          .uses = {},
          .run = CheckCheckpoints};
}

}  // namespace berth::doctor::checks
