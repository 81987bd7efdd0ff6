#include "cluster/demand_table.h"

#include "gtest/gtest.h"

namespace berth::cluster {
namespace {

Demand Cores(std::int64_t thousandths) {
  Demand demand{.pods = 1};
  demand.resources.Set("cpu", thousandths);
  return demand;
}

TEST(DemandTable, EqualDemandsAreStoredOnce) {
  DemandTable table;
  const Demand* const one = table.Hold(Cores(1'000));
  EXPECT_EQ(*one, Cores(1'000));
  EXPECT_EQ(table.Hold(Cores(1'000)), one);
  EXPECT_EQ(table.size(), 1u);
}

TEST(DemandTable, AnyDifferenceMakesAnotherDemand) {
  Demand uncounted = Cores(1'000);
  uncounted.pods = 0;
  Demand more = Cores(1'000);
  more.resources.Set("memory", 1'000);
  Demand with_port = Cores(1'000);
  with_port.ports = {{.port = 80}};
  Demand other_port = Cores(1'000);
  other_port.ports = {{.protocol = "UDP", .port = 80}};
  Demand urgent = Cores(1'000);
  urgent.priority = 7;
  DemandTable table;
  const Demand* const one = table.Hold(Cores(1'000));
  for (const Demand& other : {Cores(2'000), uncounted, more, with_port, other_port, urgent}) {
    const Demand* const held = table.Hold(other);
    EXPECT_NE(held, one);
    EXPECT_EQ(*held, other);
  }
  EXPECT_EQ(table.size(), 7u);
}

TEST(DemandTable, ADemandLeavesWithItsLastHolder) {
  DemandTable table;
  const Demand* const one = table.Hold(Cores(1'000));
  table.Hold(Cores(1'000));
  table.Release(one);
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(*one, Cores(1'000));
  table.Release(one);
  EXPECT_EQ(table.size(), 0u);
}

TEST(DemandTable, DemandsStayWhereTheyAre) {
  DemandTable table;
  const Demand* const one = table.Hold(Cores(1));
  for (int i = 2; i < 1'000; ++i) table.Hold(Cores(i));
  EXPECT_EQ(table.Hold(Cores(1)), one);
  EXPECT_EQ(*one, Cores(1));
}

}  // namespace
}  // namespace berth::cluster
