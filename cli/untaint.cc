#include "cli/untaint.h"

#include "controller/taint_writer.h"
#include "kube/json_api.h"
#include "model/taint.h"

namespace berth::cli {

namespace {

using kube::JsonValue;

bool HasOwnTaint(const JsonValue& node, const std::string& key) {
  bool has = false;
  const JsonValue spec = node.Field("spec");
  spec.Field("taints").ForEachItem([&](const JsonValue& taint) {
    has = has || (taint.Field("key").String() == key &&
                  taint.Field("effect").String() == model::kNoSchedule);
  });
  return has;
}

}  // namespace

absl::StatusOr<Untainted> RemoveTaints(const std::string& key, kube::Transport& transport) {
  std::vector<controller::TaintChange> changes;
  const auto take = [&](const JsonValue& node) {
    if (!HasOwnTaint(node, key)) return;
    const JsonValue metadata = node.Field("metadata");
    changes.push_back({.node = metadata.Field("name").Text(),
                       .uid = metadata.Field("uid").Text(),
                       .value = std::nullopt});
  };
  kube::Api api(&transport);
  const absl::Status listed = api.List("/api/v1/nodes", {{"", "nodes", "list"}}, take);
  if (!listed.ok()) return listed;
  controller::TaintWriter writer(&transport, key);
  Untainted untainted;
  for (const controller::TaintChange& change : changes) {
    const absl::Status status = writer.Write(change);
    untainted.emplace_back(change.node, absl::IsNotFound(status) ? absl::OkStatus() : status);
  }
  return untainted;
}

}  // namespace berth::cli
