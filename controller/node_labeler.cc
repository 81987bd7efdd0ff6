#include "controller/node_labeler.h"

#include <utility>
#include <vector>

namespace berth::controller {

namespace {

// Returns the labels as kubectl selects by them:
// "berth.dev/accelerator=V100,berth.dev/accelerator-memory=34".
std::string LabelSelectorOf(const model::StringMap& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ',';
    text.append(name).append(1, '=').append(value);
  }
  return text;
}

}  // namespace

NodeLabeler::NodeLabeler(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
                         kube::Timer* timer, WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      patcher_(patcher),
      timer_(timer),
      observer_(observer) {}

void NodeLabeler::Run() {
  while (Pass() && timer_->Wait(options_.interval)) {
  }
}

bool NodeLabeler::Pass() {
  // Before the pods are listed, every node would look as if it had none.
  if (!options_.may_write() || !snapshot_->Synced()) return true;
  const std::vector<std::string> nodes =
      NodesToLabel(snapshot_->Read(), snapshot_->catalog(), options_.labels);
  for (const std::string& node : nodes) {
    if (!retries_.IsDue(node, timer_->Now())) continue;
    if (!options_.may_write()) break;
    if (LabelOne(node) && !timer_->Wait(options_.pace)) return false;
  }
  retries_.Prune(timer_->Now());
  return true;
}

bool NodeLabeler::LabelOne(const std::string& node) {
  // A list of thousands of nodes takes minutes at this pace, so the node may have pods by now.
  const LabeledNode wanted = Wanted(node);
  if (wanted.labels.empty()) return false;
  const absl::Status status = patcher_->LabelNode(node, wanted.uid, wanted.labels);
  retries_.OnTried(node, timer_->Now());
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kNodeLabel, node, LabelSelectorOf(wanted.labels), status);
  }
  return true;
}

NodeLabeler::LabeledNode NodeLabeler::Wanted(const std::string& node) const {
  const cluster::Snapshot::Reader reader = snapshot_->Read();
  const std::optional<model::NodeIndex> index = reader.Find(node);
  if (!index) return {};
  const model::NodeState& state = *reader.At(*index);
  return {.uid = state.node.uid,
          .labels = WantedLabels(state, snapshot_->catalog(), options_.labels)};
}

}  // namespace berth::controller
