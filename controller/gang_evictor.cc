#include "controller/gang_evictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "controller/patcher.h"
#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/json_model.h"
#include "kube/json_value.h"
#include "kube/pod_list.h"
#include "kube/readable.h"
#include "model/annotation.h"
#include "model/gang.h"
#include "model/node.h"
#include "model/pod.h"

namespace berth::controller {

namespace {

std::optional<std::string> GangIn(const model::StringMap& annotations,
                                  const model::GangNames& names) {
  const auto said = model::GangOf(annotations, names);
  if (!said.ok() || !said->has_value()) return std::nullopt;
  return (*said)->name;
}

// Which of the pods of its Job it is: the index of an Indexed Job, of which there may have been
// several pods, or else the pod itself.
std::string PartOf(const model::Pod& pod) {
  const auto index = model::Find(pod.annotations, model::kJobCompletionIndex);
  return index ? "index " + std::string(*index) : pod.uid;
}

// The UID of the Job that controls the pod. Empty if none does.
std::string JobOf(const kube::JsonValue& pod) {
  std::string job;
  pod.Field("metadata").Field("ownerReferences").ForEachItem([&job](const kube::JsonValue& owner) {
    const bool is_job = owner.Field("kind").String() == "Job" &&
                        owner.Field("apiVersion").String().starts_with("batch/");
    if (is_job && owner.Field("controller").Boolean()) job = owner.Field("uid").Text();
  });
  return job;
}

// The UID of the JobSet that has made the Job, which its pods have as a label (JobSet v0.12.0, its
// API). Without one, that of the Job.
std::string OriginOf(const kube::JsonValue& pod, const std::string& job) {
  const kube::JsonValue metadata = pod.Field("metadata");
  const kube::JsonValue labels = metadata.Field("labels");
  std::string set = labels.Field("jobset.sigs.k8s.io/jobset-uid").Text();
  return set.empty() ? job : set;
}

// The pods that Jobs of one origin have in one gang.
struct Work {
  struct Job {
    // Which parts of it have succeeded, and how many it says have.
    std::set<std::string> done;
    std::size_t counted = 0;
  };

  std::map<std::string, Job> jobs;
  // Whether some pods have not ended.
  bool goes_on = false;

