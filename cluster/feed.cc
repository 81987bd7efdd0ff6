#include "cluster/feed.h"

#include <string>
#include <thread>
#include <utility>

#include "cluster/snapshot_writer.h"
#include "kube/list_watch.h"
#include "kube/timer.h"

namespace berth::cluster {
namespace {

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

/// One list-and-watch with the thread that runs it.
template <typename T>
class Feed::Channel {
 public:
  /// Writes what it hears into `snapshot`.
  Channel(const Options& options, kube::ListWatchOptions list_watch, Snapshot* snapshot,
          kube::ListWatchObserver* observer)
      : client_(options.api, options.timeouts),
        writer_(std::make_unique<SnapshotWriter<T>>(snapshot, &timer_)),
        list_watch_(std::move(list_watch), &client_, &timer_, writer_.get(), observer) {}

  /// Tells `handler`, which must outlive the channel.
  Channel(const Options& options, kube::ListWatchOptions list_watch,
          kube::ListWatchHandler<T>* handler, kube::ListWatchObserver* observer)
      : client_(options.api, options.timeouts),
        list_watch_(std::move(list_watch), &client_, &timer_, handler, observer) {}

  void Start() {
    thread_ = std::thread([this] { list_watch_.Run(); });
  }

  /// Stopping and joining are separate, so that all channels stop at the same time.
  void Stop() { list_watch_.Stop(); }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  kube::HttpClient client_;
  kube::SteadyTimer timer_;
  const std::unique_ptr<SnapshotWriter<T>> writer_;  // null: somebody else is told
  kube::ListWatch<T> list_watch_;
  std::thread thread_;
};

Feed::Feed(const Options& options, Snapshot* snapshot, kube::ListWatchObserver* nodes,
           kube::ListWatchObserver* pods, kube::ListWatchObserver* services,
           NominatedFeed nominated)
    : nodes_(std::make_unique<Channel<model::Node>>(
          options, ListWatchOptionsOf(options, "/api/v1/nodes", ""), snapshot, nodes)),
      pods_(std::make_unique<Channel<model::Pod>>(
          options, ListWatchOptionsOf(options, "/api/v1/pods", kPodSelector), snapshot, pods)) {
  if (services != nullptr) {
    services_ = std::make_unique<Channel<model::Service>>(
        options, ListWatchOptionsOf(options, "/api/v1/services", ""), snapshot, services);
  }
  if (nominated.pods != nullptr) {
    nominated_ = std::make_unique<Channel<model::Pod>>(
        options, ListWatchOptionsOf(options, "/api/v1/pods", NominatedPods::kPodSelector),
        nominated.pods, nominated.observer);
  }
}

Feed::~Feed() { Stop(); }

void Feed::Start() {
  nodes_->Start();
  pods_->Start();
  if (services_ != nullptr) services_->Start();
  if (nominated_ != nullptr) nominated_->Start();
}

void Feed::Stop() {
  nodes_->Stop();
  pods_->Stop();
  if (services_ != nullptr) services_->Stop();
  if (nominated_ != nullptr) nominated_->Stop();
  nodes_->Join();
  pods_->Join();
  if (services_ != nullptr) services_->Join();
  if (nominated_ != nullptr) nominated_->Join();
}

}  // namespace berth::cluster
