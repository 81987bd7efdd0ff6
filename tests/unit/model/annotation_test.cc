#include "model/annotation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "model/label.h"

namespace berth::model {
namespace {

TEST(OwnName, IsBelowThePrefix) {
  EXPECT_EQ(kAcceleratorsAnnotation.Below("berth.dev"), "berth.dev/accelerators");
  EXPECT_EQ(kAcceleratorMemory.Below("a.example.org"), "a.example.org/accelerator-memory");
}

TEST(OwnName, EachIsAnotherThatKubernetesTakes) {
  const std::vector<OwnName> all = {
      kAcceleratorLabel,        kAcceleratorMemory,      kAdmissionLabel,
      kAllowAcceleratorNodes,   kAcceleratorsAnnotation, kCheckpointAnnotation,
      kCheckpointKeyAnnotation, kCreatedByAnnotation,    kAppliedAnnotation,
      kRetrylessAnnotation,     kNudgedAtAnnotation,     kRenewAnnotation,
      kRenewedAnnotation};
  std::set<std::string> names;
  for (const OwnName& name : all) {
    EXPECT_TRUE(IsQualifiedName(name.Below("berth.dev"))) << name.name;
    names.insert(name.Below("berth.dev"));
  }
  EXPECT_EQ(names.size(), all.size());
}

TEST(SplitList, LeavesOutWhatSaysNothing) {
  using Items = std::vector<std::string_view>;
  EXPECT_EQ(SplitList(""), Items{});
  EXPECT_EQ(SplitList(" , ,"), Items{});
  EXPECT_EQ(SplitList("A100"), Items{"A100"});
  EXPECT_EQ(SplitList(" A100 ,,\tMN-Core 2\n,"), (Items{"A100", "MN-Core 2"}));
}

TEST(SplitList, ReadsSoManyItems) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "A,";
  EXPECT_EQ(SplitList(text).size(), kMaxListItems);
}

TEST(Trim, TakesSpacesOffBothEndsOnly) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" "), "");
}

}  // namespace
}  // namespace berth::model
