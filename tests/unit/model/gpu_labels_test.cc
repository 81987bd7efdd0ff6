#include "model/gpu_labels.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::model {
namespace {

struct Case {
  std::string name;
  StringMap labels;
  GpuLabels read;
};

class GpuLabelsTable : public testing::TestWithParam<Case> {};

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
        Case{"None", {}, {}},
        Case{"MemoryAndCount", {{kMemory, "39538"}, {kCount, "4"}}, {39538, 4}},
        Case{"MemoryThatIsNoNumber", {{kMemory, "40Gi"}, {kCount, "4"}}, {std::nullopt, 4}},
        Case{"MemoryOfZero", {{kMemory, "0"}}, {}}, Case{"NegativeMemory", {{kMemory, "-1"}}, {}},
        Case{"EmptyMemory", {{kMemory, ""}}, {}},
        Case{"CountThatOverflows", {{kCount, "99999999999999999999"}}, {}},
        Case{"OneReplicaIsNoSharing", {{kCount, "4"}, {kReplicas, "1"}}, {std::nullopt, 4}},
        Case{"SharedGpus", {{kCount, "4"}, {kReplicas, "2"}, {kMemory, "1"}}, {1, std::nullopt}},
        Case{"NoMig", {{kCount, "4"}, {kMig, "none"}}, {std::nullopt, 4}},
        Case{"SingleMig", {{kCount, "4"}, {kMig, "single"}}, {}},
        Case{"MixedMig", {{kCount, "4"}, {kMig, "mixed"}}, {}}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace berth::model
