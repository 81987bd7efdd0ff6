#include "kube/pod_requests.h"

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "model/quantity.h"

namespace berth::kube {
namespace {

ResourceList List(std::initializer_list<std::pair<std::string, std::string>> entries) {
  ResourceList list;
  for (const auto& [name, text] : entries) list[name] = model::Quantity::ParseAmount(text).value();
  return list;
}

ResourceRequirements Requests(std::initializer_list<std::pair<std::string, std::string>> entries) {
  return {.requests = List(entries), .limits = {}};
}

PodResources::InitContainer Init(std::initializer_list<std::pair<std::string, std::string>> entries,
                                 bool restartable = false) {
  return {.resources = Requests(entries), .restartable = restartable};
}

using Amounts = std::map<std::string, std::int64_t>;

Amounts Reckon(const PodResources& pod) {
  const model::Resources requests = PodRequests(pod);
  return {requests.begin(), requests.end()};
}

TEST(PodRequestsTest, ContainersAreSummed) {
  PodResources pod;
  pod.containers = {Requests({{"cpu", "500m"}, {"nvidia.com/gpu", "1"}}),
                    Requests({{"cpu", "2"}, {"memory", "1Ki"}})};
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 2500}, {"memory", 1024}, {"nvidia.com/gpu", 1}}));
}

TEST(PodRequestsTest, SumsAreRoundedOnce) {
  PodResources pod;
  pod.containers = {Requests({{"memory", "500m"}, {"cpu", "500u"}}),
                    Requests({{"memory", "500m"}, {"cpu", "500u"}})};
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 1}, {"memory", 1}}));
}

TEST(PodRequestsTest, SumsSaturate) {
  PodResources pod;
  pod.containers = {Requests({{"memory", "7Ei"}}), Requests({{"memory", "7Ei"}})};
  EXPECT_EQ(Reckon(pod), (Amounts{{"memory", INT64_MAX}}));
}

TEST(PodRequestsTest, AnInitContainerIsAMinimum) {
  PodResources pod;
  pod.containers = {Requests({{"cpu", "2"}, {"memory", "1"}})};
  pod.init_containers = {Init({{"cpu", "1"}, {"memory", "5"}}), Init({{"memory", "4"}})};
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 2000}, {"memory", 5}}));
}

TEST(PodRequestsTest, ASidecarRunsBesideTheContainers) {
  PodResources pod;
  pod.containers = {Requests({{"cpu", "2"}})};
  pod.init_containers = {Init({{"cpu", "1"}}, true)};
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 3000}}));
}

TEST(PodRequestsTest, AnInitContainerRunsBesideTheSidecarsBeforeIt) {
  PodResources pod;
  pod.containers = {Requests({{"cpu", "1"}})};
  pod.init_containers = {Init({{"cpu", "1"}}, true), Init({{"cpu", "5"}}),
                         Init({{"cpu", "2"}}, true)};
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 6000}}));  // 1 + 5, more than 1 + 1 + 2
}

TEST(PodRequestsTest, LimitsStandInForMissingRequests) {
  PodResources pod;
  pod.containers = {
      {.requests = List({{"cpu", "1"}}), .limits = List({{"cpu", "4"}, {"nvidia.com/gpu", "8"}})}};
  pod.init_containers = {{.resources = {.requests = {}, .limits = List({{"memory", "7"}})}}};
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 1000}, {"memory", 7}, {"nvidia.com/gpu", 8}}));
}

TEST(PodRequestsTest, ARequestOfZeroIsNotMissing) {
  PodResources pod;
  pod.containers = {{.requests = List({{"cpu", "0"}}), .limits = List({{"cpu", "4"}})}};
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 0}}));
}

TEST(PodRequestsTest, WhatThePodSaysReplacesTheSum) {
  PodResources pod;
  pod.containers = {Requests({{"cpu", "2"}, {"memory", "5"}, {"nvidia.com/gpu", "1"}})};
  pod.pod_level.requests = List({{"cpu", "1"}, {"nvidia.com/gpu", "9"}, {"pods", "9"}});
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 1000}, {"memory", 5}, {"nvidia.com/gpu", 1}}));
}

TEST(PodRequestsTest, ThePodsLimitStandsInWhereNobodyRequests) {
  PodResources pod;
  pod.containers = {Requests({{"cpu", "2"}, {"hugepages-2Mi", "2"}})};
  pod.pod_level.limits =
      List({{"cpu", "9"}, {"memory", "9"}, {"hugepages-2Mi", "4"}, {"nvidia.com/gpu", "9"}});
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 2000}, {"hugepages-2Mi", 4}, {"memory", 9}}));
}

TEST(PodRequestsTest, OverheadComesOnTop) {
  PodResources pod;
  pod.containers = {Requests({{"cpu", "2"}})};
  pod.pod_level.requests = List({{"cpu", "3"}});
  pod.overhead = List({{"cpu", "250m"}, {"memory", "1Mi"}});
  EXPECT_EQ(Reckon(pod), (Amounts{{"cpu", 3250}, {"memory", 1 << 20}}));
}

TEST(PodRequestsTest, APodWithoutContainersAsksForNothing) { EXPECT_TRUE(PodRequests({}).empty()); }

}  // namespace
}  // namespace berth::kube
