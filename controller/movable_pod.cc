#include "controller/movable_pod.h"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "kube/field_values.h"
#include "kube/json_model.h"
#include "model/annotation.h"
#include "model/node.h"

namespace berth::controller {

namespace {

using kube::JsonValue;
using Then = JobRetries::Then;

// JobIndexFailureCountAnnotation in k8s.io/kubernetes/staging/src/k8s.io/api/batch/v1/types.go
// (v1.36.3).
constexpr std::string_view kIndexFailures = "batch.kubernetes.io/job-index-failure-count";

// The most bytes of an annotation that Trimmed() keeps: a path has no more.
constexpr std::size_t kMostOfValue = 4096;

std::int64_t NumberIn(const model::StringMap& annotations, std::string_view name) {
  std::int64_t number = 0;
  if (const auto text = model::Find(annotations, name)) {
    std::from_chars(text->data(), text->data() + text->size(), number);
  }
  return number;
}

bool IsAboutDisruptions(const JsonValue& rule) {
  bool about = false;
  rule.Field("onPodConditions").ForEachItem([&about](const JsonValue& pattern) {
    const JsonValue status = pattern.Field("status");
    about = about || (pattern.Field("type").String() == "DisruptionTarget" &&
                      (status.absent() || status.String() == "True"));
  });
  return about;
}

Then ThenBy(std::string_view action) {
  if (action == "Ignore") return Then::kIgnored;
  return action == "Count" ? Then::kCounts : Then::kFails;
}

// A rule about exit codes that comes before that about disruptions may match the pod, so the worse
// of the two decides.
void ReadRules(const JsonValue& rules, JobRetries& retries) {
  bool decided = false;
  bool may_count = false;
  rules.ForEachItem([&](const JsonValue& rule) {
    if (decided) return;
    const Then then = ThenBy(rule.Field("action").String());
    const bool disruptions = IsAboutDisruptions(rule);
    const bool exit_codes = !rule.Field("onExitCodes").absent();
    may_count = may_count || (exit_codes && then == Then::kCounts);
    decided = disruptions || (exit_codes && then == Then::kFails);
    if (!decided) return;
    retries.then = then == Then::kIgnored && may_count ? Then::kCounts : then;
    retries.by_rule = true;
  });
}

bool HasCheckpoints(const model::Pod& pod, std::string_view annotation) {
  const auto said = model::Find(pod.annotations, annotation);
  return said && !model::Trim(*said).empty() && model::Trim(*said) != "false";
}

Advice Stay(std::string why) { return {Advice::What::kStay, std::move(why)}; }

Advice AdviceOnJob(const RunningPod& pod, const JobRetries& job, std::int64_t pods) {
  if (job.then == Then::kFails) return Stay("its Job would fail (podFailurePolicy)");
  if (job.then == Then::kIgnored) return {};
  if (job.limit_per_index && pod.index_failures >= *job.limit_per_index) {
    return Stay("its index of the Job has no retry left (backoffLimitPerIndex)");
  }
  if (job.failed + pods > job.limit) return Stay("its Job has no retries left (backoffLimit)");
  if (job.failed + job.terminating + pods > job.limit) return {.what = Advice::What::kWait};
  return {};
}

}  // namespace

bool RunningPod::IsOfJob() const { return kube::IsJob(owner_version, owner_kind); }

bool RunningPod::BelongsToNode() const {
  return owner_kind == "DaemonSet" || owner_kind == "Node" ||
         model::Find(pod.annotations, "kubernetes.io/config.mirror").has_value();
}

RunningPod RunningPodFromJson(const JsonValue& pod) {
  RunningPod running{.pod = kube::PodFromJson(pod)};
  const JsonValue metadata = pod.Field("metadata");
  metadata.Field("ownerReferences").ForEachItem([&running](const JsonValue& owner) {
    if (!owner.Field("controller").Boolean()) return;
    running.owner_version = owner.Field("apiVersion").Text();
    running.owner_kind = owner.Field("kind").Text();
    running.owner_name = owner.Field("name").Text();
  });
  running.index_failures = NumberIn(running.pod.annotations, kIndexFailures);
  const JsonValue spec = pod.Field("spec");
  running.grace = model::Duration(spec.Field("terminationGracePeriodSeconds").Integer());
  return running;
}

RunningPod Trimmed(RunningPod running, const std::set<std::string, std::less<>>& annotations) {
  model::Pod& whole = running.pod;
  // Another pod, because clearing the fields of this one would not give the memory back.
  model::Pod pod;
  pod.namespace_ = std::move(whole.namespace_);
  pod.name = std::move(whole.name);
  pod.uid = std::move(whole.uid);
  pod.controller_uid = std::move(whole.controller_uid);
  pod.node_name = std::move(whole.node_name);
  for (const auto& [name, value] : whole.annotations) {
    if (annotations.contains(name))
      pod.annotations.emplace_back(name, value.substr(0, kMostOfValue));
  }
  pod.created = whole.created;
  pod.deleted = whole.deleted;
  pod.terminated = whole.terminated;
  running.pod = std::move(pod);
  return running;
}

JobRetries JobRetriesFromJson(const JsonValue& job) {
  const JsonValue spec = job.Field("spec");
  const JsonValue status = job.Field("status");
  JobRetries retries;
  if (const JsonValue limit = spec.Field("backoffLimit"); !limit.absent()) {
    retries.limit = limit.Integer();
  }
  if (const JsonValue limit = spec.Field("backoffLimitPerIndex"); !limit.absent()) {
    retries.limit_per_index = limit.Integer();
  }
  retries.failed = status.Field("failed").Integer();
  retries.terminating = status.Field("terminating").Integer();
  const JsonValue policy = spec.Field("podFailurePolicy");
  ReadRules(policy.Field("rules"), retries);
  return retries;
}

Advice AdviceOnRetries(const RunningPod& pod, const JobRetries* job, std::int64_t pods) {
  if (pod.owner_kind.empty()) return Stay("nothing controls it that would make it anew");
  return job != nullptr ? AdviceOnJob(pod, *job, pods) : Advice{};
}

Advice AdviceOn(const RunningPod& pod, const JobRetries* job, std::int64_t pods,
                std::string_view checkpoint_annotation) {
  if (pod.owner_kind.empty()) return AdviceOnRetries(pod, job, pods);
  const bool has_checkpoints = HasCheckpoints(pod.pod, checkpoint_annotation);
  const bool retries = job != nullptr && job->by_rule && job->then != Then::kFails;
  if (!has_checkpoints && !retries) {
    return Stay("it names no checkpoints (" + std::string(checkpoint_annotation) +
                "), and no rule of a Job retries pods that are disrupted");
  }
  return AdviceOnRetries(pod, job, pods);
}

}  // namespace berth::controller
