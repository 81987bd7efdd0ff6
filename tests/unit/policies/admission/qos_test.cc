#include "policies/admission/qos.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/sizes.h"

namespace berth::policies::admission {
namespace {

struct ClassCase {
  std::string name;
  model::Workload pod;
  bool guaranteed;
  bool memory_limits;
};

model::Workload WithResources(model::Workload pod, model::ResourceRequirements resources) {
  pod.pod.resources = std::move(resources);
  return pod;
}

TEST(QosTest, IsThatOfKubernetes) {
  const std::vector<ClassCase> cases = {
      {"nothing set", CpuPod(), false, false},
      {"all set", MakePod({Sized("a", "1", "1Gi")}), true, true},
      {"written differently", MakePod({Sized("a", "1000m/1", "1Gi/1024Mi")}), true, true},
      {"limits only", MakePod({Sized("a", "-/1", "-/1Gi")}), true, true},
      {"requests only", MakePod({Sized("a", "1/-", "1Gi/-")}), false, false},
      {"zero requests", MakePod({Sized("a", "0/1", "0/1Gi")}), false, true},
      {"all zero", MakePod({Sized("a", "0", "0")}), false, false},
      {"negative", MakePod({Sized("a", "-1", "-1Gi")}), false, false},
      {"only cpu", MakePod({Sized("a", "1", "-")}), false, false},
      {"only memory", MakePod({Sized("a", "-", "1Gi")}), false, true},
      {"a request below", MakePod({Sized("a", "1/2", "1Gi")}), false, true},
      {"one container without", MakePod({Sized("a", "1", "1Gi"), Sized("b", "-", "-")}), false,
       false},
      {"an init container without", MakePod({Init(Sized("i", "1", "-")), Sized("a", "1", "1Gi")}),
       false, false},
      {"a sidecar without", MakePod({Sidecar(Sized("s", "-", "1Gi")), Sized("a", "1", "1Gi")}),
       false, true},
      {"the pod alone", WithResources(CpuPod(), Sizes("1", "1Gi")), true, true},
      {"the pod's limits only", WithResources(CpuPod(), Sizes("-/1", "-/1Gi")), false, true},
      {"the pod's are empty", WithResources(MakePod({Sized("a", "1", "1Gi")}), {}), false, true},
      {"the pod's differ", WithResources(MakePod({Sized("a", "1", "1Gi")}), Sizes("1/2", "1Gi")),
       false, true},
      {"the pod's lack memory", WithResources(CpuPod(), Sizes("1", "-")), false, false},
  };
  for (const ClassCase& c : cases) {
    EXPECT_EQ(IsGuaranteed(c.pod.pod), c.guaranteed) << c.name;
    EXPECT_EQ(HasMemoryLimits(c.pod.pod), c.memory_limits) << c.name;
  }
}

std::int64_t CoresOf(const std::vector<model::Container>& containers) {
  return EffectiveRequest(MakeTemplate(containers), Compute::kCpu).Value();
}

TEST(EffectiveRequestTest, IsWhatKubeSchedulerReserves) {
  const auto main = [](std::string_view cores) { return Sized("m", cores, "-"); };
  const auto init = [](std::string_view cores) { return Init(Sized("i", cores, "-")); };
  const auto sidecar = [](std::string_view cores) { return Sidecar(Sized("s", cores, "-")); };
  EXPECT_EQ(CoresOf({}), 0);
  EXPECT_EQ(CoresOf({main("1"), main("2")}), 3);
  EXPECT_EQ(CoresOf({main("1/9")}), 1);
  EXPECT_EQ(CoresOf({main("-/4"), main("0/4")}), 4);
  EXPECT_EQ(CoresOf({init("5"), init("4"), main("2")}), 5);
  EXPECT_EQ(CoresOf({init("5"), main("6")}), 6);
  EXPECT_EQ(CoresOf({sidecar("2"), init("5"), main("1")}), 7);
  EXPECT_EQ(CoresOf({init("5"), sidecar("2"), main("1")}), 5);
  EXPECT_EQ(CoresOf({sidecar("2"), main("1")}), 3);
  EXPECT_EQ(CoresOf({main("8E"), main("8E")}), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace berth::policies::admission
