#include "policies/admission/grouped_remarks.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Said(const GroupedRemarks& grouped) {
  Remarks remarks;
  grouped.WriteTo(remarks);
  EXPECT_THAT(remarks.notes(), IsEmpty());
  return remarks.changes();
}

std::vector<std::string> SaidOf(const std::vector<std::string>& names) {
  GroupedRemarks grouped;
  for (const std::string& name : names) grouped.Add("cpu of ", name, " set");
  return Said(grouped);
}

TEST(GroupedRemarksTest, NameTwoContainersAndCountTheOthers) {
  EXPECT_THAT(SaidOf({}), IsEmpty());
  EXPECT_THAT(SaidOf({"a"}), ElementsAre("cpu of 'a' set"));
  EXPECT_THAT(SaidOf({"a", "b"}), ElementsAre("cpu of 'a' and 'b' set"));
  EXPECT_THAT(SaidOf({"a", "b", "c"}), ElementsAre("cpu of 'a', 'b' and 1 more set"));
  EXPECT_THAT(SaidOf({"a", "b", "c", "d"}), ElementsAre("cpu of 'a', 'b' and 2 more set"));
}

TEST(GroupedRemarksTest, StandInTheOrderOfTheFirstOfEachKind) {
  GroupedRemarks grouped;
  grouped.Add("cpu of ", "a", " set to 1");
  grouped.Add("cpu of ", "b", " set to 2");
  grouped.Add("memory of ", "a", " set to 1");
  grouped.Add("cpu of ", "c", " set to 1");
  EXPECT_THAT(Said(grouped), ElementsAre("cpu of 'a' and 'c' set to 1", "cpu of 'b' set to 2",
                                         "memory of 'a' set to 1"));
}

TEST(GroupedRemarksTest, FallIntoOneWhereThereAreTooManyKinds) {
  GroupedRemarks grouped;
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    grouped.Add("cpu of ", "c" + number, " set to " + number);
  }
  grouped.Add("cpu of ", "late", " set to 7");
  const auto said = Said(grouped);
  ASSERT_THAT(said, SizeIs(9));
  EXPECT_EQ(said[7], "cpu of 'c7' and 'late' set to 7");
  EXPECT_EQ(said[8], "cpu and memory of 'c8', 'c9' and 990 more set or equalised likewise");
}

}  // namespace
}  // namespace berth::policies::admission
