#include "policies/scheduling/health_config.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "policies/scheduling/health.h"

namespace berth::policies::scheduling {
namespace {

using model::Duration;

const HealthCondition kHardware{.type = "AcceleratedHardwareReady",
                                .effect = Effect::kExclude,
                                .bad_status = BadStatus::kFalse};

TEST(HealthConfig, DefaultsAreValid) { EXPECT_TRUE(Validate(HealthConfig{}).empty()); }

TEST(HealthConfig, ATypeHasOneBadStatus) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {kHardware, kHardware};
  config.conditions[1].resources = {"rdma/*"};
  EXPECT_TRUE(Validate(config).empty());
  config.conditions[1].bad_status = BadStatus::kTrue;
  const auto errors = Validate(config);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, "conditions[1].badStatus");
  EXPECT_EQ(errors[0].message,
            "conditions[0] has the other one for 'AcceleratedHardwareReady'; write the same in all "
            "entries of a type");
}

TEST(HealthConfig, ErrorsNameTheFieldAndWhatToWrite) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {{"", Effect::kExclude, {}, {}, {}},
                       {"A", Effect::kIgnore, Duration{-1}, Duration{-1}, {""}},
                       {"B", Effect::kExclude, {}, {}, {}},
                       {"B", Effect::kPenalize, {}, {}, {}}};
  config.conditions[0].stale_after = Duration{-1};
  config.stale_after = Duration{-1};
  config.keep_for = Duration{-1};
  std::vector<std::string> paths;
  for (const auto& error : Validate(config)) paths.push_back(error.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"conditions[0].type", "conditions[0].staleAfter",
                                             "conditions[1].effect", "conditions[1].minDuration",
                                             "conditions[1].recovery", "conditions[1].resources[0]",
                                             "conditions[3].type", "staleAfter", "keepFor"}));
}

struct BreakerCase {
  double fraction;
  std::int32_t min_nodes;
  std::vector<std::string> paths;
};

TEST(HealthConfig, BreakerHasAFractionOfMoreThanNoneAndOfAllAtMost) {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const BreakerCase cases[] = {{0.5, 10, {}},
                               {1, 1, {}},
                               {0.0001, 1, {}},
                               {0, 1, {"breaker.fraction"}},
                               {-0.5, 1, {"breaker.fraction"}},
                               {1.0001, 1, {"breaker.fraction"}},
                               {50, 1, {"breaker.fraction"}},
                               {not_a_number, 1, {"breaker.fraction"}},
                               {0.5, 0, {"breaker.minNodes"}},
                               {0, -1, {"breaker.fraction", "breaker.minNodes"}}};
  for (const BreakerCase& c : cases) {
    HealthConfig config;
    config.profiles.clear();
    config.breaker = {c.fraction, c.min_nodes, BreakerAction::kAlert};
    std::vector<std::string> paths;
    for (const auto& error : Validate(config)) {
      paths.push_back(error.path);
      EXPECT_NE(error.message.find("write "), std::string::npos) << error.message;
    }
    EXPECT_EQ(paths, c.paths) << c.fraction << ' ' << c.min_nodes;
  }
}

}  // namespace
}  // namespace berth::policies::scheduling
