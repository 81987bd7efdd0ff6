#include "cli/placement_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::cli {
namespace {

using testing::HasSubstr;

TEST(PlacementServerOptions, AreGoodWithMutualTlsOrOnLoopback) {
  for (const PlacementEndpoint& server : {PlacementEndpoint{.address = "127.0.0.1:9091"},
                                          {.address = "localhost:9091"},
                                          {.address = "[::1]:9091"},
                                          {"berth.example:9091", "c", "k", "a", ""},
                                          {"127.0.0.1:9091", "c", "k", "a", "berth.example"}}) {
    EXPECT_TRUE(Validate(server).ok()) << server.address << ' ' << Validate(server);
  }
}

TEST(PlacementServerOptions, SayWhatToGiveInstead) {
  const struct {
    PlacementEndpoint server;
    const char* error;
  } cases[] = {
      {{.address = "berth.example"}, "write host:port"},
      {{.address = "berth.example:9091"}, "is not a loopback address"},
      {{.address = "10.0.0.1:9091"}, "give --cert, --key and --ca"},
      {{"127.0.0.1:9091", "c", "", "a", ""}, "--cert, --key and --ca go together; give all three"},
      {{"127.0.0.1:9091", "", "", "a", ""}, "give all three"},
      {{"127.0.0.1:9091", "", "", "", "name"}, "--tls-server-name has no effect without --ca"},
  };
  for (const auto& test : cases) {
    const absl::Status status = Validate(test.server);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << test.error;
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.error));
  }
}

}  // namespace
}  // namespace berth::cli
