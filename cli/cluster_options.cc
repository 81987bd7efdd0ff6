#include "cli/cluster_options.h"

#include <tuple>
#include <utility>

#include "cli/cluster_source.h"
#include "config/reader.h"
#include "kube/http_client.h"

namespace berth::cli {

ClusterArguments AddClusterOptions(Command command, ClusterOptions& options) {
  Argument objects = command
                         .AddOption("--objects", options.objects_file,
                                    "Output of `kubectl get nodes,pods -A -o json`, instead of "
                                    "an API server; - for standard input")
                         .NotEmpty()
                         .Completes(Candidates::kFiles);
  const auto [kubeconfig, context] = AddApiOptions(command, options.api);
  const Argument config =
      command.AddOption("--config", options.config_file,
                        "Berth's configuration, as for `berth extender` (default: built in)");
  objects.Excludes(kubeconfig).Excludes(context);
  Argument server = command
                        .AddOption("--server", options.server.address,
                                   "Ask a running `berth extender`: host:port of its grpc.listen")
                        .NotEmpty();
  server.Excludes(objects).Excludes(kubeconfig).Excludes(context).Excludes(config);
  for (const auto& [name, value, help] :
       {std::tuple{"--cert", &options.server.cert_file, "Client certificate, PEM"},
        std::tuple{"--key", &options.server.key_file, "Key of the certificate, PEM"},
        std::tuple{"--ca", &options.server.ca_file, "CA of the server's certificate, PEM"},
        std::tuple{"--tls-server-name", &options.server.tls_server_name,
                   "Name in the server's certificate, if it differs from that in --server"}}) {
    command.AddOption(name, *value, help).Needs(server).Completes(Candidates::kFiles);
  }
  return {.objects = objects, .server = server};
}

absl::StatusOr<config::BerthConfiguration> LoadConfig(const std::string& file) {
  if (file.empty()) return config::BerthConfiguration();
  config::ConfigReading reading = config::ReadConfig(file);
  if (reading.ok()) return std::move(reading.config);
  return absl::InvalidArgumentError(yaml::ToString(reading.errors));
}

absl::Status LoadSnapshot(const ClusterOptions& options, cluster::Snapshot& snapshot) {
  if (!options.objects_file.empty()) return LoadObjectsFile(options.objects_file, snapshot);
  auto access = AccessOf(options.api);
  if (!access.ok()) return access.status();
  kube::HttpClient client(*std::move(access));
  return LoadCluster(client, snapshot);
}

}  // namespace berth::cli
