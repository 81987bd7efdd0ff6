#include "policies/admission/compute.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/sizes.h"

namespace berth::policies::admission {
namespace {

std::string Text(const model::Quantity* quantity) {
  return quantity == nullptr ? "none" : quantity->text();
}

struct GivenCase {
  std::string_view memory;
  std::string limit;
  std::string request;
  bool missing;
};

TEST(ComputeTest, ZeroIsNotSetAndALoneLimitIsTheRequestToo) {
  for (const GivenCase& c : {GivenCase{"1Gi/2Gi", "2Gi", "1Gi", false},
                             {"1Gi/-", "none", "1Gi", false},
                             {"-/2Gi", "2Gi", "2Gi", false},
                             {"0/2Gi", "2Gi", "none", false},
                             {"1Gi/0", "none", "1Gi", false},
                             {"-/0", "none", "none", true},
                             {"0/0", "none", "none", true},
                             {"-/-", "none", "none", true}}) {
    const model::Container container = Sized("a", "1", c.memory);
    EXPECT_EQ(Text(Given(container.resources.limits, Compute::kMemory)), c.limit) << c.memory;
    EXPECT_EQ(Text(RequestOf(container, Compute::kMemory)), c.request) << c.memory;
    EXPECT_EQ(IsMissing(container.resources, Compute::kMemory), c.missing) << c.memory;
    EXPECT_EQ(Text(RequestOf(container, Compute::kCpu)), "1") << c.memory;
  }
}

TEST(ComputeTest, AmountsAreWrittenInTheUnitsOfTheResource) {
  const model::Amount amount = Q("2560").amount();
  EXPECT_EQ(QuantityOf(Compute::kCpu, amount).text(), "2560");
  EXPECT_EQ(QuantityOf(Compute::kMemory, amount).text(), "2560");
  EXPECT_EQ(QuantityOf(Compute::kMemory, Q("3Ki").amount()).text(), "3Ki");
  EXPECT_EQ(QuantityOf(Compute::kCpu, Q("1500u").amount()).text(), "2m");
  EXPECT_EQ(QuantityOf(Compute::kMemory, Q("100m").amount()).text(), "1");
}

}  // namespace
}  // namespace berth::policies::admission