  std::size_t succeeded() const {
    std::size_t sum = 0;
    for (const auto& [uid, job] : jobs) sum += std::max(job.done.size(), job.counted);
    return sum;
  }
};

// By gang and origin.
using Works = std::map<std::pair<std::string, std::string>, Work>;

// How many pods of the Job have succeeded, as its status says.
std::size_t SucceededOf(const kube::JsonValue& job) {
  std::size_t succeeded = 0;
  const std::string text = job.Field("status").Field("succeeded").Json();
  return absl::SimpleAtoi(text, &succeeded) ? succeeded : 0;
}

// Adds what Jobs say of themselves. Pods that have succeeded may be gone: a Job has counted them,
// and then the pod garbage collector has deleted them, or they have succeeded while they ended.
absl::Status AddJobs(kube::Transport& transport, const std::string& namespace_name, Works& works) {
  std::map<std::string, Work*> work_of;
  for (auto& [key, work] : works) {
    for (const auto& [uid, job] : work.jobs) work_of[uid] = &work;
  }
  const auto take = [&work_of](const kube::JsonValue& item) {
    const kube::JsonValue metadata = item.Field("metadata");
    const std::string uid = metadata.Field("uid").Text();
    const auto found = work_of.find(uid);
    if (found == work_of.end()) return;
    if (metadata.Field("deletionTimestamp").absent()) {
      found->second->jobs[uid].counted = SucceededOf(item);
    } else {
      // A JobSet that starts over makes all its pods anew, of another Job.
      found->second->jobs.erase(uid);
    }
  };
  return kube::Api(&transport)
      .List(fmt::format("/apis/batch/v1/namespaces/{}/jobs", namespace_name),
            {{"batch", "jobs", "list"}, namespace_name}, take);
}

// A pod of a gang, with what decides whether it counts once it has succeeded.
struct PodOfGang {
  RunningPod running = {};
  std::string gang = {};
  // The UIDs of its Job, and of what has made that.
  std::string job = {};
  std::string origin = {};
  bool has_succeeded = false;
};

PodOfGang PodOfGangFromJson(const kube::JsonValue& item) {
  PodOfGang pod{.running = RunningPodFromJson(item), .job = JobOf(item)};
  if (!pod.job.empty()) pod.origin = OriginOf(item, pod.job);
  const kube::JsonValue status = item.Field("status");
  pod.has_succeeded = status.Field("phase").String() == "Succeeded";
  return pod;
}

// The gang of a pod that is not being deleted. Nothing if it is of none. An error if its
// annotations cannot be read.
absl::StatusOr<std::optional<std::string>> GangIn(const kube::JsonValue& item,
                                                  const model::GangNames& names) {
  return kube::ReadAlone(item, [&names](const kube::JsonValue& pod) {
    const kube::JsonValue metadata = pod.Field("metadata");
    const bool is_deleted = !metadata.Field("deletionTimestamp").absent();
    return is_deleted ? std::nullopt : GangIn(metadata.Field("annotations").StringMap(), names);
  });
}

// What becomes of the pods of a namespace.
struct PodVisitor {
  // Whether pods of the gang are to be read.
  std::function<bool(const std::string& gang)> wants;
  // Is called for each such pod that is not being deleted.
  std::function<void(PodOfGang pod)> visit;
  // Is called for each such pod that cannot be read. Where it is not known which gang it is of,
  // `gang` is empty.
  std::function<void(const std::string& gang, const kube::JsonValue& item, const absl::Status& why)>
      on_unreadable;
  // A field selector.
  std::string fields = {};
};

absl::Status ForEachOfGangs(kube::Transport& transport, const std::string& namespace_name,
                            const model::GangNames& names, const PodVisitor& visitor) {
  // Most pods of a namespace may be of no gang, or of others, so the whole pod is read last.
  const auto take = [&](const kube::JsonValue& item) {
    const auto gang = GangIn(item, names);
    if (!gang.ok()) return visitor.on_unreadable("", item, gang.status());
    if (!gang->has_value() || !visitor.wants(**gang)) return;
    auto pod = kube::ReadAlone(item, PodOfGangFromJson);
    if (!pod.ok()) return visitor.on_unreadable(**gang, item, pod.status());
    pod->gang = **gang;
    visitor.visit(*std::move(pod));
  };
  return kube::Api(&transport)
      .List(fmt::format("/api/v1/namespaces/{}/pods", namespace_name),
            {{"", "pods", "list"}, namespace_name}, take, {.fields = visitor.fields});
}

// Of a namespace's pods most may have ended, and time counts for those that wait.
constexpr char kNotEnded[] = "status.phase!=Succeeded,status.phase!=Failed";

PodsByGang NoPodsOf(const std::set<std::string>& gangs) {
  PodsByGang none;
  for (const std::string& gang : gangs) none.emplace(gang, std::vector<RunningPod>());
  return none;
}

// As PodsOfGangs(), but from JSON, which is also read for what made the pods, and which tells of
// those that cannot be read which gang they are of.
absl::StatusOr<PodsByGang> ReadPodsOfGangs(kube::Transport& transport,
                                           const std::string& namespace_name,
                                           const std::set<std::string>& gangs,
                                           const model::GangNames& names) {
  PodsByGang found = NoPodsOf(gangs);
  const auto take = [&](PodOfGang pod) {
    auto& pods = found.at(pod.gang);
    if (!pods.ok() || pod.running.pod.terminated) return;
    pods->push_back(Trimmed(std::move(pod.running), {names.eviction, names.freed}));
  };
  // Without it the others would be evicted, and it would hold its devices.
  const auto on_unreadable = [&](const std::string& gang, const kube::JsonValue& item,
                                 const absl::Status& why) {
    const std::string name = kube::UnreadableFromJson(item, "Pod", why).name;
    const absl::Status error =
        absl::UnavailableError(fmt::format("pod {}: {}", name, std::string(why.message())));
    for (auto& [each, pods] : found) {
      if (gang.empty() || gang == each) pods = error;
    }
  };
  const absl::Status listed =
      ForEachOfGangs(transport, namespace_name, names,
                     {[&gangs](const std::string& gang) { return gangs.contains(gang); }, take,
                      on_unreadable, kNotEnded});
  if (!listed.ok()) return listed;
  return found;
}

EvictPods OneByOne(kube::Transport& transport) {
  return [&transport](const std::vector<RunningPod>& pods, bool dry_run) {
    for (const RunningPod& pod : pods) {
      const absl::Status status = EvictPod(transport, pod.pod, dry_run);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  };
}

// Returns those of the pods for which it is asked whether they may be evicted.
std::vector<RunningPod> ToAskFor(const std::vector<RunningPod>& pods, bool may_have_budgets) {
  // Enough to meet what refuses most of them.
  constexpr std::size_t kFew = 6;
  if (may_have_budgets || pods.size() <= kFew) return pods;
  std::set<std::size_t> few;
  for (std::size_t i = 0; i < kFew; ++i) few.insert(i * (pods.size() - 1) / (kFew - 1));
  // Others may be protected from evictions, as the driver beside the workers.
  for (std::size_t i = 1; i < pods.size(); ++i) {
    if (pods[i].pod.controller_uid != pods[i - 1].pod.controller_uid) few.insert(i);
  }
  std::vector<RunningPod> asked;
  asked.reserve(few.size());
  for (const std::size_t i : few) asked.push_back(pods[i]);
  return asked;
}

// Evicts the last one when all others are.
absl::Status EvictBeforeLast(kube::Transport& transport, std::vector<RunningPod> pods,
                             const EvictPods& evict) {
  if (pods.empty()) return absl::OkStatus();
  const RunningPod last = std::move(pods.back());
  pods.pop_back();
  const absl::Status evicted = evict(pods, false);
  return evicted.ok() ? EvictPod(transport, last.pod, false) : evicted;
}

absl::Status NotWanted() { return absl::AbortedError("it needs not be evicted any more"); }

std::optional<model::GangEviction> EvictionOf(const RunningPod& pod,
                                              const model::GangNames& names) {
  return model::GangEvictionOf(pod.pod.annotations, pod.pod.created, names);
}

// Has the last of the pods that are bound say that the eviction begins, and puts it behind all
// others. `waiting` is where those begin that are not bound.
absl::Status Begin(kube::Transport& transport, const GangToEvict& gang,
                   const model::GangNames& names, std::vector<RunningPod>& pods,
                   std::vector<RunningPod>::iterator waiting) {
  const std::string text =
      model::GangEvictionText({.began = gang.now, .pods = static_cast<std::int32_t>(pods.size())});
  // Not for a pod that is gone, or whose name another one has.
  absl::Status refused;
  for (auto last = waiting; last != pods.begin(); --last) {
    const model::Pod& pod = (last - 1)->pod;
    const absl::Status said =
        Patcher(&transport).AnnotatePod(pod.namespace_, pod.name, pod.uid, names.eviction, text);
    if (said.ok()) {
      std::rotate(last - 1, last, pods.end());
      return said;
    }
    if (absl::IsAborted(said)) refused = said;
    if (!absl::IsAborted(said) && !absl::IsNotFound(said)) return said;
  }
  return refused;
}

// Of the pods that say that an eviction of their gang has begun and goes on, the last that began
// one. Null if none says so.
const RunningPod* LastOf(const std::vector<RunningPod>& pods, const model::GangNames& names,
                         model::Time now) {
  const RunningPod* last = nullptr;
  model::Time latest = model::kNoTime;
  for (const RunningPod& pod : pods) {
    const auto eviction = EvictionOf(pod, names);
    if (!eviction || !eviction->GoesOnAt(now) || (last != nullptr && eviction->began <= latest)) {
      continue;
    }
    last = &pod;
    latest = eviction->began;
  }
  return last;
}

}  // namespace

absl::Status EvictPod(kube::Transport& transport, const model::Pod& pod, bool dry_run) {
  nlohmann::json options = {{"preconditions", {{"uid", pod.uid}}}};
  if (dry_run) options["dryRun"] = nlohmann::json::array({"All"});
  const nlohmann::json eviction = {
      {"apiVersion", "policy/v1"},
      {"kind", "Eviction"},
      {"metadata", {{"namespace", pod.namespace_}, {"name", pod.name}}},
      {"deleteOptions", options}};
  const std::string path =
      fmt::format("/api/v1/namespaces/{}/pods/{}/eviction", pod.namespace_, pod.name);
  const absl::Status status =
      kube::CallJson(transport, kube::HttpMethod::kPost, path, eviction.dump()).status();
  // Another pod has its name: BeforeDelete in k8s.io/apiserver/pkg/registry/rest/delete.go,
  // Preconditions.Check in k8s.io/apiserver/pkg/storage/interfaces.go (v0.36.3), and
  // addConditionAndDeletePod in k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go
  // (v1.36.3).
  const bool is_other =
      absl::IsAborted(status) && (absl::StrContains(status.message(), "UID in the precondition") ||
                                  absl::StrContains(status.message(), "UID in precondition"));
  if (status.ok() || absl::IsNotFound(status) || is_other) return absl::OkStatus();
  if (absl::IsCancelled(status)) return status;
  return {status.code(), fmt::format("pod {}: {}", pod.name, std::string(status.message()))};
}

bool MayHaveBudgets(kube::Transport& transport, const std::string& namespace_name) {
  bool any = false;
  const absl::Status got =
      kube::Api(&transport)
          .Get(fmt::format("/apis/policy/v1/namespaces/{}/poddisruptionbudgets?limit=1",
                           namespace_name),
               {{"policy", "poddisruptionbudgets", "list"}, namespace_name},
               [&any](const kube::JsonValue& list) {
                 const kube::JsonValue items = list.Field("items");
                 any = items.absent();
                 items.ForEachItem([&any](const kube::JsonValue&) { any = true; });
               });
  return any || !got.ok();
}

absl::Status EvictGang(kube::Transport& transport, const GangToEvict& gang,
                       std::vector<RunningPod> pods, const model::GangNames& names,
                       const EvictPods& evict) {
  const EvictPods evict_some = evict ? evict : OneByOne(transport);
  // Those first that a budget may protect: pods that are not bound it does not.
  const auto waiting = std::stable_partition(
      pods.begin(), pods.end(), [](const RunningPod& pod) { return !pod.pod.node_name.empty(); });
  const absl::Status may = evict_some(ToAskFor(pods, gang.may_have_budgets), true);
  if (!may.ok()) return may;
  if (!gang.is_wanted()) return NotWanted();
  const absl::Status begun = Begin(transport, gang, names, pods, waiting);
  return begun.ok() ? EvictBeforeLast(transport, std::move(pods), evict_some) : begun;
}

absl::Status EvictRestOfGang(kube::Transport& transport, const GangToEvict& gang,
                             std::vector<RunningPod> pods, const model::GangNames& names,
                             const EvictPods& evict) {
  const RunningPod* const last = LastOf(pods, names, gang.now);
  if (last == nullptr) return NotWanted();
  const model::GangEviction eviction = *EvictionOf(*last, names);
  // Those that have come since then are of the gang's next start.
  const auto was_there = [&eviction](const RunningPod& pod) {
    return pod.pod.created < eviction.began;
  };
  const auto is_freed = [&names](const RunningPod& pod) {
    return model::Find(pod.pod.annotations, names.freed) == "true";
  };
  if (std::ranges::any_of(pods, is_freed)) return NotWanted();
  const bool any_gone = std::ranges::count_if(pods, was_there) < eviction.pods;
  RunningPod its_last = *last;
  std::erase_if(pods, [&](const RunningPod& pod) {
    return pod.pod.uid == its_last.pod.uid || !was_there(pod);
  });
  pods.push_back(std::move(its_last));
  const EvictPods evict_some = evict ? evict : OneByOne(transport);
  // A budget may be in the way of the very first one by now.
  const absl::Status may =
      any_gone ? absl::OkStatus() : evict_some(ToAskFor(pods, gang.may_have_budgets), true);
  if (!may.ok()) return may;
  if (!gang.is_wanted()) return NotWanted();
  return EvictBeforeLast(transport, std::move(pods), evict_some);
}

absl::StatusOr<PodsByGang> PodsOfGangs(kube::Transport& transport,
                                       const std::string& namespace_name,
                                       const std::set<std::string>& gangs,
                                       const model::GangNames& names) {
  PodsByGang found = NoPodsOf(gangs);
  const auto take = [&](model::Pod pod) {
    if (pod.deleted != model::kNoTime || pod.terminated) return;
    const auto gang = GangIn(pod.annotations, names);
    if (!gang || !found.contains(*gang)) return;
    found.at(*gang)->push_back(Trimmed({.pod = std::move(pod)}, {names.eviction, names.freed}));
  };
  const absl::Status listed = kube::ListPods(transport, namespace_name, kNotEnded, take);
  if (absl::IsDataLoss(listed)) return ReadPodsOfGangs(transport, namespace_name, gangs, names);
  if (!listed.ok()) return listed;
  return found;
}

absl::StatusOr<std::vector<RunningPod>> PodsOfGang(kube::Transport& transport,
                                                   const std::string& namespace_name,
                                                   const std::string& gang,
                                                   const model::GangNames& names) {
  auto pods = ReadPodsOfGangs(transport, namespace_name, {gang}, names);
  if (!pods.ok()) return pods.status();
  return std::move(pods->at(gang));
}

absl::StatusOr<planner::SucceededPods> CountSucceeded(kube::Transport& transport,
                                                      const std::string& namespace_name,
                                                      const model::GangNames& names) {
  Works works;
  const auto take = [&works](const PodOfGang& pod) {
    if (pod.job.empty()) return;
    Work& work = works[{pod.gang, pod.origin}];
    Work::Job& job = work.jobs[pod.job];
    if (pod.has_succeeded) job.done.insert(PartOf(pod.running.pod));
    if (!pod.running.pod.terminated) work.goes_on = true;
  };
  // What cannot be read has not succeeded as far as anybody knows.
  const auto on_unreadable = [](const std::string&, const kube::JsonValue&, const absl::Status&) {};
  const auto any = [](const std::string&) { return true; };
  absl::Status listed =
      ForEachOfGangs(transport, namespace_name, names, {any, take, on_unreadable});
  std::erase_if(works, [](const auto& each) { return !each.second.goes_on; });
  if (listed.ok() && !works.empty()) listed = AddJobs(transport, namespace_name, works);
  if (!listed.ok()) return listed;
  planner::SucceededPods counts;
  for (const auto& [key, work] : works) {
    if (const std::size_t succeeded = work.succeeded()) counts[key.first] += succeeded;
  }
  return counts;
}

}  // namespace berth::controller
