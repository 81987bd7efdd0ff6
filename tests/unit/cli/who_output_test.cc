#include "cli/who_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::cli {
namespace {

using testing::HasSubstr;
using usage::DeviceHours;
using usage::GroupBy;
using usage::Held;

constexpr model::Time kHeldAt{model::Duration(1'780'315'200)};
constexpr char kGpu[] = "nvidia.com/gpu";

std::vector<Held> Example() {
  return {{{"alice"},
           {"a", "b", "c", "d"},
           "",
           "",
           "A100",
           kGpu,
           8,
           2,
           kHeldAt - std::chrono::hours(72),
           DeviceHours{192, 576, 600.25}},
          {{}, {"nlp"}, "", "", "", kGpu, 1, 1, model::kNoTime, {}}};
}

TEST(WhoText, HasALineForEveryHolderAndAccelerator) {
  EXPECT_EQ(WhoText(Example(), GroupBy::kCreator, false, kHeldAt),
            "CREATOR    NAMESPACE  ACCELERATOR  RESOURCE        DEVICES  PODS  OLDEST\n"
            "alice      a,b,+2     A100         nvidia.com/gpu  8        2     3d\n"
            "(unknown)  nlp        -            nvidia.com/gpu  1        1     -\n");
}

TEST(WhoText, NamesAllWhereItIsWide) {
  EXPECT_EQ(WhoText(Example(), GroupBy::kCreator, false, kHeldAt, {.wide = true}),
            "CREATOR    NAMESPACE  ACCELERATOR  RESOURCE        DEVICES  PODS  OLDEST\n"
            "alice      a,b,c,d    A100         nvidia.com/gpu  8        2     3d\n"
            "(unknown)  nlp        -            nvidia.com/gpu  1        1     -\n");
}

TEST(WhoText, HasDeviceHoursWhereTheyAreKnown) {
  EXPECT_EQ(WhoText(Example(), GroupBy::kNamespace, true, kHeldAt),
            "NAMESPACE  CREATOR    ACCELERATOR  RESOURCE        DEVICES  PODS  OLDEST  HOURS/DAY  "
            "HOURS/WEEK  HOURS/MONTH\n"
            "a,b,+2     alice      A100         nvidia.com/gpu  8        2     3d      192.0      "
            "576.0       600.2\n"
            "nlp        (unknown)  -            nvidia.com/gpu  1        1     -       -          "
            "-           -\n");
}

TEST(WhoText, NamesPods) {
  EXPECT_EQ(WhoText({{{"alice"}, {"nlp"}, "bert", "n1", "A100", kGpu, 4, 1, kHeldAt, {}}},
                    GroupBy::kPod, false, kHeldAt),
            "NAMESPACE  POD   CREATOR  NODE  ACCELERATOR  RESOURCE        DEVICES  OLDEST\n"
            "nlp        bert  alice    n1    A100         nvidia.com/gpu  4        0s\n");
}

TEST(WhoText, DoesNotMoveTheCursorOfATerminal) {
  EXPECT_THAT(WhoText({{{"al\x1b[2Jice\n"}, {"nlp"}, "", "", "A100", kGpu, 4, 1, kHeldAt, {}}},
                      GroupBy::kCreator, false, kHeldAt),
              HasSubstr("\nal [2Jice   nlp"));
}

TEST(WhoJson, HasEverything) {
  EXPECT_EQ(nlohmann::json::parse(WhoJson(Example(), {"pod odd cannot be read"}, kHeldAt)),
            nlohmann::json::parse(R"({
    "time": "2026-06-01T12:00:00Z",
    "holders": [
      {"creators": ["alice"], "namespaces": ["a", "b", "c", "d"], "accelerator": "A100",
       "resource": "nvidia.com/gpu", "devices": 8, "pods": 2, "oldest": "2026-05-29T12:00:00Z",
       "deviceHours": {"day": 192.0, "week": 576.0, "month": 600.25}},
      {"creators": [], "namespaces": ["nlp"], "accelerator": "", "resource": "nvidia.com/gpu",
       "devices": 1, "pods": 1}],
    "hints": ["pod odd cannot be read"]})"));
}

}  // namespace
}  // namespace berth::cli
