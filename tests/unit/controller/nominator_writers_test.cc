#include "controller/nominator.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/gang.h"
#include "tests/unit/controller/nominator_fixture.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using policies::scheduling::kV100;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Its Job waits for minutes before it makes evicted pods anew.
TEST_F(NominatorTest, GoesOnWithAnEvictionThatHasEndedHalfWayThoughNoPodWaits) {
  model::Pod pod = OfGang("train-0");
  pod.node_name = "v100-1";
  pod.annotations.emplace_back("berth.dev/gang-eviction",
                               model::GangEvictionText({policies::scheduling::kNow, 2}));
  model::Normalize(pod.annotations);
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {});
  RunFor(nominator, seconds(1));
  snapshot_->UpsertPod(pod);
  RunFor(nominator, planner::EvictionAttempts::kAgain - seconds(1));
  EXPECT_THAT(transport_.requests, IsEmpty());
  RunFor(nominator, seconds(2));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_THAT(transport_.requests[0].target,
              testing::StartsWith("/api/v1/namespaces/" + pod.namespace_ + "/pods?"));
}

/// Bound pods of gangs whose evictions have ended half-way, in the snapshot and as they are listed.
class HalfEvictedGangs : public NominatorTest {
 protected:
  // `more` of its spec, as in R"(,"name":"value")".
  void Add(const std::string& name, const std::string& gang, const std::string& more = "") {
    const std::string says = model::GangEvictionText({policies::scheduling::kNow, 2});
    model::Pod pod = OfGang(name);
    pod.namespace_ = namespace_;
    pod.node_name = "v100-1";
    pod.annotations = {{"berth.dev/gang-eviction", says},
                       {"berth.dev/gang-name", gang},
                       {"berth.dev/gang-size", "2"}};
    snapshot_->UpsertPod(pod);
    items_ += std::string(items_.empty() ? "" : ",") + R"({"metadata":{"namespace":")" +
              namespace_ + R"(","name":")" + name + R"(","uid":")" + pod.uid +
              R"(","creationTimestamp":"2020-01-01T00:00:00Z","annotations":{)" +
              R"("berth.dev/gang-eviction":")" + says + R"(","berth.dev/gang-name":")" + gang +
              R"(","berth.dev/gang-size":"2"}},"spec":{"nodeName":"v100-1")" + more + "}}";
  }
  // The next list has the pods that were added since the last one. The server does not speak
  // protobuf, and does not say whether there are budgets.
  void List() {
    Reply(406);
    transport_.replies.push_back({.body = R"({"metadata":{},"items":[)" + items_ + "]}"});
    Reply(403);
    items_.clear();
  }
  // What was asked for: "list ml", and "train-0" where a pod was evicted.
  std::vector<std::string> Asked() const {
    std::vector<std::string> asked;
    for (const kube::HttpRequest& request : transport_.requests) {
      if (request.target.starts_with("/apis/policy/")) continue;
      const std::string in = request.target.substr(std::string("/api/v1/namespaces/").size());
      const bool lists = in.find("/pods?") != std::string::npos;
      if (lists && request.accept == kube::kProtobufType) continue;
      const std::string pod = lists ? "" : in.substr(in.find("/pods/") + 6);
      asked.push_back(lists ? "list " + in.substr(0, in.find('/')) : pod.substr(0, pod.find('/')));
    }
    return asked;
  }
  void Plan() {
    Nominator nominator = Make(WithGangs());
    Wait(nominator, {});
    RunFor(nominator, seconds(1));
  }

  std::string namespace_ = "ml";
  std::string items_;
};

TEST_F(HalfEvictedGangs, OfOneNamespaceShareAList) {
  for (const char* gang : {"a", "b", "c"}) Add(gang + std::string("-0"), gang);
  List();
  for (int i = 0; i < 3; ++i) Reply(201);
  namespace_ = "other";
  Add("d-0", "d");
  List();
  Reply(201);
  Plan();
  EXPECT_THAT(Asked(), ElementsAre("list ml", "a-0", "b-0", "c-0", "list other", "d-0"));
}

TEST_F(HalfEvictedGangs, GoOnWithoutOneThatCannotBeRead) {
  Add("a-0", "a", R"(,"priority":"high")");
  Add("b-0", "b");
  List();
  Reply(201);
  Plan();
  EXPECT_THAT(Asked(), ElementsAre("list ml", "b-0"));
}

