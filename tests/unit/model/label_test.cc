#include "model/label.h"

#include <string>

#include "gtest/gtest.h"

namespace berth::model {
namespace {

TEST(LabelTest, ValuesAreShortWordsOfLettersDigitsAndThreeMarks) {
  for (const auto* good : {"A100", "a", "7", "MN-Core", "a_b.c-d"}) {
    EXPECT_TRUE(IsLabelValue(good)) << good;
  }
  EXPECT_TRUE(IsLabelValue(std::string(63, 'a')));
  for (const auto* bad : {"", "-a", "a-", ".a", "a b", "a/b", "é", "a\n"}) {
    EXPECT_FALSE(IsLabelValue(bad)) << bad;
  }
  EXPECT_FALSE(IsLabelValue(std::string(64, 'a')));
  EXPECT_FALSE(IsLabelValue(std::string("a\0b", 3)));
}

TEST(LabelTest, DnsSubdomainsNameMostObjects) {
  for (const auto* good : {"a", "train-1", "a.b-c.d", "0"}) {
    EXPECT_TRUE(IsDnsSubdomain(good)) << good;
  }
  EXPECT_TRUE(IsDnsSubdomain(std::string(253, 'a')));
  for (const auto* bad : {"", "A", "-a", "a-", "a..b", ".a", "a_b", "a/b", "a b", "a\n"}) {
    EXPECT_FALSE(IsDnsSubdomain(bad)) << bad;
  }
  EXPECT_FALSE(IsDnsSubdomain(std::string(254, 'a')));
}

TEST(LabelTest, DnsLabelsNameNamespaces) {
  for (const auto* good : {"a", "0", "team-vision", "2024"}) {
    EXPECT_TRUE(IsDnsLabel(good)) << good;
  }
  EXPECT_TRUE(IsDnsLabel(std::string(63, 'a')));
  for (const auto* bad : {"", "A", "-a", "a-", "a.b", "a_b", "a/b", "a,b", "a b", "a\n"}) {
    EXPECT_FALSE(IsDnsLabel(bad)) << bad;
  }
  EXPECT_FALSE(IsDnsLabel(std::string(64, 'a')));
}

TEST(LabelTest, QualifiedNamesMayHaveADomain) {
  for (const auto* good : {"accelerator", "nvidia.com/gpu.product", "x/y", "a-b.c0/D_e"}) {
    EXPECT_TRUE(IsQualifiedName(good)) << good;
  }
  EXPECT_TRUE(IsQualifiedName(std::string(253, 'a') + "/b"));
  for (const auto* bad :
       {"", "/", "/b", "a/", "a/b/c", "Nvidia.com/gpu", "a..b/c", "-a/b", "a_b/c"}) {
    EXPECT_FALSE(IsQualifiedName(bad)) << bad;
  }
  EXPECT_FALSE(IsQualifiedName(std::string(254, 'a') + "/b"));
}

TEST(LabelTest, ExtendedResourcesBelongToSomebodyElse) {
  for (const auto* good :
       {"nvidia.com/gpu", "preferred.jp/mncore", "rdma/hca", "kubernetes.io.example/x"}) {
    EXPECT_TRUE(IsExtendedResourceName(good)) << good;
  }
  for (const auto* bad : {"cpu", "memory", "gpu", "kubernetes.io/batch-cpu", "node.kubernetes.io/x",
                          "requests.nvidia.com/gpu", "nvidia.com/", "nvidia.com/gpu/a"}) {
    EXPECT_FALSE(IsExtendedResourceName(bad)) << bad;
  }
  // "requests." in front of it, as in a quota, still has to be a domain.
  EXPECT_TRUE(IsExtendedResourceName(std::string(244, 'a') + "/b"));
  EXPECT_FALSE(IsExtendedResourceName(std::string(245, 'a') + "/b"));
}

}  // namespace
}  // namespace berth::model
