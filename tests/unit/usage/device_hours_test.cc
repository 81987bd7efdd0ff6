#include "usage/device_hours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/usage/fake_prometheus.h"

namespace berth::usage {
namespace {

using testing::ElementsAre;

std::string User(const std::string& creator, double hours) {
  return FakePrometheus::Series(
      {{"creator", creator}, {"namespace", "nlp"}, {"accelerator", "A100"}}, hours);
}

TEST(DeviceHours, AreAskedOfEveryoneWhoHadAny) {
  FakePrometheus fake;
  fake.Answer("%5B1d%3A1m%5D", User("alice", 48));
  fake.Answer("%5B7d%3A5m%5D", User("alice", 100) + "," + User("bob", 1.5));
  fake.Answer("%5B30d%3A15m%5D", User("alice", 200) + "," + User("bob", 1.5));
  const auto hours = AskDeviceHours(*ClientOf(fake), "");
  ASSERT_TRUE(hours.ok()) << hours.status();
  EXPECT_THAT(*hours, ElementsAre(HoursOfUser{"alice", "nlp", "A100", {48, 100, 200}},
                                  HoursOfUser{"bob", "nlp", "A100", {0, 1.5, 1.5}}));
}

TEST(DeviceHours, CountEachReplicaOnce) {
  EXPECT_EQ(DeviceHoursQuery("7d", 5, "cluster=\"east\""),
            "sum_over_time((max by (creator, namespace, accelerator) (label_replace("
            "berth_devices_in_use{cluster=\"east\"}, \"namespace\", \"$1\", "
            "\"exported_namespace\", \"(.+)\")))[7d:5m]) * 5 / 60");
}

TEST(DeviceHours, FailWithPrometheus) {
  FakePrometheus fake;
  fake.status = 503;
  EXPECT_TRUE(absl::IsUnavailable(AskDeviceHours(*ClientOf(fake), "").status()));
}

}  // namespace
}  // namespace berth::usage
