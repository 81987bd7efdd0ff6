#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/api_access.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "config/reader.h"
#include "config/summary.h"
#include "extender/rights.h"
#include "process/certificates.h"
#include "process/extender_server.h"
#include "process/log_level.h"
#include "process/version.h"
#include "server/log.h"
#include "server/signals.h"

namespace berth::cli {

namespace {

using server::Log;
using server::LogLevel;

int ServeUntilSignal(process::ConfigFollower::Options config, kube::ApiConfig api) {
  // Before the first thread, which would else take the signals.
  server::ShutdownSignals signals;
  const config::ExtenderConfig& extender = config.config.extender;
  auto certificates =
      process::OpenCertificates("extender", extender.tls, extender.insecure_loopback);
  if (!certificates.ok()) return Fail("extender", kExitUsage, certificates.status());
  auto server =
      process::ExtenderServer::Start(std::move(config), std::move(api), *std::move(certificates));
  if (!server.ok()) return Fail("extender", kExitNo, server.status());
  const int signal = signals.Wait();
  Log(LogLevel::kInfo, "draining", {{"signal", signal}});
  const bool answered_all = (*server)->Drain();
  Log(LogLevel::kInfo, "ended", {{"answeredAll", answered_all}});
  return kExitOk;
}

int RunExtender(const std::string& file) {
  config::ConfigReading reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  auto api = ServerAccess(reading.config.kubernetes, kube::ProcessEnvironment());
  if (!api.ok()) return Fail("extender", kExitUsage, api.status());
  server::SetLogLevel(process::LogLevelOf(reading.config.log));
  Log(LogLevel::kInfo, "starting",
      {{"version", process::Version()},
       {"revision", process::Revision()},
       {"configFile", file},
       {"config", config::Summarize(reading.config)},
       {"apiServer", fmt::format("{}:{}", api->host, api->port)}});
  return ServeUntilSignal(
      {.file = file, .text = std::move(reading.text), .config = std::move(reading.config)},
      *std::move(api));
}

// Without a file: for the defaults.
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
      "extender", "Answer kube-scheduler's filter and prioritize until SIGTERM or SIGINT");
  const auto file = std::make_shared<std::string>();
  const auto rbac = std::make_shared<bool>(false);
  const Argument config =
      extender.AddOption("--config", *file, "The configuration; see `berth config defaults`");
  extender.AddFlag("--rbac", *rbac, "Print the ClusterRole that the extender needs, and end");
  extender.Run([file, rbac, config] {
    if (*rbac) return PrintExtenderRbac(*file);
    if (!config.given()) config.Missing();
    return RunExtender(*file);
  });
}

}  // namespace berth::cli
