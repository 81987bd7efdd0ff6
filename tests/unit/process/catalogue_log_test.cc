#include "process/catalogue_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::process {
namespace {

using nlohmann::json;

// The lines about `count` nodes that are both V100 and A30.
std::vector<json> LinesOf(int count) {
  const auto catalog = policies::scheduling::Catalog();
  CatalogueLog log(catalog);
  testing::internal::CaptureStderr();
  for (int i = 0; i < count; ++i) {
    log.OnAmbiguous("node-" + std::to_string(i), catalog->IndexOf("V100"), catalog->IndexOf("A30"));
  }
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(CatalogueLog, NamesTheNodeAndBothEntries) {
  const std::vector<json> lines = LinesOf(1);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["level"], "warning");
  EXPECT_EQ(lines[0]["msg"],
            "two entries of the catalogue match node node-0, V100 and A30; it counts as V100, the "
            "first one");
  EXPECT_EQ(lines[0]["node"], "node-0");
  EXPECT_EQ(lines[0]["countsAs"], "V100");
  EXPECT_EQ(lines[0]["hides"], "A30");
}

TEST(CatalogueLog, DoesNotFloodTheLogWithAWholeCluster) { EXPECT_EQ(LinesOf(7500).size(), 5u); }

}  // namespace
}  // namespace berth::process
