#include "kube/json_sizes.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::kube {
namespace {

using ::testing::HasSubstr;

std::string Repeated(const std::string& item, std::size_t count) {
  std::string list = "[";
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + item;
  return list + "]";
}

std::string ErrorOf(const std::string& object) {
  JsonParser parser;
  return std::string(CheckSizes(parser.Parse(object).value(), "").message());
}

TEST(CheckSizesTest, LetsLargePodsPass) {
  const std::string container =
      R"({"name": "c", "image": "i", "env": [{"name": "a", "value": "b"}], "args": ["x", "y"]})";
  EXPECT_EQ(ErrorOf(R"({"spec": {"containers": )" + Repeated(container, 500) +
                    R"(, "initContainers": )" + Repeated(container, 500) + "}}"),
            "");
}

TEST(CheckSizesTest, NamesFieldCountAndLimit) {
  EXPECT_EQ(ErrorOf(R"({"spec": {"containers": )" + Repeated("{}", 1'001) + "}}"),
            "spec.containers: has 1001 containers, init and ephemeral ones included, more than the "
            "1000 that Berth reads");
  EXPECT_EQ(ErrorOf(R"({"spec": {"affinity": {"x": [{"matchExpressions": )" +
                    Repeated("{}", 10'001) + "}]}}}"),
            "spec.affinity.x[0].matchExpressions: has 10001 entries, more than the 10000 that "
            "Berth reads");
}

TEST(CheckSizesTest, CountsAllKindsOfContainersOfAPodTogether) {
  const std::string some = Repeated("{}", 400);
  EXPECT_THAT(ErrorOf(R"({"spec": {"containers": )" + some + R"(, "initContainers": )" + some +
                      R"(, "ephemeralContainers": )" + some + "}}"),
              HasSubstr("spec.ephemeralContainers: has 1200 containers"));
  EXPECT_EQ(ErrorOf(R"({"a": {"containers": )" + some + R"(}, "b": {"containers": )" + some +
                    R"(}, "c": {"containers": )" + some + "}}"),
            "")
      << "each of another template";
}

TEST(CheckSizesTest, CountsMembersOfMaps) {
  std::string labels = "{";
  for (int i = 0; i <= 10'000; ++i) labels += "\"k" + std::to_string(i) + "\":\"\",";
  labels.back() = '}';
  EXPECT_THAT(ErrorOf(R"({"metadata": {"labels": )" + labels + "}}"),
              HasSubstr("metadata.labels: has 10001 entries"));
}

TEST(CheckSizesTest, CountsAllTogetherButManagedFields) {
  const std::string list = Repeated("0", 9'000);
  const std::string lists = Repeated(list, 12);
  EXPECT_EQ(ErrorOf(R"({"spec": )" + lists + "}"),
            "the object: has 108013 members and items altogether, more than the 50000 that Berth "
            "reads");
  EXPECT_EQ(ErrorOf(R"({"metadata": {"managedFields": )" + lists + "}}"), "");
}

}  // namespace
}  // namespace berth::kube
