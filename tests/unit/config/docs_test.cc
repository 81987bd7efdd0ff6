#include "config/docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "config/reader.h"

namespace berth::config {
namespace {

using testing::HasSubstr;

TEST(ConfigDocs, AreThoseInTheRepository) {
  std::ifstream file("docs/configuration.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == ConfigDocs()) << "docs/configuration.md is out of date; write it with\n"
                                             "  berth config docs > docs/configuration.md";
}

TEST(ConfigDocs, HaveARowForFieldsAtEveryDepth) {
  const std::string docs = ConfigDocs();
  EXPECT_THAT(docs, HasSubstr("| `prefix` | text | `berth.dev` | "));
  EXPECT_THAT(docs, HasSubstr("| `extender.tls.certFile` | text | empty | "));
  EXPECT_THAT(docs, HasSubstr("| `accelerators[].nodes[].label` | text | required | "));
  EXPECT_THAT(docs,
              HasSubstr("| `health.unknownStatus` | Exclude, Penalize or Ignore | `Penalize` "));
  EXPECT_THAT(docs, HasSubstr("| `scheduling.policies.health.weight` | whole number | `4` | "));
}

TEST(ConfigDocs, ShowAFileThatWorks) {
  const std::string docs = ConfigDocs();
  const std::string fence = "```yaml\n";
  const std::size_t begin = docs.find(fence) + fence.size();
  const std::string example = docs.substr(begin, docs.find("```", begin) - begin);
  EXPECT_EQ(yaml::ToString(ParseConfig(example, "example").errors), "");
}

}  // namespace
}  // namespace berth::config
