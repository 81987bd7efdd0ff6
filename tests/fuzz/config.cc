// A configuration file: Berth's own, and kube-scheduler's, which `berth doctor` reads.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "config/reader.h"
#include "config/writer.h"
#include "doctor/scheduler_config.h"
#include "tests/fuzz/fuzz.h"
#include "yaml/document.h"
#include "yaml/json.h"

namespace {

using namespace berth;
using nlohmann::json;

void CheckConfig(std::string_view text) {
  const config::ConfigReading reading = config::ParseConfig(text, "f");
  for (const yaml::SourceError& error : reading.errors) {
    fuzz::Require(!error.message.empty(), "an error has a sentence");
  }
  if (!reading.ok()) return;
  const std::string written = config::WriteConfig(reading.config);
  const config::ConfigReading again = config::ParseConfig(written, "f");
  fuzz::Require(again.ok(), "what is written is a configuration");
  fuzz::Require(config::WriteConfig(again.config) == written, "it is the same one");
}

json ToJson(const doctor::ExtenderEntry& entry) {
  json resources = json::array();
  for (const doctor::ManagedResource& each : entry.managed_resources) {
    json resource = json::object();
    resource["name"] = each.name;
    resource["ignoredByScheduler"] = each.ignored_by_scheduler;
    resources.push_back(resource);
  }
  json tls = json::object();
  tls["insecure"] = entry.insecure;
  tls["caData"] = absl::Base64Escape(entry.ca_data);
  tls["caFile"] = entry.ca_file;
  tls["certFile"] = entry.shows_certificate ? "a file" : "";
  json extender = json::object();
  extender["urlPrefix"] = entry.url_prefix;
  extender["filterVerb"] = entry.filter_verb;
  extender["prioritizeVerb"] = entry.prioritize_verb;
  extender["preemptVerb"] = entry.preempt_verb;
  extender["bindVerb"] = entry.bind_verb;
  extender["weight"] = entry.weight;
  extender["enableHTTPS"] = entry.enable_https;
  extender["tlsConfig"] = tls;
  extender["nodeCacheCapable"] = entry.node_cache_capable;
  extender["ignorable"] = entry.ignorable;
  extender["managedResources"] = resources;
  return extender;
}

json PluginJson(const std::string& name, const std::string& argument, const json& value) {
  json plugin = json::object();
  plugin["name"] = name;
  plugin["args"][argument] = value;
  return plugin;
}

json ToJson(const doctor::SchedulerProfile& entry) {
  json profile = json::object();
  profile["schedulerName"] = entry.name;
  if (entry.percentage) profile["percentageOfNodesToScore"] = *entry.percentage;
  profile["pluginConfig"] = json::array();
  profile["pluginConfig"].push_back(
      PluginJson("DefaultPreemption", "minCandidateNodesPercentage", entry.candidate_percentage));
  profile["pluginConfig"].push_back(PluginJson("PodTopologySpread", "defaultingType",
                                               entry.spreads_by_default ? "System" : "List"));
  return profile;
}

std::string WriteSchedulerConfig(const doctor::SchedulerConfig& config) {
  json written = json::object();
  written["kind"] = "KubeSchedulerConfiguration";
  written["clientConnection"]["qps"] = config.qps;
  if (config.percentage) written["percentageOfNodesToScore"] = *config.percentage;
  written["delayCacheUntilActive"] = config.delays_cache;
  for (const auto& profile : config.profiles) written["profiles"].push_back(ToJson(profile));
  for (const auto& entry : config.extenders) written["extenders"].push_back(ToJson(entry));
  // Half of a surrogate pair, as an escape may stand for, is no UTF-8.
  return written.dump(-1, ' ', false, json::error_handler_t::replace);
}

void CheckSchedulerConfig(std::string_view text) {
  const auto config = doctor::SchedulerConfigFromJson(text, "f");
  fuzz::RequireSentence(config.status());
  if (!config.ok()) return;
  fuzz::Require(config->source == "f", "it is known where it comes from");
  fuzz::Require(std::isfinite(config->qps) && config->qps != 0, "0 stands for the default");
  fuzz::Require(!config->profiles.empty(), "there is a profile");
  for (const doctor::SchedulerProfile& profile : config->profiles) {
    fuzz::Require(!profile.name.empty(), "a profile has a name");
  }
  const std::string written = WriteSchedulerConfig(*config);
  const auto again = doctor::SchedulerConfigFromJson(written, "f");
  fuzz::Require(again.ok(), "what is written is kube-scheduler's configuration");
  fuzz::Require(WriteSchedulerConfig(*again) == written, "it is the same one");
}

// As `berth doctor` has a file of YAML; empty if it would not.
std::string JsonOf(std::string_view text) {
  const yaml::YamlDocuments parsed = yaml::ParseYaml(text, "f");
  if (!parsed.errors.empty() || parsed.documents.size() != 1) return "";
  if (!parsed.documents.front().IsMap()) return "";
  return yaml::JsonTextOf(parsed.documents.front());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  CheckConfig(text);
  CheckSchedulerConfig(text);
  CheckSchedulerConfig(JsonOf(text));
  return 0;
}
