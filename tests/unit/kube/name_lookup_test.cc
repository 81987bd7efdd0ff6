#include "kube/name_lookup.h"

#include <new>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace berth::kube {
namespace {

using Addresses = std::vector<std::string>;

constexpr std::chrono::seconds kPatience{10};

TEST(IsIpLiteral, IsOneAddressWhole) {
  for (const char* host : {"127.0.0.1", "::1", "fd00::7", "::ffff:10.0.0.1"}) {
    EXPECT_TRUE(IsIpLiteral(host)) << host;
  }
  for (const char* host : {"", "localhost", "10.0.0", "010.0.0.1", "10.0.0.1:443", "[::1]",
                           "fe80::1%eth0", "10.0.0.1 "}) {
    EXPECT_FALSE(IsIpLiteral(host)) << host;
  }
}

TEST(NameLookup, AnAddressIsItsOwnAnswer) {
  NameLookup lookup;
  EXPECT_EQ(*lookup.Resolve("10.0.0.1", kPatience), Addresses{"10.0.0.1"});
  EXPECT_EQ(*lookup.Resolve("fd00::1", kPatience), Addresses{"fd00::1"});
}

TEST(NameLookup, FindsNamesAgainAndAgain) {
  NameLookup lookup;
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<Addresses> addresses = lookup.Resolve("localhost", kPatience);
    ASSERT_TRUE(addresses.ok()) << addresses.status();
    for (const std::string& address : *addresses) {
      EXPECT_TRUE(address == "127.0.0.1" || address == "::1") << address;
    }
  }
}

TEST(NameLookup, ANameWithoutAddressIsNamed) {
  NameLookup lookup;
  const absl::Status status = lookup.Resolve("-", kPatience).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_NE(status.message().find("no address of -"), absl::string_view::npos) << status;
}

TEST(NameLookup, AnExceptionIsAnAnswer) {
  NameLookup lookup(
      [](const std::string&) -> absl::StatusOr<Addresses> { throw std::bad_alloc(); });
  const absl::Status status = lookup.Resolve("api", kPatience).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_NE(status.message().find("no address of api: "), absl::string_view::npos) << status;
}

TEST(NameLookup, StopsForEver) {
  NameLookup lookup;
  lookup.Stop();
  EXPECT_TRUE(absl::IsCancelled(lookup.Resolve("localhost", kPatience).status()));
  EXPECT_TRUE(absl::IsCancelled(lookup.Resolve("10.0.0.1", kPatience).status()));
}

}  // namespace
}  // namespace berth::kube
