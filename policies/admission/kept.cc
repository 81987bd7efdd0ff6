#include "policies/admission/kept.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policies/admission/compute.h"
#include "policies/admission/job.h"

namespace berth::policies::admission {

using model::Workload;

namespace {

// The value of a field for a remark; empty if it is too long for one.
std::string ValueOf(const std::string& value) { return value; }
std::string ValueOf(std::int64_t value) { return std::to_string(value); }
std::string ValueOf(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "";
}
template <typename T>
std::string ValueOf(const T&) {
  return "";
}

bool AreSameRule(const model::FailureRule& a, model::FailureRule b) {
  b.written_at = a.written_at;
  return a == b;
}

// The place of a rule in the list says nothing about what the rule does.
bool AreSameRules(const model::JobSpec& a, const model::JobSpec& b) {
  if (a.failure_rules.has_value() != b.failure_rules.has_value()) return false;
  return !a.failure_rules || std::ranges::equal(*a.failure_rules, *b.failure_rules, AreSameRule);
}

// The stored limits may be those of the author or Berth's. The requests remain, from which policies
// make the same limits.
Workload WithoutMemoryLimits(Workload workload) {
  const std::string memory(NameOf(Compute::kMemory));
  for (model::Container& container : workload.pod.containers) {
    container.resources.limits.erase(memory);
  }
  if (workload.pod.resources) workload.pod.resources->limits.erase(memory);
  return workload;
}

// Only of a Job that a queue holds do policies leave ignored what is not the Job's fault.
bool MayHaveBeenQueued(const model::JobSpec& stored) {
  return stored.failure_rules && std::ranges::any_of(*stored.failure_rules, [](const auto& rule) {
           return rule.action == "Ignore";
         });
}

const model::Container* Counterpart(const model::Container& container,
                                    const std::vector<model::Container>& containers) {
  const auto found = std::ranges::find_if(containers, [&container](const auto& other) {
    return other.init == container.init && other.name == container.name;
  });
  return found == containers.end() ? nullptr : &*found;
}

class Keeper {
 public:
  Keeper(Workload& now, const Workload& made, const Workload& stored, Remarks& remarks)
      : now_(now), made_(made), stored_(stored), remarks_(remarks), spec_(PodSpecField(now)) {}

  void Keep() {
    if (!now_.is_pod()) {
      KeepAnnotations(now_.annotations, made_.annotations, stored_.annotations, "metadata");
    }
    const std::string metadata = spec_.substr(0, spec_.size() - kSpec.size()) + "metadata";
    KeepAnnotations(now_.pod.annotations, made_.pod.annotations, stored_.pod.annotations, metadata);
    KeepContainers();
    KeepPodSpec();
    if (now_.job && made_.job && stored_.job) KeepJob(*now_.job, *made_.job, *stored_.job);
  }

 private:
  static constexpr std::string_view kSpec = "spec";

  // `value` is empty for a value that is too long to be named.
  void Note(const std::string& field, const std::string& value) {
    remarks_.Changed(field + " stays " + (value.empty() ? "as it is stored" : value) +
                     "; write that in the manifest");
  }

  template <typename T>
  void KeepField(T& now, const T& made, const T& stored, const std::string& field) {
    if (now == made || !(made == stored)) return;
    now = made;
    Note(field, ValueOf(stored));
  }

  void KeepAnnotations(model::StringMap& now, const model::StringMap& made,
                       const model::StringMap& stored, const std::string& metadata) {
    const model::StringMap update = now;
    for (const auto& [key, value] : made) {
      if (model::Find(update, key) == value || model::Find(stored, key) != value) continue;
      std::erase_if(now, [&key = key](const auto& entry) { return entry.first == key; });
      now.emplace_back(key, value);
      Note(metadata + ".annotations[" + key + "]", value);
    }
    for (const auto& [key, value] : update) {
      if (model::Find(made, key) || model::Find(stored, key)) continue;
      std::erase_if(now, [&key = key](const auto& entry) { return entry.first == key; });
      remarks_.Changed(metadata + ".annotations[" + key + "] stays absent; leave it out");
    }
    model::Normalize(now);
  }

  void KeepResources(model::ResourceList& now, const model::ResourceList& made,
                     const model::ResourceList& stored, const std::string& field) {
    for (const auto& [name, quantity] : made) {
      const auto kept = stored.find(name);
      if (kept == stored.end() || !(kept->second == quantity)) continue;
      const auto own = now.find(name);
      if (own != now.end() && own->second == quantity) continue;
      now.insert_or_assign(name, quantity);
      Note(field + "." + name, quantity.text());
    }
  }

