#include "cluster/feed.h"

#include <malloc.h>

#include <string>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "kube/list_watch.h"
#include "kube/waiter.h"

namespace berth::cluster {
namespace {

/// Since Kubernetes 1.35 resource versions of one kind may be compared, as the decimal numbers that
/// they have always been (KEP-5504; k8s.io/apimachinery/pkg/util/resourceversion). 0: it is none.
std::uint64_t NumberOf(const std::string& resource_version) {
  std::uint64_t number = 0;
  return absl::SimpleAtoi(resource_version, &number) ? number : 0;
}

/// Writes one kind into the snapshot.
template <typename T, Kind kKind>
class Writer : public kube::ListWatchHandler<T> {
 public:
  explicit Writer(Snapshot* snapshot) : snapshot_(snapshot) {}

  void OnReplaceBegin() override { snapshot_->BeginReplace(kKind); }
  void OnReplaceEnd(const std::string& resource_version) override {
    snapshot_->EndReplace(kKind, NumberOf(resource_version));
    // A list leaves free memory in pieces between what is kept, which nobody needs soon.
    ::malloc_trim(0);
  }
  void OnHeard(const std::string& resource_version) override {
    snapshot_->MarkHeard(kKind, Snapshot::Clock::now(), NumberOf(resource_version));
  }

 protected:
  Snapshot* const snapshot_;
};

template <typename T>
class SnapshotWriter;

template <>
class SnapshotWriter<model::Node> final : public Writer<model::Node, Kind::kNodes> {
 public:
  using Writer::Writer;
  void OnUpsert(model::Node node) override { snapshot_->UpsertNode(std::move(node)); }
  void OnUnreadable(const kube::UnreadableObject& node) override {
    snapshot_->QuarantineNode(node);
  }
  void OnDelete(model::Node node) override { snapshot_->DeleteNode(node.name); }
};

template <>
class SnapshotWriter<model::Pod> final : public Writer<model::Pod, Kind::kPods> {
 public:
  using Writer::Writer;
  void OnUpsert(model::Pod pod) override { snapshot_->UpsertPod(pod); }
  void OnUnreadable(const kube::UnreadableObject& pod) override { snapshot_->QuarantinePod(pod); }
  void OnDelete(model::Pod pod) override { snapshot_->DeletePod(pod); }
};

template <>
class SnapshotWriter<model::Service> final : public Writer<model::Service, Kind::kServices> {
 public:
  using Writer::Writer;
  void OnUpsert(model::Service service) override { snapshot_->UpsertService(service); }
  void OnUnreadable(const kube::UnreadableObject& service) override {
    snapshot_->QuarantineService(service);
  }
  void OnDelete(model::Service service) override { snapshot_->DeleteService(service); }
};

kube::ListWatchOptions ListWatchOptionsOf(const Feed::Options& options, std::string path,
                                          std::string field_selector) {
  return {.path = std::move(path),
          .field_selector = std::move(field_selector),
          .page_size = options.page_size,
          .stall = options.stall,
          .watch_list = options.watch_list,
          .seed = options.seed};
}

}  // namespace

/// One list-and-watch and its thread.
template <typename T>
class Feed::Channel {
 public:
  Channel(const Options& options, kube::ListWatchOptions list_watch, Snapshot* snapshot,
          kube::ListWatchObserver* observer)
      : client_(options.api, options.timeouts),
        writer_(snapshot),
        list_watch_(std::move(list_watch), &client_, &waiter_, &writer_, observer) {}

  void Start() {
    thread_ = std::thread([this] { list_watch_.Run(); });
  }

  /// Two steps, so that all channels end at the same time.
  void Stop() { list_watch_.Stop(); }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  kube::HttpClient client_;
  kube::RealWaiter waiter_;
  SnapshotWriter<T> writer_;
  kube::ListWatch<T> list_watch_;
  std::thread thread_;
};

Feed::Feed(Options options, Snapshot* snapshot, kube::ListWatchObserver* nodes,
           kube::ListWatchObserver* pods, kube::ListWatchObserver* services)
    : nodes_(std::make_unique<Channel<model::Node>>(
          options, ListWatchOptionsOf(options, "/api/v1/nodes", ""), snapshot, nodes)),
      pods_(std::make_unique<Channel<model::Pod>>(
          options, ListWatchOptionsOf(options, "/api/v1/pods", kPodSelector), snapshot, pods)) {
  if (services == nullptr) return;
  services_ = std::make_unique<Channel<model::Service>>(
      options, ListWatchOptionsOf(options, "/api/v1/services", ""), snapshot, services);
}

Feed::~Feed() { Stop(); }

void Feed::Start() {
  nodes_->Start();
  pods_->Start();
  if (services_ != nullptr) services_->Start();
}

void Feed::Stop() {
  nodes_->Stop();
  pods_->Stop();
  if (services_ != nullptr) services_->Stop();
  nodes_->Join();
  pods_->Join();
  if (services_ != nullptr) services_->Join();
}

}  // namespace berth::cluster
