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

/// Keeps the labels of all nodes as WantedLabels() has them, one node after the other. Run() on one
/// thread; it ends when the timer is stopped.
class NodeLabeler {
 public:
  struct Options {
    NodeLabelNames labels;
    /// Asked right before each write.
    std::function<bool()> may_write;
    /// Between two writes: 20 a second.
    std::chrono::milliseconds pace{50};
    /// Between two looks at the snapshot while nothing is to do.
    std::chrono::milliseconds interval{250};
  };

  /// Everything must outlive this. The snapshot keeps the labels, and the UIDs of nodes: a node
  /// that comes in place of another one, while a write is on its way, does not get the other's
  /// labels.
  NodeLabeler(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
              kube::Timer* timer, WriteObserver* observer);

  void Run();

 private:
  bool Pass();
  bool LabelOne(const std::string& node);
  struct LabeledNode {
    std::string uid;
    /// Those that are to be written.
    model::StringMap labels;
  };
  LabeledNode Wanted(const std::string& node) const;

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  Retries retries_;
};

}  // namespace berth::controller
