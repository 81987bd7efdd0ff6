#include "model/compute_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::model {
namespace {

using testing::EndsWith;

using Check = absl::Status (*)(const std::optional<Quantity>&, std::string_view);

// Empty if the size is right.
std::string Said(Check check, std::string_view text) {
  const absl::Status status = check(Quantity::Parse(text).value(), "a size");
  return std::string(status.message());
}

struct SizeCase {
  std::string text;
  std::string says;
};

TEST(ComputeSizeTest, OfMemoryIsFromAMebibyteTo64Pebibytes) {
  for (const char* text :
       {"1Mi", "1048576", "1.5Gi", "2M", "40Gi", "3e9", "128974848000m", "64Pi"}) {
    EXPECT_EQ(Said(CheckMemorySize, text), "") << text;
  }
  for (const char* text :
       {"0", "-1Gi", "1M", "512Ki", "1e3", "64.1Pi", "100E", "9999999999G", "1e30"}) {
    EXPECT_EQ(Said(CheckMemorySize, text),
              "must be from 1Mi to 64Pi, got \"" + std::string(text) + "\"; write a size")
        << text;
  }
}

TEST(ComputeSizeTest, OfMemoryMayLackItsSuffix) {
  const std::vector<SizeCase> cases = {
      {"512", "got \"512\"; without a suffix it is bytes; did you mean 512Mi or 512Gi?"},
      {"0.5", "got \"0.5\"; without a suffix it is bytes; did you mean 0.5Gi?"},
      {"1048575",
       "got \"1048575\"; without a suffix it is bytes; did you mean 1048575Mi or "
       "1048575Gi?"},
      {"512m", "got \"512m\"; m stands for thousandths of a byte; did you mean 512Mi?"},
      {"0.5m", "got \"0.5m\"; write a size"},
  };
  for (const SizeCase& c : cases) {
    EXPECT_THAT(Said(CheckMemorySize, c.text), EndsWith(c.says)) << c.text;
  }
}

TEST(ComputeSizeTest, OfCpuIsFromAThousandthToAMillionCores) {
  for (const char* text : {"1m", "0.001", "100m", "1", "3500m", "1M"}) {
    EXPECT_EQ(Said(CheckCpuSize, text), "") << text;
  }
  for (const char* text : {"0", "-1", "999u", "1000001", "100E"}) {
    EXPECT_EQ(Said(CheckCpuSize, text),
              "must be from 1m to 1000000 cores, got \"" + std::string(text) + "\"; write a size")
        << text;
  }
}

TEST(ComputeSizeTest, OfReservedCpuIsWhole) {
  for (const char* text : {"1", "4", "3000m", "4.0", "1M"}) {
    EXPECT_EQ(Said(CheckWholeCpuSize, text), "") << text;
  }
  const std::vector<SizeCase> cases = {{"3500m", "write 3 or 4"},   {"1.000000001", "write 1 or 2"},
                                       {"500m", "write 1"},         {"1u", "write 1"},
                                       {"0", "write a size"},       {"-1500m", "write a size"},
                                       {"1000001", "write a size"}, {"100E", "write a size"}};
  for (const SizeCase& c : cases) {
    EXPECT_EQ(Said(CheckWholeCpuSize, c.text),
              "must be a whole number of cores from 1 to 1000000, "
              "got \"" +
                  c.text + "\"; " + c.says);
  }
}

TEST(ComputeSizeTest, IsMissingWithWhatToWrite) {
  for (const Check check : {CheckCpuSize, CheckWholeCpuSize, CheckMemorySize}) {
    EXPECT_EQ(check(std::nullopt, "a size").message(), "is missing; write a size");
  }
}

TEST(ComputeSizeTest, IsShownInPart) {
  EXPECT_EQ(Said(CheckMemorySize, std::string(1'000, '9')),
            "must be from 1Mi to 64Pi, got \"" + std::string(37, '9') + "...\"; write a size");
}

}  // namespace
}  // namespace berth::model
