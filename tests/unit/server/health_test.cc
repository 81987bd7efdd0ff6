#include "server/health.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(HealthTest, IsAlive) {
  const Route route = HealthzRoute();
  EXPECT_EQ(route.method, "GET");
  EXPECT_EQ(route.path, "/healthz");
  EXPECT_EQ(route.handle({}).status, 200);
}

TEST(HealthTest, ProbesHaveThreePaths) {
  std::vector<std::string> paths;
  for (const Route& route : ProbeRoutes([] { return std::vector<std::string>(); })) {
    paths.push_back(route.path);
    EXPECT_EQ(route.handle({}).status, 200);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"/livez", "/healthz", "/readyz"}));
}

TEST(HealthTest, IsReadyWhenNothingIsMissing) {
  std::vector<std::string> missing{"nodes are not listed yet", "pods are not listed yet"};
  const Route route = ReadyzRoute([&] { return missing; });
  EXPECT_EQ(route.path, "/readyz");
  const HttpResponse early = route.handle({});
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.body,
            "not ready: nodes are not listed yet\nnot ready: pods are not listed yet\n");
  missing.clear();
  EXPECT_EQ(route.handle({}).status, 200);
}

}  // namespace
}  // namespace berth::server
