#include "server/connections.h"

#include <gtest/gtest.h>

#include <thread>

namespace berth::server {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

TEST(ConnectionsTest, WakesThoseThatAreOpen) {
  Connections connections;
  int first = 0;
  int second = 0;
  connections.Add(&first, [&] { ++first; });
  connections.Add(&second, [&] { ++second; });
  connections.WakeAll();
  connections.Remove(&first);
  connections.WakeAll();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  EXPECT_EQ(connections.Count(), 1U);
}

TEST(ConnectionsTest, WaitsForTheLastOneToEnd) {
  Connections connections;
  int connection = 0;
  EXPECT_TRUE(connections.WaitUntilNone(steady_clock::now()));
  connections.Add(&connection, [] {});
  EXPECT_FALSE(connections.WaitUntilNone(steady_clock::now()));
  const std::jthread other([&] { connections.Remove(&connection); });
  EXPECT_TRUE(connections.WaitUntilNone(steady_clock::now() + seconds(10)));
}

}  // namespace
}  // namespace berth::server
