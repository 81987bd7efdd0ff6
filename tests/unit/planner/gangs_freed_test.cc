// Gangs that somebody lets go by hand.

#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kFreed[] = "berth.dev/gang-freed";
constexpr char kFreedGroup[] = "team/berth-train";

/// As `berth release` leaves the pods of the gang "train".
void FreeTrain(GangFixture& f) {
  for (const std::string& name : f.NamesOf("train")) {
    f.Edit(name, [](model::Pod& pod) {
      pod.gates.clear();
      pod.gated = false;
      pod.annotations.emplace_back(kFreed, "true");
      model::Normalize(pod.annotations);
    });
  }
}

TEST(FreedGang, IsNotEvictedThoughItLacksPods) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  FreeTrain(f);
  f.Nominate("train-0", "a");
  f.Bind("train-0");
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(f.Plan(), IsEmpty()) << i;
    f.Pass(seconds(f.config.gangs.timeout));
  }
  EXPECT_EQ(f.planner->gangs().LongestIncomplete(), seconds(0)) << "somebody wanted it so";
  EXPECT_EQ(f.ReasonOf("train"),
            "1 of 2 pods are not bound yet, and it is not evicted, because it was let go by hand");
  f.AddNode("b", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b"));
}

/// With a PodGroup in place of gates, as `berth release` creates it.
class FreedGroup : public GangFixture {
 public:
  FreedGroup() {
    config.gangs.pod_groups = true;
    facts.pod_groups = &groups;
    Restart();
    WaitAll("train", 2, 8);
    for (const std::string& name : NamesOf("train")) {
      Edit(name, [](model::Pod& pod) {
        pod.gates.clear();
        pod.gated = false;
        pod.scheduling_group = "berth-train";
      });
    }
    groups[kFreedGroup] = {.uid = "uid", .is_freed = true};
  }
};

TEST(FreedGang, KeepsItsPodGroupWhileItDoesNotFit) {
  FreedGroup f;
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), Not(HasSubstr("earlier start")));
  for (const std::string& name : f.NamesOf("train")) {
    f.Edit(name, [](model::Pod& pod) { pod.unschedulable = kRefused; });
  }
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_TRUE(f.groups.contains(kFreedGroup));
}

TEST(FreedGang, OfAPodGroupIsNotEvictedEither) {
  FreedGroup f;
  f.AddNode("a", 8);
  f.Nominate("train-0", "a");
  f.Bind("train-0");
  f.Plan();
  f.Pass(seconds(f.config.gangs.timeout));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("let go by hand"));
}

TEST(FreedGang, IsToldThatItWaitsNoLonger) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  FreeTrain(f);
  f.Nominate("train-0", "a");
  f.Bind("train-0");
  f.Edit("train-1", [](model::Pod& pod) { pod.why_gang_waits = "it waits"; });
  f.Plan();
  EXPECT_THAT(f.said, ElementsAre("train-1: "));
  f.Plan();
  EXPECT_THAT(f.said, SizeIs(1)) << "its echo is under way";
}

}  // namespace
}  // namespace berth::planner
