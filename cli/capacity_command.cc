#include "cli/capacity_command.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/capacity_output.h"
#include "cli/cluster_options.h"
#include "cli/cluster_source.h"
#include "cli/engine.h"
#include "cli/exit_code.h"
#include "cli/placement_client.h"

namespace berth::cli {

namespace {

constexpr const char* kFooter =
    R"(FREE is allocatable less what bound pods ask for; EXCLUDED is how much of it is on nodes that a
condition excludes, or that cannot be read. The cluster is that of a running server (--server), or it
is read once through the API server (--kubeconfig, $KUBECONFIG, ~/.kube/config or the credentials of
the pod, the first there is), or from --objects. -o json is described in docs/capacity.md.

Exit codes: 0 ok; 1 the server did not answer; 2 wrong usage or files.)";

struct Arguments {
  ClusterOptions cluster;
  std::string output = "table";
};

absl::StatusOr<extender::Capacity> CountLocally(const ClusterOptions& options) {
  const auto config = LoadConfig(options.config_file);
  if (!config.ok()) return config.status();
  const Engine engine = MakeEngine(*config);
  cluster::Snapshot snapshot({.catalog = engine.catalog, .labels = {}});
  const absl::Status loaded = LoadSnapshot(options, snapshot);
  if (!loaded.ok()) return loaded;
  fmt::print(stderr, "{}", UnreadableText(snapshot));
  return extender::CountCapacity(snapshot.Read(), *engine.scheduling, Now());
}

absl::StatusOr<extender::Capacity> AskServer(const PlacementEndpoint& server) {
  const absl::Status valid = Validate(server);
  if (!valid.ok()) return valid;
  return CapacityBy(server);
}

int RunCapacity(const Arguments& arguments) {
  const auto capacity = arguments.cluster.UsesServer() ? AskServer(arguments.cluster.server)
                                                       : CountLocally(arguments.cluster);
  if (!capacity.ok()) return Fail("capacity", capacity.status());
  fmt::print("{}", arguments.output == "json" ? CapacityJson(*capacity) : CapacityText(*capacity));
  return kExitOk;
}

}  // namespace

void AddCapacityCommand(Command berth) {
  Command capacity = berth.AddCommand(
      "capacity", "Count the cluster's devices by accelerator: in use, free, out of reach");
  const auto arguments = std::make_shared<Arguments>();
  AddClusterOptions(capacity, arguments->cluster);
  capacity.AddOption("-o,--output", arguments->output, "table or json").OneOf({"table", "json"});
  capacity.Footer(kFooter);
  capacity.Run([arguments] { return RunCapacity(*arguments); });
}

}  // namespace berth::cli
