#pragma once

#include <malloc.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "cluster/snapshot.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::cluster {

/// Writes what a list-and-watch of one kind tells into the snapshot.
template <typename T, Kind kKind>
class KindWriter : public kube::ListWatchHandler<T> {
 public:
  /// Both must outlive this; `clock` says when something was heard.
  KindWriter(Snapshot* snapshot, const kube::Timer* clock) : snapshot_(snapshot), clock_(clock) {}

  void OnReplaceBegin() override { snapshot_->BeginReplace(kKind); }
  void OnReplaceEnd(const std::string& resource_version) override {
    snapshot_->EndReplace(kKind, NumberOf(resource_version));
    // A list leaves free memory in pieces between what is kept, which nobody needs soon.
    ::malloc_trim(0);
  }
  void OnHeard(const std::string& resource_version) override {
    snapshot_->MarkHeard(kKind, clock_->Now(), NumberOf(resource_version));
  }

 protected:
  Snapshot* const snapshot_;

 private:
  // Since Kubernetes 1.35 resource versions of one kind may be compared, as the decimal numbers
  // that they have always been (KEP-5504; k8s.io/apimachinery/pkg/util/resourceversion). 0: it is
  // none.
  static std::uint64_t NumberOf(const std::string& resource_version) {
    std::uint64_t number = 0;
    return absl::SimpleAtoi(resource_version, &number) ? number : 0;
  }

  const kube::Timer* const clock_;
};

/// T is model::Node, model::Pod or model::Service.
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
