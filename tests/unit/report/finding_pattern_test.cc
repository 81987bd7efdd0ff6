#include "report/finding_pattern.h"

#include <gtest/gtest.h>

namespace berth::report {
namespace {

TEST(FindingPattern, IsTheSameWhateverContainersAndSizesAreCalled) {
  const std::string pattern = "cpu and memory of '*' set to N cores, N (*); set your own limits";
  EXPECT_EQ(PatternOf("cpu and memory of 'train' set to 8 cores, 80Gi (2 x nvidia.com/gpu); set "
                      "your own limits"),
            pattern);
  EXPECT_EQ(PatternOf("cpu and memory of 'a', 'b' and 3 more set to 0.5 cores, 1.5Gi (2 x V100); "
                      "set your own limits"),
            pattern);
  EXPECT_EQ(PatternOf("cpu and memory of 'a' and 'b' set to 12 cores, 1Ti (of 2 x A30); set your "
                      "own limits"),
            pattern);
}

TEST(FindingPattern, IsTheSameForAPodAndATemplate) {
  const std::string pattern = "spec.containers[N].resources.limits lacks memory; write limits";
  for (const char* field : {"spec.containers[0]", "spec.template.spec.containers[12]",
                            "spec.jobTemplate.spec.template.spec.containers[3]",
                            "spec.replicatedJobs[0].template.spec.template.spec.containers[3]"}) {
    EXPECT_EQ(PatternOf(std::string(field) + ".resources.limits lacks memory; write limits"),
              pattern);
  }
}

TEST(FindingPattern, KeepsWhatDistinguishesFindings) {
  EXPECT_NE(PatternOf("restricted to nodes with V100, as the annotation says"),
            PatternOf("restricted to nodes with A100, as the annotation says"));
  EXPECT_NE(PatternOf("memory of 'a' set"), PatternOf("cpu of 'a' set"));
}

TEST(FindingPattern, TakesAnyText) {
  for (const char* text : {"", "'", "(", ")", "1", "'a", "a'b", "'' and ", "', 'a' and x more",
                           "spec.template.spec", "spec. template.spec", "(((", "12 ("}) {
    EXPECT_FALSE(PatternOf(std::string("x") + text).empty()) << text;
  }
}

TEST(FindingPattern, FindsWhatToWrite) {
  EXPECT_EQ(AdviceIn("spec.x lacks cpu; write limits, such as cpu: \"4\""),
            "write limits, such as cpu: \"4\"");
  EXPECT_EQ(AdviceIn("own failures end the Job"), "");
}

}  // namespace
}  // namespace berth::report
