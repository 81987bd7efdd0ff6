#include "cli/chart_objects.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <utility>

#include "cli/api_access.h"
#include "cli/object_names.h"
#include "config/reader.h"
#include "kube/http_client.h"
#include "yaml/document.h"
#include "yaml/file.h"
#include "yaml/json.h"

namespace berth::cli {

namespace {

constexpr const char* kKey = "config.yaml";

absl::StatusOr<config::BerthConfiguration> ConfigOf(config::ConfigReading reading) {
  if (reading.ok()) return std::move(reading.config);
  return absl::InvalidArgumentError(yaml::ToString(reading.errors));
}

absl::StatusOr<std::string> ConfigText(const ChartOptions& options, const std::string& name,
                                       const std::string& instead, kube::Api& api) {
  auto text = doctor::GatherConfigMap(api, options.namespace_name, name, kKey);
  if (text.ok()) return text;
  const std::string why =
      absl::IsNotFound(text.status())
          ? fmt::format("there is no ConfigMap {} in namespace {}", name, options.namespace_name)
          : std::string(text.status().message());
  return absl::Status(text.status().code(), fmt::format("{}; {}", why, instead));
}

absl::StatusOr<doctor::SchedulerConfig> ParseSchedulerConfig(std::string_view text,
                                                             const std::string& source) {
  const yaml::YamlDocuments yaml = yaml::ParseYaml(text, source);
  if (!yaml.errors.empty()) return absl::InvalidArgumentError(yaml::ToString(yaml.errors));
  if (yaml.documents.size() == 1 && yaml.documents.front().IsMap()) {
    return doctor::SchedulerConfigFromJson(yaml::JsonTextOf(yaml.documents.front()), source);
  }
  return absl::InvalidArgumentError(source + ": is not one KubeSchedulerConfiguration");
}

}  // namespace

void AddChartOptions(Command command, ChartOptions& options) {
  command.AddOption("--kubeconfig", options.kubeconfig, "Kubeconfig file");
  command.AddOption("--context", options.context, "Context of the kubeconfig");
  command.AddOption("--config", options.config_file,
                    "Berth's configuration (default: that of the chart's ConfigMap)");
  command.AddOption("-n,--namespace", options.namespace_name, "Namespace of the Helm release")
      .Checked(CheckNamespaceName);
  command.AddOption("--release", options.release, "Name of the Helm release")
      .Checked(CheckReleaseName);
}

absl::StatusOr<std::unique_ptr<kube::Transport>> Connect(const ChartOptions& options) {
  auto access = PersonAccess(options.kubeconfig, options.context, kube::ProcessEnvironment());
  if (!access.ok()) return absl::InvalidArgumentError(access.status().message());
  return std::make_unique<kube::HttpClient>(*std::move(access));
}

absl::StatusOr<config::BerthConfiguration> LoadChartConfig(const ChartOptions& options,
                                                           kube::Api& api) {
  if (!options.config_file.empty()) return ConfigOf(config::ReadConfig(options.config_file));
  const std::string name = doctor::FullnameOf(options.release);
  const auto text = ConfigText(
      options, name, "give --namespace and --release of the Helm release, or --config FILE", api);
  if (!text.ok()) return text.status();
  return ConfigOf(config::ParseConfig(*text, "ConfigMap " + name));
}

absl::StatusOr<doctor::SchedulerConfig> LoadSchedulerConfig(const std::string& file) {
  const auto text = yaml::ReadFile(file, yaml::kMaxYamlBytes);
  if (text.ok()) return ParseSchedulerConfig(*text, yaml::DisplayName(file));
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", yaml::DisplayName(file), std::string(text.status().message())));
}

absl::StatusOr<doctor::SchedulerConfig> LoadSchedulerConfig(const ChartOptions& options,
                                                            kube::Api& api) {
  const std::string name = doctor::FullnameOf(options.release) + "-scheduler";
  const auto text = ConfigText(options, name,
                               "give --scheduler-config FILE, the configuration of your own "
                               "kube-scheduler",
                               api);
  if (!text.ok()) return text.status();
  auto config = ParseSchedulerConfig(*text, "ConfigMap " + name);
  if (config.ok()) config->from_chart = true;
  return config;
}

}  // namespace berth::cli
