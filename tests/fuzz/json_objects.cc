// Objects in JSON: what --objects and -f read, and the workloads of reviews.
#include "kube/json.h"
#include "kube/json_sizes.h"
#include "kube/json_workload.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;

void CheckFile(std::string_view text) {
  const auto objects = kube::ObjectsFromJson(text);
  fuzz::RequireSentence(objects.status());
  if (!objects.ok()) return;
  for (const kube::UnreadableObject& each : objects->unreadable) fuzz::RequireSentence(each.error);
}

void CheckWorkloads(std::string_view text) {
  kube::JsonParser parser(kube::kMaxValues);
  const auto root = parser.Parse(text);
  fuzz::RequireSentence(root.status());
  if (!root.ok()) return;
  fuzz::RequireSentence(kube::CheckSizes(*root, ""));
  for (const char* kind : {"Pod", "Job", "CronJob", "Deployment"}) {
    fuzz::RequireSentence(kube::WorkloadFromJson(*root, kind, "").status());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CheckFile(fuzz::TextOf(data, size));
  CheckWorkloads(fuzz::TextOf(data, size));
  return 0;
}
