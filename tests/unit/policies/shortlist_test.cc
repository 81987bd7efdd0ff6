#include "policies/scheduling/shortlist.h"

#include <functional>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A cluster whose pods and Services select whatever the test says.
struct FixedSelection final : model::PodSelection {
  bool affinity = false;
  std::optional<bool> service = false;

  bool AffinitySelects(const model::Pod&) const override { return affinity; }
  std::optional<bool> ServiceSelects(const model::Pod&) const override { return service; }
};

struct ShortlistCase {
  std::string name;
  std::function<void(model::Pod&, FixedSelection&, ShortlistConfig&)> change;
  Shortlisting expected;
};

class ShortlistingTable : public ::testing::TestWithParam<ShortlistCase> {};

TEST_P(ShortlistingTable, IsJudged) {
  model::Pod pod = PodAskingFor(kGpu, 1);
  FixedSelection selection;
  ShortlistConfig config{.size = 8};
  GetParam().change(pod, selection, config);
  const Shortlisting judged = JudgeShortlisting(pod, selection, *Catalog(), config);
  EXPECT_EQ(NameOf(judged), NameOf(GetParam().expected));
  EXPECT_EQ(ReasonOf(judged).empty(), GetParam().expected == Shortlisting::kShort);
}

using Pod = model::Pod;
using Selection = FixedSelection;
using Config = ShortlistConfig;

INSTANTIATE_TEST_SUITE_P(
    All, ShortlistingTable,
    ::testing::Values(
        ShortlistCase{"Plain", [](Pod&, Selection&, Config&) {}, Shortlisting::kShort},
        ShortlistCase{"NoAccelerator", [](Pod& pod, Selection&, Config&) { pod.requests = {}; },
                      Shortlisting::kNoAccelerator},
        ShortlistCase{"NodePreference",
                      [](Pod& pod, Selection&, Config&) { pod.scored.node_preferences = true; },
                      Shortlisting::kNodePreference},
        ShortlistCase{"PodAffinity",
                      [](Pod& pod, Selection&, Config&) { pod.scored.pod_affinity = true; },
                      Shortlisting::kPodAffinity},
        ShortlistCase{"SoftSpread",
                      [](Pod& pod, Selection&, Config&) {
                        pod.scored.spread_constraints = true;
                        pod.scored.soft_spread = true;
                      },
                      Shortlisting::kSoftSpread},
        ShortlistCase{"SoftSpreadThoughDefaultsAreOff",
                      [](Pod& pod, Selection&, Config& config) {
                        pod.scored.spread_constraints = true;
                        pod.scored.soft_spread = true;
                        config.default_spreading = false;
                      },
                      Shortlisting::kSoftSpread},
        ShortlistCase{"HardSpreadOnlyFilters",
                      [](Pod& pod, Selection&, Config&) { pod.scored.spread_constraints = true; },
                      Shortlisting::kShort},
        ShortlistCase{"Replicated",
                      [](Pod& pod, Selection&, Config&) { pod.scored.replicated = true; },
                      Shortlisting::kReplicated},
        ShortlistCase{"ReplicatedWithAConstraintOfItsOwn",
                      [](Pod& pod, Selection& selection, Config&) {
                        pod.scored.replicated = true;
                        pod.scored.spread_constraints = true;
                        selection.service = true;
                      },
                      Shortlisting::kShort},
        ShortlistCase{"ReplicatedWhereDefaultsAreOff",
                      [](Pod& pod, Selection& selection, Config& config) {
                        pod.scored.replicated = true;
                        selection.service = true;
                        config.default_spreading = false;
                      },
                      Shortlisting::kShort},
        ShortlistCase{"Service",
                      [](Pod&, Selection& selection, Config&) { selection.service = true; },
                      Shortlisting::kService},
        ShortlistCase{"ServicesUnknown",
                      [](Pod&, Selection& selection, Config&) { selection.service.reset(); },
                      Shortlisting::kServicesUnknown},
        ShortlistCase{"ServicesThatNobodyNeeds",
                      [](Pod&, Selection& selection, Config& config) {
                        selection.service.reset();
                        config.default_spreading = false;
                      },
                      Shortlisting::kShort},
        ShortlistCase{"Claims", [](Pod& pod, Selection&, Config&) { pod.scored.claims = true; },
                      Shortlisting::kClaims},
        ShortlistCase{"ResourceOfADeviceClass",
                      [](Pod&, Selection&, Config& config) {
                        config.device_class_resources = {"example.com/x", std::string(kGpu)};
                      },
                      Shortlisting::kClaims},
        ShortlistCase{"DeviceClassByName",
                      [](Pod& pod, Selection&, Config&) {
                        pod.requests.Set("deviceclass.resource.kubernetes.io/gpu.nvidia.com", 1);
                      },
                      Shortlisting::kClaims},
        ShortlistCase{"OtherDeviceClasses",
                      [](Pod&, Selection&, Config& config) {
                        config.device_class_resources = {"example.com/x"};
                      },
                      Shortlisting::kShort},
        ShortlistCase{"SelectedByAnotherPod",
                      [](Pod&, Selection& selection, Config&) { selection.affinity = true; },
                      Shortlisting::kSelected},
        ShortlistCase{"SelectedByAnotherPodThoughItSpreadsItself",
                      [](Pod& pod, Selection& selection, Config& config) {
                        pod.scored.spread_constraints = true;
                        selection.affinity = true;
                        config.default_spreading = false;
                      },
                      Shortlisting::kSelected}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(ShortlistingNames, AreDifferentAndFitAMetric) {
  std::set<std::string_view> names;
  for (const Shortlisting each : kAllShortlistings) {
    EXPECT_TRUE(names.insert(NameOf(each)).second) << NameOf(each);
    EXPECT_THAT(std::string(NameOf(each)), ::testing::MatchesRegex("[a-z_]+"));
  }
  EXPECT_EQ(kAllShortlistings.back(), Shortlisting::kSelected);
  for (std::size_t i = 0; i < kAllShortlistings.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kAllShortlistings[i]), i);
  }
}

TEST(ShortlistConfigTest, NeedsServicesOnlyForDefaultSpreading) {
  EXPECT_FALSE(ShortlistConfig().NeedsServices());
  EXPECT_TRUE(ShortlistConfig{.size = 1}.NeedsServices());
  EXPECT_FALSE((ShortlistConfig{.size = 1, .default_spreading = false}.NeedsServices()));
}

std::vector<std::string> ErrorsOf(const ShortlistConfig& config) {
  std::vector<std::string> errors;
  for (const model::FieldError& error : Validate(config)) {
    errors.push_back(error.path + ": " + error.message);
  }
  return errors;
}

TEST(ShortlistConfigTest, IsValidated) {
  EXPECT_THAT(ErrorsOf({}), IsEmpty());
  EXPECT_THAT(ErrorsOf({.size = 1000, .device_class_resources = {"nvidia.com/gpu"}}), IsEmpty());
  EXPECT_THAT(ErrorsOf({.size = 1001}), ElementsAre("size: must be from 0 to 1000, got 1001"));
  EXPECT_THAT(ErrorsOf({.size = -1}), ElementsAre("size: must be from 0 to 1000, got -1"));
  EXPECT_THAT(ErrorsOf({.device_class_resources = {"a.example/x", "gpu"}}),
              ElementsAre("deviceClassResources[1]: \"gpu\" is not an extended resource; write the "
                          "extendedResourceName of a DeviceClass, such as nvidia.com/gpu"));
}

}  // namespace
}  // namespace berth::policies::scheduling
