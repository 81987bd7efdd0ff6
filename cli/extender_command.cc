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
#include "process/controller_server.h"
#include "process/extender_server.h"

namespace berth::cli {

namespace {

constexpr char kExtenderRole[] = "berth-extender";

int RunExtender(const std::string& file) {
  config::ConfigReading reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  const auto api = ServerAccess(reading.config.kubernetes, kube::ProcessEnvironment());
  if (!api.ok()) return Fail("extender", kExitUsage, api.status());
  return Serve("extender", file, std::move(reading), [&](process::ConfigFollower::Options config) {
    return process::ExtenderServer::Start(std::move(config), *api);
  });
}

// Returns the Role that the extender needs beside its ClusterRole; nothing if nobody plans. Without
// a namespace, kubectl apply adds its own.
std::string LeaseRole(const config::BerthConfiguration& config) {
  if (config.planner.schedulers.empty()) return "";
  return "---\n" + kube::RoleYaml(kExtenderRole, process::LeaseNamespace(config).value_or(""),
                                  extender::LeaseGrantsOf(config.controller.lease.name));
}

// Without a file, prints the roles for the defaults.
int PrintExtenderRbac(const std::string& file) {
  config::ConfigReading reading;
  if (!file.empty()) reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  const auto in_cluster = extender::GrantsOf(reading.config.extender.shortlist);
  fmt::print("{}{}", kube::ClusterRoleYaml(kExtenderRole, in_cluster), LeaseRole(reading.config));
  return kExitOk;
}

}  // namespace

void AddExtenderCommand(Command berth) {
  Command extender = berth.AddCommand(
      "extender", "Answer kube-scheduler's filter, prioritize and preempt until SIGTERM or SIGINT");
  const auto file = std::make_shared<std::string>();
  const auto rbac = std::make_shared<bool>(false);
  const Argument config =
      extender.AddOption("--config", *file, "The configuration; see `berth config defaults`")
          .NotEmpty();
  extender.AddFlag("--rbac", *rbac,
                   "Print the ClusterRole and the Role that the extender needs, and exit");
  extender.Run([file, rbac, config] {
    if (*rbac) return PrintExtenderRbac(*file);
    if (!config.given()) config.Missing();
    return RunExtender(*file);
  });
}

}  // namespace berth::cli