TEST_F(HalfEvictedGangs, AreTriedAgainIfTheyCannotBeListed) {
  for (const char* gang : {"a", "b"}) Add(gang + std::string("-0"), gang);
  Reply(500);
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {});
  RunFor(nominator, planner::EvictionAttempts::kAskAgain - seconds(1));
  EXPECT_THAT(transport_.requests, SizeIs(1));
  List();
  for (int i = 0; i < 2; ++i) Reply(201);
  RunFor(nominator, seconds(2));
  EXPECT_THAT(Asked(), ElementsAre("list ml", "a-0", "b-0"));
}

/// An API server with some pods of a gang. It answers an eviction when there is another one, or
/// nobody else could ask for one.
class SlowEvictions final : public kube::Transport {
 public:
  explicit SlowEvictions(std::string pods) : pods_(std::move(pods)) {}

  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    const bool evicts = request.target.ends_with("/eviction");
    if (evicts) Evict(request.target);
    const absl::Status head =
        sink.OnHead({.status = evicts ? 201 : 200, .content_type = "application/json"});
    return head.ok() ? sink.OnBody(evicts ? "{}" : pods_) : head;
  }
  void Stop() override {}

  std::vector<std::string> AwaitEvicted(std::size_t pods) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(10), [&] { return evicted_.size() == pods; });
    return evicted_;
  }
  std::size_t most_at_once() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  void Evict(const std::string& target) {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++now_);
    changed_.notify_all();
    const bool is_last = target.find("train-last") != std::string::npos;
    if (!is_last) changed_.wait_for(lock, seconds(10), [this] { return most_ > 1; });
    --now_;
    evicted_.push_back(target.substr(target.find("train-")));
    changed_.notify_all();
  }

  const std::string pods_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t now_ = 0;
  std::size_t most_ = 0;
  std::vector<std::string> evicted_;
};

TEST_F(NominatorTest, SeveralWritersEvictGangs) {
  const std::string says = model::GangEvictionText({policies::scheduling::kNow, 4});
  std::string pods;
  for (const std::string gang : {"train", "other"}) {
    model::Pod last = OfGang("train-last-of-" + gang);
    last.node_name = "v100-1";
    last.annotations = {{"berth.dev/gang-eviction", says},
                        {"berth.dev/gang-name", gang},
                        {"berth.dev/gang-size", "4"}};
    snapshot_->UpsertPod(last);
    for (const std::string& name : {"train-0-of-" + gang, "train-1-of-" + gang, last.name}) {
      const std::string eviction =
          name == last.name ? R"(,"berth.dev/gang-eviction":")" + says + '"' : "";
      pods += std::string(pods.empty() ? "" : ",") + R"({"metadata":{"namespace":")" +
              last.namespace_ + R"(","name":")" + name + R"(","uid":")" + name +
              R"(","creationTimestamp":"2020-01-01T00:00:00Z","annotations":{)" +
              R"("berth.dev/gang-name":")" + gang + R"(","berth.dev/gang-size":"4")" + eviction +
              R"(}},"spec":{"nodeName":"v100-1"},"status":{"phase":"Running"}})";
    }
  }
  SlowEvictions server(R"({"metadata":{},"items":[)" + pods + "]}");
  Nominator nominator = Make(WithGangs());
  Wait(nominator, {});
  std::vector<Patcher> patchers(3, Patcher(&server));
  std::vector<std::thread> writers;
  for (Patcher& patcher : patchers) {
    writers.emplace_back([&nominator, &patcher] { nominator.RunWriter(&patcher); });
  }
  time_.end = time_.now + seconds(1);
  nominator.Run();
  const std::vector<std::string> evicted = server.AwaitEvicted(6);
  nominator.Stop();
  for (std::thread& writer : writers) writer.join();
  ASSERT_THAT(evicted, SizeIs(6));
  for (const std::string gang : {"train", "other"}) {
    std::vector<std::string> order;
    for (const std::string& pod : evicted) {
      if (pod.ends_with(gang + "/eviction")) order.push_back(pod);
    }
    ASSERT_THAT(order, SizeIs(3)) << gang;
    EXPECT_EQ(order.back(), "train-last-of-" + gang + "/eviction");
  }
  EXPECT_GT(server.most_at_once(), 1U);
}

/// An API server that answers writes only when so many of them wait for an answer.
class CrowdedServer final : public kube::Transport {
 public:
  explicit CrowdedServer(std::size_t crowd) : crowd_(crowd) {}

  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    std::unique_lock lock(mutex_);
    asked_.push_back(request.target);
    changed_.notify_all();
    const std::size_t all = (asked_.size() + crowd_ - 1) / crowd_ * crowd_;
    const auto are_there = [&] { return asked_.size() >= all; };
    if (!changed_.wait_for(lock, seconds(10), are_there)) return absl::UnavailableError("too few");
    const absl::Status head = sink.OnHead({.status = 200, .content_type = "application/json"});
    return head.ok() ? sink.OnBody("{}") : head;
  }
  void Stop() override {}

  std::vector<std::string> AwaitAsked(std::size_t writes) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(10), [&] { return asked_.size() >= writes; });
    return asked_;
  }

 private:
  const std::size_t crowd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> asked_;
};

