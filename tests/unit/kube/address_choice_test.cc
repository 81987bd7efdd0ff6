#include "kube/address_choice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::kube {
namespace {

using testing::ElementsAre;

const std::vector<std::string> kAll = {"10.0.0.1", "10.0.0.2", "10.0.0.3"};

TEST(AddressChoice, BeginsWithTheNameServersOrder) {
  EXPECT_THAT(AddressChoice().Order(kAll), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"));
}

TEST(AddressChoice, KeepsToWhatWorksAndLeavesWhatFailed) {
  AddressChoice choice;
  choice.OnFailed("10.0.0.1");
  choice.OnWorked("10.0.0.3");
  EXPECT_THAT(choice.Order(kAll), ElementsAre("10.0.0.3", "10.0.0.2", "10.0.0.1"));
  choice.OnFailed("10.0.0.3");
  EXPECT_THAT(choice.Order(kAll), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"));
  choice.OnWorked("10.0.0.2");
  EXPECT_THAT(choice.Order(kAll), ElementsAre("10.0.0.2", "10.0.0.1", "10.0.0.3"));
}

TEST(AddressChoice, ForgivesWhatWorksAgain) {
  AddressChoice choice;
  choice.OnFailed("10.0.0.1");
  choice.OnWorked("10.0.0.1");
  EXPECT_THAT(choice.Order(kAll), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"));
}

TEST(AddressChoice, DoesNotMissAddressesThatAreGone) {
  AddressChoice choice;
  choice.OnWorked("10.0.0.9");
  choice.OnFailed("10.0.0.8");
  EXPECT_THAT(choice.Order(kAll), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"));
  EXPECT_THAT(choice.Order({}), ElementsAre());
}

}  // namespace
}  // namespace berth::kube
