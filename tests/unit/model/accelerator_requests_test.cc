#include "model/accelerator_requests.h"

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

}  // namespace
}  // namespace berth::model
