#include "policies/admission/scheduler_name.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const SchedulerNamePolicy& SchedulerPolicy() {
  static const SchedulerNamePolicy policy(Context(), {.name = "berth-scheduler"});
  return policy;
}

model::Workload PlacedBy(std::string scheduler, model::Workload workload) {
  workload.pod.scheduler_name = std::move(scheduler);
  return workload;
}

TEST(SchedulerNameTest, GivesPodsWithAcceleratorsToTheConfiguredScheduler) {
  for (const model::Workload& workload :
       {GpuPod(), GpuPod("2", kMnCore), MakeJob(GpuPod()), MakeOwner("StatefulSet", GpuPod())}) {
    const Made made = Mutate(SchedulerPolicy(), workload);
    EXPECT_TRUE(made.holds);
    EXPECT_EQ(made.workload, PlacedBy("berth-scheduler", workload));
    EXPECT_THAT(
        made.changes,
        ElementsAre("schedulerName set to berth-scheduler, which places pods with accelerators"));
    const Made again = Mutate(SchedulerPolicy(), made.workload);
    EXPECT_TRUE(again.holds);
    EXPECT_EQ(again.writes, 0);
    EXPECT_THAT(again.changes, IsEmpty());
  }
}

TEST(SchedulerNameTest, LeavesOtherPodsAlone) {
  model::Workload bound = GpuPod();
  bound.pod.node_name = "node-1";
  for (const model::Workload& pod : {CpuPod(), PlacedBy("volcano", GpuPod()), bound}) {
    const Made made = Mutate(SchedulerPolicy(), pod);
    EXPECT_FALSE(made.holds);
    EXPECT_EQ(made.workload, pod);
    EXPECT_THAT(made.notes, IsEmpty());
  }
}

TEST(SchedulerNameTest, DoesNothingUnlessConfigured) {
  const SchedulerNamePolicy policy(Context(), {});
  const Made made = Mutate(policy, GpuPod());
  EXPECT_FALSE(made.holds);
  EXPECT_EQ(made.workload, GpuPod());
}

TEST(SchedulerNameConfigTest, RefusesWhatIsNoOtherScheduler) {
  EXPECT_THAT(Validate(SchedulerNameConfig{}), IsEmpty());
  EXPECT_THAT(Validate(SchedulerNameConfig{.name = "berth-scheduler"}), IsEmpty());
  for (const auto& [name, message] :
       std::vector<std::pair<std::string, std::string>>{{"default-scheduler", "leave it empty"},
                                                        {"My Scheduler", "such as berth-scheduler"},
                                                        {"a\nb", "such as berth-scheduler"}}) {
    const auto errors = Validate(SchedulerNameConfig{.name = name});
    ASSERT_THAT(errors, SizeIs(1)) << name;
    EXPECT_EQ(errors[0].path, "name");
    EXPECT_THAT(errors[0].message, HasSubstr(message)) << name;
  }
}

}  // namespace
}  // namespace berth::policies::admission
