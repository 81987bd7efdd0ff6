#include "server/connections.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace berth::server {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

Connections::Orders Waking(std::function<void()> wake_up) {
  return {std::move(wake_up), [] {}};
}

TEST(ConnectionsTest, WakesThoseThatAreOpen) {
  Connections connections;
  int first = 0;
  int second = 0;
  connections.Add(&first, Waking([&] { ++first; }));
  connections.Add(&second, Waking([&] { ++second; }));
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
  connections.Add(&connection, Waking([] {}));
  EXPECT_FALSE(connections.WaitUntilNone(steady_clock::now()));
  const std::jthread other([&] { connections.Remove(&connection); });
  EXPECT_TRUE(connections.WaitUntilNone(steady_clock::now() + seconds(10)));
}

// Connections with names, which stay open when they are told to make way.
class LineTest : public ::testing::Test {
 protected:
  void Open(const std::string& names) {
    for (const char name : names) {
      connections.Add(Key(name), {[] {}, [this, name] { cut += name; }});
    }
  }
  void Ask(char name) { connections.Asked(Key(name)); }
  void Close(char name) { connections.Remove(Key(name)); }
  const void* Key(char name) { return &keys.at(static_cast<unsigned char>(name)); }

  std::array<char, 256> keys{};
  std::string cut;
  Connections connections;
};

TEST_F(LineTest, TheOldestOfThoseThatNeverAskedMakesWayFirst) {
  Open("abcd");
  Ask('a');
  Ask('c');
  while (connections.CutOne()) {
  }
  EXPECT_EQ(cut, "bdac");
}

TEST_F(LineTest, WhoAsksAgainIsTheLastInLine) {
  Open("abc");
  for (const char name : std::string("abcab")) Ask(name);
  while (connections.CutOne()) {
  }
  EXPECT_EQ(cut, "cab");
}

TEST_F(LineTest, WhoMakesWayIsNotCountedButAwaited) {
  Open("ab");
  EXPECT_TRUE(connections.CutOne());
  EXPECT_EQ(connections.Count(), 1U);
  Ask('a');
  EXPECT_EQ(connections.Count(), 1U) << "too late";
  Close('b');
  EXPECT_FALSE(connections.WaitUntilNone(steady_clock::now()));
  Close('a');
  EXPECT_TRUE(connections.WaitUntilNone(steady_clock::now()));
  EXPECT_FALSE(connections.CutOne());
}

TEST(ConnectionsTest, NotTooManyMakeWayAtOnce) {
  constexpr std::size_t kMany = Connections::kMostMakingWay + 1;
  std::array<int, kMany> keys{};
  Connections connections;
  for (const int& key : keys) connections.Add(&key, {[] {}, [] {}});
  for (std::size_t i = 1; i < kMany; ++i) EXPECT_TRUE(connections.CutOne());
  EXPECT_FALSE(connections.CutOne());
  connections.Remove(&keys[0]);
  EXPECT_TRUE(connections.CutOne());
}

}  // namespace
}  // namespace berth::server
