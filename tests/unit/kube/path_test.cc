#include "kube/path.h"

#include <string>

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

TEST(PathTest, ReadsAsOneWouldWriteIt) {
  const Path root("Pod");
  const Path spec = root.Field("spec");
  const Path containers = spec.Field("containers");
  const Path container = containers[3];
  const Path requests = container.Field("requests");
  EXPECT_EQ(root.ToString(), "Pod");
  EXPECT_EQ(requests.Key("nvidia.com/gpu").ToString(),
            "Pod.spec.containers[3].requests[\"nvidia.com/gpu\"]");
}

TEST(PathTest, BeginsAtTheFieldsOfADocumentWithoutAName) {
  const Path root("");
  const Path items = root.Field("items");
  EXPECT_EQ(items[0].ToString(), "items[0]");
  EXPECT_EQ(std::string(root.Error("expected an object").message()), "expected an object");
}

TEST(PathTest, StandsInFrontOfTheError) {
  const Path root("Node");
  const absl::Status status = root.Field("status").Error("expected an object, got array");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "Node.status: expected an object, got array");
}

TEST(QuotedTest, EscapesAndShortens) {
  EXPECT_EQ(Quoted("a\"b\n"), "\"a\\\"b\\n\"");
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted(std::string(61, 'x')), "\"" + std::string(60, 'x') + "...\"");
}

}  // namespace
}  // namespace berth::kube
