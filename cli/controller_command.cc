#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "cli/api_access.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/serve.h"
#include "config/reader.h"
#include "controller/rights.h"
#include "process/controller_server.h"

namespace berth::cli {

namespace {

int RunController(const std::string& file) {
  config::ConfigReading reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  const auto lease_namespace = process::LeaseNamespace(reading.config);
  if (!lease_namespace.ok()) {
    fmt::print(stderr, "{}: {}\n", file, std::string(lease_namespace.status().message()));
    return kExitUsage;
  }
  const auto api = ServerAccess(reading.config.kubernetes, kube::ProcessEnvironment());
  if (!api.ok()) return Fail("controller", kExitUsage, api.status());
  return Serve("controller", file, std::move(reading),
               [&](process::ConfigFollower::Options config) {
                 return process::ControllerServer::Start(std::move(config), *api, *lease_namespace);
               });
}

// Without a file, prints the roles for the defaults, without a namespace: kubectl apply adds its
// own.
int PrintControllerRbac(const std::string& file) {
  config::ConfigReading reading;
  if (!file.empty()) reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  fmt::print("{}",
             controller::ControllerRolesYaml(reading.config.controller, reading.config.planner,
                                             process::LeaseNamespace(reading.config).value_or("")));
  return kExitOk;
}

}  // namespace

void AddControllerCommand(Command berth) {
  Command controller = berth.AddCommand(
      "controller",
      "Label nodes, nudge waiting pods and renew certificates until SIGTERM or SIGINT");
  const auto file = std::make_shared<std::string>();
  const auto rbac = std::make_shared<bool>(false);
  const Argument config =
      controller.AddOption("--config", *file, "The configuration; see `berth config defaults`")
          .NotEmpty();
  controller.AddFlag("--rbac", *rbac,
                     "Print the ClusterRole and the Role that the controller needs, and exit");
  controller.Run([file, rbac, config] {
    if (*rbac) return PrintControllerRbac(*file);
    if (!config.given()) config.Missing();
    return RunController(*file);
  });
}

}  // namespace berth::cli
