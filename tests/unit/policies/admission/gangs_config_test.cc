#include "policies/admission/gangs_config.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/engine_fixtures.h"

// Where gangs are on, and what they are configured with.
namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

model::Workload Member(std::string name, std::string size) {
  return Annotated(Annotated(GpuPod(), "gang-name", std::move(name)), "gang-size", std::move(size));
}

TEST(GangsTest, IsOffUnlessSomebodyTurnsItOn) {
  const auto engine = MakeEngine(AdmissionConfig());
  for (const model::Workload& workload : {Member("train", "4"), Member("a b", "none")}) {
    const Outcome outcome = engine->Mutate(MakeRequest(), workload);
    EXPECT_EQ(outcome.denial, "");
    EXPECT_THAT(outcome.workload.pod.gates, IsEmpty());
  }
}

TEST(GangsTest, ANamespaceThatWarnsIsOnlyTold) {
  const auto engine = MakeEngine(Only<GangsPolicy>());
  Request request = MakeRequest();
  request.mode = Mode::kWarn;
  const Outcome pod = engine->Mutate(request, Member("train", "4"));
  EXPECT_EQ(pod.workload, Member("train", "4"));
  EXPECT_THAT(pod.warnings,
              ElementsAre("berth (warn only): waits for all 4 pods of gang 'train' (scheduling "
                          "gate berth.dev/gang)"));
  EXPECT_EQ(engine->Validate(request, Member("train", "4"), nullptr).denial, "");
  EXPECT_THAT(engine->Mutate(request, Member("train", "0")).warnings,
              ElementsAre(HasSubstr("berth (warn only), denied: metadata.annotations")));
}

TEST(GangsTest, PodsOfDaemonSetsNeverWait) {
  const auto engine = MakeEngine(Only<GangsPolicy>());
  Request request = MakeRequest();
  request.user.name = "system:serviceaccount:kube-system:daemon-set-controller";
  model::Workload pod = Member("train", "4");
  pod.owners = {{.kind = "DaemonSet", .name = "agent", .controller = true}};
  EXPECT_EQ(engine->Mutate(request, pod).workload, pod);
}

TEST(GangsTest, TheGateFollowsThePrefix) {
  const auto engine = MakeEngine(Only<GangsPolicy>(), "example.com");
  model::Workload pod = GpuPod();
  pod.pod.annotations = {{"example.com/gang-name", "a"}, {"example.com/gang-size", "2"}};
  EXPECT_THAT(engine->Mutate(MakeRequest(), pod).workload.pod.gates,
              ElementsAre("example.com/gang"));
}

TEST(GangsConfigTest, RefusesWhatIsNoKindOrLabel) {
  EXPECT_THAT(Validate(GangsConfig{}), IsEmpty());
  EXPECT_THAT(Validate(GangsConfig{.kinds = {"Pod", "batch/Job", "jobset.x-k8s.io/JobSet"}}),
              IsEmpty());
  const GangsConfig config{
      .kinds = {"Job", ""},
      .groups = {{.labels = {}, .size = ""}, {.labels = {"a b"}, .size = "a b"}}};
  std::vector<std::string> paths;
  for (const model::FieldError& error : Validate(config)) {
    paths.push_back(error.path);
    EXPECT_THAT(error.message, HasSubstr("write ")) << error.path;
  }
  EXPECT_THAT(paths, ElementsAre("kinds[0]", "kinds[1]", "groups[0].labels", "groups[1].labels[0]",
                                 "groups[1].size"));
}

}  // namespace
}  // namespace berth::policies::admission
