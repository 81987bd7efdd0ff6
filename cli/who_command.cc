#include <absl/status/status.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/api_options.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/placement_client.h"
#include "cli/prometheus_option.h"
#include "cli/who_output.h"
#include "cluster/snapshot.h"
#include "model/annotation.h"
#include "placement/explanation_hints.h"
#include "placement/placement_messages.h"
#include "process/engine.h"
#include "usage/device_hours.h"
#include "usage/holders.h"
#include "usage/holdings.h"
#include "usage/prometheus.h"

namespace berth::cli {

namespace {

constexpr const char* kWhoFooter =
    R"(A pod's creator is the user whom admission noted in the annotation berth.dev/created-by. Pods without
it have the creator (unknown) and are told by their namespace. Devices are what bound pods request.
With --server, a running server tells what it knows. Otherwise the cluster is read once, from
--objects or through the API server, as `berth capacity` does. With the address of Prometheus, in
--prometheus or as prometheus.url of --config, it also tells device-hours of the last 24 hours, 7 days
and 30 days, except by pod. -o wide names all creators and namespaces of a line; docs/usage.md
describes -o json and yaml.

Exit codes: 0 ok; 1 a server did not answer; 2 wrong usage or files.)";

struct WhoArguments {
  ClusterOptions cluster;
  std::string namespace_name;
  std::string by = "creator";
  std::string prometheus;
  OutputOptions output;
};

usage::GroupBy GroupOf(const std::string& by) {
  if (by == "namespace") return usage::GroupBy::kNamespace;
  return by == "pod" ? usage::GroupBy::kPod : usage::GroupBy::kCreator;
}

// What is held, by whom it was asked.
struct Holders {
  model::Time time = model::kNoTime;
  std::vector<usage::Holding> holdings;
  std::vector<std::string> hints;
};

absl::StatusOr<Holders> HoldersFromServer(const WhoArguments& arguments) {
  const PlacementEndpoint& server = arguments.cluster.server;
  const absl::Status valid = Validate(server);
  if (!valid.ok()) return valid;
  const auto response = HoldingsBy(server, arguments.namespace_name);
  if (!response.ok()) return response.status();
  return Holders{.time = placement::TimeOf(response->time()),
                 .holdings = placement::HoldingsIn(*response),
                 .hints = {response->hints().begin(), response->hints().end()}};
}

absl::StatusOr<Holders> HoldersFromCluster(const WhoArguments& arguments,
                                           const config::BerthConfiguration& config) {
  const process::Engine engine = process::MakeEngine(config);
  cluster::Snapshot snapshot(
      {.catalog = engine.catalog,
       .labels = {},
       .creator_annotation = model::kCreatedByAnnotation.Below(config.prefix)});
  const absl::Status loaded = LoadSnapshot(arguments.cluster, snapshot);
  if (!loaded.ok()) return loaded;
  const cluster::Snapshot::Reader view = snapshot.Read();
  return Holders{.time = process::Now(),
                 .holdings = usage::HoldingsOf(view, *engine.catalog, arguments.namespace_name),
                 .hints = placement::QuarantineHints(view)};
}

// Of all who had any, in the namespace that was asked for.
absl::StatusOr<std::vector<usage::HoursOfUser>> HoursFor(const WhoArguments& arguments,
                                                         const usage::PrometheusConfig& config) {
  auto prometheus = usage::Prometheus::Make(config);
  if (!prometheus.ok()) return prometheus.status();
  auto hours = usage::AskDeviceHours(**prometheus, config.matchers);
  if (!hours.ok()) return hours;
  std::erase_if(*hours, [&](const usage::HoursOfUser& user) {
    return !arguments.namespace_name.empty() && user.namespace_name != arguments.namespace_name;
  });
  return hours;
}

int PrintWho(const WhoArguments& arguments, const Holders& holders,
             const std::vector<usage::Held>& held, bool hours) {
  for (const std::string& hint : holders.hints) PrintHint(hint);
  PrintAnswer(
      arguments.output, [&] { return WhoJson(held, holders.hints, holders.time); },
      [&](const TableStyle& style) {
        return WhoText(held, GroupOf(arguments.by), hours, holders.time, style);
      });
  return kExitOk;
}

int RunWho(const WhoArguments& arguments) {
  const auto config = LoadConfig(arguments.cluster.config_file);
  if (!config.ok()) return Fail("who", config.status());
  const auto prometheus = PrometheusFor(arguments.prometheus, *config);
  if (!prometheus.ok()) return Fail("who", prometheus.status());
  const auto holders = arguments.cluster.UsesServer() ? HoldersFromServer(arguments)
                                                      : HoldersFromCluster(arguments, *config);
  if (!holders.ok()) return Fail("who", holders.status());
  const usage::GroupBy group = GroupOf(arguments.by);
  if (!prometheus->configured() || group == usage::GroupBy::kPod) {
    return PrintWho(arguments, *holders, usage::HeldBy(group, holders->holdings), false);
  }
  const auto hours = HoursFor(arguments, *prometheus);
  if (!hours.ok()) {
    // Who holds what is known all the same.
    PrintWho(arguments, *holders, usage::HeldBy(group, holders->holdings), false);
    return Fail("who", hours.status());
  }
  const process::Engine engine = process::MakeEngine(*config);
  return PrintWho(arguments, *holders,
                  usage::HeldBy(group, holders->holdings, *hours, *engine.catalog), true);
}

}  // namespace

void AddWhoCommand(Command berth) {
  Command who = berth.AddCommand("who", "Tell who holds which devices");
  const auto arguments = std::make_shared<WhoArguments>();
  AddClusterOptions(who, arguments->cluster);
  AddNamespaceOption(who, arguments->namespace_name, "Namespace (default: all)");
  who.AddOption("--by", arguments->by, "creator, namespace or pod")
      .OneOf({"creator", "namespace", "pod"});
  who.AddOption("--prometheus", arguments->prometheus,
                "Address of Prometheus (default: prometheus.url of the configuration)");
  AddOutputOption(who, arguments->output);
  who.Footer(kWhoFooter);
  who.Run([arguments] { return RunWho(*arguments); });
}

}  // namespace berth::cli
