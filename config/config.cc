#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/annotation.h"
#include "model/label.h"
#include "policies/scheduling/health_profiles.h"
#include "server/address.h"

namespace berth::config {

namespace {

using Errors = std::vector<model::FieldError>;

constexpr model::EnumName<LogThreshold> kLogThresholds[] = {{LogThreshold::kDebug, "debug"},
                                                            {LogThreshold::kInfo, "info"},
                                                            {LogThreshold::kWarning, "warning"},
                                                            {LogThreshold::kError, "error"}};

// The least is enough for any sensible request. Kube-scheduler's own limits never need the most.
constexpr std::int32_t kLeastBodyBytes = 1 << 20;
constexpr std::int32_t kMostBodyBytes = 1 << 30;

bool IsDomain(const std::string& text) {
  return model::IsQualifiedName(model::kAcceleratorsAnnotation.Below(text));
}

void ValidatePrefix(const std::string& prefix, Errors& errors) {
  model::RequireOk(CheckPrefix(prefix), "prefix", errors);
}

void ValidateAddress(const std::string& path, const std::string& text, Errors& errors) {
  model::RequireOk(server::ParseAddress(text).status(), path, errors);
}

/// The address of an HTTPS server. `path` is the path of its block.
struct HttpsServer {
  std::string path;
  const std::string& listen;
  const TlsConfig& tls;
  bool insecure_loopback;
};

// Does not require a certificate: only a server needs one, see OpenCertificates.
void ValidateTls(const HttpsServer& server, Errors& errors) {
  const TlsConfig& tls = server.tls;
  if (tls == TlsConfig()) return;
  const std::string hint = "must name a PEM file, as the other fields of tls do";
  if (tls.cert_file.empty()) errors.push_back({server.path + ".tls.certFile", hint});
  if (tls.key_file.empty()) errors.push_back({server.path + ".tls.keyFile", hint});
}

void ValidatePlain(const HttpsServer& server, Errors& errors) {
  if (server.tls != TlsConfig()) {
    errors.push_back(
        {server.path + ".tls", "excludes insecureLoopback: true; remove one of the two"});
  }
  const auto address = server::ParseAddress(server.listen);
  if (address.ok() && !server::IsLoopback(*address)) {
    errors.push_back({server.path + ".listen",
                      fmt::format("\"{}\" can be reached from other machines, so insecureLoopback "
                                  "is not allowed with it; write 127.0.0.1:{} or set {}.tls",
                                  server.listen, address->port, server.path)});
  }
}

void ValidateHttps(const HttpsServer& server, Errors& errors) {
  ValidateAddress(server.path + ".listen", server.listen, errors);
  if (server.insecure_loopback) {
    ValidatePlain(server, errors);
  } else {
    ValidateTls(server, errors);
  }
}

void ValidateBodyBytes(const std::string& path, std::int32_t bytes, Errors& errors) {
  if (bytes >= kLeastBodyBytes && bytes <= kMostBodyBytes) return;
  errors.push_back(
      {path, fmt::format("must be from {} to {}, got {}", kLeastBodyBytes, kMostBodyBytes, bytes)});
}

void ValidateExtender(const ExtenderConfig& config, Errors& errors) {
  ValidateHttps({"extender", config.listen, config.tls, config.insecure_loopback}, errors);
  ValidateBodyBytes("extender.maxBodyBytes", config.max_body_bytes, errors);
  ValidateBodyBytes("extender.maxNodesBodyBytes", config.max_nodes_body_bytes, errors);
  for (model::FieldError& error : policies::scheduling::Validate(config.shortlist)) {
    errors.push_back({"extender.shortlist." + error.path, std::move(error.message)});
  }
}

void ValidateWebhook(const WebhookConfig& config, Errors& errors) {
  ValidateHttps({"admission", config.listen, config.tls, config.insecure_loopback}, errors);
  ValidateBodyBytes("admission.maxBodyBytes", config.max_body_bytes, errors);
  for (model::FieldError& error : policies::admission::Validate(config.judgement)) {
    errors.push_back({"admission." + error.path, std::move(error.message)});
  }
}

void ValidateGrpc(const GrpcConfig& config, Errors& errors) {
  const auto& [cert, key, client_ca] = config.tls;
  const bool all = !cert.empty() && !key.empty() && !client_ca.empty();
  const bool none = cert.empty() && key.empty() && client_ca.empty();
  if (config.listen.empty()) {
    if (!none) errors.push_back({"grpc.tls", "has no effect without grpc.listen; set both"});
    return;
  }
  ValidateAddress("grpc.listen", config.listen, errors);
  if (!all && !none) {
    errors.push_back({"grpc.tls", "is mutual TLS; set certFile, keyFile and clientCAFile"});
  }
  const auto address = server::ParseAddress(config.listen);
  if (none && address.ok() && !server::IsLoopback(*address)) {
    errors.push_back({"grpc.listen",
                      fmt::format("\"{}\" can be reached from other machines; write 127.0.0.1:{}, "
                                  "or set grpc.tls: certFile, keyFile and clientCAFile",
                                  config.listen, address->port)});
  }
}

// Without this check, a user would notice the conflict only when the second server starts.
void RefuseTwice(const std::pair<const char*, std::string>& first,
                 const std::pair<const char*, std::string>& second, Errors& errors) {
  const auto taken = server::ParseAddress(first.second);
  const auto wanted = server::ParseAddress(second.second);
  if (!taken.ok() || !wanted.ok() || *taken != *wanted || wanted->port == 0) return;
  errors.push_back({second.first, fmt::format("\"{}\" is already used by {}; write another port",
                                              second.second, first.first)});
}

void ValidateListeners(const BerthConfiguration& config, Errors& errors) {
  ValidateAddress("metrics.listen", config.metrics.listen, errors);
  if (!config.probes.listen.empty()) {
    ValidateAddress("probes.listen", config.probes.listen, errors);
  }
  ValidateGrpc(config.grpc, errors);
  const std::pair<const char*, std::string> extender{"extender.listen", config.extender.listen};
  const std::pair<const char*, std::string> admission{"admission.listen", config.admission.listen};
  const std::pair<const char*, std::string> metrics{"metrics.listen", config.metrics.listen};
  const std::pair<const char*, std::string> probes{"probes.listen", config.probes.listen};
  const std::pair<const char*, std::string> grpc{"grpc.listen", config.grpc.listen};
  // The extender and the webhook are separate processes, perhaps on separate machines, so they may
  // share an address.
  RefuseTwice(extender, metrics, errors);
  RefuseTwice(admission, metrics, errors);
  RefuseTwice(extender, grpc, errors);
  RefuseTwice(metrics, grpc, errors);
  if (config.probes.listen.empty()) return;
  for (const auto& other : {extender, admission, metrics, grpc}) {
    RefuseTwice(other, probes, errors);
  }
}

void ValidateAccelerators(const std::vector<model::AcceleratorSpec>& specs, Errors& errors) {
  if (specs.empty()) {
    errors.push_back(
        {"accelerators",
         "is empty; list at least one accelerator, or leave it out for the built-in catalogue"});
  }
  for (model::FieldError& error : model::Validate(specs)) {
    errors.push_back({"accelerators" + error.path, std::move(error.message)});
  }
}

// A condition that nobody counts would keep no pod off the node; one that goes stale before the
// next check would count as Unknown on nodes that are well. Where Unknown excludes, it must never
// go stale: a node that is busy for long is not checked, and no check is put on a node that is
// excluded for anything but a failure of its own.
void ValidateCheckCondition(const std::string& path, const std::string& type, model::Duration again,
                            const policies::scheduling::HealthConfig& health, Errors& errors) {
  bool known = false;
  for (const auto& condition : policies::scheduling::AllConditions(health)) {
    if (condition.type != type) continue;
    known = true;
    const model::Duration stale = policies::scheduling::StaleAfter(condition, health);
    if (stale > model::Duration(0) && stale <= again) {
      errors.push_back({path, fmt::format("\"{}\" goes stale before it is checked again; write "
                                          "staleAfter: 0s in its entry of health.conditions",
                                          type)});
    }
    const auto unknown = policies::scheduling::EffectOfUnknown(condition, health);
    if (stale > again && unknown == policies::scheduling::Effect::kExclude) {
      errors.push_back(
          {path, fmt::format("\"{}\" goes stale on nodes that are busy for long, and "
                             "health.unknownStatus Exclude would keep checks off them for ever; "
                             "write staleAfter: 0s in its entry of health.conditions",
                             type)});
    }
    if (condition.bad_status == policies::scheduling::BadStatus::kFalse) {
      errors.push_back({path, fmt::format("\"{}\" is bad when it is False by health, but a check "
                                          "that fails makes it True; write another condition",
                                          type)});
    }
  }
  if (known) return;
  errors.push_back(
      {path, fmt::format("health knows no condition \"{}\", so that a check that "
                         "fails would have no effect; give it one in health.conditions",
                         type)});
}

void ValidateActiveChecks(const BerthConfiguration& config, Errors& errors) {
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  const auto& health = std::get<Health>(config.scheduling.policies.all).config;
  for (std::size_t i = 0; i < config.controller.active_checks.size(); ++i) {
    const checks::ActiveCheck& check = config.controller.active_checks[i];
    const std::string path = fmt::format("controller.activeChecks[{}]", i);
    ValidateCheckCondition(path + ".condition", check.condition, check.every + check.timeout,
                           health, errors);
    for (const std::string& name : check.accelerators) {
      const auto has_name = [&name](const auto& spec) { return spec.name == name; };
      if (std::ranges::any_of(config.accelerators, has_name)) continue;
      errors.push_back(
          {path + ".accelerators",
           fmt::format("\"{}\" is no entry of accelerators; write the name of one", name)});
    }
  }
}

// As of active checks. Nobody repeats it until an active check or an administrator takes it back.
void ValidatePreflightCondition(const BerthConfiguration& config, Errors& errors) {
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  const auto& health = std::get<Health>(config.scheduling.policies.all).config;
  const planner::PreflightConfig& preflight = config.planner.gangs.preflight;
  if (!preflight.enabled()) return;
  ValidateCheckCondition("planner.gangs.preflight.condition", preflight.condition,
                         model::Duration::max(), health, errors);
}

// A condition that excludes no node would evict no pod.
void ValidateEvict(const BerthConfiguration& config, Errors& errors) {
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  const auto& health = std::get<Health>(config.scheduling.policies.all).config;
  const auto entries = policies::scheduling::AllConditions(health);
  for (std::size_t i = 0; i < config.controller.evict.size(); ++i) {
    const std::string& type = config.controller.evict[i].condition;
    const bool excludes = std::ranges::any_of(entries, [&type](const auto& entry) {
      return entry.type == type && entry.effect == policies::scheduling::Effect::kExclude;
    });
    if (excludes || type.empty()) continue;
    errors.push_back({fmt::format("controller.evict[{}].condition", i),
                      fmt::format("health has no entry by which \"{}\" excludes nodes; write one "
                                  "of its types, or add it to health.conditions",
                                  type)});
  }
}

void ValidateUsage(const BerthConfiguration& config, Errors& errors) {
  if (config.controller.idle.enabled && !config.prometheus.configured()) {
    errors.push_back({"controller.idle.enabled",
                      "needs prometheus.url: without measurements no device is known to be idle"});
  }
  for (model::FieldError& error : usage::Validate(config.prometheus)) {
    errors.push_back(std::move(error));
  }
  std::vector<std::string> names;
  for (const model::AcceleratorSpec& spec : config.accelerators) names.push_back(spec.name);
  for (model::FieldError& error : usage::Validate(config.idle, names)) {
    errors.push_back(std::move(error));
  }
}

}  // namespace

std::span<const model::EnumName<LogThreshold>> EnumNames(LogThreshold) { return kLogThresholds; }

absl::Status CheckPrefix(const std::string& prefix) {
  if (IsDomain(prefix)) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "\"{}\" is not a domain; write one such as berth.dev, in lower case and without '/'",
      prefix));
}

std::vector<model::FieldError> Validate(const BerthConfiguration& config) {
  Errors errors;
  ValidatePrefix(config.prefix, errors);
  if (!config.kubernetes.context.empty() && config.kubernetes.kubeconfig.empty()) {
    errors.push_back(
        {"kubernetes.context", "has no effect without kubernetes.kubeconfig; set both"});
  }
  ValidateExtender(config.extender, errors);
  ValidateWebhook(config.admission, errors);
  ValidateListeners(config, errors);
  for (model::FieldError& error : Validate(config.controller)) errors.push_back(std::move(error));
  ValidateActiveChecks(config, errors);
  ValidatePreflightCondition(config, errors);
  ValidateEvict(config, errors);
  for (model::FieldError& error : Validate(config.planner)) errors.push_back(std::move(error));
  ValidateAccelerators(config.accelerators, errors);
  ValidateUsage(config, errors);
  for (model::FieldError& error : policies::scheduling::Validate(config.scheduling)) {
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace berth::config