  void KeepRequirements(model::ResourceRequirements& now, const model::ResourceRequirements& made,
                        const model::ResourceRequirements& stored, const std::string& field) {
    KeepResources(now.requests, made.requests, stored.requests, field + ".resources.requests");
    KeepResources(now.limits, made.limits, stored.limits, field + ".resources.limits");
  }

  void KeepContainers() {
    for (std::size_t i = 0; i < now_.pod.containers.size(); ++i) {
      model::Container& now = now_.pod.containers[i];
      const model::Container& made = made_.pod.containers[i];
      if (now == made) continue;
      const model::Container* stored = Counterpart(now, stored_.pod.containers);
      if (stored == nullptr) continue;
      const std::string field = spec_ + "." + FieldOf(now);
      KeepRequirements(now.resources, made.resources, stored->resources, field);
      KeepField(now.env, made.env, stored->env, field + ".env");
      KeepField(now.mounts, made.mounts, stored->mounts, field + ".volumeMounts");
      KeepField(now.restart_policy, made.restart_policy, stored->restart_policy,
                field + ".restartPolicy");
      KeepField(now.restart_actions, made.restart_actions, stored->restart_actions,
                field + ".restartPolicyRules");
      KeepField(now.resize_restarts, made.resize_restarts, stored->resize_restarts,
                field + ".resizePolicy");
    }
  }

  void KeepPodSpec() {
    model::PodTemplate& now = now_.pod;
    const model::PodTemplate& made = made_.pod;
    const model::PodTemplate& stored = stored_.pod;
    if (now.resources && made.resources && stored.resources) {
      KeepRequirements(*now.resources, *made.resources, *stored.resources, spec_);
    }
    KeepField(now.node_terms, made.node_terms, stored.node_terms, spec_ + ".affinity.nodeAffinity");
    KeepField(now.volumes, made.volumes, stored.volumes, spec_ + ".volumes");
    KeepField(now.termination_grace_period, made.termination_grace_period,
              stored.termination_grace_period, spec_ + ".terminationGracePeriodSeconds");
    KeepField(now.restart_policy, made.restart_policy, stored.restart_policy,
              spec_ + ".restartPolicy");
    KeepField(now.scheduler_name, made.scheduler_name, stored.scheduler_name,
              spec_ + ".schedulerName");
  }

  void KeepJob(model::JobSpec& now, const model::JobSpec& made, const model::JobSpec& stored) {
    const std::string field = JobSpecField(now_);
    KeepField(now.backoff_limit, made.backoff_limit, stored.backoff_limit, field + ".backoffLimit");
    KeepField(now.backoff_limit_per_index, made.backoff_limit_per_index,
              stored.backoff_limit_per_index, field + ".backoffLimitPerIndex");
    KeepField(now.pod_replacement_policy, made.pod_replacement_policy,
              stored.pod_replacement_policy, field + ".podReplacementPolicy");
    if (AreSameRules(now, made) || !AreSameRules(made, stored)) return;
    now.failure_rules = made.failure_rules;
    Note(field + ".podFailurePolicy.rules", "");
  }

  Workload& now_;
  const Workload& made_;
  const Workload& stored_;
  Remarks& remarks_;
  const std::string spec_;  // path of the pods' spec
};

}  // namespace

Workload KeepStored(const Workload& update, const Workload& made, const Workload& stored,
                    Remarks& remarks) {
  Workload kept = update;
  Keeper(kept, made, stored, remarks).Keep();
  return kept;
}

std::vector<Workload> AsAtCreation(const Workload& update, const Workload& stored) {
  std::vector<Workload> all = {update};
  all[0].pod.node_name.clear();
  if (!update.job || !stored.job) return all;
  model::JobSpec& job = *all[0].job;
  job.parallelism = stored.job->parallelism;
  job.completions = stored.job->completions;
  job.queued = stored.job->queued;
  const bool may_have_been_added =
      job.has_success_policy && job.backoff_limit_per_index &&
      job.backoff_limit_per_index == stored.job->backoff_limit_per_index;
  const Workload first = all[0];
  all.push_back(WithoutMemoryLimits(first));
  if (!first.job->queued && MayHaveBeenQueued(*stored.job)) {
    all.push_back(first);
    all.back().job->queued = true;
  }
  if (may_have_been_added) {
    all.push_back(first);
    all.back().job->backoff_limit_per_index.reset();
  }
  return all;
}

bool HaveSameContent(const Workload& a, const Workload& b) {
  return a.pod == b.pod && a.job == b.job && a.annotations == b.annotations;
}

}  // namespace berth::policies::admission
