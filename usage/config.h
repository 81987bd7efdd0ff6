#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "model/config_field.h"
#include "model/time.h"

// The blocks `prometheus` and `idle` of the configuration. The texts in VisitFields() explain each
// field; the generated docs/configuration.md has them, too.

namespace berth::usage {

/// The block `prometheus`: where to ask for what was measured. An empty `url` means nowhere.
struct PrometheusConfig {
  /// "http://prometheus.monitoring:9090", or with https.
  std::string url;
  /// Sent as bearer token; needs https. Read for each request.
  std::string token_file;
  /// PEM; the system's authorities if empty. Read for each connection.
  std::string ca_file;
  /// From a second to ten minutes.
  model::Duration timeout = std::chrono::seconds(30);
  /// Of labels, as in PromQL, without braces: cluster="east". Empty for none.
  std::string matchers;

  bool configured() const { return !url.empty(); }

  friend bool operator==(const PrometheusConfig&, const PrometheusConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, PrometheusConfig& config) {
  visit("url", config.url,
        "Address of Prometheus, or of what speaks its HTTP API, such as "
        "http://prometheus-operated.monitoring:9090; what follows the port comes before /api/v1. "
        "Empty: there is none");
  visit("tokenFile", config.token_file,
        "File with a bearer token, read for each request; only if url is https; empty: none");
  visit("caFile", config.ca_file,
        "PEM file with the CAs that must have signed the certificate of url; empty: the system's");
  visit("timeout", config.timeout, "How long an answer may take, 1s to 10m");
  visit("matchers", config.matchers,
        "Matchers that select the metrics of this cluster, where Prometheus has those of several, "
        "such as cluster=\"east\": of Berth's own, and of idle.utilization where query is a metric "
        "and no other expression");
}

/// How the utilisation of devices is measured: an item of `idle.utilization`.
struct UtilizationConfig {
  /// Names of the catalogue. Empty: all that no other item names.
  std::vector<std::string> accelerators;
  /// An expression of PromQL: percent of each device at a moment, with labels `namespace` and `pod`
  /// (or `exported_namespace` and `exported_pod`) of the pod that holds it.
  // DCGM exporter's, which exists unless a device is split by MIG:
  // https://docs.nvidia.com/datacenter/dcgm/latest/gpu-telemetry/dcgm-exporter.html
  std::string query = "DCGM_FI_DEV_GPU_UTIL";
  /// What distinguishes the devices of a pod.
  std::vector<std::string> device_labels = {"UUID"};

  friend bool operator==(const UtilizationConfig&, const UtilizationConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, UtilizationConfig& config) {
  visit("accelerators", config.accelerators,
        "Entries of the catalogue that are measured so; empty: all that no other item names");
  visit("query", config.query,
        "Expression of PromQL for the utilisation of each device in percent, with the labels "
        "namespace and pod of the pod that holds it, or exported_namespace and exported_pod; for "
        "MIG: 100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE");
  visit("deviceLabels", config.device_labels,
        "Labels that distinguish the devices of one pod; for MIG: UUID and GPU_I_ID");
}

/// Which pods are notebooks: `idle.notebooks`. A pod is one if any of these holds.
struct NotebooksConfig {
  /// Kinds of the object that controls the pod.
  std::vector<std::string> owner_kinds = {"Notebook"};
  /// Labels of the pod: "key" or "key=value".
  // Those of Kubeflow's notebook controller and of JupyterHub's KubeSpawner:
  // https://github.com/kubeflow/kubeflow/blob/v1.9.2/components/notebook-controller/controllers/notebook_controller.go
  // https://jupyterhub-kubespawner.readthedocs.io/en/latest/spawner.html
  std::vector<std::string> labels = {"notebook-name", "component=singleuser-server"};

  friend bool operator==(const NotebooksConfig&, const NotebooksConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, NotebooksConfig& config) {
  visit("ownerKinds", config.owner_kinds,
        "Kinds of objects whose pods are notebooks, if they are the pods' controllers");
  visit("labels", config.labels,
        "Labels of pods that are notebooks, as key or key=value; the defaults are those of "
        "Kubeflow and of JupyterHub");
}

/// The block `idle`: when a device counts as held and not used.
struct IdleConfig {
  /// From a minute to 30 days.
  model::Duration window = std::chrono::hours(2);
  /// Percent. Above 0, at most 100.
  double below = 5;
  std::vector<UtilizationConfig> utilization = {UtilizationConfig{}};
  NotebooksConfig notebooks;

  friend bool operator==(const IdleConfig&, const IdleConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, IdleConfig& config) {
  visit("window", config.window,
        "A device is idle if its utilisation was low for all of this time, 1m to 720h. Younger "
        "pods are not judged, nor pods without measurements for a tenth of it");
  visit("below", config.below,
        "Utilisation in percent below which a device is not used; above 0, at most 100");
  visit("utilization", config.utilization,
        "How the utilisation of devices is measured, by accelerator; the default is DCGM "
        "exporter's");
  visit("notebooks", config.notebooks, "Which pods are notebooks");
}

/// Return everything that is wrong; the paths begin at the top of the file. `accelerators` are the
/// names in the catalogue.
std::vector<model::FieldError> Validate(const PrometheusConfig& config);
std::vector<model::FieldError> Validate(const IdleConfig& config,
                                        const std::vector<std::string>& accelerators);

}  // namespace berth::usage
