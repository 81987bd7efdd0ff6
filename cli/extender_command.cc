#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/api_access.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/serve.h"
#include "config/reader.h"
#include "extender/rights.h"
#include "process/extender_server.h"

namespace berth::cli {

namespace {

int RunExtender(const std::string& file) {
  config::ConfigReading reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  const auto api = ServerAccess(reading.config.kubernetes, kube::ProcessEnvironment());
  if (!api.ok()) return Fail("extender", kExitUsage, api.status());
  return Serve("extender", file, std::move(reading), [&](process::ConfigFollower::Options config) {
    return process::ExtenderServer::Start(std::move(config), *api);
  });
}

// Without a file, prints the role for the defaults.
int PrintExtenderRbac(const std::string& file) {
  config::ConfigReading reading;
  if (!file.empty()) reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  fmt::print("{}", kube::ClusterRoleYaml("berth-extender",
                                         extender::GrantsOf(reading.config.extender.shortlist)));
  return kExitOk;
}

}  // namespace

void AddExtenderCommand(Command berth) {
  Command extender = berth.AddCommand(
      "extender", "Answer kube-scheduler's filter, prioritize and preempt until SIGTERM or SIGINT");
  const auto file = std::make_shared<std::string>();
  const auto rbac = std::make_shared<bool>(false);
  const Argument config =
      extender.AddOption("--config", *file, "The configuration; see `berth config defaults`");
  extender.AddFlag("--rbac", *rbac, "Print the ClusterRole that the extender needs, and exit");
  extender.Run([file, rbac, config] {
    if (*rbac) return PrintExtenderRbac(*file);
    if (!config.given()) config.Missing();
    return RunExtender(*file);
  });
}

}  // namespace berth::cli
