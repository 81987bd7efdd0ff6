#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kube/list_watch.h"
#include "model/pod.h"

namespace berth::controller {

/// Passes what one list-and-watch of the waiting pods says to several handlers, in their order.
class WaitingPods final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// Field selector of the list-and-watch: the pods that wait.
  static constexpr char kSelector[] = "spec.nodeName=,status.phase!=Succeeded,status.phase!=Failed";

  /// The handlers must outlive this.
  explicit WaitingPods(std::vector<kube::ListWatchHandler<model::Pod>*> handlers)
      : handlers_(std::move(handlers)) {}

  void OnReplaceBegin() override {
    for (auto* handler : handlers_) handler->OnReplaceBegin();
  }
  void OnReplaceEnd(const std::string& resource_version) override {
    for (auto* handler : handlers_) handler->OnReplaceEnd(resource_version);
  }
  void OnUpsert(model::Pod pod) override {
    for (auto* handler : handlers_) handler->OnUpsert(pod);
  }
  void OnUnreadable(const kube::UnreadableObject& pod) override {
    for (auto* handler : handlers_) handler->OnUnreadable(pod);
  }
  void OnDelete(model::Pod pod) override {
    for (auto* handler : handlers_) handler->OnDelete(pod);
  }
  void OnHeard(const std::string& resource_version) override {
    for (auto* handler : handlers_) handler->OnHeard(resource_version);
  }

 private:
  const std::vector<kube::ListWatchHandler<model::Pod>*> handlers_;
};

}  // namespace berth::controller
