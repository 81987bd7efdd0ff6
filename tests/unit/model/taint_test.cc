#include "model/taint.h"

#include <ctime>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace berth::model {
namespace {

// Others tolerate nothing that the tests ask about.
Tolerations AmongMany(const Toleration& toleration) {
  std::vector<Toleration> many(20, {"another", "Equal", "value", ""});
  many.push_back(toleration);
  for (int i = 0; i < 20; ++i) many.push_back({std::to_string(i), "Exists", "", ""});
  return Tolerations(many);
}

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
    EXPECT_EQ(AmongMany(c.toleration).Tolerate(taint), c.tolerated)
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

// Every combination of a few texts, with as many of them as tell a list from an index.
TEST(TolerationsTest, TolerateWhatOneOfThemDoes) {
  std::mt19937 random(7);
  const auto pick = [&random](const std::vector<std::string>& texts) {
    return texts[random() % texts.size()];
  };
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Toleration> tolerations;
    for (auto left = random() % 24; left > 0; --left) {
      tolerations.push_back(
          {pick({"", "a", "b", "c", "d"}), pick({"", "Equal", "Exists", "Lt", "exists"}),
           pick({"", "x", "y", "z", "u"}), pick({"", "NoSchedule", "NoExecute"})});
      if (tolerations.back().op == "Exists" && random() % 8 != 0) tolerations.pop_back();
    }
    const Taint taint{pick({"", "a", "e"}), pick({"", "x", "w"}),
                      pick({"NoSchedule", "NoExecute", "PreferNoSchedule"})};
    ASSERT_EQ(Tolerations(tolerations).Tolerate(taint), IsTolerated(taint, tolerations));
  }
}

// How long it takes to ask many times, on this thread.
double TimeOf(const Tolerations& tolerations) {
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_FALSE(tolerations.Tolerate({"k", "v" + std::to_string(i), "PreferNoSchedule"}));
  }
  return static_cast<double>(std::clock() - begin + 1);
}

// Compared one by one, 1,250 times as many take some 1,000 times as long; searched, some 10 times.
TEST(TolerationsTest, ManyAreSearched) {
  std::vector<Toleration> many;
  for (int i = 0; i < 10'000; ++i) many.push_back({"k", "Equal", std::to_string(i), ""});
  EXPECT_LT(TimeOf(Tolerations(many)), 200 * TimeOf(Tolerations(std::span(many).first(8))));
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
