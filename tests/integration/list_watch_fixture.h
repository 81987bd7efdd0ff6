#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/feed.h"
#include "cluster/snapshot.h"
#include "gtest/gtest.h"
#include "tests/integration/fake_apiserver.h"

namespace berth::cluster {

using berth::tests::FakeApiServer;
using berth::tests::FakeFault;
using berth::tests::FakeRequest;
using FaultKind = FakeFault::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr char kGpu[] = "nvidia.com/gpu";

inline model::Node MakeNode(const std::string& name, std::int64_t gpus = 8) {
  model::Node node;
  node.name = name;
  node.capacity.Set(kGpu, gpus);
  node.allocatable.Set(kGpu, gpus);
  return node;
}

inline model::Pod MakePod(const std::string& name, const std::string& node, std::int64_t gpus = 1) {
  model::Pod pod;
  pod.namespace_ = "ml";
  pod.name = name;
  pod.uid = name + "-uid";
  pod.node_name = node;
  pod.requests.Set(kGpu, gpus);
  return pod;
}

/// Keeps what it is told.
class Record final : public kube::ListWatchObserver {
 public:
  void OnListed(std::size_t items) override {
    const std::lock_guard guard(mutex_);
    listed_.push_back(items);
  }
  void OnWatchEnd(kube::WatchEnd end) override {
    const std::lock_guard guard(mutex_);
    ++ends_[end];
  }
  void OnUnreadable(const kube::UnreadableObject& object) override {
    const std::lock_guard guard(mutex_);
    unreadable_.push_back(object);
  }
  void OnError(const absl::Status& error) override {
    const std::lock_guard guard(mutex_);
    errors_.emplace_back(error.message());
  }
  void OnBackoff(milliseconds wait) override {
    const std::lock_guard guard(mutex_);
    waits_.push_back(wait);
  }

  /// A list that the snapshot shows may not be here yet; one before a change that it shows is.
  std::vector<std::size_t> listed() const { return Copy(listed_); }
  std::vector<std::string> errors() const { return Copy(errors_); }
  std::vector<milliseconds> waits() const { return Copy(waits_); }
  std::vector<kube::UnreadableObject> unreadable() const { return Copy(unreadable_); }
  int Ends(kube::WatchEnd end) const {
    const auto ends = Copy(ends_);
    const auto found = ends.find(end);
    return found == ends.end() ? 0 : found->second;
  }

 private:
  template <typename T>
  T Copy(const T& value) const {
    const std::lock_guard guard(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::vector<std::size_t> listed_;
  std::map<kube::WatchEnd, int> ends_;
  std::vector<std::string> errors_;
  std::vector<milliseconds> waits_;
  std::vector<kube::UnreadableObject> unreadable_;
};

inline bool Await(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

/// What a snapshot has: "<node>=<devices in use>/<devices>" by name.
using Contents = std::map<std::string, std::string>;

inline std::string Text(std::int64_t used, std::int64_t all) {
  return std::to_string(used) + "/" + std::to_string(all);
}

class ListWatchTest : public ::testing::Test {
 protected:
  void StartServer(FakeApiServer::Options options = {}) {
    server_ = std::make_unique<FakeApiServer>(std::move(options));
    for (int i = 0; i < 5; ++i) server_->Put(MakeNode("n" + std::to_string(i)));
    for (int i = 0; i < 5; ++i) server_->Put(MakePod("p" + std::to_string(i), "n0"));
  }

  void StartFeed() { StartFeed(server_->Config()); }
  void StartFeed(kube::ApiConfig config) {
    Feed::Options options;
    options.api = std::move(config);
    options.page_size = 2;
    options.watch_list = watch_list_;
    options.stall = stall_;
    options.timeouts = timeouts_;
    feed_ = std::make_unique<Feed>(
        std::move(options), &snapshot_, &nodes_, &pods_, follow_services_ ? &services_ : nullptr,
        follow_nominated_ ? NominatedFeed{&nominated_pods_, &nominated_} : NominatedFeed{});
    feed_->Start();
  }

  void StartBoth() {
    StartServer();
    StartFeed();
    ASSERT_TRUE(AwaitWatches());
  }

  bool AwaitWatches() {
    return server_->AwaitCount(FakeRequest::kWatchNodes, 1) &&
           server_->AwaitCount(FakeRequest::kWatchPods, 1);
  }

  Contents Have() const {
    Contents contents;
    const Snapshot::Reader reader = snapshot_.Read();
    for (model::NodeIndex i = 0; i < reader.EndIndex(); ++i) {
      const model::NodeState* state = reader.At(i);
      if (state == nullptr) continue;
      contents[state->node.name] = Text(state->used.Get(kGpu), state->node.allocatable.Get(kGpu));
    }
    return contents;
  }

  /// Waits until the snapshot has exactly this.
  void ExpectContents(const Contents& want) {
    EXPECT_TRUE(Await([&] { return Have() == want; }));
    EXPECT_EQ(Have(), want);
  }

  /// As StartServer() makes it.
  static Contents AtFirst() {
    return {{"n0", "5/8"}, {"n1", "0/8"}, {"n2", "0/8"}, {"n3", "0/8"}, {"n4", "0/8"}};
  }

  /// Changes of every kind come through: the feed is alive.
  void ExpectAlive() {
    server_->Put(MakeNode("new", 4));
    server_->Put(MakePod("new", "new", 3));
    EXPECT_TRUE(Await([&] { return Have()["new"] == "3/4"; })) << Have()["new"];
    model::Pod done = MakePod("p0", "n0");
    done.terminated = true;
    server_->Put(done);
    server_->Delete(MakePod("p1", "n0"));
    server_->Delete(MakeNode("n4"));
    ExpectContents({{"n0", "3/8"}, {"n1", "0/8"}, {"n2", "0/8"}, {"n3", "0/8"}, {"new", "3/4"}});
  }

  void ExpectStopsPromptly() {
    const auto begin = std::chrono::steady_clock::now();
    feed_->Stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(1));
  }

  bool watch_list_ = false;
  bool follow_services_ = false;
  bool follow_nominated_ = false;
  milliseconds stall_ = std::chrono::minutes(3);
  kube::HttpTimeouts timeouts_;
  Snapshot snapshot_{{.catalog = std::make_shared<const model::AcceleratorCatalog>(
                          *model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults())),
                      .labels = {}}};
  NominatedPods nominated_pods_{snapshot_.shared_catalog()};
  Record nodes_;
  Record pods_;
  Record services_;
  Record nominated_;
  std::unique_ptr<FakeApiServer> server_;
  std::unique_ptr<Feed> feed_;
};

}  // namespace berth::cluster
