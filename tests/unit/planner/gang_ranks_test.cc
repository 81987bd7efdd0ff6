#include "planner/gang_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace berth::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

TEST(IsNameBefore, NumbersCountAsNumbers) {
  struct Case {
    const char* first;
    const char* second;
  };
  for (const Case& c : std::vector<Case>{
           {"", "a"},
           {"worker-2", "worker-10"},
           {"worker-2-9", "worker-10-1"},
           {"worker-9", "worker-9-1"},
           {"a-99999999999999999998", "a-99999999999999999999"},  // larger than 64 bits
           {"a-007", "a-8"},
           {"a-0", "a-1"},
           {"a-07", "a-7"},  // equal as numbers, and not as names
           {"a-07-1", "a-7-2"},
           {"a", "b-1"},
           {"2", "a"},
       }) {
    EXPECT_TRUE(IsNameBefore(c.first, c.second)) << c.first << " before " << c.second;
    EXPECT_FALSE(IsNameBefore(c.second, c.first)) << c.second << " before " << c.first;
    EXPECT_FALSE(IsNameBefore(c.first, c.first)) << c.first;
  }
}

/// The names of pods in the order of their ranks.
std::vector<std::string> Ordered(const std::vector<model::Pod>& pods) {
  std::vector<const model::Pod*> pointers;
  for (const model::Pod& pod : pods) pointers.push_back(&pod);
  std::vector<std::string> names;
  for (const std::size_t place : OrderByRank(pointers)) names.push_back(pods.at(place).name);
  return names;
}

model::Pod PodOf(const std::string& job, const std::string& name, const std::string& index = "") {
  model::Pod pod;
  pod.name = name;
  pod.controller_uid = job;
  if (!index.empty()) {
    pod.annotations.emplace_back("batch.kubernetes.io/job-completion-index", index);
  }
  return pod;
}

TEST(OrderByRank, PodsOfAnIndexedJobComeByTheirIndices) {
  // The API server adds random letters to the names.
  EXPECT_THAT(Ordered({PodOf("j", "t-10-aaaaa", "10"), PodOf("j", "t-2-zzzzz", "2"),
                       PodOf("j", "t-0-mmmmm", "0")}),
              ElementsAre("t-0-mmmmm", "t-2-zzzzz", "t-10-aaaaa"));
}

TEST(OrderByRank, PodsWithoutAnIndexComeByTheirNames) {
  EXPECT_THAT(Ordered({PodOf("m", "m-worker-10"), PodOf("m", "m-worker-9"), PodOf("m", "m-a")}),
              ElementsAre("m-a", "m-worker-9", "m-worker-10"));
  EXPECT_THAT(Ordered({PodOf("j", "a"), PodOf("j", "b", "1"), PodOf("j", "c", "many")}),
              ElementsAre("b", "a", "c"));
}

TEST(OrderByRank, JobsOfOneGangDoNotMix) {
  EXPECT_THAT(Ordered({PodOf("u2", "set-w-10-0-x", "0"), PodOf("u1", "set-w-2-1-x", "1"),
                       PodOf("u2", "set-w-10-1-x", "1"), PodOf("u1", "set-w-2-0-x", "0")}),
              ElementsAre("set-w-2-0-x", "set-w-2-1-x", "set-w-10-0-x", "set-w-10-1-x"));
}

TEST(OrderByRank, DoesNotDependOnTheOrderInWhichPodsAreSeen) {
  std::vector<model::Pod> pods = {PodOf("a", "x-1-c", "1"), PodOf("a", "x-0-d", "0"),
                                  PodOf("b", "x-2-a"), PodOf("", "lone"), PodOf("b", "x-10-b")};
  const std::vector<std::string> expected = Ordered(pods);
  std::ranges::sort(pods, {}, &model::Pod::name);
  do {
    EXPECT_THAT(Ordered(pods), ElementsAreArray(expected));
  } while (std::ranges::next_permutation(pods, {}, &model::Pod::name).found);
}

TEST(OrderByRank, NoPodsHaveNoOrder) { EXPECT_THAT(Ordered({}), IsEmpty()); }

}  // namespace
}  // namespace berth::planner
