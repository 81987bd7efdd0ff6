#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/config.h"
#include "model/accelerator.h"
#include "model/config_field.h"
#include "planner/config.h"
#include "policies/admission/config.h"
#include "policies/scheduling/config.h"
#include "policies/scheduling/shortlist.h"
#include "usage/config.h"

// The configuration file as C++ structs: a struct for each block, with fields in the order of the
// file. The initialisers are the defaults. VisitFields declares each field's key and its help text,
// which also becomes the reference in docs/configuration.md (see model/config_field.h). Plain
// values without invariants; Validate() checks them.

namespace berth::config {

/// The version and kind that a configuration file must name.
inline constexpr std::string_view kConfigApiVersion = "config.berth.dev/v1alpha1";
inline constexpr std::string_view kConfigKind = "BerthConfiguration";

/// The block `kubernetes`: how to reach the API server.
struct KubernetesConfig {
  /// Empty for the credentials of the pod that Berth runs in.
  std::string kubeconfig;
  /// Empty for the file's current context.
  std::string context;

  friend bool operator==(const KubernetesConfig&, const KubernetesConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, KubernetesConfig& config) {
  visit("kubeconfig", config.kubeconfig,
        "File with the API server's address and credentials; empty: those of the pod that Berth "
        "runs in. The environment variable KUBECONFIG is not read");
  visit("context", config.context, "Context of that file; empty: its current one");
}

/// The PEM files of a TLS server. File names are relative to the working directory.
struct TlsConfig {
  /// Certificate with intermediate ones, and its private key. Both are read again when they change.
  std::string cert_file;
  std::string key_file;
  /// Empty if clients need no certificate.
  std::string client_ca_file;

  friend bool operator==(const TlsConfig&, const TlsConfig&) = default;
};

/// `client_ca_help`: the help text of clientCAFile.
template <typename Visitor>
void VisitTlsFiles(Visitor& visit, TlsConfig& config, std::string_view client_ca_help) {
  visit("certFile", config.cert_file,
        "PEM file with the server's certificate and the intermediate certificates. Reloaded when "
        "it changes");
  visit("keyFile", config.key_file, "PEM file with the certificate's private key");
  visit("clientCAFile", config.client_ca_file, client_ca_help);
}

template <typename Visitor>
void VisitFields(Visitor& visit, TlsConfig& config) {
  VisitTlsFiles(visit, config,
                "PEM file with the CAs that must have signed client certificates; empty: clients "
                "need no certificate");
}

/// The PEM files of a server whose clients always need a certificate.
struct MutualTlsConfig : TlsConfig {};

template <typename Visitor>
void VisitFields(Visitor& visit, MutualTlsConfig& config) {
  VisitTlsFiles(visit, config,
                "PEM file with the CAs that must have signed client certificates; every client "
                "needs one. Set all three files, or none if listen is a loopback address");
}

/// The block `extender`: the server that kube-scheduler asks.
struct ExtenderConfig {
  /// "host:port", or ":port" for all addresses; port 0 chooses a free one.
  std::string listen = ":8443";
  TlsConfig tls;
  /// Whether to serve plain HTTP, which is allowed only on a loopback address.
  bool insecure_loopback = false;
  /// The largest bodies, in bytes: of a request with names of nodes, and of one with whole nodes.
  std::int32_t max_body_bytes = 8 * 1024 * 1024;
  std::int32_t max_nodes_body_bytes = 64 * 1024 * 1024;
  // docs/benchmarks has the measurements behind this default.
  policies::scheduling::ShortlistConfig shortlist = {.size = 1};

