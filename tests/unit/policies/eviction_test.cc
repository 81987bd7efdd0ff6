#include "policies/fit/eviction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "policies/fit/fit.h"

namespace berth::policies::fit {
namespace {

constexpr char kDevices[] = "nvidia.com/gpu";

std::int64_t SumOf(std::initializer_list<std::int64_t> priorities) {
  std::int64_t sum = 0;
  for (const std::int64_t priority : priorities) sum += priority + (std::int64_t{1} << 31);
  return sum;
}

// A node of eight devices.
class JudgeEvictionTest : public ::testing::Test {
 protected:
  JudgeEvictionTest() {
    node_.node.allocatable.Set(kDevices, 8);
    node_.node.allocatable.Set("pods", 4);
  }

  void Bind(std::int64_t devices, std::int32_t priority, std::vector<model::HostPort> ports = {}) {
    const model::Pod pod = Asking(devices, priority, ports);
    model::Demand demand{.pods = 1, .ports = ports, .priority = priority};
    if (devices > 0) demand.resources.Set(kDevices, devices);
    Book(pod, node_);
    node_.bound.push_back(&demands_.emplace_back(std::move(demand)));
  }

  static model::Pod Asking(std::int64_t devices, std::int32_t priority,
                           std::vector<model::HostPort> ports = {}) {
    model::Pod pod{.host_ports = std::move(ports), .priority = priority};
    pod.requests.Set(kDevices, devices);
    return pod;
  }

  model::NodeState node_;
  std::deque<model::Demand> demands_;
};

TEST_F(JudgeEvictionTest, OnlyPodsOfLowerPriorityAreVictims) {
  Bind(8, 10);
  EXPECT_EQ(JudgeEviction(Asking(8, 10), node_), std::nullopt);
  EXPECT_FALSE(HasVictims(Asking(8, 10), node_));
  EXPECT_EQ(JudgeEviction(Asking(8, 11), node_), (Eviction{.highest = 10, .sum = SumOf({10})}));
  EXPECT_TRUE(HasVictims(Asking(8, 11), node_));
}

TEST_F(JudgeEvictionTest, NothingIsEvictedInVain) {
  Bind(4, 1);
  Bind(4, 20);
  EXPECT_EQ(JudgeEviction(Asking(5, 10), node_), std::nullopt);
  EXPECT_EQ(JudgeEviction(Asking(9, 100), node_), std::nullopt);
}

TEST_F(JudgeEvictionTest, NothingIsEvictedWhereThereIsRoom) {
  Bind(4, 1);
  EXPECT_EQ(JudgeEviction(Asking(4, 10), node_), std::nullopt);
}

TEST_F(JudgeEvictionTest, PodsOfTheHighestPriorityAreSparedFirst) {
  Bind(2, 1);
  Bind(4, 3);
  Bind(2, 2);
  EXPECT_EQ(JudgeEviction(Asking(2, 10), node_), (Eviction{.highest = 1, .sum = SumOf({1})}));
  EXPECT_EQ(JudgeEviction(Asking(3, 10), node_), (Eviction{.highest = 2, .sum = SumOf({1, 2})}));
  EXPECT_EQ(JudgeEviction(Asking(8, 10), node_), (Eviction{.highest = 3, .sum = SumOf({1, 2, 3})}));
}

// A pod of higher priority that leaves too little is evicted, and the others are spared.
TEST_F(JudgeEvictionTest, WhoIsSparedDependsOnWhatIsLeft) {
  Bind(1, 1);
  Bind(7, 2);
  EXPECT_EQ(JudgeEviction(Asking(7, 10), node_), (Eviction{.highest = 2, .sum = SumOf({2})}));
}

TEST_F(JudgeEvictionTest, PortsAndTheNumberOfPodsCount) {
  Bind(1, 1);
  Bind(1, 2, {{.port = 80}});
  EXPECT_EQ(JudgeEviction(Asking(1, 10, {{.port = 80}}), node_),
            (Eviction{.highest = 2, .sum = SumOf({2})}));
  Bind(0, 3);
  Bind(0, 4);
  EXPECT_EQ(JudgeEviction(Asking(1, 10), node_), (Eviction{.highest = 1, .sum = SumOf({1})}));
}

TEST_F(JudgeEvictionTest, WhatIsBookedBesideThePodsStays) {
  Bind(4, 1);
  node_.used.Add(kDevices, 4);
  EXPECT_EQ(JudgeEviction(Asking(5, 10), node_), std::nullopt);
  EXPECT_EQ(JudgeEviction(Asking(4, 10), node_), (Eviction{.highest = 1, .sum = SumOf({1})}));
}

TEST(Eviction, TheHighestPriorityCountsBeforeTheSumAndTheNumber) {
  EXPECT_LT((Eviction{.highest = 1, .sum = SumOf({1, 1, 1})}),
            (Eviction{.highest = 2, .sum = SumOf({2})}));
  EXPECT_LT((Eviction{.highest = -5, .sum = SumOf({-5})}),
            (Eviction{.highest = -5, .sum = SumOf({-5, -5})}));
}

}  // namespace
}  // namespace berth::policies::fit
