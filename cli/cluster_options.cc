#include "cli/cluster_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/api_access.h"
#include "cli/cluster_source.h"
#include "cli/config_reader.h"
#include "kube/http_client.h"

namespace berth::cli {

void AddClusterOptions(CLI::App& app, ClusterOptions& options) {
  auto* objects = app.add_option("--objects", options.objects_file,
                                 "What `kubectl get nodes,pods -A -o json` wrote, instead of an "
                                 "API server; - for standard input");
  auto* kubeconfig = app.add_option("--kubeconfig", options.kubeconfig, "Of the API server");
  auto* context = app.add_option("--context", options.context, "Of the kubeconfig");
  auto* config =
      app.add_option("--config", options.config_file,
                     "Berth's configuration, as for `berth extender` (default: built in)");
  objects->excludes(kubeconfig)->excludes(context);
  auto* server = app.add_option("--server", options.server.address,
                                "Ask a running `berth extender` at host:port, its grpc.listen");
  server->excludes(objects)->excludes(kubeconfig)->excludes(context)->excludes(config);
  for (const auto& [name, value, help] :
       {std::tuple{"--cert", &options.server.cert_file, "Client certificate for it, PEM"},
        std::tuple{"--key", &options.server.key_file, "Key of the certificate, PEM"},
        std::tuple{"--ca", &options.server.ca_file, "CA of the server's certificate, PEM"},
        std::tuple{"--tls-server-name", &options.server.tls_server_name,
                   "Name in the server's certificate, where --server has another one"}}) {
    app.add_option(name, *value, help)->needs(server);
  }
}

absl::StatusOr<BerthConfiguration> LoadConfig(const std::string& file) {
  if (file.empty()) return BerthConfiguration();
  ConfigReading reading = ReadConfig(file);
  if (reading.ok()) return std::move(reading.config);
  return absl::InvalidArgumentError(ToString(reading.errors));
}

absl::Status LoadSnapshot(const ClusterOptions& options, cluster::Snapshot& snapshot) {
  if (!options.objects_file.empty()) return LoadObjectsFile(options.objects_file, snapshot);
  auto access = PersonAccess(options.kubeconfig, options.context, kube::ProcessEnvironment());
  if (!access.ok()) return absl::InvalidArgumentError(access.status().message());
  kube::HttpClient client(*std::move(access));
  return LoadCluster(client, snapshot);
}

}  // namespace berth::cli
