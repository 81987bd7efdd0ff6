#include "server/broker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace berth::server {
namespace {

using Words = Broker<std::string>;
using Watcher = Words::Watcher;

std::shared_ptr<Watcher> Watch(Words& broker, std::atomic<int>* wakes = nullptr) {
  auto watcher = broker.Watch([wakes] {
    if (wakes != nullptr) ++*wakes;
  });
  EXPECT_TRUE(watcher.ok()) << watcher.status();
  return watcher.ok() ? *watcher : nullptr;
}

// What is there, in order; "lost N" before an item that others were lost before.
std::vector<std::string> TakeAll(Watcher& watcher) {
  std::vector<std::string> taken;
  while (auto told = watcher.Take()) {
    if (told->lost > 0) taken.push_back("lost " + std::to_string(told->lost));
    taken.push_back(told->item);
  }
  return taken;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Broker, WantsItemsOnlyWhileSomebodyWatches) {
  Words broker;
  EXPECT_FALSE(broker.Wants());
  auto watcher = Watch(broker);
  EXPECT_TRUE(broker.Wants());
  watcher.reset();
  EXPECT_FALSE(broker.Wants());
}

TEST(Broker, TellsEveryWatcherEverythingFromThenOn) {
  Words broker;
  std::atomic<int> wakes = 0;
  const auto first = Watch(broker, &wakes);
  broker.Publish("a");
  const auto second = Watch(broker);
  broker.Publish("b");
  EXPECT_EQ(wakes, 2);
  EXPECT_THAT(TakeAll(*first), ElementsAre("a", "b"));
  EXPECT_THAT(TakeAll(*second), ElementsAre("b"));
  EXPECT_THAT(TakeAll(*second), IsEmpty());
}

TEST(Broker, SlowWatcherLosesTheOldestAndIsToldHowMany) {
  Words broker({.max_watchers = 2, .max_queued = 2});
  const auto slow = Watch(broker);
  const auto quick = Watch(broker);
  std::vector<std::string> heard;
  for (const char* pod : {"a", "b", "c", "d", "e"}) {
    broker.Publish(pod);
    for (std::string& each : TakeAll(*quick)) heard.push_back(std::move(each));
  }
  EXPECT_THAT(heard, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(TakeAll(*slow), ElementsAre("lost 3", "d", "e"));
  broker.Publish("f");
  EXPECT_THAT(TakeAll(*slow), ElementsAre("f"));
}

TEST(Broker, RefusesMoreWatchersThanItMayHave) {
  Words broker({.max_watchers = 1, .max_queued = 2});
  auto first = Watch(broker);
  EXPECT_TRUE(absl::IsResourceExhausted(broker.Watch([] {}).status()));
  first.reset();
  EXPECT_TRUE(broker.Watch([] {}).ok());
}

TEST(Broker, ClosingTellsThoseWhoWatchAndTurnsOthersAway) {
  Words broker;
  std::atomic<int> wakes = 0;
  const auto watcher = Watch(broker, &wakes);
  broker.Publish("last");
  EXPECT_TRUE(watcher->End().ok());
  broker.Close();
  EXPECT_EQ(wakes, 2);
  EXPECT_TRUE(absl::IsUnavailable(watcher->End()));
  EXPECT_THAT(TakeAll(*watcher), ElementsAre("last"));
  EXPECT_TRUE(absl::IsUnavailable(broker.Watch([] {}).status()));
}

TEST(Broker, EndedWatchesSayWhyAndMakeRoomForOthers) {
  Words broker({.max_watchers = 1, .max_queued = 2});
  std::atomic<int> wakes = 0;
  const auto watcher = Watch(broker, &wakes);
  broker.EndWatches(absl::UnavailableError("another one leads"));
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(watcher->End().message(), "another one leads");
  EXPECT_FALSE(broker.Wants());
  const auto next = Watch(broker);
  broker.Publish("a");
  EXPECT_THAT(TakeAll(*watcher), IsEmpty());
  EXPECT_THAT(TakeAll(*next), ElementsAre("a"));
}

// Nothing is told twice, and what is lost is counted exactly, whoever comes and goes meanwhile.
TEST(Broker, LosesNothingUncountedBetweenThreads) {
  constexpr int kThreads = 2;
  constexpr int kEach = 2000;
  Words broker({.max_watchers = 2, .max_queued = 16});
  const auto watcher = Watch(broker);
  std::vector<std::thread> tellers;
  for (int i = 0; i < kThreads; ++i) {
    tellers.emplace_back([&broker] {
      for (int n = 0; n < kEach; ++n) {
        if (broker.Wants()) broker.Publish("pod");
        if (n % 100 == 0) (void)broker.Watch([] {});
      }
    });
  }
  std::uint64_t counted = 0;
  const auto take = [&] {
    while (auto told = watcher->Take()) counted += 1 + told->lost;
  };
  while (counted < kThreads * kEach / 2) take();
  for (std::thread& teller : tellers) teller.join();
  take();
  EXPECT_EQ(counted, std::uint64_t{kThreads} * kEach);
}

}  // namespace
}  // namespace berth::server
