#include "model/accelerator_requests.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(AcceleratorRequestsTest, AreThoseAboveZeroOfTheCataloguesResources) {
  const AcceleratorCatalog catalog = *AcceleratorCatalog::Make(AcceleratorCatalog::Defaults());
  Pod pod;
  EXPECT_THAT(AcceleratorRequests(pod, catalog), IsEmpty());
  pod.requests.Set("cpu", 8000);
  pod.requests.Set("example.com/unknown", 1);
  EXPECT_THAT(AcceleratorRequests(pod, catalog), IsEmpty());
  pod.requests.Set("preferred.jp/mncore", 2);
  pod.requests.Set("nvidia.com/gpu", 4);
  EXPECT_THAT(AcceleratorRequests(pod, catalog),
              ElementsAre(Pair("nvidia.com/gpu", 4), Pair("preferred.jp/mncore", 2)));
  pod.requests.Set("nvidia.com/gpu", 0);
  EXPECT_THAT(AcceleratorRequests(pod, catalog), ElementsAre(Pair("preferred.jp/mncore", 2)));
}

// Ascending, before "cpu".
std::string Other(std::size_t number) { return "a.example/" + std::to_string(100'000 + number); }

TEST(CountedRequestsTest, AreThoseAboveZero) {
  const AcceleratorCatalog catalog = *AcceleratorCatalog::Make(AcceleratorCatalog::Defaults());
  Resources requests;
  requests.Set("cpu", 500);
  requests.Set("example.com/nic", 1);
  requests.Set("nvidia.com/gpu", 8);
  const Resources all = requests;
  EXPECT_EQ(CountedRequests(requests, catalog), all);
  requests.Set("example.com/none", 0);
  requests.Set("memory", -1);
  EXPECT_EQ(CountedRequests(requests, catalog), all);
}

TEST(CountedRequestsTest, AreBoundedButForWhatNodesHave) {
  const AcceleratorCatalog catalog = *AcceleratorCatalog::Make(AcceleratorCatalog::Defaults());
  Resources requests;
  for (std::size_t i = 0; i < 50'000; ++i) requests.Set(Other(i), i % 2 == 0 ? 0 : 1);
  for (const char* name : {"cpu", "ephemeral-storage", "memory", "nvidia.com/gpu"}) {
    requests.Set(name, std::numeric_limits<std::int64_t>::max());
  }
  const Resources counted = CountedRequests(requests, catalog);
  EXPECT_EQ(counted.end() - counted.begin(), static_cast<std::ptrdiff_t>(kMostOtherRequests + 4));
  EXPECT_EQ(counted.Get(Other(1)), 1);
  EXPECT_FALSE(counted.Has(Other(2 * kMostOtherRequests + 1)));
  for (const char* name : {"cpu", "ephemeral-storage", "memory", "nvidia.com/gpu"}) {
    EXPECT_EQ(counted.Get(name), kMaxRequest);
  }
}

}  // namespace
}  // namespace berth::model
