#include "checks/config.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/checks/fixture.h"

namespace berth::checks {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ActiveCheckConfig, TheDefaultsOfACheckAreValid) {
  EXPECT_THAT(Validate({{.name = "vector-add", .image = "image:1"}}, {}), IsEmpty());
}

struct Mistake {
  std::string name;
  std::function<void(ActiveCheck&)> change;
  std::string path;
  std::string message;
};

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedWithWhatToWriteInstead) {
  ActiveCheck check = VectorAdd();
  GetParam().change(check);
  const auto errors = Validate({check}, {});
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, "controller.activeChecks[0]." + GetParam().path);
  EXPECT_THAT(errors[0].message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    ::testing::Values(
        Mistake{"Name", [](auto& check) { check.name = "Vector add"; }, "name",
                "write one such as vector-add"},
        Mistake{"LongName", [](auto& check) { check.name = std::string(31, 'a'); }, "name",
                "1 to 30"},
        Mistake{"Image", [](auto& check) { check.image = ""; }, "image",
                "write one such as registry.example/vector-add:1"},
        Mistake{"OwnCondition", [](auto& check) { check.condition = "Ready"; }, "condition",
                "Kubernetes' own; write one such as GPURuntimeError"},
        Mistake{"Every",
                [](auto& check) {
                  check.every = std::chrono::seconds(30);
                  check.retry_every = std::chrono::seconds(30);
                },
                "every", "at least 1m, got 30s; write 24h"},
        Mistake{"RetryEvery", [](auto& check) { check.retry_every = std::chrono::hours(25); },
                "retryEvery", "from 1s to every, 24h, got 25h; write 30m"},
        Mistake{"Timeout", [](auto& check) { check.timeout = std::chrono::hours(2); }, "timeout",
                "from 1s to 1h, got 2h; write 5m"},
        Mistake{"MaxShare", [](auto& check) { check.max_share = 0; }, "maxShare",
                "above 0 and at most 1, got 0; write 0.1"},
        Mistake{"Cpu", [](auto& check) { check.cpu = model::Quantity(); }, "cpu", "write 1"},
        Mistake{"Memory", [](auto& check) { check.memory.reset(); }, "memory", "write 4Gi"},
        Mistake{"MemoryInBytes", [](auto& check) { check.memory = model::Quantity::OfBytes(512); },
                "memory", "did you mean 512Mi or 512Gi?"},
        Mistake{"User", [](auto& check) { check.run_as_user = -1; }, "runAsUser", "write 65534"},
        Mistake{"Taint", [](auto& check) { check.tolerates = {"a b"}; }, "tolerates",
                "write one such as example.com/reserved"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(ActiveCheckConfig, TwoChecksOfANodeHaveDifferentNamesAndConditions) {
  ActiveCheck second = VectorAdd();
  EXPECT_EQ(Validate({VectorAdd(), second}, {}).size(), 2u);
  second.name = "all-reduce";
  EXPECT_EQ(Validate({VectorAdd(), second}, {}).size(), 1u);
  ActiveCheck first = VectorAdd();
  first.accelerators = {"A100"};
  second.accelerators = {"V100"};
  EXPECT_THAT(Validate({first, second}, {}), IsEmpty());
}

}  // namespace
}  // namespace berth::checks
