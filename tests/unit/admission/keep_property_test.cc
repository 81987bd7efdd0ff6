// What holds for every manifest that is applied again over what was stored of it.

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "admission/patch.h"
#include "gtest/gtest.h"
#include "model/accelerator.h"
#include "policies/admission/engine.h"
#include "tests/unit/admission/fixtures.h"
#include "tests/unit/admission/manifest_generator.h"

namespace berth::admission {
namespace {

using Json = nlohmann::ordered_json;
using policies::admission::Operation;
using policies::admission::Request;

constexpr unsigned kSeeds = 1000;

const policies::admission::AdmissionEngine& Engine() {
  static const policies::admission::AdmissionEngine engine(
      std::make_shared<const model::AcceleratorCatalog>(
          model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value()),
      "berth.dev", "1.2.3", policies::admission::AdmissionConfig());
  return engine;
}

Request RequestOf(Operation operation, const std::string& user) {
  return {.operation = operation,
          .namespace_name = "team",
          .user = {.name = user, .groups = {}},
          .mode = policies::admission::Mode::kEnforce};
}

Json Created(const Json& manifest, const std::string& kind) {
  const std::string text = manifest.dump();
  const ParsedObject object(text, kind);
  const auto outcome = Engine().Mutate(RequestOf(Operation::kCreate, "alice"), object.workload());
  return Patched(text, JsonPatch(object.root(), object.workload(), outcome.workload));
}

/// By which member the items of a list are told apart; empty for a list that is one value.
std::string MergeKey(const std::string& list) {
  if (list == "volumeMounts") return "mountPath";
  for (const char* named : {"containers", "initContainers", "env", "volumes"}) {
    if (list == named) return "name";
  }
  return "";
}

void Apply(const Json& manifest, Json& object);

void ApplyItem(const Json& item, const std::string& key, Json& list) {
  for (Json& old : list) {
    if (old.value(key, "") == item.value(key, "")) return Apply(item, old);
  }
  list.push_back(item);
}

/// Puts what the manifest says over the object, as `kubectl apply` does.
void Apply(const Json& manifest, Json& object) {
  for (const auto& [name, value] : manifest.items()) {
    const std::string key = MergeKey(name);
    if (value.is_null()) continue;
    if (value.is_object() && object.contains(name) && object[name].is_object()) {
      Apply(value, object[name]);
    } else if (!key.empty() && object.contains(name) && object[name].is_array()) {
      for (const Json& item : value) ApplyItem(item, key, object[name]);
    } else {
      object[name] = value;
    }
  }
}

/// The update as it is stored.
Json Kept(const Json& update, const Json& stored, const std::string& kind,
          const std::string& user) {
  const std::string text = update.dump();
  const ParsedObject object(text, kind);
  const ParsedObject old(stored.dump(), kind);
  const auto outcome =
      Engine().Keep(RequestOf(Operation::kUpdate, user), object.workload(), old.workload());
  return Patched(text, JsonPatch(object.root(), object.workload(), outcome.workload));
}

struct KeptCase {
  std::string kind;
  Json manifest;
};

KeptCase CaseOf(unsigned seed) {
  ManifestGenerator generator(seed);
  const bool is_job = generator.Chance(50);
  return {.kind = is_job ? "Job" : "Pod", .manifest = is_job ? generator.Job() : generator.Pod()};
}

/// Without annotations of the object itself, which anybody may change, and without the status,
/// which no manifest changes.
model::Workload SpecOf(const Json& object, const std::string& kind) {
  model::Workload workload = ParsedObject(object.dump(), kind).workload();
  (kind == "Job" ? workload.annotations : workload.pod.annotations).clear();
  workload.qos_class.clear();
  return workload;
}

/// Whether a container asks for 0 of something. Berth takes that for nothing said, and what it
/// writes instead depends on what the other containers have by then.
bool AsksForZero(const Json& manifest) {
  const std::string text = manifest.dump();
  return text.find("\"memory\":0") != std::string::npos ||
         text.find("\"memory\":\"0\"") != std::string::npos ||
         text.find("\"cpu\":0") != std::string::npos ||
         text.find("\"cpu\":\"0\"") != std::string::npos;
}

TEST(KeepPropertyTest, AManifestThatIsAppliedAgainChangesNothing) {
  std::size_t undone = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const KeptCase test = CaseOf(seed);
    if (AsksForZero(test.manifest)) continue;
    const Json stored = Created(test.manifest, test.kind);
    Json update = stored;
    Apply(test.manifest, update);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + test.manifest.dump());
    if (update != stored) ++undone;
    for (const char* user : {"alice", "argocd"}) {
      const Json kept = Kept(update, stored, test.kind, user);
      ASSERT_EQ(SpecOf(kept, test.kind), SpecOf(stored, test.kind))
          << kept.dump() << "\nis stored as " << stored.dump();
    }
  }
  EXPECT_GT(undone, kSeeds / 10);  // else the test shows nothing
}

