#include "admission/object_templates.h"

#include <absl/status/statusor.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "admission/template_counts.h"
#include "kube/json_workload.h"

namespace berth::admission {

namespace {

using model::Workload;

// The most bytes of what policies read of an object's metadata, which is kept with each of its
// templates. A name has up to 253 bytes.
constexpr std::size_t kMaxKept = 16 << 10;

// The templates at the paths of a kind.
struct FoundTemplates {
  std::vector<FoundTemplate> all;
  // About the first one that is not among them because it is beyond the limits.
  absl::Status error;
};

void ReportLongKey(const FoundTemplate& found, absl::Status& error) {
  error.Update(absl::InvalidArgumentError(
      found.field + ": has a key of " + std::to_string(found.long_key) +
      " bytes in its path, more than the " + std::to_string(kMaxKey) + " that Berth reads"));
}

void ReportBeyond(const FoundTemplate& found, absl::Status& error) {
  error.Update(absl::InvalidArgumentError(found.field + ": is beyond the " +
                                          std::to_string(kMaxTemplates) +
                                          " templates that Berth reads of an object"));
}

// Without duplicates: two paths may lead to one template.
FoundTemplates TemplatesOf(simdjson::dom::element object,
                           const std::vector<const policies::admission::TemplateSpec*>& specs) {
  FoundTemplates result;
  std::vector<FoundTemplate>& all = result.all;
  for (const policies::admission::TemplateSpec* spec : specs) {
    const bool of_jobs = spec->of == policies::admission::TemplateOf::kJobs;
    const std::vector<FoundTemplate> at_path = TemplatesAt(object, spec->path);
    // Not all of them were looked for.
    if (at_path.size() > kMaxTemplates) ReportBeyond(at_path.back(), result.error);
    for (const FoundTemplate& found : at_path) {
      std::optional<FoundTemplate> pods = of_jobs ? PodsOfJobs(found) : found;
      if (pods && pods->long_key > 0) {
        // Its field may be that of another one.
        ReportLongKey(*pods, result.error);
        continue;
      }
      const bool known =
          !pods || std::ranges::find(all, pods->field, &FoundTemplate::field) != all.end();
      if (known) continue;
      if (all.size() == kMaxTemplates) {
        ReportBeyond(*pods, result.error);
        return result;
      }
      pods->spec = spec;
      all.push_back(*std::move(pods));
    }
  }
  return result;
}

std::size_t BytesOf(const model::StringMap& map) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : map) bytes += name.size() + value.size();
  return bytes;
}

// The bytes of the texts of an object without its pods.
std::size_t BytesOf(const Workload& owner) {
  std::size_t bytes = owner.name.size() + owner.generate_name.size() + BytesOf(owner.annotations) +
                      BytesOf(owner.labels);
  for (const model::OwnerReference& each : owner.owners) {
    bytes += each.kind.size() + each.name.size() + each.group.size() + each.uid.size();
  }
  return bytes;
}

void KeepOwn(std::string_view prefix, model::StringMap& map) {
  const std::string own = std::string(prefix) + "/";
  std::erase_if(map, [&own](const auto& entry) { return !entry.first.starts_with(own); });
}

// Leaves out what no policy reads of an object with templates.
void KeepWhatIsRead(std::string_view prefix, Workload& owner) {
  KeepOwn(prefix, owner.annotations);
  KeepOwn(prefix, owner.labels);
  std::vector<model::OwnerReference> controlling;
  if (const auto* found = ControllingOwner(owner)) controlling.push_back(*found);
  owner.owners = std::move(controlling);
}

// Reads the metadata, which would be there 64 times if all of it were kept with each template.
absl::StatusOr<Workload> ReadOwner(const GroupVersionKind& kind, simdjson::dom::element object,
                                   std::string_view prefix) {
  absl::StatusOr<Workload> owner = kube::TemplateOwnerFromJson(object, kind.kind);
  if (!owner.ok()) return owner;
  owner->group = kind.group;
  KeepWhatIsRead(prefix, *owner);
  const std::size_t bytes = BytesOf(*owner);
  if (bytes <= kMaxKept) return owner;
  return absl::InvalidArgumentError("metadata: has " + std::to_string(bytes) +
                                    " bytes of names, of its owner and of " + std::string(prefix) +
                                    "/ labels and annotations, more than the " +
                                    std::to_string(kMaxKept) + " that Berth reads");
}

// The Jobs belong to the object that makes them.
absl::StatusOr<Workload> WorkloadOfJobs(const GroupVersionKind& kind, const Workload& owner,
                                        const FoundTemplate& found) {
  absl::StatusOr<Workload> workload = kube::WithJobsFromJson(owner, *found.jobs, found.field);
  if (workload.ok()) {
    workload->owners = {
        {.kind = kind.kind, .name = workload->name, .controller = true, .group = kind.group}};
  }
  return workload;
}

// Reads what the object says about the number of its pods.
void ReadCounts(simdjson::dom::element object, const FoundTemplate& found, Workload& workload) {
  const TemplateCounts counts = CountsOf(object, *found.spec, found.pointer);
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
                              const std::vector<const policies::admission::TemplateSpec*>& specs,
                              std::string_view prefix) {
  ObjectTemplates read;
  if (specs.empty()) {
    Add(kube::WorkloadFromJson(object, kind.kind, ""), read);
    return read;
  }
  FoundTemplates templates = TemplatesOf(object, specs);
  if (templates.all.empty()) return {.error = templates.error};
  const absl::StatusOr<Workload> owner = ReadOwner(kind, object, prefix);
  if (!owner.ok()) return {.error = owner.status(), .is_of_metadata = true};
  for (FoundTemplate& found : templates.all) {
    absl::StatusOr<Workload> workload =
        found.jobs ? WorkloadOfJobs(kind, *owner, found)
                   : kube::WithPodsFromJson(*owner, found.pods, found.field);
    if (workload.ok()) ReadCounts(object, found, *workload);
    if (Add(std::move(workload), read)) read.found.push_back(std::move(found));
  }
  read.error.Update(templates.error);
  return read;
}

}  // namespace berth::admission
