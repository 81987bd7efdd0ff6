#include "checks/preflight_pod.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "checks/pod_spec.h"
#include "model/annotation.h"

namespace berth::checks {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kPodPrefix = "berth-preflight-";

// As model::Resources counts it.
std::string QuantityOf(const std::string& resource, std::int64_t amount) {
  return resource == "cpu" ? fmt::format("{}m", amount) : std::to_string(amount);
}

Program ProgramFor(const PreflightOrder& order) {
  Program program{.image = order.image,
                  .command = order.command,
                  .environment = {{"RANK", std::to_string(order.rank)},
                                  {"WORLD_SIZE", std::to_string(order.size)},
                                  {"MASTER_PORT", std::to_string(order.port)}},
                  .resources = {},
                  .timeout = order.timeout,
                  .run_as_user = order.run_as_user};
  if (!order.master.empty()) program.environment.emplace_back("MASTER_ADDR", order.master);
  for (const auto& [name, amount] : order.requests) {
    if (amount > 0) program.resources.emplace_back(name, QuantityOf(name, amount));
  }
  return program;
}

Json SpecFor(const PreflightOrder& order, const CheckPodsConfig& pods) {
  Json spec = SpecOf(ProgramFor(order), pods);
  spec["nodeName"] = order.node;
  spec["tolerations"] = Json::array({Json{{"operator", "Exists"}}});
  if (!order.master.empty()) return spec;
  const Json own = {{"name", "MASTER_ADDR"},
                    {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}};
  spec["containers"][0]["env"].push_back(own);
  return spec;
}

Json MetadataFor(const PreflightOrder& order, const Names& names) {
  return {{"name", PreflightPodName(order.run, order.rank)},
          {"namespace", names.namespace_name},
          {"labels", {{PreflightLabel(names), PreflightRunText(order.run)}}},
          {"annotations",
           {{model::kPreflightGangAnnotation.Below(names.prefix), order.gang},
            {model::kPreflightRankAnnotation.Below(names.prefix), std::to_string(order.rank)},
            {model::kActiveCheckNodeAnnotation.Below(names.prefix), order.node},
            {model::kActiveCheckNodeUidAnnotation.Below(names.prefix), order.node_uid}}}};
}

template <typename Number>
Number NumberIn(std::string_view text, int base) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

}  // namespace

std::string PreflightLabel(const Names& names) {
  return model::kPreflightLabel.Below(names.prefix);
}

std::string PreflightRunText(std::uint64_t run) { return fmt::format("{:016x}", run); }

std::string PreflightPodName(std::uint64_t run, std::size_t rank) {
  return fmt::format("{}{:016x}-{}", kPodPrefix, run, rank);
}

bool IsPreflightPod(const std::string& namespace_name, const std::string& name,
                    const Names& names) {
  return namespace_name == names.namespace_name && name.starts_with(kPodPrefix);
}

std::string PreflightPodJson(const PreflightOrder& order, const CheckPodsConfig& pods,
                             const Names& names, const std::optional<kube::OwnerReference>& owner) {
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", MetadataFor(order, names)},
              {"spec", SpecFor(order, pods)}};
  AddOwner(owner, pod["metadata"]);
  return JsonText(pod);
}

PreflightPodRead ReadPreflightPod(const kube::JsonValue& pod, const Names& names) {
  const kube::JsonValue metadata = pod.Field("metadata");
  const kube::JsonValue annotations = metadata.Field("annotations");
  const auto annotation = [&](const model::OwnName& name) {
    return annotations.Field(name.Below(names.prefix)).Text();
  };
  return {.pod = ReadCheckPod(pod, names),
          .gang = annotation(model::kPreflightGangAnnotation),
          .run = NumberIn<std::uint64_t>(
              metadata.Field("labels").Field(PreflightLabel(names)).Text(), 16),
          .rank = NumberIn<std::size_t>(annotation(model::kPreflightRankAnnotation), 10),
          .address = pod.Field("status").Field("podIP").Text()};
}

}  // namespace berth::checks
