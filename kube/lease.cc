#include "kube/lease.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "kube/json.h"
#include "kube/json_value.h"

namespace berth::kube {
namespace {

using Json = nlohmann::json;

LeaseRecord RecordFromJson(const JsonValue& spec) {
  LeaseRecord record;
  record.holder = spec.Field("holderIdentity").String();
  record.duration = std::chrono::seconds(spec.Field("leaseDurationSeconds").Integer());
  record.acquired = spec.Field("acquireTime").String();
  record.renewed = spec.Field("renewTime").String();
  record.transitions = spec.Field("leaseTransitions").Integer();
  return record;
}

std::string ToJson(Json metadata, const LeaseRecord& record) {
  const Json spec = {{"holderIdentity", record.holder},
                     {"leaseDurationSeconds", record.duration.count()},
                     {"acquireTime", record.acquired},
                     {"renewTime", record.renewed},
                     {"leaseTransitions", record.transitions}};
  const Json lease = {{"apiVersion", "coordination.k8s.io/v1"},
                      {"kind", "Lease"},
                      {"metadata", std::move(metadata)},
                      {"spec", spec}};
  return lease.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

absl::StatusOr<Lease> LeaseFromJson(std::string_view text) {
  JsonParser parser;
  const auto root = parser.Parse(text);
  if (!root.ok()) return root.status();
  absl::Status error;
  const JsonValue object(*root, Path("Lease"), error);
  const JsonValue metadata = object.Field("metadata");
  if (metadata.Field("resourceVersion").absent()) {
    metadata.Field("resourceVersion").Report("is missing");
  }
  Lease lease{.record = RecordFromJson(object.Field("spec")), .metadata = metadata.Json()};
  if (!error.ok()) return error;
  return lease;
}

std::string LeaseToJson(const Lease& lease) {
  return ToJson(Json::parse(lease.metadata), lease.record);
}

std::string NewLeaseToJson(std::string_view namespace_name, std::string_view name,
                           const LeaseRecord& record) {
  return ToJson({{"namespace", namespace_name}, {"name", name}}, record);
}

}  // namespace berth::kube
