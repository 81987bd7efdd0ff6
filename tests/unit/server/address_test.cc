#include "server/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::server {
namespace {

using ::testing::HasSubstr;

struct Good {
  const char* text;
  Address address;
  bool loopback;
};

TEST(AddressTest, ReadsWhatAUserWrites) {
  const Good table[] = {
      {"127.0.0.1:8443", {"127.0.0.1", 8443}, true},
      {"127.9.9.9:1", {"127.9.9.9", 1}, true},
      {"localhost:80", {"127.0.0.1", 80}, true},
      {"[::1]:8443", {"::1", 8443}, true},
      {"10.0.0.1:65535", {"10.0.0.1", 65535}, false},
      {"[fd00::7]:443", {"fd00::7", 443}, false},
      {"0.0.0.0:443", {"0.0.0.0", 443}, false},
      {"[::]:443", {"::", 443}, false},
      {":8443", {"", 8443}, false},
      {":0", {"", 0}, false},
  };
  for (const Good& good : table) {
    const auto address = ParseAddress(good.text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(*address, good.address) << good.text;
    EXPECT_EQ(IsLoopback(*address), good.loopback) << good.text;
    EXPECT_EQ(*ParseAddress(ToString(*address)), *address) << good.text;
  }
}

TEST(AddressTest, SaysWhatToWriteInstead) {
  for (const char* text :
       {"", "8443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http",
        "127.0.0.1: 80", "127.0.0.256:80", "::1:80", "[::1]", "[::1]80", "[127.0.0.1]:80", "[]:80",
        "example.org:443", "http://127.0.0.1:80", "unix:/run/socket"}) {
    const auto address = ParseAddress(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_THAT(std::string(address.status().message()), HasSubstr("such as 127.0.0.1:8443"));
  }
}

}  // namespace
}  // namespace berth::server