/// Whether the value is one of the two others.
template <typename T>
bool IsEither(const T& value, const T& update, const T& stored) {
  return value == update || value == stored;
}

bool AreEither(const model::ResourceList& list, const model::ResourceList& update,
               const model::ResourceList& stored) {
  return std::ranges::all_of(list, [&](const auto& entry) {
    const auto in = [&entry](const model::ResourceList& other) {
      const auto found = other.find(entry.first);
      return found != other.end() && found->second == entry.second;
    };
    return in(update) || in(stored);
  });
}

bool AreEither(const model::PodTemplate& pod, const model::PodTemplate& update,
               const model::PodTemplate& stored) {
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    const model::Container& now = pod.containers[i];
    const auto old = std::ranges::find_if(stored.containers, [&now](const auto& container) {
      return container.init == now.init && container.name == now.name;
    });
    const model::Container& before = old == stored.containers.end() ? now : *old;
    const model::Container& own = update.containers[i];
    if (!AreEither(now.resources.requests, own.resources.requests, before.resources.requests) ||
        !AreEither(now.resources.limits, own.resources.limits, before.resources.limits) ||
        !IsEither(now.env, own.env, before.env) ||
        !IsEither(now.mounts, own.mounts, before.mounts)) {
      return false;
    }
  }
  return IsEither(pod.node_terms, update.node_terms, stored.node_terms) &&
         IsEither(pod.volumes, update.volumes, stored.volumes) &&
         IsEither(pod.restart_policy, update.restart_policy, stored.restart_policy) &&
         IsEither(pod.termination_grace_period, update.termination_grace_period,
                  stored.termination_grace_period) &&
         IsEither(pod.scheduler_name, update.scheduler_name, stored.scheduler_name);
}

bool AreEither(const model::JobSpec& job, const model::JobSpec& update,
               const model::JobSpec& stored) {
  return IsEither(job.backoff_limit, update.backoff_limit, stored.backoff_limit) &&
         IsEither(job.backoff_limit_per_index, update.backoff_limit_per_index,
                  stored.backoff_limit_per_index) &&
         IsEither(job.pod_replacement_policy, update.pod_replacement_policy,
                  stored.pod_replacement_policy) &&
         IsEither(job.failure_rules, update.failure_rules, stored.failure_rules);
}

// Whatever the update says: here it is what another manifest says.
TEST(KeepPropertyTest, EveryFieldIsAsInTheUpdateOrAsStored) {
  std::size_t kept_something = 0;
  for (unsigned seed = 0; seed + 1 < kSeeds; ++seed) {
    const KeptCase test = CaseOf(seed);
    const KeptCase other = CaseOf(seed + 1);
    if (test.kind != other.kind) continue;
    const Json stored = Created(test.manifest, test.kind);
    Json update = stored;
    Apply(other.manifest, update);
    const Json kept = Kept(update, stored, test.kind, "alice");
    if (kept == update) continue;
    ++kept_something;
    const model::Workload now = SpecOf(kept, test.kind);
    const model::Workload asked = SpecOf(update, test.kind);
    const model::Workload old = SpecOf(stored, test.kind);
    ASSERT_TRUE(AreEither(now.pod, asked.pod, old.pod)) << "seed " << seed << kept.dump();
    ASSERT_TRUE(!now.job || AreEither(*now.job, *asked.job, *old.job)) << "seed " << seed;
  }
  EXPECT_GT(kept_something, kSeeds / 20);
}

}  // namespace
}  // namespace berth::admission
