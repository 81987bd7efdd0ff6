#include "policies/admission/config.h"

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::policies::admission {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

template <typename Policy>
PolicySettings<Policy>& SettingsIn(AdmissionConfig& config) {
  return std::get<PolicySettings<Policy>>(config.policies.all);
}

struct RetrylessCase {
  MissingLimits missing_limits;
  Mode qos;
  Mode retries;
  bool valid;
};

TEST(AdmissionConfigRetrylessTest, JobsGoWithoutLimitsOnlyWhereTheyAreNotRetried) {
  constexpr MissingLimits kAllow = MissingLimits::kAllowRetryless;
  for (const RetrylessCase& c :
       {RetrylessCase{kAllow, Mode::kEnforce, Mode::kEnforce, true},
        RetrylessCase{kAllow, Mode::kEnforce, Mode::kWarn, false},
        RetrylessCase{kAllow, Mode::kWarn, Mode::kOff, false},
        RetrylessCase{kAllow, Mode::kOff, Mode::kOff, true},
        RetrylessCase{MissingLimits::kDefault, Mode::kEnforce, Mode::kOff, true},
        RetrylessCase{MissingLimits::kDeny, Mode::kEnforce, Mode::kOff, true}}) {
    AdmissionConfig config;
    SettingsIn<GuaranteedQosPolicy>(config).config.missing_limits = c.missing_limits;
    SettingsIn<GuaranteedQosPolicy>(config).mode = c.qos;
    SettingsIn<JobRetriesPolicy>(config).mode = c.retries;
    EXPECT_EQ(Validate(config).empty(), c.valid)
        << static_cast<int>(c.qos) << " " << static_cast<int>(c.retries);
  }
}

TEST(AdmissionConfigRetrylessTest, SaysWhereAPolicysMistakeIs) {
  AdmissionConfig config;
  SettingsIn<JobRetriesPolicy>(config).config.infrastructure_retries = -1;
  SettingsIn<GuaranteedQosPolicy>(config).config.missing_limits = MissingLimits::kAllowRetryless;
  SettingsIn<JobRetriesPolicy>(config).mode = Mode::kWarn;
  const auto errors = Validate(config);
  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_EQ(errors[0].path, "policies.jobRetries.infrastructureRetries");
  EXPECT_EQ(errors[1].path, "policies.guaranteedQos.missingLimits");
  EXPECT_THAT(errors[1].message, HasSubstr("jobRetries.mode Enforce"));
}

}  // namespace
}  // namespace berth::policies::admission
