#include "controller/node_labeler.h"

#include <utility>
#include <vector>

#include "controller/node_label.h"

namespace berth::controller {

NodeLabeler::NodeLabeler(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
                         kube::Waiter* waiter, WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      patcher_(patcher),
      waiter_(waiter),
      observer_(observer) {}

void NodeLabeler::Run() {
  while (Pass() && waiter_->Wait(options_.interval)) {
  }
}

// False where the waiter was stopped meanwhile.
bool NodeLabeler::Pass() {
  // Without the pods every node would look as if it had none.
  if (!options_.may_write() || !snapshot_->Synced()) return true;
  const std::vector<std::string> nodes =
      NodesToLabel(snapshot_->Read(), snapshot_->catalog(), options_.label);
  for (const std::string& node : nodes) {
    if (!retries_.IsDue(node, waiter_->Now())) continue;
    if (!options_.may_write()) break;
    if (LabelOne(node) && !waiter_->Wait(options_.pace)) return false;
  }
  retries_.Prune(waiter_->Now());
  return true;
}

// Whether something was written, or tried to be.
bool NodeLabeler::LabelOne(const std::string& node) {
  // A list of thousands takes minutes at this pace: the node may have pods by now.
  const std::optional<Wish> wish = Wanted(node);
  if (!wish) return false;
  const absl::Status status = patcher_->LabelNode(node, wish->uid, options_.label, wish->value);
  retries_.OnTried(node, waiter_->Now());
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kNodeLabel, node, wish->value, status);
  }
  return true;
}

std::optional<NodeLabeler::Wish> NodeLabeler::Wanted(const std::string& node) const {
  const cluster::Snapshot::Reader reader = snapshot_->Read();
  const std::optional<model::NodeIndex> index = reader.Find(node);
  if (!index) return std::nullopt;
  const model::NodeState& state = *reader.At(*index);
  std::optional<std::string> value = WantedLabel(state, snapshot_->catalog(), options_.label);
  if (!value) return std::nullopt;
  return Wish{.uid = state.node.uid, .value = *std::move(value)};
}

}  // namespace berth::controller
