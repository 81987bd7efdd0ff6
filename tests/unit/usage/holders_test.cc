#include "usage/holders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace berth::usage {
namespace {

using testing::ElementsAre;

constexpr char kGpu[] = "nvidia.com/gpu";

model::Time At(int seconds) { return model::Time(model::Duration(seconds)); }

std::vector<Holding> Example() {
  return {{"nlp", "bert-0", "alice", "n1", "A100", kGpu, 4, At(200)},
          {"nlp", "bert-1", "alice", "n2", "V100", kGpu, 8, At(100)},
          {"nlp", "old", "", "n3", "V100", kGpu, 1, At(50)},
          {"vision", "cnn", "alice", "n1", "A100", kGpu, 2, At(300)},
          {"vision", "vit", "bob", "n1", "A100", kGpu, 6, model::kNoTime}};
}

TEST(Holders, AreCreatorsAndOtherwiseNamespaces) {
  EXPECT_THAT(
      HeldBy(GroupBy::kCreator, Example()),
      ElementsAre(Held{{"alice"}, {"nlp"}, "", "", "V100", kGpu, 8, 1, At(100), {}},
                  Held{{"alice"}, {"nlp", "vision"}, "", "", "A100", kGpu, 6, 2, At(200), {}},
                  Held{{"bob"}, {"vision"}, "", "", "A100", kGpu, 6, 1, model::kNoTime, {}},
                  Held{{}, {"nlp"}, "", "", "V100", kGpu, 1, 1, At(50), {}}));
}

TEST(Holders, MayBeNamespaces) {
  EXPECT_THAT(
      HeldBy(GroupBy::kNamespace, Example()),
      ElementsAre(Held{{"alice"}, {"nlp"}, "", "", "V100", kGpu, 9, 2, At(50), {}},
                  Held{{"alice"}, {"nlp"}, "", "", "A100", kGpu, 4, 1, At(200), {}},
                  Held{{"alice", "bob"}, {"vision"}, "", "", "A100", kGpu, 8, 2, At(300), {}}));
}

TEST(Holders, MayBePods) {
  const std::vector<Held> held = HeldBy(GroupBy::kPod, Example());
  ASSERT_EQ(held.size(), 5u);
  EXPECT_EQ(held[0], (Held{{"alice"}, {"nlp"}, "bert-1", "n2", "V100", kGpu, 8, 1, At(100), {}}));
}

TEST(Holders, HoldNoMoreThanFits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<Holding> holdings = {{"nlp", "a", "bob", "n1", "A100", kGpu, kMost, At(1)},
                                         {"nlp", "b", "bob", "n1", "A100", kGpu, kMost, At(1)},
                                         {"nlp", "c", "bob", "n1", "V100", kGpu, kMost, At(1)},
                                         {"nlp", "d", "eve", "n1", "A100", kGpu, 1, At(1)}};
  const std::vector<Held> held = HeldBy(GroupBy::kCreator, holdings);
  ASSERT_EQ(held.size(), 3u);
  EXPECT_EQ(held[0], (Held{{"bob"}, {"nlp"}, "", "", "A100", kGpu, kMost, 2, At(1), {}}));
  EXPECT_EQ(held[2].creators, std::vector<std::string>{"eve"}) << "bob holds more";
}

TEST(Holders, HaveTheirDeviceHours) {
  const auto catalog = model::AcceleratorCatalog::Make(
      {{.name = "A100", .resource = kGpu, .nodes = {{"example.com/model", "a100"}}},
       {.name = "V100", .resource = kGpu, .nodes = {{"example.com/model", "v100"}}}});
  const std::vector<Holding> holdings = {{"nlp", "bert", "alice", "n1", "A100", kGpu, 4, At(200)},
                                         {"nlp", "old", "", "n3", "V100", kGpu, 1, At(50)}};
  const std::vector<HoursOfUser> hours = {
      {"alice", "nlp", "A100", {96, 100, 200}},    {"alice", "vision", "A100", {0, 1, 2}},
      {"(unknown)", "nlp", "V100", {24, 24, 24}},  {"(unknown)", "web", "none", {0, 0, 3}},
      {"(others)", "(others)", "A100", {5, 5, 5}}, {"carol", "vision", "V100", {0, 0, 7}}};
  EXPECT_THAT(
      HeldBy(GroupBy::kCreator, holdings, hours, *catalog),
      ElementsAre(Held{{"alice"},
                       {"nlp", "vision"},
                       "",
                       "",
                       "A100",
                       kGpu,
                       4,
                       1,
                       At(200),
                       DeviceHours{96, 101, 202}},
                  Held{{}, {"nlp"}, "", "", "V100", kGpu, 1, 1, At(50), DeviceHours{24, 24, 24}},
                  Held{{"carol"},
                       {"vision"},
                       "",
                       "",
                       "V100",
                       kGpu,
                       0,
                       0,
                       model::kNoTime,
                       DeviceHours{0, 0, 7}},
                  Held{{"(others)"},
                       {"(others)"},
                       "",
                       "",
                       "A100",
                       kGpu,
                       0,
                       0,
                       model::kNoTime,
                       DeviceHours{5, 5, 5}},
                  Held{{}, {"web"}, "", "", "", "", 0, 0, model::kNoTime, DeviceHours{0, 0, 3}}));
}

// The hours have no resource, and what is held has no accelerator.
TEST(Holders, HaveTheirDeviceHoursAlsoOnNodesThatNoEntryRecognises) {
  constexpr char kSlice[] = "nvidia.com/mig-1g.5gb";
  constexpr char kOther[] = "example.com/npu";
  const auto catalog = model::AcceleratorCatalog::Make(
      {{.name = "A100",
        .resource = kGpu,
        .slices = {{.resource = kSlice, .per_device = 7}},
        .nodes = {{"example.com/model", "a100"}}},
       {.name = "NPU", .resource = kOther, .nodes = {{"example.com/model", "npu"}}}});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const std::vector<Holding> holdings = {{"nlp", "bert", "alice", "n1", "", kGpu, 8, At(200)},
                                         {"nlp", "part", "alice", "n1", "", kSlice, 2, At(300)},
                                         {"web", "vit", "bob", "n1", "", kGpu, 2, At(100)},
                                         {"web", "gru", "bob", "n2", "", kOther, 1, At(100)}};
  const std::vector<HoursOfUser> hours = {{"alice", "nlp", "none", {1, 2, 3}},
                                          {"alice", "vision", "none", {4, 5, 6}},
                                          {"bob", "web", "none", {0, 0, 7}}};
  EXPECT_THAT(
      HeldBy(GroupBy::kCreator, holdings, hours, *catalog),
      ElementsAre(
          Held{{"alice"}, {"nlp", "vision"}, "", "", "", kGpu, 8, 1, At(200), DeviceHours{5, 7, 9}},
          Held{{"alice"}, {"nlp"}, "", "", "", kSlice, 2, 1, At(300), {}},
          Held{{"bob"}, {"web"}, "", "", "", kGpu, 2, 1, At(100), {}},
          Held{{"bob"}, {"web"}, "", "", "", kOther, 1, 1, At(100), {}},
          // Nobody knows of which of the two.
          Held{{"bob"}, {"web"}, "", "", "", "", 0, 0, model::kNoTime, DeviceHours{0, 0, 7}}));
}

}  // namespace
}  // namespace berth::usage
