#include "doctor/scheduler_config.h"

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <utility>

#include "kube/json.h"
#include "kube/json_value.h"
#include "kube/path.h"

namespace berth::doctor {

namespace {

using kube::JsonValue;

constexpr std::string_view kKind = "KubeSchedulerConfiguration";

std::optional<std::int64_t> Percentage(const JsonValue& value) {
  if (value.absent()) return std::nullopt;
  return value.Integer();
}

// What kube-scheduler takes it to be: 0 stands for the default.
double Qps(const JsonValue& client) {
  double qps = 0;
  const bool is_number = absl::SimpleAtod(client.Field("qps").Json(), &qps);
  return is_number && qps != 0 ? qps : kDefaultQps;
}

std::string DecodedPem(const JsonValue& value) {
  std::string decoded;
  const std::string_view text = value.String();
  if (absl::Base64Unescape(absl::string_view(text.data(), text.size()), &decoded)) return decoded;
  value.Report("is not base64; write the PEM file as `base64 -w0 ca.crt` prints it");
  return "";
}

ExtenderEntry ExtenderFrom(const JsonValue& json) {
  const JsonValue tls = json.Field("tlsConfig");
  ExtenderEntry entry{.url_prefix = json.Field("urlPrefix").Text(),
                      .filter_verb = json.Field("filterVerb").Text(),
                      .prioritize_verb = json.Field("prioritizeVerb").Text(),
                      .preempt_verb = json.Field("preemptVerb").Text(),
                      .bind_verb = json.Field("bindVerb").Text(),
                      .weight = json.Field("weight").Integer(),
                      .enable_https = json.Field("enableHTTPS").Boolean(),
                      .insecure = tls.Field("insecure").Boolean(),
                      .ca_data = DecodedPem(tls.Field("caData")),
                      .ca_file = tls.Field("caFile").Text(),
                      .shows_certificate = !tls.Field("certFile").String().empty() ||
                                           !tls.Field("certData").String().empty(),
                      .node_cache_capable = json.Field("nodeCacheCapable").Boolean(),
                      .ignorable = json.Field("ignorable").Boolean()};
  json.Field("managedResources").ForEachItem([&entry](const JsonValue& resource) {
    entry.managed_resources.push_back(
        {.name = resource.Field("name").Text(),
         .ignored_by_scheduler = resource.Field("ignoredByScheduler").Boolean()});
  });
  return entry;
}

bool SpreadsByDefault(const JsonValue& args) {
  if (args.Field("defaultingType").String() != "List") return true;
  bool spreads = false;
  args.Field("defaultConstraints").ForEachItem([&spreads](const JsonValue& constraint) {
    spreads = spreads || constraint.Field("whenUnsatisfiable").String() == "ScheduleAnyway";
  });
  return spreads;
}

SchedulerProfile ProfileFrom(const JsonValue& json) {
  SchedulerProfile profile{.name = json.Field("schedulerName").Text(),
                           .percentage = Percentage(json.Field("percentageOfNodesToScore"))};
  if (profile.name.empty()) profile.name = "default-scheduler";
  json.Field("pluginConfig").ForEachItem([&profile](const JsonValue& plugin) {
    const std::string_view name = plugin.Field("name").String();
    const JsonValue args = plugin.Field("args");
    if (name == "DefaultPreemption") {
      profile.candidate_percentage = Percentage(args.Field("minCandidateNodesPercentage"))
                                         .value_or(kDefaultCandidatePercentage);
    } else if (name == "PodTopologySpread") {
      profile.spreads_by_default = SpreadsByDefault(args);
    }
  });
  return profile;
}

SchedulerConfig ConfigFrom(const JsonValue& root) {
  SchedulerConfig config;
  config.qps = Qps(root.Field("clientConnection"));
  config.percentage = Percentage(root.Field("percentageOfNodesToScore"));
  config.delays_cache = root.Field("delayCacheUntilActive").Boolean();
  root.Field("profiles").ForEachItem([&config](const JsonValue& profile) {
    config.profiles.push_back(ProfileFrom(profile));
  });
  if (config.profiles.empty()) config.profiles.push_back({.name = "default-scheduler"});
  root.Field("extenders").ForEachItem([&config](const JsonValue& extender) {
    config.extenders.push_back(ExtenderFrom(extender));
  });
  return config;
}

absl::Status Error(const std::string& source, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", source, what));
}

}  // namespace

absl::StatusOr<SchedulerConfig> SchedulerConfigFromJson(std::string_view json, std::string source) {
  kube::JsonParser parser;
  const auto document = parser.Parse(json);
  if (!document.ok()) return Error(source, std::string(document.status().message()));
  absl::Status error;
  const kube::Path path("");
  const JsonValue root(*document, path, error);
  const std::string kind = root.Field("kind").Text();
  if (error.ok() && kind != kKind) {
    return Error(source,
                 fmt::format("is no {}, but {}; give the file that kube-scheduler is "
                             "started with by --config",
                             kKind, kind.empty() ? "has no kind" : "a " + kube::Quoted(kind)));
  }
  SchedulerConfig config = ConfigFrom(root);
  if (!error.ok()) return Error(source, std::string(error.message()));
  config.source = std::move(source);
  return config;
}

}  // namespace berth::doctor
