#include "admission/object_templates.h"

#include <absl/status/statusor.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "admission/template_counts.h"
#include "kube/json_workload.h"

namespace berth::admission {

namespace {

using model::Workload;

// The templates at the paths of a kind.
struct FoundTemplates {
  std::vector<FoundTemplate> all;
  // The path of the first one beyond the kMaxTemplates that are read. Empty if there is none.
  std::string beyond;
};

// Without duplicates: two paths may lead to one template.
FoundTemplates TemplatesOf(simdjson::dom::element object,
                           const std::vector<const policies::admission::TemplateSpec*>& specs) {
  FoundTemplates result;
  std::vector<FoundTemplate>& all = result.all;
  for (const policies::admission::TemplateSpec* spec : specs) {
    const bool of_jobs = spec->of == policies::admission::TemplateOf::kJobs;
    const std::vector<FoundTemplate> at_path = TemplatesAt(object, spec->path);
    // Not all of them were looked for.
    if (at_path.size() > kMaxTemplates) result.beyond = at_path.back().field;
    for (const FoundTemplate& found : at_path) {
      std::optional<FoundTemplate> pods = of_jobs ? PodsOfJobs(found) : found;
      const bool known =
          !pods || std::ranges::find(all, pods->field, &FoundTemplate::field) != all.end();
      if (known) continue;
      if (all.size() == kMaxTemplates) {
        result.beyond = pods->field;
        return result;
      }
      pods->spec = spec;
      all.push_back(*std::move(pods));
    }
  }
  return result;
}

// The Jobs belong to the object that makes them.
absl::StatusOr<Workload> WorkloadOfJobs(const GroupVersionKind& kind, simdjson::dom::element object,
                                        const FoundTemplate& found) {
  absl::StatusOr<Workload> workload =
      kube::JobMakerFromJson(object, kind.kind, *found.jobs, found.field);
  if (workload.ok()) {
    workload->owners = {
        {.kind = kind.kind, .name = workload->name, .controller = true, .group = kind.group}};
  }
  return workload;
}

// Reads what the object says about the number of its pods.
void ReadCounts(const GroupVersionKind& kind, simdjson::dom::element object,
                const FoundTemplate& found, Workload& workload) {
  const TemplateCounts counts = CountsOf(object, *found.spec, found.pointer);
  workload.group = kind.group;
  workload.replicas = counts.replicas;
  workload.gang_size = counts.gang_size;
  workload.in_turn = StartsInTurn(object, *found.spec);
}

// Adds what was made of one template. Returns whether it could be read.
bool Add(absl::StatusOr<Workload> workload, ObjectTemplates& read) {
  read.error.Update(workload.status());
  if (!workload.ok()) return false;
  read.workloads.push_back(*std::move(workload));
  return true;
}

}  // namespace

ObjectTemplates ReadTemplates(const GroupVersionKind& kind, simdjson::dom::element object,
                              const std::vector<const policies::admission::TemplateSpec*>& specs) {
  ObjectTemplates read;
  if (specs.empty()) {
    Add(kube::WorkloadFromJson(object, kind.kind, ""), read);
    return read;
  }
  FoundTemplates templates = TemplatesOf(object, specs);
  for (FoundTemplate& found : templates.all) {
    absl::StatusOr<Workload> workload =
        found.jobs ? WorkloadOfJobs(kind, object, found)
                   : kube::WorkloadFromJson(object, kind.kind, found.pods, found.field);
    if (workload.ok()) ReadCounts(kind, object, found, *workload);
    if (Add(std::move(workload), read)) read.found.push_back(std::move(found));
  }
  if (!templates.beyond.empty()) {
    read.error.Update(absl::InvalidArgumentError(templates.beyond + ": is beyond the " +
                                                 std::to_string(kMaxTemplates) +
                                                 " templates that Berth reads of an object"));
  }
  return read;
}

}  // namespace berth::admission
