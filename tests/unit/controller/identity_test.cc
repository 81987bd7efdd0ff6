#include "controller/identity.h"

#include <unistd.h>

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::controller {
namespace {

TEST(Identity, IsTheHostAndAUuid) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string identity = MakeIdentity();
  ASSERT_EQ(identity.rfind(std::string(host) + "_", 0), 0U) << identity;
  EXPECT_THAT(identity.substr(std::string(host).size() + 1),
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                    "[0-9a-f]{12}"));
}

TEST(Identity, IsAnotherOneEachTime) {
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i) all.insert(MakeIdentity());
  EXPECT_EQ(all.size(), 1000U);
}

}  // namespace
}  // namespace berth::controller
