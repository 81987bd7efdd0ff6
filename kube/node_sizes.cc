#include "kube/node_sizes.h"

#include <string_view>

#include "fmt/format.h"

namespace berth::kube {
namespace {

std::size_t TypeBytes(const model::Node& node) {
  std::size_t bytes = 0;
  for (const model::Condition& condition : node.conditions) bytes += condition.type.size();
  return bytes;
}

absl::Status CheckMost(std::size_t has, std::size_t most, std::string_view what, const Path& path) {
  if (has <= most) return absl::OkStatus();
  return path.Error(fmt::format("has more than the {} {} that Berth reads", most, what));
}

}  // namespace

absl::Status CheckNodeSizes(const model::Node& node, const Path& path) {
  const Path status = path.Field("status");
  const Path conditions = status.Field("conditions");
  const Path spec = path.Field("spec");
  absl::Status error =
      CheckMost(node.conditions.size(), kMaxNodeConditions, "conditions", conditions);
  error.Update(CheckMost(TypeBytes(node), kMaxConditionTypeBytes, "bytes of types", conditions));
  error.Update(CheckMost(node.taints.size(), kMaxNodeTaints, "taints", spec.Field("taints")));
  return error;
}

}  // namespace berth::kube
