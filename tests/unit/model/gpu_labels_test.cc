#include "model/gpu_labels.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::model {
namespace {

struct LabelsCase {
  std::string name;
  StringMap labels;
  GpuLabels read;
};

class GpuLabelsTable : public testing::TestWithParam<LabelsCase> {};

TEST_P(GpuLabelsTable, Reads) {
  StringMap labels = GetParam().labels;
  Normalize(labels);
  EXPECT_EQ(ReadGpuLabels(labels), GetParam().read);
}

constexpr char kCount[] = "nvidia.com/gpu.count";
constexpr char kMemory[] = "nvidia.com/gpu.memory";
constexpr char kReplicas[] = "nvidia.com/gpu.replicas";
constexpr char kMig[] = "nvidia.com/mig.strategy";

INSTANTIATE_TEST_SUITE_P(
    All, GpuLabelsTable,
    testing::Values(
        LabelsCase{"None", {}, {}},
        LabelsCase{"MemoryAndCount", {{kMemory, "39538"}, {kCount, "4"}}, {39538, 4}},
        LabelsCase{"MemoryThatIsNoNumber", {{kMemory, "40Gi"}, {kCount, "4"}}, {std::nullopt, 4}},
        LabelsCase{"MemoryOfZero", {{kMemory, "0"}}, {}},
        LabelsCase{"NegativeMemory", {{kMemory, "-1"}}, {}},
        LabelsCase{"EmptyMemory", {{kMemory, ""}}, {}},
        LabelsCase{"CountThatOverflows", {{kCount, "99999999999999999999"}}, {}},
        LabelsCase{"OneReplicaIsNoSharing", {{kCount, "4"}, {kReplicas, "1"}}, {std::nullopt, 4}},
        LabelsCase{
            "SharedGpus", {{kCount, "4"}, {kReplicas, "2"}, {kMemory, "1"}}, {1, std::nullopt}},
        LabelsCase{"NoMig", {{kCount, "4"}, {kMig, "none"}}, {std::nullopt, 4}},
        LabelsCase{"SingleMig", {{kCount, "4"}, {kMig, "single"}}, {}},
        LabelsCase{"MixedMig", {{kCount, "4"}, {kMig, "mixed"}}, {}}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace berth::model
