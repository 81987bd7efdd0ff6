#include "server/health.h"

#include <utility>

namespace berth::server {
namespace {

constexpr char kPlainText[] = "text/plain; charset=utf-8";

HttpResponse Readiness(const std::vector<std::string>& not_ready) {
  if (not_ready.empty()) return {200, kPlainText, "ok\n"};
  std::string lines;
  for (const std::string& what : not_ready) lines += "not ready: " + what + "\n";
  return {503, kPlainText, std::move(lines)};
}

Route AliveRoute(const char* path) {
  Route route;
  route.method = "GET";
  route.path = path;
  route.handle = [](const HttpRequest&) { return HttpResponse{200, kPlainText, "ok\n"}; };
  return route;
}

}  // namespace

Route HealthzRoute() { return AliveRoute("/healthz"); }

Route LivezRoute() { return AliveRoute("/livez"); }

std::vector<Route> ProbeRoutes(const ReadinessCheck& not_ready) {
  return {LivezRoute(), HealthzRoute(), ReadyzRoute(not_ready)};
}

Route ReadyzRoute(ReadinessCheck not_ready) {
  Route route;
  route.method = "GET";
  route.path = "/readyz";
  route.handle = [check = std::move(not_ready)](const HttpRequest&) { return Readiness(check()); };
  return route;
}

}  // namespace berth::server
