#pragma once

#include <functional>
#include <string>
#include <utility>

#include "cluster/snapshot.h"
#include "cluster/snapshot_writer.h"
#include "kube/list_watch.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/object_store.h"
#include "tests/simulation/sabotage.h"
#include "tests/simulation/trace.h"

namespace berth::simulation {

/// Stands between a list-and-watch and what writes its words into the snapshot: says when the
/// snapshot is whole, and loses what a sabotage is to lose.
template <typename T>
class Tap final : public kube::ListWatchHandler<T> {
 public:
  /// `told` is called when a list-and-watch has said something, and the snapshot has it.
  Tap(cluster::Snapshot* snapshot, const kube::Timer* clock, Sabotage sabotage, Chance* chance,
      Trace* trace, std::function<void()> told)
      : snapshot_(snapshot),
        writer_(snapshot, clock),
        sabotage_(sabotage),
        chance_(chance),
        trace_(trace),
        told_(std::move(told)) {}

  /// Whether it was listed to the end, and no other list has begun since.
  bool whole() const { return whole_; }

  void OnReplaceBegin() override {
    trace_->Write("  a list begins");
    whole_ = false;
    if (sabotage_ != Sabotage::kForgetsReplace) writer_.OnReplaceBegin();
  }
  void OnReplaceEnd(const std::string& version) override {
    trace_->Write("  a list ends at {}", version);
    writer_.OnReplaceEnd(version);
    whole_ = true;
  }
  void OnUpsert(T object) override {
    const std::string key = KeyOf(object);
    trace_->Write("  + {}", key);
    if (sabotage_ == Sabotage::kDropsUpserts && chance_->Percent(5)) return;
    writer_.OnUpsert(std::move(object));
    if (sabotage_ == Sabotage::kLeaks) Leak();
  }
  void OnUnreadable(const kube::UnreadableObject& object) override {
    trace_->Write("  ? {}", kube::FullNameOf(object));
    if (sabotage_ != Sabotage::kTrustsUnreadable) writer_.OnUnreadable(object);
  }
  void OnDelete(T object) override {
    trace_->Write("  - {}", KeyOf(object));
    if (sabotage_ == Sabotage::kDropsDeletes && chance_->Percent(33)) return;
    writer_.OnDelete(std::move(object));
  }
  void OnHeard(const std::string& version) override {
    const bool ahead = sabotage_ == Sabotage::kRunsAhead && !version.empty();
    writer_.OnHeard(ahead ? std::to_string(std::stoull(version) + 1) : version);
    told_();
  }
  void OnGranted() override {
    writer_.OnGranted();
    told_();
  }
  void OnFailed() override { writer_.OnFailed(); }

 private:
  void Leak() {
    model::Pod ghost{.namespace_ = "ghosts", .name = std::string(100, 'g')};
    ghost.name += std::to_string(leaked_++);
    ghost.node_name = ghost.name;
    ghost.requests.Set("nvidia.com/gpu", 1);
    snapshot_->UpsertPod(ghost);
  }

  cluster::Snapshot* const snapshot_;
  cluster::SnapshotWriter<T> writer_;
  const Sabotage sabotage_;
  Chance* const chance_;
  Trace* const trace_;
  const std::function<void()> told_;
  bool whole_ = false;
  int leaked_ = 0;
};

}  // namespace berth::simulation