  friend bool operator==(const ExtenderConfig&, const ExtenderConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ExtenderConfig& config) {
  visit("listen", config.listen,
        "Address for kube-scheduler's requests: host:port, :port for all addresses; port 0: any "
        "free port");
  visit("tls", config.tls,
        "Certificate that the extender presents; `berth extender` needs one unless "
        "insecureLoopback is set");
  visit("insecureLoopback", config.insecure_loopback,
        "Plain HTTP instead of TLS; only if listen is a loopback address");
  visit("maxBodyBytes", config.max_body_bytes,
        "Maximum size of a request body in bytes, 1048576 to 1073741824; 8388608 holds 65,000 node "
        "names of 90 bytes and a pod of 2 MiB");
  visit("maxNodesBodyBytes", config.max_nodes_body_bytes,
        "Maximum size in bytes of a request body with whole nodes (nodeCacheCapable: false) or "
        "whole victims, 1048576 to 1073741824; a node takes about 8 KB");
  visit("shortlist", config.shortlist, "Answers with fewer nodes than all that fit");
}

/// The block `admission`: the webhook that the API server asks, and the rules by which it judges.
struct WebhookConfig {
  /// As in ExtenderConfig.
  std::string listen = ":9443";
  TlsConfig tls;
  bool insecure_loopback = false;
  /// The largest review, in bytes.
  std::int32_t max_body_bytes = 20 * 1024 * 1024;
  /// Its fields are in the same block of the file.
  policies::admission::AdmissionConfig judgement;

  friend bool operator==(const WebhookConfig&, const WebhookConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, WebhookConfig& config) {
  visit("listen", config.listen,
        "Address for the API server's reviews: host:port, :port for all addresses; port 0: any "
        "free port");
  visit("tls", config.tls,
        "Certificate that the webhook presents; `berth admission` needs one unless "
        "insecureLoopback is set");
  visit("insecureLoopback", config.insecure_loopback,
        "Plain HTTP instead of TLS; only if listen is a loopback address");
  visit("maxBodyBytes", config.max_body_bytes,
        "Maximum size of a review in bytes, 1048576 to 1073741824. 20971520 holds an object and "
        "its previous version of 1.5 MiB each, the limit of etcd, even if kube-apiserver writes "
        "each byte as six (\\u003c for <). A larger review is denied in namespaces that enforce, "
        "and causes a warning in others");
  visit(
      "frameworks", config.judgement.frameworks,
      "Frameworks whose controllers and templates are known: `berth config frameworks` shows what "
      "each name stands for");
  visit("controllers", config.judgement.controllers,
        "Controllers that create pods and Jobs for users, besides those of Kubernetes and of "
        "frameworks");
  visit("templates", config.judgement.templates,
        "Kinds with templates of pods or Jobs to review, besides those of Kubernetes and of "
        "frameworks. The entries for a kind replace those of the frameworks");
  visit("ordinaryResources", config.judgement.ordinary_resources,
        "Shell patterns of extended resources that are no accelerators. A pod that asks for any "
        "other resource outside the catalogue may ask for an accelerator: isolation and default "
        "sizes leave it alone, with a warning");
  visit("fractionAnnotations", config.judgement.fraction_annotations,
        "Annotations by which pods ask another scheduler for a part of a device, such as "
        "gpu-fraction and gpu-memory of the KAI scheduler: isolation and default sizes leave "
        "such pods alone. Anyone may annotate a pod");
  visit("ownRetries", config.judgement.own_retries,
        "Namespaces whose Jobs keep their own retries if they are annotated berth.dev/retries: own "
        "and all their containers have memory limits");
  visit("policies", config.judgement.policies, "The policies for pods and Jobs");
}

/// The block `metrics`: the plain HTTP server for Prometheus and kubelet.
struct MetricsConfig {
  /// Address of /metrics, /livez, /healthz and /readyz.
  std::string listen = ":9090";

  friend bool operator==(const MetricsConfig&, const MetricsConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, MetricsConfig& config) {
  visit("listen", config.listen, "Address of /metrics, /livez, /healthz and /readyz, plain HTTP");
}

/// The block `probes`: a plain HTTP server for kubelet alone. Empty `listen` means there is none.
struct ProbesConfig {
  /// Address of /livez, /healthz and /readyz.
  std::string listen;

  friend bool operator==(const ProbesConfig&, const ProbesConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ProbesConfig& config) {
  visit(
      "listen", config.listen,
      "Address of a separate server for /livez, /healthz and /readyz, plain HTTP. It has a thread "
      "of its own, so that a flood of requests for metrics does not affect it; empty: none");
}

/// The block `grpc`: the server for `berth explain`, `berth capacity` and other programs. Empty
/// `listen` means there is none. The extender and the controller each have one.
struct GrpcConfig {
  /// Address of berth.v1.Placement (extender) or berth.v1.Gangs (controller),
  /// grpc.health.v1.Health and reflection.
  std::string listen;
  /// All three files, or none if `listen` is a loopback address.
  MutualTlsConfig tls;

