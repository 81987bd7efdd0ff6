#include "board/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "cluster/feed.h"
#include "cluster/snapshot_writer.h"
#include "kube/http_client.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "kube/watch_rights.h"

namespace berth::board {

namespace {

constexpr char kLivingPods[] = "status.phase!=Succeeded,status.phase!=Failed";

std::string PodsPath(const std::string& namespace_name) {
  if (namespace_name.empty()) return "/api/v1/pods";
  return fmt::format("/api/v1/namespaces/{}/pods", namespace_name);
}

std::vector<kube::Grant> GrantsFor(std::string_view resource) {
  std::vector<kube::Grant> grants;
  for (const kube::Permission& permission : cluster::kFeedPermissions) {
    if (permission.resource == resource) grants.push_back({permission, {}});
  }
  return grants;
}

}  // namespace

std::vector<kube::Grant> NodeGrants() { return GrantsFor("nodes"); }
std::vector<kube::Grant> PodGrants() { return GrantsFor("pods"); }

absl::Status CheckRights(kube::Transport& transport, const std::string& namespace_name) {
  const absl::Status nodes = kube::CheckListAndWatch(
      transport, {.who = "the board", .resource = "nodes", .path = "/api/v1/nodes"});
  if (!nodes.ok()) return nodes;
  return kube::CheckListAndWatch(
      transport,
      {.who = "the board",
       .resource = "pods",
       .path = PodsPath(namespace_name),
       .namespace_name = namespace_name,
       .otherwise = namespace_name.empty() ? "show the pods of one namespace with -n" : ""});
}

/// What went wrong last, of nodes and of pods, and when the API server was heard of.
class Feed::Troubles {
 public:
  enum Kind { kNodes, kPods };

  explicit Troubles(std::function<model::Time()> now) : now_(std::move(now)) {}

  void OnError(Kind kind, const absl::Status& error) {
    const std::lock_guard lock(mutex_);
    errors_[kind] = error;
  }
  // It answers, with a part of a list.
  void OnAnswer(Kind kind) { OnError(kind, absl::OkStatus()); }
  // Everything up to now is known.
  void OnHeard(Kind kind) {
    const std::lock_guard lock(mutex_);
    errors_[kind] = absl::OkStatus();
    heard_[kind] = now_();
  }

  absl::Status Get() const {
    const std::lock_guard lock(mutex_);
    for (const absl::Status& error : errors_) {
      if (!error.ok()) return error;
    }
    const auto heard = HeardOfBoth();
    if (!heard || now_() - *heard <= kSilence) return absl::OkStatus();
    return absl::UnavailableError("nothing was heard of the API server meanwhile");
  }
  std::optional<model::Time> Heard() const {
    const std::lock_guard lock(mutex_);
    return HeardOfBoth();
  }

 private:
  std::optional<model::Time> HeardOfBoth() const { return std::min(heard_[kNodes], heard_[kPods]); }

  const std::function<model::Time()> now_;
  mutable std::mutex mutex_;
  std::array<absl::Status, 2> errors_;
  std::array<std::optional<model::Time>, 2> heard_;
};

/// Writes what a list-and-watch reports into the snapshot, where bound pods count, and the pods
/// into the board's table.
template <typename T>
class Feed::Handler final : public kube::ListWatchHandler<T> {
 public:
  Handler(cluster::Snapshot* snapshot, const kube::Timer* clock, SharedPods* pods,
          Troubles* troubles, Troubles::Kind kind)
      : writer_(snapshot, clock), pods_(pods), troubles_(troubles), kind_(kind) {}

  void OnReplaceBegin() override {
    writer_.OnReplaceBegin();
    if constexpr (kArePods) pods_->Change([](PodTable& table) { table.BeginReplace(); });
  }
  void OnReplaceEnd(const std::string& version) override {
    writer_.OnReplaceEnd(version);
    troubles_->OnHeard(kind_);
    pods_->Change([](PodTable& table) {
      if constexpr (kArePods) table.EndReplace();
    });
  }
  void OnUpsert(T object) override {
    writer_.OnUpsert(object);
    pods_->Change([&](PodTable& table) {
      if constexpr (kArePods) table.Upsert(std::move(object));
    });
  }
  void OnUnreadable(const kube::UnreadableObject& object) override {
    writer_.OnUnreadable(object);
    pods_->Change([&](PodTable& table) {
      if constexpr (kArePods) table.Keep(object.namespace_, object.name);
    });
  }
  void OnDelete(T object) override {
    writer_.OnDelete(object);
    pods_->Change([&](PodTable& table) {
      if constexpr (kArePods) table.Delete(object);
    });
  }
  void OnHeard(const std::string& version) override {
    writer_.OnHeard(version);
    version.empty() ? troubles_->OnAnswer(kind_) : troubles_->OnHeard(kind_);
  }
  void OnGranted() override {
    writer_.OnGranted();
    troubles_->OnHeard(kind_);
  }
  void OnFailed() override { writer_.OnFailed(); }

 private:
  static constexpr bool kArePods = std::is_same_v<T, model::Pod>;

  cluster::SnapshotWriter<T> writer_;
  SharedPods* const pods_;
  Troubles* const troubles_;
  const Troubles::Kind kind_;
};

/// One list-and-watch with the thread that runs it.
template <typename T>
class Feed::Channel final : public kube::ListWatchObserver {
 public:
  Channel(const Options& options, kube::ListWatchOptions list_watch, cluster::Snapshot* snapshot,
          SharedPods* pods, Troubles* troubles, Troubles::Kind kind)
      : client_(options.api),
        handler_(snapshot, &timer_, pods, troubles, kind),
        list_watch_(std::move(list_watch), &client_, &timer_, &handler_, this),
        troubles_(troubles),
        kind_(kind) {}

  void Start() {
    thread_ = std::thread([this] { list_watch_.Run(); });
  }
  void Stop() { list_watch_.Stop(); }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

  void OnListed(std::size_t /*items*/) override {}
  void OnWatchEnd(kube::WatchEnd /*end*/) override {}
  void OnUnreadable(const kube::UnreadableObject& /*object*/) override {}
  void OnError(const absl::Status& error) override { troubles_->OnError(kind_, error); }
  void OnBackoff(std::chrono::milliseconds /*wait*/) override {}

 private:
  kube::HttpClient client_;
  kube::SteadyTimer timer_;
  Handler<T> handler_;
  kube::ListWatch<T> list_watch_;
  Troubles* const troubles_;
  const Troubles::Kind kind_;
  std::thread thread_;
};

Feed::Feed(const Options& options, cluster::Snapshot* snapshot, SharedPods* pods)
    : troubles_(std::make_unique<Troubles>(options.now)),
      nodes_(std::make_unique<Channel<model::Node>>(
          options, kube::ListWatchOptions{.path = "/api/v1/nodes", .seed = options.seed}, snapshot,
          pods, troubles_.get(), Troubles::kNodes)),
      pods_(std::make_unique<Channel<model::Pod>>(
          options,
          kube::ListWatchOptions{.path = PodsPath(options.namespace_name),
                                 .field_selector = kLivingPods,
                                 .seed = options.seed + 1},
          snapshot, pods, troubles_.get(), Troubles::kPods)) {}

Feed::~Feed() { Stop(); }

void Feed::Start() {
  nodes_->Start();
  pods_->Start();
}

void Feed::Stop() {
  nodes_->Stop();
  pods_->Stop();
  nodes_->Join();
  pods_->Join();
}

absl::Status Feed::Trouble() const { return troubles_->Get(); }

std::optional<model::Time> Feed::Heard() const { return troubles_->Heard(); }

}  // namespace berth::board
