#include "kube/backoff.h"

#include <set>

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToItsLimitAndIsSpreadOverTheUpperHalf) {
  const int wholes[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000};
  for (unsigned seed = 0; seed < 50; ++seed) {
    Backoff backoff(seed);
    for (const int whole : wholes) {
      const milliseconds wait = backoff.Next();
      EXPECT_GE(wait, milliseconds(whole / 2));
      EXPECT_LE(wait, milliseconds(whole));
    }
  }
}

TEST(Backoff, MayHaveALowerLimit) {
  Backoff backoff(1, milliseconds(1000));
  for (int i = 0; i < 10; ++i) EXPECT_LE(backoff.Next(), milliseconds(1000));
  EXPECT_GE(backoff.Next(), milliseconds(500));
}

TEST(Backoff, BeginsAgainAfterASuccess) {
  Backoff backoff(1);
  for (int i = 0; i < 5; ++i) backoff.Next();
  backoff.Reset();
  EXPECT_LE(backoff.Next(), Backoff::kFirst);
}

TEST(Backoff, SpreadsClients) {
  std::set<milliseconds> waits;
  for (unsigned seed = 0; seed < 50; ++seed) waits.insert(Backoff(seed).Next());
  EXPECT_GT(waits.size(), 20u);
}

}  // namespace
}  // namespace berth::kube
