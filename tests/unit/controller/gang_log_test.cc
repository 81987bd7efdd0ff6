#include "controller/gang_log.h"

#include <chrono>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using planner::GangChange;
using planner::GangEvent;
using policies::scheduling::kNow;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string LineOf(GangChange change) {
  change.namespace_ = "ml";
  change.name = "train";
  change.size = 16;
  change.created = kNow - std::chrono::seconds(90);
  testing::internal::CaptureStderr();
  change.time = kNow;
  LogGang(change);
  return testing::internal::GetCapturedStderr();
}

TEST(GangLog, SaysWhyAGangWaits) {
  const std::string reason = "12 of 16 pods fit at once";
  EXPECT_THAT(LineOf({.event = GangEvent::kWaiting, .reason = reason}),
              AllOf(HasSubstr(R"("gang":"ml/train","size":16,"age":90)"), HasSubstr(reason),
                    HasSubstr(R"("level":"info")")));
}

TEST(GangLog, SaysOverHowManyDomainsOneIsSpread) {
  EXPECT_THAT(LineOf({.event = GangEvent::kReleased, .spans = {{"rack", 3}, {"zone", 1}}}),
              HasSubstr(R"("spans":["rack=3","zone=1"])"));
}

TEST(GangLog, WarnsOfAnEviction) {
  EXPECT_THAT(LineOf({.event = GangEvent::kEvicted, .reason = "1 of 16 pods are not bound yet"}),
              AllOf(HasSubstr(R"("level":"warning")"), HasSubstr("not bound yet")));
}

TEST(GangLog, SaysHowManyRunWhenNoneWaits) {
  EXPECT_THAT(LineOf({.event = GangEvent::kLeft, .running = 15}),
              AllOf(HasSubstr(R"("running":15)"), Not(HasSubstr("reason"))));
}

}  // namespace
}  // namespace berth::controller
