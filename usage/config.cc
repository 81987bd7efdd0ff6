#include "usage/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kube/server_url.h"
#include "model/duration.h"
#include "model/label.h"

namespace berth::usage {

namespace {

using Errors = std::vector<model::FieldError>;

constexpr model::Duration kLeastTimeout{1};
constexpr model::Duration kMostTimeout = std::chrono::minutes(10);
// Only tests want less than an hour: a pod that loads its data, or computes on the CPU, would count
// as idle.
constexpr model::Duration kLeastWindow = std::chrono::minutes(1);
constexpr model::Duration kMostWindow = std::chrono::hours(720);

void RequireWithin(const std::string& path, model::Duration value, model::Duration least,
                   model::Duration most, const std::string& example, Errors& errors) {
  if (value >= least && value <= most) return;
  errors.push_back(
      {path, fmt::format("must be from {} to {}, got {}; write {}", model::FormatDuration(least),
                         model::FormatDuration(most), model::FormatDuration(value), example)});
}

// [a-zA-Z_][a-zA-Z0-9_]*
bool IsPrometheusLabel(const std::string& text) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void ValidateUtilization(const std::string& path, const UtilizationConfig& config,
                         const std::vector<std::string>& accelerators, std::set<std::string>& named,
                         Errors& errors) {
  if (config.query.empty()) {
    errors.push_back({path + ".query", "is empty; write a metric such as DCGM_FI_DEV_GPU_UTIL"});
  }
  for (const std::string& label : config.device_labels) {
    if (IsPrometheusLabel(label)) continue;
    errors.push_back(
        {path + ".deviceLabels",
         fmt::format("\"{}\" is no label of Prometheus; write one such as UUID", label)});
  }
  if (config.accelerators.empty() && !named.insert("").second) {
    errors.push_back({path + ".accelerators",
                      "is empty, as in an item before; name the accelerators of one of them"});
  }
  for (const std::string& name : config.accelerators) {
    if (std::ranges::find(accelerators, name) == accelerators.end()) {
      errors.push_back(
          {path + ".accelerators",
           fmt::format("\"{}\" is no entry of accelerators; write the name of one", name)});
    } else if (!named.insert(name).second) {
      errors.push_back(
          {path + ".accelerators", fmt::format("\"{}\" is in an item before; remove one", name)});
    }
  }
}

void ValidateNotebooks(const NotebooksConfig& config, Errors& errors) {
  for (const std::string& label : config.labels) {
    const std::size_t sign = label.find('=');
    const bool has_value = sign != std::string::npos;
    if (model::IsQualifiedName(label.substr(0, sign)) &&
        (!has_value || model::IsLabelValue(label.substr(sign + 1)))) {
      continue;
    }
    errors.push_back({"idle.notebooks.labels",
                      fmt::format("\"{}\" is no label; write key or key=value", label)});
  }
}

}  // namespace

std::vector<model::FieldError> Validate(const PrometheusConfig& config) {
  Errors errors;
  RequireWithin("prometheus.timeout", config.timeout, kLeastTimeout, kMostTimeout, "30s", errors);
  if (!config.configured()) {
    if (config != PrometheusConfig{.timeout = config.timeout, .matchers = config.matchers}) {
      errors.push_back({"prometheus.url",
                        "is empty, so that tokenFile and caFile have no effect; "
                        "write the address of Prometheus"});
    }
    return errors;
  }
  kube::ApiConfig parsed;
  const absl::Status url = kube::ParseHttpUrl(config.url, parsed);
  if (!url.ok()) {
    errors.push_back({"prometheus.url", std::string(url.message())});
  } else if (!parsed.tls && !config.token_file.empty()) {
    errors.push_back({"prometheus.tokenFile",
                      "would be sent to prometheus.url in plain text; write https:// there"});
  } else if (!parsed.tls && !config.ca_file.empty()) {
    errors.push_back({"prometheus.caFile", "has no effect without https:// in prometheus.url"});
  }
  if (config.matchers.find_first_of("{}") != std::string::npos) {
    errors.push_back({"prometheus.matchers",
                      "has braces; write only what stands between them, "
                      "such as cluster=\"east\""});
  }
  return errors;
}

std::vector<model::FieldError> Validate(const IdleConfig& config,
                                        const std::vector<std::string>& accelerators) {
  Errors errors;
  RequireWithin("idle.window", config.window, kLeastWindow, kMostWindow, "2h", errors);
  if (!(config.below > 0 && config.below <= 100)) {
    errors.push_back({"idle.below", fmt::format("must be above 0 and at most 100, got {}; write 5 "
                                                "for 5 %",
                                                config.below)});
  }
  std::set<std::string> named;
  for (std::size_t i = 0; i < config.utilization.size(); ++i) {
    ValidateUtilization(fmt::format("idle.utilization[{}]", i), config.utilization[i], accelerators,
                        named, errors);
  }
  ValidateNotebooks(config.notebooks, errors);
  return errors;
}

}  // namespace berth::usage
