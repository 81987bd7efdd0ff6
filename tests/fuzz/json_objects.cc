// Objects in JSON: what --objects and -f read, the workloads of reviews, and Leases. However a text
// that is read as a stream is cut, the same objects are cut out of it.
#include <algorithm>
#include <string>
#include <vector>

#include "kube/json.h"
#include "kube/json_object_splitter.h"
#include "kube/json_sizes.h"
#include "kube/json_workload.h"
#include "kube/lease.h"
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

// Whoever leads writes the Lease back, with what others have put into it.
void CheckLease(std::string_view text) {
  const auto lease = kube::LeaseFromJson(text);
  fuzz::RequireSentence(lease.status());
  if (!lease.ok()) return;
  const std::string written = kube::LeaseToJson(*lease);
  const auto again = kube::LeaseFromJson(written);
  fuzz::Require(again.ok(), "what is written is a Lease");
  fuzz::Require(kube::LeaseToJson(*again) == written, "it is the same one");
}

struct Stream {
  std::vector<std::string> objects;
  std::string error;

  friend bool operator==(const Stream&, const Stream&) = default;
};

Stream StreamOf(std::string_view text, std::size_t piece) {
  kube::JsonObjectSplitter splitter;
  Stream stream;
  absl::Status status;
  for (std::size_t at = 0; at < text.size() && status.ok(); at += piece) {
    splitter.Append(text.substr(at, piece));
    while (true) {
      const auto object = splitter.Next();
      status = object.status();
      if (!object.ok() || !*object) break;
      stream.objects.emplace_back((*object)->text);
    }
  }
  if (status.ok()) status = splitter.CheckEnd();
  fuzz::RequireSentence(status);
  // The sentence quotes what follows, of which less has arrived.
  stream.error = status.ok() ? "" : "an error";
  return stream;
}

void CheckStream(std::string_view text) {
  const Stream whole = StreamOf(text, std::max<std::size_t>(text.size(), 1));
  fuzz::Require(whole == StreamOf(text, 1), "objects do not depend on the pieces they come in");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CheckFile(fuzz::TextOf(data, size));
  CheckWorkloads(fuzz::TextOf(data, size));
  CheckLease(fuzz::TextOf(data, size));
  CheckStream(fuzz::TextOf(data, size));
  return 0;
}
