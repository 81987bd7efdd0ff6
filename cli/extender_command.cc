#include "cli/extender_command.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/api_access.h"
#include "cli/certificates.h"
#include "cli/config_reader.h"
#include "cli/config_summary.h"
#include "cli/exit_code.h"
#include "cli/extender_rbac.h"
#include "cli/extender_server.h"
#include "cli/log_level.h"
#include "cli/version.h"
#include "server/log.h"
#include "server/signals.h"

namespace berth::cli {

namespace {

using server::Log;
using server::LogLevel;

int ServeUntilSignal(ConfigFollower::Options config, kube::ApiConfig api) {
  // Before the first thread, which would else take the signals.
  server::ShutdownSignals signals;
  const ExtenderConfig& extender = config.config.extender;
  auto certificates = OpenCertificates("extender", extender.tls, extender.insecure_loopback);
  if (!certificates.ok()) return Fail("extender", kExitUsage, certificates.status());
  auto server = ExtenderServer::Start(std::move(config), std::move(api), *std::move(certificates));
  if (!server.ok()) return Fail("extender", kExitNo, server.status());
  const int signal = signals.Wait();
  Log(LogLevel::kInfo, "draining", {{"signal", signal}});
  const bool answered_all = (*server)->Drain();
  Log(LogLevel::kInfo, "ended", {{"answeredAll", answered_all}});
  return kExitOk;
}

int RunExtender(const std::string& file) {
  ConfigReading reading = ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  auto api = ServerAccess(reading.config.kubernetes, kube::ProcessEnvironment());
  if (!api.ok()) return Fail("extender", kExitUsage, api.status());
  server::SetLogLevel(LogLevelOf(reading.config.log));
  Log(LogLevel::kInfo, "starting",
      {{"version", Version()},
       {"revision", Revision()},
       {"configFile", file},
       {"config", Summarize(reading.config)},
       {"apiServer", fmt::format("{}:{}", api->host, api->port)}});
  return ServeUntilSignal(
      {.file = file, .text = std::move(reading.text), .config = std::move(reading.config)},
      *std::move(api));
}

// Without a file: for the defaults.
int PrintRbac(const std::string& file) {
  ConfigReading reading;
  if (!file.empty()) reading = ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  fmt::print("{}", ClusterRoleYaml("berth-extender", GrantsOf(reading.config.extender)));
  return kExitOk;
}

}  // namespace

void AddExtenderCommand(Command berth) {
  Command extender = berth.AddCommand(
      "extender", "Answer kube-scheduler's filter and prioritize until SIGTERM or SIGINT");
  const auto file = std::make_shared<std::string>();
  const auto rbac = std::make_shared<bool>(false);
  const Argument config =
      extender.AddOption("--config", *file, "The configuration; see `berth config defaults`");
  extender.AddFlag("--rbac", *rbac, "Print the ClusterRole that the extender needs, and end");
  extender.Run([file, rbac, config] {
    if (*rbac) return PrintRbac(*file);
    if (!config.given()) config.Missing();
    return RunExtender(*file);
  });
}

}  // namespace berth::cli
