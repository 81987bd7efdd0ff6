#include "kube/query.h"

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

TEST(Target, WritesQueriesInOrderAndEscaped) {
  EXPECT_EQ(Target("/a").text(), "/a");
  EXPECT_EQ(Target("/a").With("x", "1").With("y", "2").text(), "/a?x=1&y=2");
  EXPECT_EQ(Target("/a").With("x", "").With("y", "2").text(), "/a?y=2") << "nothing to say";
  EXPECT_EQ(Target("/a").With("x", "aZ09-._~").text(), "/a?x=aZ09-._~");
  EXPECT_EQ(Target("/a").With("x", "a!=b,c d&e+%/\r\n\xc3").text(),
            "/a?x=a%21%3Db%2Cc%20d%26e%2B%25%2F%0D%0A%C3");
}

}  // namespace
}  // namespace berth::kube
