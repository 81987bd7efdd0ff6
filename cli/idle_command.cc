#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/api_options.h"
#include "cli/cluster_options.h"
#include "cli/cluster_source.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/idle_output.h"
#include "cli/output.h"
#include "cli/prometheus_option.h"
#include "cluster/snapshot.h"
#include "kube/http_client.h"
#include "kube/json_api.h"
#include "model/annotation.h"
#include "model/duration.h"
#include "model/time.h"
#include "process/engine.h"
#include "usage/holdings.h"
#include "usage/idle.h"
#include "usage/prometheus.h"
#include "usage/utilization.h"
#include "usage/workload.h"

namespace berth::cli {

namespace {

constexpr const char* kIdleFooter =
    R"(Lists pods that hold devices whose utilisation stayed low for the whole window, as Prometheus measured
it: DCGM exporter's for GPUs, what idle.utilization says for others. Pods younger than the window, and
pods without measurements for a tenth of it, are counted below the table, and never as idle. The
address of Prometheus is that of --prometheus, or prometheus.url of --config. docs/usage.md
describes -o json and yaml.

Exit codes: 0 ok, whether or not anything is idle; 1 a server did not answer; 2 wrong usage or files.)";

// How far back the last use of an idle device is looked for.
constexpr model::Duration kLookBack = std::chrono::hours(7 * 24);

struct IdleArguments {
  ApiOptions api;
  std::string namespace_name;
  std::string creator;
  std::string window;
  std::string below;
  std::string prometheus;
  std::string config_file;
  OutputOptions output;
  bool report = false;
};

// The configuration with what the command line says.
absl::StatusOr<usage::IdleConfig> IdleFor(const IdleArguments& arguments,
                                          const config::BerthConfiguration& config) {
  usage::IdleConfig idle = config.idle;
  if (!arguments.window.empty()) {
    const auto window = model::ParseDuration(arguments.window);
    if (!window.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("--window: {}", std::string(window.status().message())));
    }
    idle.window = *window;
  }
  std::string below = arguments.below;
  if (below.ends_with('%')) below.pop_back();
  if (!below.empty() && !absl::SimpleAtod(below, &idle.below)) {
    return absl::InvalidArgumentError(
        fmt::format("--below: \"{}\" is no number; write 5 for 5 %", arguments.below));
  }
  std::vector<std::string> names;
  for (const model::AcceleratorSpec& spec : config.accelerators) names.push_back(spec.name);
  const auto errors = usage::Validate(idle, names);
  if (errors.empty()) return idle;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", errors.front().path, errors.front().message));
}

// Fills in what controls the pods with idle devices, as far as the API server says so: what is idle
// is known all the same. A pod that is gone meanwhile stays as it is.
void AddWorkloads(kube::Transport& transport, IdleFindings& findings) {
  kube::Api api(&transport);
  absl::Status refused;
  for (IdleLine& line : findings.lines) {
    if (line.use.idle_devices == 0) continue;
    const usage::Holding& holding = line.use.holding;
    const absl::Status got =
        api.Get(fmt::format("/api/v1/namespaces/{}/pods/{}", holding.namespace_name, holding.pod),
                {{"", "pods", "get"}, holding.namespace_name, holding.pod},
                [&](const kube::JsonValue& pod) {
                  line.workload = usage::WorkloadOf(pod, findings.config.notebooks);
                });
    if (absl::IsNotFound(got)) continue;
    refused.Update(got);
    // A role may be for some namespaces only.
    if (!got.ok() && !absl::IsPermissionDenied(got)) break;
  }
  if (refused.ok()) return;
  findings.hints.push_back(
      fmt::format("WORKLOAD is not known for every pod: {}", std::string(refused.message())));
}

// What is idle is known all the same if the last use is not: that query is the heaviest one.
void AddLastUse(usage::Prometheus& prometheus, IdleFindings& findings) {
  std::vector<usage::Holding> idle;
  for (const IdleLine& line : findings.lines) {
    if (line.use.use == usage::Use::kIdle) idle.push_back(line.use.holding);
  }
  const model::Duration span = std::max(kLookBack, findings.config.window);
  const auto last = usage::AskLastUse(prometheus, findings.config, idle, span);
  if (!last.ok()) {
    findings.hints.push_back(fmt::format("UNUSED is empty, because the last use is not known: {}",
                                         std::string(last.status().message())));
    return;
  }
  findings.looked_back = span;
  for (IdleLine& line : findings.lines) {
    const usage::Holding& holding = line.use.holding;
    const auto found = last->find(holding.namespace_name + '/' + holding.pod);
    if (found == last->end()) continue;
    // An earlier pod may have had the name, and may have been the one that used the device.
    const bool is_own = found->second >= model::SaturatingAdd(holding.created, usage::kUseStep);
    if (is_own) line.last_used = found->second;
  }
}

