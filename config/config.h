#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/config.h"
#include "model/accelerator.h"
#include "model/config_field.h"
#include "policies/admission/config.h"
#include "policies/scheduling/config.h"
#include "policies/scheduling/shortlist.h"

namespace berth::config {

inline constexpr std::string_view kConfigApiVersion = "config.berth.dev/v1alpha1";
inline constexpr std::string_view kConfigKind = "BerthConfiguration";

struct KubernetesConfig {
  std::string kubeconfig;
  std::string context;
};

template <typename Visitor>
void VisitFields(Visitor& visit, KubernetesConfig& config) {
  visit("kubeconfig", config.kubeconfig,
        "File with the API server's address and credentials; empty: those of the pod that Berth "
        "runs in. The environment variable KUBECONFIG is not read");
  visit("context", config.context, "Context of that file; empty: its current one");
}

/// Files of a TLS server.
struct TlsConfig {
  std::string cert_file;
  std::string key_file;
  std::string client_ca_file;

  friend bool operator==(const TlsConfig&, const TlsConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, TlsConfig& config) {
  visit("certFile", config.cert_file,
        "PEM file with the server's certificate and its intermediate ones. Read again when it "
        "changes");
  visit("keyFile", config.key_file, "PEM file with its private key");
  visit(
      "clientCAFile", config.client_ca_file,
      "PEM file with the CAs that clients' certificates must come from; empty: clients need none");
}

struct ExtenderConfig {
  std::string listen = ":8443";
  TlsConfig tls;
  bool insecure_loopback = false;
  std::int32_t max_body_bytes = 8 * 1024 * 1024;
  std::int32_t max_nodes_body_bytes = 64 * 1024 * 1024;
  // docs/benchmarks has the figures by which it was chosen.
  policies::scheduling::ShortlistConfig shortlist = {.size = 1};
};

template <typename Visitor>
void VisitFields(Visitor& visit, ExtenderConfig& config) {
  visit("listen", config.listen,
        "Address for kube-scheduler's requests: host:port, :port for all addresses; port 0: any");
  visit("tls", config.tls,
        "Certificate that the extender shows; `berth extender` needs one unless insecureLoopback "
        "is set");
  visit("insecureLoopback", config.insecure_loopback,
        "Plain HTTP instead of TLS; only where listen is a loopback address");
  visit("maxBodyBytes", config.max_body_bytes,
        "Largest request body, 1048576 to 1073741824; 8388608 holds 65,000 node names of 90 bytes "
        "and a pod of 2 MiB");
  visit("maxNodesBodyBytes", config.max_nodes_body_bytes,
        "Largest body of a request that brings whole nodes (nodeCacheCapable: false) or whole "
        "victims, 1048576 to 1073741824; a node takes about 8 KB");
  visit("shortlist", config.shortlist, "Answers that are shorter than all nodes that fit");
}

/// The block `admission`: what decides about objects, and the server that is asked.
struct WebhookConfig {
  std::string listen = ":9443";
  TlsConfig tls;
  bool insecure_loopback = false;
  std::int32_t max_body_bytes = 20 * 1024 * 1024;
  policies::admission::AdmissionConfig judgement;
};

template <typename Visitor>
void VisitFields(Visitor& visit, WebhookConfig& config) {
  visit("listen", config.listen,
        "Address for the API server's reviews: host:port, :port for all addresses; port 0: any");
  visit("tls", config.tls,
        "Certificate that the webhook shows; `berth admission` needs one unless insecureLoopback "
        "is set");
  visit("insecureLoopback", config.insecure_loopback,
        "Plain HTTP instead of TLS; only where listen is a loopback address");
  visit(
      "maxBodyBytes", config.max_body_bytes,
      "Largest review, 1048576 to 1073741824; 20971520 holds an object and what it was before, of "
      "the 1.5 MiB that etcd takes, if each byte is one of those that kube-apiserver writes as "
      "six (\\u003c for <). What is larger is denied in namespaces that enforce, and warned of in "
      "others");
  visit("controllers", config.judgement.controllers,
        "Who makes pods and Jobs on behalf of others, besides Kubernetes' own controllers");
  visit("templates", config.judgement.templates,
        "Kinds besides Kubernetes' own whose templates of pods are judged");
  visit("policies", config.judgement.policies, "What pods and Jobs have to be like");
}

struct MetricsConfig {
  std::string listen = ":9090";
};

template <typename Visitor>
void VisitFields(Visitor& visit, MetricsConfig& config) {
  visit("listen", config.listen,
        "Address of /metrics, /livez, /healthz and /readyz, which are plain HTTP");
}

struct ProbesConfig {
  std::string listen;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ProbesConfig& config) {
  visit("listen", config.listen,
        "Address of /livez, /healthz and /readyz by themselves, plain HTTP: a server with a thread "
        "of its own, which whoever floods the metrics' cannot reach; empty: none");
}

struct GrpcConfig {
  std::string listen;
  TlsConfig tls;
};

template <typename Visitor>
void VisitFields(Visitor& visit, GrpcConfig& config) {
  visit("listen", config.listen,
        "Address of berth.v1.Placement, grpc.health.v1.Health and reflection; empty: none");
  visit("tls", config.tls,
        "Mutual TLS: all three, or none where listen is a loopback address, which is then plain");
}

enum class LogThreshold : std::uint8_t { kDebug, kInfo, kWarning, kError };

std::span<const model::EnumName<LogThreshold>> EnumNames(LogThreshold);

struct LogConfig {
  LogThreshold level = LogThreshold::kInfo;
};

template <typename Visitor>
void VisitFields(Visitor& visit, LogConfig& config) {
  visit("level", config.level, "The least important lines that are written");
}

/// The configuration of every subcommand, as its file has it. The defaults are those of an empty
/// file, and lack what has none: certificates.
struct BerthConfiguration {
  std::string api_version{kConfigApiVersion};
  std::string kind{kConfigKind};
  std::string prefix = "berth.dev";
  KubernetesConfig kubernetes;
  ExtenderConfig extender;
  WebhookConfig admission;
  controller::ControllerConfig controller;
  MetricsConfig metrics;
  ProbesConfig probes;
  GrpcConfig grpc;
  LogConfig log;
  std::vector<model::AcceleratorSpec> accelerators = model::AcceleratorCatalog::Defaults();
  /// With the policies' own blocks, which stand at the top of the file.
  policies::scheduling::SchedulingConfig scheduling;
};

template <typename Visitor>
void VisitFields(Visitor& visit, BerthConfiguration& config) {
  visit.Required("apiVersion", config.api_version, "Version of this file's format");
  visit.Required("kind", config.kind, "What this file is");
  visit("prefix", config.prefix, "Domain of Berth's labels and annotations");
  visit("kubernetes", config.kubernetes, "How to reach the API server");
  visit("extender", config.extender, "The server that kube-scheduler asks");
  visit("admission", config.admission, "The webhook that the API server asks");
  visit("controller", config.controller,
        "The only part that writes: node labels, nudges and certificates");
  visit("metrics", config.metrics, "The server for Prometheus and kubelet");
  visit("probes", config.probes, "The server for kubelet alone");
  visit("grpc", config.grpc, "The server for `berth explain`, `berth capacity` and programs");
  visit("log", config.log, "JSON lines on standard error");
  visit("accelerators", config.accelerators,
        "The catalogue: a node is the first of these that recognises it");
  policies::scheduling::VisitPolicyBlocks(visit, config.scheduling.policies);
  visit("scheduling", config.scheduling, "How nodes are chosen");
}

/// Everything that is wrong with `config` though each value by itself has the right type; paths are
/// from the top.
std::vector<model::FieldError> Validate(const BerthConfiguration& config);

}  // namespace berth::config
