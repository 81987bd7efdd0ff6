#pragma once

#include <malloc.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "cluster/outage_memory.h"
#include "cluster/snapshot.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::cluster {

/// The part of SnapshotWriter that all kinds share: lists, signs of life, and outages. All
/// functions are called on the thread of the list-and-watch, and those that write block while the
/// snapshot has readers.
template <typename T, Kind kKind>
class KindWriter : public kube::ListWatchHandler<T> {
 public:
  /// Both pointers must outlive the writer. `clock` gives the times for Snapshot::MarkHeard and for
  /// OutageMemory.
  KindWriter(Snapshot* snapshot, const kube::Timer* clock) : snapshot_(snapshot), clock_(clock) {}

  /// Objects that the snapshot has stay until the list ends, so readers never see a partial
  /// cluster.
  void OnReplaceBegin() override { snapshot_->BeginReplace(kKind); }
  /// Removes the objects that were not listed, then returns unused memory to the system.
  void OnReplaceEnd(const std::string& resource_version) override {
    snapshot_->EndReplace(kKind, NumberOf(resource_version));
    snapshot_->MarkHeard(kKind, clock_->Now());
    listed_ = true;
    outages_.OnListed(clock_->Now());
    TellOfOutages();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // A list leaves free memory scattered between what is kept, and nothing needs it soon.
    // Sanitizers bring an allocator of their own; glibc's would crash, because the threads of two
    // lists would initialise it at once.
    ::malloc_trim(0);
#endif
  }
  /// Called after the changes that `resource_version` covers were written.
  void OnHeard(const std::string& resource_version) override {
    const bool in_list = resource_version.empty();
    // What arrives during another list does not make the view complete: if every list broke off,
    // the view would stay as it is for ever. Before the first one ends, there is no view to be old.
    if (!in_list || !listed_) {
      snapshot_->MarkHeard(kKind, clock_->Now(), NumberOf(resource_version));
    }
    // During a list nothing is known that was not known before.
    if (!in_list) outages_.OnHeard(clock_->Now());
    TellOfOutages();
  }
  /// The API server is back, but the view is as old as before: what is missing is yet to come.
  void OnGranted() override {
    outages_.OnHeard(clock_->Now());
    TellOfOutages();
  }
  void OnFailed() override {
    outages_.OnFailed(clock_->Now());
    TellOfOutages();
  }

 protected:
  /// Not owned.
  Snapshot* const snapshot_;

 private:
  // The resource version as a number, or 0 if it is not one. Since Kubernetes 1.35, resource
  // versions of one kind may be compared as decimal numbers, which they have always been (KEP-5504;
  // k8s.io/apimachinery/pkg/util/resourceversion).
  static std::uint64_t NumberOf(const std::string& resource_version) {
    std::uint64_t number = 0;
    return absl::SimpleAtoi(resource_version, &number) ? number : 0;
  }

  // Whenever something happens, which a bookmark does about every minute.
  void TellOfOutages() {
    const auto now = clock_->Now();
    snapshot_->SetOutage(kKind, outages_.IsBehind(now), outages_.EndedLately(now));
  }

  const kube::Timer* const clock_;
  OutageMemory outages_;
  // Whether a list was ever complete.
  bool listed_ = false;
};

/// Writes what a list-and-watch of one kind reports into a snapshot, one object at a time. T is
/// model::Node, model::Pod or model::Service. Belongs to one list-and-watch.
///
///   SnapshotWriter<model::Node> writer(&snapshot, &timer);
///   kube::ListWatch<model::Node> nodes(options, &client, &timer, &writer, observer);
///   nodes.Run();
template <typename T>
class SnapshotWriter;

template <>
class SnapshotWriter<model::Node> final : public KindWriter<model::Node, Kind::kNodes> {
 public:
  using KindWriter::KindWriter;
  void OnUpsert(model::Node node) override { snapshot_->UpsertNode(std::move(node)); }
  void OnUnreadable(const kube::UnreadableObject& node) override {
    snapshot_->QuarantineNode(node);
  }
  void OnDelete(model::Node node) override { snapshot_->DeleteNode(node.name); }
};

template <>
class SnapshotWriter<model::Pod> final : public KindWriter<model::Pod, Kind::kPods> {
 public:
  using KindWriter::KindWriter;
  void OnUpsert(model::Pod pod) override { snapshot_->UpsertPod(pod); }
  void OnUnreadable(const kube::UnreadableObject& pod) override { snapshot_->QuarantinePod(pod); }
  void OnDelete(model::Pod pod) override { snapshot_->DeletePod(pod); }
};

template <>
class SnapshotWriter<model::Service> final : public KindWriter<model::Service, Kind::kServices> {
 public:
  using KindWriter::KindWriter;
  void OnUpsert(model::Service service) override { snapshot_->UpsertService(service); }
  void OnUnreadable(const kube::UnreadableObject& service) override {
    snapshot_->QuarantineService(service);
  }
  void OnDelete(model::Service service) override { snapshot_->DeleteService(service); }
};

}  // namespace berth::cluster