  friend bool operator==(const GrpcConfig&, const GrpcConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, GrpcConfig& config) {
  visit(
      "listen", config.listen,
      "Address of the gRPC services: berth.v1.Placement of the extender, or berth.v1.Gangs of the "
      "controller, and of both grpc.health.v1.Health and reflection; empty: none");
  visit("tls", config.tls,
        "Mutual TLS: set all three. If listen is a loopback address, you may set none: then there "
        "is no TLS");
}

/// The least important lines that are logged, in ascending order of importance.
enum class LogThreshold : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// How the configuration spells the levels.
std::span<const model::EnumName<LogThreshold>> EnumNames(LogThreshold);

/// The block `log`.
struct LogConfig {
  LogThreshold level = LogThreshold::kInfo;

  friend bool operator==(const LogConfig&, const LogConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, LogConfig& config) {
  visit("level", config.level, "Lowest level that is logged");
}

/// The whole configuration. All subcommands share it, and each uses the blocks that concern it. The
/// initialisers are what an empty file means. They lack certificates, which have no default.
struct BerthConfiguration {
  /// Must be kConfigApiVersion and kConfigKind.
  std::string api_version{kConfigApiVersion};
  std::string kind{kConfigKind};
  /// Domain of Berth's labels and annotations.
  std::string prefix = "berth.dev";
  /// The blocks of the file, under the names of the fields.
  KubernetesConfig kubernetes;
  ExtenderConfig extender;
  WebhookConfig admission;
  /// Only `berth controller` reads this block.
  controller::ControllerConfig controller;
  /// `berth controller` plans by this block; the extender and `berth explain` read for whom.
  planner::PlannerConfig planner;
  MetricsConfig metrics;
  ProbesConfig probes;
  GrpcConfig grpc;
  /// Read by `berth who`, `berth idle` and, if it looks for idle devices, `berth controller`.
  usage::PrometheusConfig prometheus;
  usage::IdleConfig idle;
  LogConfig log;
  /// The catalogue. A node belongs to the first entry that recognises it.
  std::vector<model::AcceleratorSpec> accelerators = model::AcceleratorCatalog::Defaults();
  /// Also contains the policies' own blocks, such as `health`, which are at the top level of the
  /// file.
  policies::scheduling::SchedulingConfig scheduling;

  friend bool operator==(const BerthConfiguration&, const BerthConfiguration&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, BerthConfiguration& config) {
  visit.Required("apiVersion", config.api_version, "Version of this file's format");
  visit.Required("kind", config.kind, "Kind of this file");
  visit("prefix", config.prefix, "Domain of Berth's labels and annotations");
  visit("kubernetes", config.kubernetes, "How to reach the API server");
  visit("extender", config.extender, "The server that kube-scheduler calls");
  visit("admission", config.admission, "The webhook that the API server calls");
  visit(
      "controller", config.controller,
      "The only component that writes objects: node labels, nudges, nominations and certificates");
  visit(
      "planner", config.planner,
      "How `berth controller` chooses the best of all nodes for pods that wait, and nominates it");
  visit("metrics", config.metrics, "The server for Prometheus and kubelet");
  visit("probes", config.probes, "A separate server for kubelet's probes");
  visit("grpc", config.grpc, "The server for `berth explain`, `berth capacity` and programs");
  visit("prometheus", config.prometheus,
        "Where `berth who`, `berth idle` and `berth controller` ask for what was measured");
  visit("idle", config.idle, "When devices are held and not used");
  visit("log", config.log, "JSON lines on standard error");
  visit("accelerators", config.accelerators,
        "The catalogue: a node belongs to the first entry that matches it");
  policies::scheduling::VisitPolicyBlocks(visit, config.scheduling.policies);
  visit("scheduling", config.scheduling, "How nodes are chosen");
}

/// Returns INVALID_ARGUMENT, with what to write, if the text cannot be a `prefix`: labels and
/// annotations below it would not be valid.
absl::Status CheckPrefix(const std::string& prefix);

/// Returns every error in `config` that remains if each single value has the right type: values out
/// of range, and contradictions. Paths start at the top of the file. Empty if the configuration is
/// valid.
std::vector<model::FieldError> Validate(const BerthConfiguration& config);

}  // namespace berth::config
