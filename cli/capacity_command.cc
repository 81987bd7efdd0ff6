#include <absl/status/status.h>

#include <memory>
#include <string>

#include "cli/capacity_output.h"
#include "cli/cluster_options.h"
#include "cli/cluster_source.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/placement_client.h"
#include "placement/placement_messages.h"
#include "process/engine.h"

namespace berth::cli {

namespace {

constexpr const char* kCapacityFooter =
    R"(FREE is allocatable minus what bound pods request; EXCLUDED is the part of it on nodes that a
condition excludes, that cannot be read, that are not Ready, or that are cordoned. With --server, a
running server counts its cluster.
Otherwise the cluster is read once, from --objects or through the API server: --kubeconfig,
$KUBECONFIG, ~/.kube/config or the credentials of the pod, the first of them that exists.
docs/capacity.md describes -o json and yaml.

Exit codes: 0 ok; 1 the server did not answer; 2 wrong usage or files.)";

struct CapacityArguments {
  ClusterOptions cluster;
  OutputOptions output;
};

absl::StatusOr<v1::CapacityResponse> CountLocally(const ClusterOptions& options) {
  const auto config = LoadConfig(options.config_file);
  if (!config.ok()) return config.status();
  const process::Engine engine = process::MakeEngine(*config);
  cluster::Snapshot snapshot({.catalog = engine.catalog, .labels = {}});
  const absl::Status loaded = LoadSnapshot(options, snapshot);
  if (!loaded.ok()) return loaded;
  return placement::ToMessage(
      placement::CountCapacity(snapshot.Read(), *engine.scheduling, process::Now()));
}

absl::StatusOr<v1::CapacityResponse> AskServer(const PlacementEndpoint& server) {
  const absl::Status valid = Validate(server);
  if (!valid.ok()) return valid;
  return CapacityBy(server);
}

int RunCapacity(const CapacityArguments& arguments) {
  const auto capacity = arguments.cluster.UsesServer() ? AskServer(arguments.cluster.server)
                                                       : CountLocally(arguments.cluster);
  if (!capacity.ok()) return Fail("capacity", capacity.status());
  for (const std::string& hint : capacity->hints()) PrintHint(hint);
  PrintAnswer(
      arguments.output, [&] { return CapacityJson(*capacity); },
      [&](const TableStyle& style) { return CapacityText(*capacity, style); });
  return kExitOk;
}

}  // namespace

void AddCapacityCommand(Command berth) {
  Command capacity = berth.AddCommand(
      "capacity", "Count the cluster's devices by accelerator: in use, free, excluded");
  const auto arguments = std::make_shared<CapacityArguments>();
  AddClusterOptions(capacity, arguments->cluster);
  AddOutputOption(capacity, arguments->output);
  capacity.Footer(kCapacityFooter);
  capacity.Run([arguments] { return RunCapacity(*arguments); });
}

}  // namespace berth::cli
