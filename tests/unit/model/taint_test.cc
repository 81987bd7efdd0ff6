#include "model/taint.h"

#include <vector>

#include "gtest/gtest.h"

namespace berth::model {
namespace {

TEST(IsToleratedTest, FollowsTheRulesOfKubernetes) {
  const Taint taint{"dedicated", "team-a", "PreferNoSchedule"};
  struct Case {
    Toleration toleration;
    bool tolerated;
  };
  const Case cases[] = {
      {{"dedicated", "Equal", "team-a", "PreferNoSchedule"}, true},
      {{"dedicated", "", "team-a", ""}, true},  // no operator is Equal, no effect is any
      {{"dedicated", "Exists", "", ""}, true},
      {{"dedicated", "Exists", "other", ""}, true},  // Exists has no use for a value
      {{"", "Exists", "", ""}, true},
      {{"", "", "team-a", ""}, true},
      {{"dedicated", "Equal", "team-b", ""}, false},
      {{"dedicated", "Equal", "", ""}, false},
      {{"other", "Exists", "", ""}, false},
      {{"dedicated", "Exists", "", "NoSchedule"}, false},
      {{"dedicated", "Gt", "1", ""}, false},
      {{"dedicated", "exists", "", ""}, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(IsTolerated(taint, {&c.toleration, 1}), c.tolerated)
        << c.toleration.key << ' ' << c.toleration.op << ' ' << c.toleration.value << ' '
        << c.toleration.effect;
  }
}

TEST(IsToleratedTest, OneOfSeveralSuffices) {
  const Toleration tolerations[] = {{"a", "Exists", "", ""}, {"b", "Exists", "", ""}};
  EXPECT_TRUE(IsTolerated({"b", "", "NoSchedule"}, tolerations));
  EXPECT_FALSE(IsTolerated({"c", "", "NoSchedule"}, tolerations));
  EXPECT_FALSE(IsTolerated({"c", "", "NoSchedule"}, {}));
}

TEST(IsToleratedTest, ATaintWithoutValueEqualsATolerationWithoutOne) {
  const Toleration toleration{"a", "Equal", "", ""};
  EXPECT_TRUE(IsTolerated({"a", "", "NoSchedule"}, {&toleration, 1}));
  EXPECT_FALSE(IsTolerated({"a", "x", "NoSchedule"}, {&toleration, 1}));
}

TEST(FindTaint, LooksAtKeyAndEffect) {
  const std::vector<Taint> taints = {{"a", "x", "NoExecute"}, {"a", "y", "NoSchedule"}};
  EXPECT_EQ(FindTaint(taints, "a", kNoSchedule), &taints[1]);
  EXPECT_EQ(FindTaint(taints, "b", kNoSchedule), nullptr);
  EXPECT_EQ(FindTaint(taints, "a", kPreferNoSchedule), nullptr);
  EXPECT_EQ(FindTaint({}, "a", kNoSchedule), nullptr);
}

}  // namespace
}  // namespace berth::model