TEST_F(NominatorTest, AllWritersNominateAtOnceAndThenTakeGatesAway) {
  constexpr std::size_t kAll = Nominator::kWriters;
  model::Node node = GpuNode("v100-1", kV100, kAll).node;
  node.allocatable.Set("pods", 110);
  snapshot_->UpsertNode(node);
  std::vector<model::Pod> pods;
  for (std::size_t i = 0; i < kAll; ++i) {
    pods.push_back(OfGang("train-" + std::to_string(i)));
    pods.back().annotations[1].second = std::to_string(kAll);
  }
  Nominator nominator = Make(WithGangs());
  Wait(nominator, pods);
  CrowdedServer server(kAll);
  std::vector<Patcher> patchers(kAll, Patcher(&server));
  std::vector<std::thread> writers;
  for (Patcher& patcher : patchers) {
    writers.emplace_back([&nominator, &patcher] { nominator.RunWriter(&patcher); });
  }
  const auto plan = [this, &nominator] {
    time_.end = time_.now + milliseconds(100);
    nominator.Run();
  };
  plan();
  server.AwaitAsked(kAll);
  for (model::Pod& pod : pods) {
    pod.nominated_node = "v100-1";
    pod.annotations.emplace_back("berth.dev/plan", "v100-1");
    nominator.OnUpsert(pod);
  }
  plan();
  const std::vector<std::string> asked = server.AwaitAsked(2 * kAll);
  nominator.Stop();
  for (std::thread& writer : writers) writer.join();
  std::vector<std::string> wanted;
  for (const model::Pod& pod : pods) {
    const std::string target = "/api/v1/namespaces/ml/pods/" + pod.name;
    wanted.insert(wanted.end(), {target, target + "/status"});
  }
  EXPECT_THAT(asked, testing::UnorderedElementsAreArray(wanted));
  EXPECT_THAT(record_.statuses, testing::Each(absl::OkStatus()));
}

/// Grants everything, and does something else in the middle of the first request.
class BusyTransport final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    requests.push_back(request);
    if (meanwhile) std::exchange(meanwhile, nullptr)();
    const absl::Status status = sink.OnHead({.status = 200, .content_type = "application/json"});
    return status.ok() ? sink.OnBody("{}") : status;
  }
  void Stop() override {}

  std::function<void()> meanwhile;
  std::vector<kube::HttpRequest> requests;
};

class TwoWriters : public NominatorTest {
 protected:
  // One writes what is told of a gang that has no room, and what else is planned. The other
  // one writes what it can in the middle of the first request of the first one.
  void Write() {
    Nominator nominator = Make(WithGangs());
    Wait(nominator, LargeGang());
    time_.end = time_.now + seconds(12);
    nominator.Run();
    Patcher patcher(&busy_);
    busy_.meanwhile = [&] { nominator.WriteQueued(&patcher_); };
    nominator.WriteQueued(&patcher);
  }

  BusyTransport busy_;
};

// Otherwise why a gang waits might be written after that it waits no longer.
TEST_F(TwoWriters, LetNothingThatIsToldOvertakeWhatWasToldBefore) {
  Write();
  EXPECT_THAT(transport_.requests, IsEmpty());
  EXPECT_THAT(busy_.requests, SizeIs(3));
}

// Of a large gang it would take the API server as long as an eviction.
TEST_F(TwoWriters, TellLittleWhileOneEvicts) {
  model::Pod pod = OfGang("other-0");
  pod.node_name = "v100-1";
  pod.annotations = {
      {"berth.dev/gang-eviction", model::GangEvictionText({policies::scheduling::kNow, 2})},
      {"berth.dev/gang-name", "other"},
      {"berth.dev/gang-size", "2"}};
  snapshot_->UpsertPod(pod);
  for (int i = 0; i < 3; ++i) Reply(200);
  Write();
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_THAT(transport_.requests[0].body, testing::HasSubstr("train"));
  EXPECT_THAT(busy_.requests.front().target, testing::StartsWith("/api/v1/namespaces/ml/pods?"))
      << "the other one writes while the pods of the gang that is evicted are listed";
}

}  // namespace
}  // namespace berth::controller