absl::StatusOr<std::vector<usage::Holding>> HoldingsThrough(
    kube::Transport& transport, const config::BerthConfiguration& config,
    const std::string& namespace_name) {
  const process::Engine engine = process::MakeEngine(config);
  cluster::Snapshot snapshot(
      {.catalog = engine.catalog,
       .labels = {},
       .creator_annotation = model::kCreatedByAnnotation.Below(config.prefix)});
  const absl::Status loaded = LoadCluster(transport, snapshot);
  if (!loaded.ok()) return loaded;
  return usage::HoldingsOf(snapshot.Read(), *engine.catalog, namespace_name);
}

absl::StatusOr<IdleFindings> FindIdle(const IdleArguments& arguments,
                                      const config::BerthConfiguration& config) {
  auto idle = IdleFor(arguments, config);
  if (!idle.ok()) return idle.status();
  const auto where = PrometheusFor(arguments.prometheus, config);
  if (!where.ok()) return where.status();
  if (!where->configured()) {
    return absl::InvalidArgumentError(
        "nobody has measured anything; give the address of Prometheus by --prometheus, or as "
        "prometheus.url of --config");
  }
  auto prometheus = usage::Prometheus::Make(*where);
  if (!prometheus.ok()) return prometheus.status();
  auto access = AccessOf(arguments.api);
  if (!access.ok()) return access.status();
  kube::HttpClient client(*std::move(access));
  auto holdings = HoldingsThrough(client, config, arguments.namespace_name);
  if (!holdings.ok()) return holdings.status();
  std::erase_if(*holdings, [&](const usage::Holding& holding) {
    return !arguments.creator.empty() && holding.creator != arguments.creator;
  });
  IdleFindings findings{.time = process::Now(), .config = *std::move(idle)};
  auto uses = usage::AskUse(**prometheus, findings.config, *holdings, findings.time);
  if (!uses.ok()) return uses.status();
  for (usage::PodUse& use : *uses) findings.lines.push_back({.use = std::move(use)});
  AddLastUse(**prometheus, findings);
  AddWorkloads(client, findings);
  return findings;
}

int RunIdle(const IdleArguments& arguments) {
  const auto config = LoadConfig(arguments.config_file);
  if (!config.ok()) return Fail("idle", config.status());
  const auto findings = FindIdle(arguments, *config);
  if (!findings.ok()) return Fail("idle", findings.status());
  for (const std::string& hint : findings->hints) PrintHint(hint);
  if (arguments.report) {
    fmt::print("{}", IdleReport(*findings));
    return kExitOk;
  }
  PrintAnswer(
      arguments.output, [&] { return IdleJson(*findings); },
      [&](const TableStyle& style) { return IdleText(*findings, style); });
  return kExitOk;
}

}  // namespace

void AddIdleCommand(Command berth) {
  Command idle = berth.AddCommand("idle", "Tell which devices are held and not used");
  const auto arguments = std::make_shared<IdleArguments>();
  AddNamespaceOption(idle, arguments->namespace_name, "Namespace (default: all)");
  idle.AddOption("--creator", arguments->creator, "Only pods of this creator (default: all)")
      .NotEmpty();
  idle.AddOption("--window", arguments->window,
                 "For how long devices were not used (default: idle.window of the configuration)");
  idle.AddOption("--below", arguments->below,
                 "Utilisation in percent below which a device is not used (default: idle.below)");
  idle.AddOption("--prometheus", arguments->prometheus,
                 "Address of Prometheus (default: prometheus.url of the configuration)");
  AddApiOptions(idle, arguments->api);
  idle.AddOption("--config", arguments->config_file,
                 "Berth's configuration, as for `berth extender` (default: built in)");
  const Argument output = AddOutputOption(idle, arguments->output);
  idle.AddFlag("--report", arguments->report, "Print a text for each creator, to be mailed")
      .Excludes(output);
  idle.Footer(kIdleFooter);
  idle.Run([arguments] { return RunIdle(*arguments); });
}

}  // namespace berth::cli
