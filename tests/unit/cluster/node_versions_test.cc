#include "cluster/node_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace berth::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Indices = std::vector<model::NodeIndex>;

Indices Since(const NodeVersions& versions, std::uint64_t since) {
  Indices changed;
  versions.ForEachSince(since, [&](model::NodeIndex index) { changed.push_back(index); });
  return changed;
}

TEST(NodeVersions, TellWhatChangedSince) {
  NodeVersions versions;
  EXPECT_EQ(versions.latest(), 0u);
  for (int i = 0; i < 200; ++i) versions.Add();
  EXPECT_EQ(versions.end(), 200u);
  EXPECT_THAT(Since(versions, 0), IsEmpty());
  versions.Set(199, 1);
  versions.Set(0, 2);
  versions.Set(63, 3);
  versions.Set(64, 4);
  EXPECT_THAT(Since(versions, 0), ElementsAre(0, 63, 64, 199));
  EXPECT_THAT(Since(versions, 2), ElementsAre(63, 64));
  EXPECT_THAT(Since(versions, 4), IsEmpty());
  EXPECT_EQ(versions[63], 3u);
  EXPECT_EQ(versions.latest(), 4u);
}

TEST(NodeVersions, DoNotTellOfNodesThatWent) {
  NodeVersions versions;
  for (int i = 0; i < 2; ++i) versions.Add();
  versions.Set(0, 1);
  versions.Set(1, 2);
  versions.Clear(1);
  EXPECT_EQ(versions[1], NodeVersions::kNone);
  EXPECT_THAT(Since(versions, 0), ElementsAre(0));
  EXPECT_EQ(versions.latest(), 2u) << "what was seen of it must not be seen again";
  versions.Set(1, 3);
  EXPECT_THAT(Since(versions, 2), ElementsAre(1));
}

TEST(NodeVersions, TellWhatALookAtEachWouldTell) {
  std::mt19937 random(1);
  NodeVersions versions;
  std::uint64_t counter = 0;
  for (int step = 0; step < 2000; ++step) {
    if (versions.end() == 0 || random() % 8 == 0) versions.Add();
    const auto index = static_cast<model::NodeIndex>(random() % versions.end());
    random() % 4 == 0 ? versions.Clear(index) : versions.Set(index, ++counter);
    const std::uint64_t since = random() % (counter + 1);
    Indices expected;
    for (model::NodeIndex i = 0; i < versions.end(); ++i) {
      if (versions[i] > since) expected.push_back(i);
    }
    ASSERT_EQ(Since(versions, since), expected) << "step " << step;
  }
}

}  // namespace
}  // namespace berth::cluster
