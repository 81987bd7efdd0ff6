#include "kube/field_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "fmt/format.h"
#include "model/annotation.h"
#include "model/pod.h"
#include "model/utf8.h"

namespace berth::kube {
namespace {

// Go's zero time, 0001-01-01T00:00:00Z, which means that the time is not known.
constexpr std::int64_t kGoZeroTime = -62'135'596'800;
constexpr std::int64_t kEndOfYear9999 = 253'402'300'799;

/// Rejects what absl accepts beyond RFC 3339: spaces around the time, "infinite-future", years of
/// other lengths.
bool HasShapeOfTime(std::string_view text) {
  constexpr std::string_view kShortest = "2006-01-02T15:04:05Z";
  return text.size() >= kShortest.size() && absl::ascii_isdigit(text.front()) && text[4] == '-' &&
         (text.back() == 'Z' || absl::ascii_isdigit(text.back()));
}

/// Returns an amount or a quantity that is zero or more; otherwise stores the error.
template <typename T>
T CheckNotNegative(absl::StatusOr<T> parsed, std::string_view text, const Path& path,
                   absl::Status& error) {
  if (!parsed.ok()) {
    error.Update(path.Error(std::string(parsed.status().message())));
    return {};
  }
  if (parsed->Sign() < 0) {
    error.Update(path.Error(fmt::format("{} is negative; write 0 or more", Quoted(text))));
    return {};
  }
  return *std::move(parsed);
}

}  // namespace

std::string NameFromText(std::string_view text, std::size_t most, const Path& path,
                         absl::Status& error) {
  if (text.size() > most) {
    error.Update(
        path.Error(fmt::format("has {} bytes; Kubernetes allows {} at most", text.size(), most)));
  }
  return std::string(text.substr(0, most));
}

model::Amount AmountFromText(std::string_view text, const Path& path, absl::Status& error) {
  absl::StatusOr<model::Amount> amount = model::Quantity::ParseAmount(text);
  return CheckNotNegative(std::move(amount), text, path, error);
}

model::Quantity QuantityFromText(std::string_view text, const Path& path, absl::Status& error) {
  absl::StatusOr<model::Quantity> quantity = model::Quantity::Parse(text);
  return CheckNotNegative(std::move(quantity), text, path, error);
}

model::Time TimeFromText(std::string_view text) {
  absl::Time time;
  const bool read = HasShapeOfTime(text) &&
                    absl::ParseTime(absl::RFC3339_full, std::string(text), &time, nullptr);
  return read ? TimeFromSeconds(absl::ToUnixSeconds(time)) : model::kNoTime;
}

model::Time TimeFromSeconds(std::int64_t seconds) {
  if (seconds <= kGoZeroTime || seconds > kEndOfYear9999) return model::kNoTime;
  return model::Time(model::Duration(seconds));
}

model::ConditionStatus ConditionStatusFromText(std::string_view text) {
  if (text == "True") return model::ConditionStatus::kTrue;
  if (text == "False") return model::ConditionStatus::kFalse;
  return model::ConditionStatus::kUnknown;
}

bool IsUnschedulable(std::string_view type, std::string_view status, std::string_view reason) {
  return type == "PodScheduled" && status == "False" && reason == "Unschedulable";
}

bool TellsThatPodIsBound(std::string_view type, std::string_view status) {
  return type == "PodScheduled" && status == "True";
}

bool TellsThatGangWaits(std::string_view type, std::string_view status) {
  constexpr std::string_view kName = model::kGang.name;
  return status == "False" && type.ends_with(kName) &&
         type.substr(0, type.size() - kName.size()).ends_with('/');
}

std::string GangMessage(std::string_view message) {
  return model::Shortened(message, model::kMostGangMessage);
}

bool IsTerminated(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

bool IsFailed(std::string_view phase) { return phase == "Failed"; }

bool IsDisruption(std::string_view type, std::string_view status) {
  return type == "DisruptionTarget" && status == "True";
}

bool IsKeptOfNodes(std::string_view annotation) {
  return model::kAvoidAnnotation.IsNameOf(annotation) ||
         model::kKeptAnnotation.IsNameOf(annotation);
}

bool IsSpreadByDefault(std::string_view controller_kind) {
  return controller_kind == "ReplicaSet" || controller_kind == "StatefulSet" ||
         controller_kind == "ReplicationController";
}

bool IsJob(std::string_view api_version, std::string_view kind) {
  return kind == "Job" && api_version.starts_with("batch/");
}

bool IsSoftSpread(std::string_view when_unsatisfiable) {
  return when_unsatisfiable != "DoNotSchedule";
}

void AddHostPort(std::int64_t host_port, std::string_view protocol, std::string_view host_ip,
                 std::vector<model::HostPort>& ports) {
  constexpr std::int64_t kMaxPort = 65535;
  if (host_port <= 0 || host_port > kMaxPort || ports.size() == kMostHostPorts) return;
  model::HostPort port;
  port.port = static_cast<std::int32_t>(host_port);
  if (!protocol.empty()) port.protocol = protocol;
  if (!host_ip.empty()) port.ip = host_ip;
  ports.push_back(std::move(port));
}

bool IsAttachedVolume(std::string_view source) {
  static constexpr std::array<std::string_view, 11> kAttached = {"persistentVolumeClaim",
                                                                 "ephemeral",
                                                                 "gcePersistentDisk",
                                                                 "awsElasticBlockStore",
                                                                 "iscsi",
                                                                 "rbd",
                                                                 "cinder",
                                                                 "azureFile",
                                                                 "azureDisk",
                                                                 "vsphereVolume",
                                                                 "portworxVolume"};
  return std::ranges::find(kAttached, source) != kAttached.end();
}

std::vector<model::LabelRequirement> LabelRequirements(
    const model::StringMap& match_labels, std::vector<model::LabelRequirement> expressions) {
  for (const auto& [key, value] : match_labels) expressions.push_back({key, "In", {value}});
  std::sort(expressions.begin(), expressions.end());
  return expressions;
}

model::PodSelector TermSelector(std::string_view own_namespace, std::vector<std::string> namespaces,
                                bool has_namespace_selector,
                                std::vector<model::LabelRequirement> labels) {
  if (has_namespace_selector) {
    namespaces.clear();
  } else if (namespaces.empty()) {
    namespaces.emplace_back(own_namespace);
  }
  std::sort(namespaces.begin(), namespaces.end());
  namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
  return {.namespaces = std::move(namespaces), .labels = std::move(labels)};
}

}  // namespace berth::kube
