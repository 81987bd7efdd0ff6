#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/snapshot.h"
#include "controller/node_label.h"
#include "controller/patcher.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/timer.h"

namespace berth::controller {

/// Keeps the labels of all nodes as WantedLabels() returns them, one node after the other. A write
/// is not repeated before its effect had time to arrive: after a write, successful or not, the node
/// is tried again after 2 s if the snapshot still lacks the labels, and then after waits that
/// double up to 5 min.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class NodeLabeler {
 public:
  /// Which labels to write, and how fast.
  struct Options {
    NodeLabelNames labels;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// From one write to the next: 20 a second.
    std::chrono::milliseconds pace{50};
    /// From one look at the snapshot to the next while there is nothing to do.
    std::chrono::milliseconds interval{250};
  };

  /// The snapshot must keep these labels and the UIDs of nodes. The UID distinguishes a node from
  /// another one that takes its name while a write is under way. Everything must outlive this.
  NodeLabeler(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
              kube::Timer* timer, WriteObserver* observer);

  /// Writes labels while this controller leads and the snapshot is synced. Returns when the timer
  /// is stopped. Each write is reported to `observer`, on this thread.
  void Run();

 private:
  // Labels all nodes that need it. Returns false if the timer was stopped meanwhile.
  bool Pass();
  // Labels one node, unless it needs no label any more. Returns whether a write was tried.
  bool LabelOne(const std::string& node);
  // A node and what to write to it.
  struct LabeledNode {
    // The node of this UID only.
    std::string uid;
    // Empty: nothing.
    model::StringMap labels;
  };
  // Returns what the node of that name needs now; no labels if it is gone.
  LabeledNode Wanted(const std::string& node) const;

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  // The keys are names of nodes.
  Retries retries_;
};

}  // namespace berth::controller
