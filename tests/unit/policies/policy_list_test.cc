#include "policies/policy_list.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::policies {
namespace {

using ::testing::ElementsAre;

struct First {
  static constexpr std::string_view kName = "first";
  static constexpr std::string_view kHelp = "Goes first";
  using Config = NoConfig;
};

struct Second {
  static constexpr std::string_view kName = "second";
  static constexpr std::string_view kHelp = "Goes second";
  using Config = NoConfig;
};

template <typename Policy>
struct Settings {
  static constexpr std::string_view kKey = Policy::kName;

  int weight = 1;
  typename Policy::Config config;
};

using AllSettings = SettingsOf<Settings, PolicyList<First, Second>>;

/// Remembers which blocks there are, and changes their weight.
struct Blocks {
  std::vector<std::string> seen;

  template <typename Policy>
  void operator()(std::string_view key, Settings<Policy>& settings, std::string_view help) {
    seen.push_back(std::string(key) + ": " + std::string(help));
    settings.weight = static_cast<int>(10 * seen.size());
  }
};

TEST(PolicyListTest, VisitsABlockForEachPolicyInTheOrderOfTheList) {
  AllSettings settings;
  Blocks blocks;
  VisitFields(blocks, settings);
  EXPECT_THAT(blocks.seen, ElementsAre("first: Goes first", "second: Goes second"));
  EXPECT_EQ(std::get<Settings<First>>(settings.all).weight, 10);
  EXPECT_EQ(std::get<Settings<Second>>(settings.all).weight, 20);
}

TEST(PolicyListTest, CallsForEachPolicyInTheOrderOfTheList) {
  AllSettings settings;
  ForEachPolicy(settings, []<typename Policy>(Settings<Policy>& policy) { policy.weight = 7; });
  std::vector<std::string> seen;
  const AllSettings& constant = settings;
  ForEachPolicy(constant, [&seen]<typename Policy>(const Settings<Policy>& policy) {
    seen.push_back(std::string(Policy::kName) + " " + std::to_string(policy.weight));
  });
  EXPECT_THAT(seen, ElementsAre("first 7", "second 7"));
}

/// Fails where there is a field.
struct NoFields {
  template <typename Field>
  void operator()(std::string_view key, Field&, std::string_view) {
    ADD_FAILURE() << key;
  }
};

TEST(PolicyListTest, NoConfigHasNoFieldsAndIsValid) {
  NoConfig config;
  NoFields fields;
  VisitFields(fields, config);
  EXPECT_TRUE(Validate(config).empty());
}

}  // namespace
}  // namespace berth::policies
