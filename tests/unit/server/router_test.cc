#include "server/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::server {
namespace {

using ::testing::HasSubstr;

Route Make(std::string method, std::string path) {
  Route route;
  route.method = std::move(method);
  route.path = std::move(path);
  route.handle = [](const HttpRequest&) { return HttpResponse(); };
  return route;
}

TEST(RouterTest, FindsByMethodAndPath) {
  const Router router({Make("GET", "/a"), Make("POST", "/a"), Make("POST", "/b")});
  const struct {
    const char* method;
    const char* target;
    // Method and path of the route; empty: none.
    const char* found;
    const char* allow;
  } table[] = {
      {"GET", "/a", "GET /a", ""},
      {"HEAD", "/a", "GET /a", ""},
      {"POST", "/a", "POST /a", ""},
      {"POST", "/b?dry=1", "POST /b", ""},
      {"GET", "/b", "", "POST"},
      {"HEAD", "/b", "", "POST"},
      {"PUT", "/a", "", "GET, HEAD, POST"},
      {"get", "/a", "", "GET, HEAD, POST"},
      {"GET", "/", "", ""},
      {"GET", "/a/", "", ""},
      {"GET", "/ab", "", ""},
      {"GET", "a", "", ""},
      {"GET", "", "", ""},
  };
  for (const auto& row : table) {
    const Router::Match match = router.Find(row.method, row.target);
    const std::string found =
        match.route == nullptr ? "" : match.route->method + " " + match.route->path;
    EXPECT_EQ(found, row.found) << row.method << " " << row.target;
    EXPECT_EQ(match.allow, row.allow) << row.method << " " << row.target;
  }
}

TEST(RouterTest, RefusesRoutesThatMakeNoSense) {
  Route without_handler = Make("GET", "/x");
  without_handler.handle = nullptr;
  const struct {
    std::vector<Route> routes;
    const char* error;
  } table[] = {
      {{Make("", "/a")}, "has no method"},
      {{Make("HEAD", "/a")}, "answered by the route of GET"},
      {{Make("GET", "a")}, "must begin with '/'"},
      {{Make("GET", "")}, "must begin with '/'"},
      {{without_handler}, "route GET /x: has no handler"},
      {{Make("GET", "/a"), Make("POST", "/a"), Make("GET", "/a")}, "is there twice"},
  };
  for (const auto& row : table) {
    EXPECT_THAT(Router(row.routes).Validate().ToString(), HasSubstr(row.error));
  }
  EXPECT_TRUE(Router({Make("GET", "/a"), Make("POST", "/a")}).Validate().ok());
}

}  // namespace
}  // namespace berth::server
