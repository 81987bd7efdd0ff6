#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/server_fixture.h"

namespace berth::tests {
namespace {

using server::Listener;
using server::ListenerOptions;
using ::testing::HasSubstr;

ListenerOptions At(std::string address) {
  ListenerOptions options;
  options.address = std::move(address);
  return options;
}

TEST(ListenerTest, ChoosesAFreePortOnAllAddresses) {
  const auto listener = Listener::Start(At(":0"), {});
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_NE((*listener)->port(), 0);
  EXPECT_TRUE(RawClient((*listener)->port()).connected()) << "by IPv4, too";
}

TEST(ListenerTest, SaysThatAPortIsTaken) {
  const auto first = Listener::Start(At("127.0.0.1:0"), {});
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = "127.0.0.1:" + std::to_string((*first)->port());
  const auto second = Listener::Start(At(address), {});
  EXPECT_THAT(second.status().ToString(),
              HasSubstr("cannot listen on " + address + ": Address already in use; choose"));
}

TEST(ListenerTest, TakesAPortAgainAfterItsConnectionsEnded) {
  auto first = Listener::Start(At("127.0.0.1:0"), {});
  ASSERT_TRUE(first.ok()) << first.status();
  const std::uint16_t port = (*first)->port();
  const RawClient client(port);
  ASSERT_TRUE(client.connected());
  first->reset();
  EXPECT_TRUE(Listener::Start(At("127.0.0.1:" + std::to_string(port)), {}).ok());
}

TEST(ListenerTest, RefusesWhatMakesNoSense) {
  EXPECT_THAT(Listener::Start(At("example.org:80"), {}).status().ToString(),
              HasSubstr("address \"example.org:80\": expected"));
  EXPECT_THAT(Listener::Start(At("192.0.2.1:0"), {}).status().ToString(),
              HasSubstr("cannot listen on 192.0.2.1:0: Cannot assign requested address"));
  server::Route route;
  route.method = "GET";
  route.path = "/x";
  EXPECT_THAT(Listener::Start(At("127.0.0.1:0"), {route}).status().ToString(),
              HasSubstr("route GET /x: has no handler"));
}

}  // namespace
}  // namespace berth::tests
