#include "server/body_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth::server {
namespace {

constexpr std::size_t kMega = 1024 * 1024;

TEST(BodyBudget, GivesWhatThereIsAndTakesItBack) {
  BodyBudget budget(10 * kMega);
  auto first = budget.Take(6 * kMega);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(budget.Take(5 * kMega), nullptr);
  const auto second = budget.Take(4 * kMega);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(budget.Take(2 * kMega), nullptr);
  first.reset();
  EXPECT_NE(budget.Take(6 * kMega), nullptr);
  EXPECT_NE(budget.Take(6 * kMega), nullptr) << "what was not kept is there again";
}

TEST(BodyBudget, DoesNotCountSmallBodies) {
  BodyBudget budget(2 * kMega);
  const auto all = budget.Take(2 * kMega);
  std::vector<std::unique_ptr<BodyBudget::Share>> small;
  for (int i = 0; i < 100; ++i) small.push_back(budget.Take(BodyBudget::kSmall));
  for (const auto& share : small) EXPECT_NE(share, nullptr);
  EXPECT_EQ(budget.Take(BodyBudget::kSmall + 1), nullptr);
}

}  // namespace
}  // namespace berth::server
