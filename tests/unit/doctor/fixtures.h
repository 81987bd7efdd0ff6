#pragma once

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "doctor/check.h"
#include "doctor/facts.h"
#include "kube/transport.h"
#include "model/accelerator.h"
#include "tests/integration/test_pki.h"

namespace berth::doctor {

/// What gtest prints.
inline void PrintTo(const Finding& finding, std::ostream* out) {
  *out << NameOf(finding.severity) << " " << finding.check << ": " << finding.what << " -> "
       << finding.advice;
}

inline constexpr model::Time kNow{std::chrono::seconds(1'780'000'000)};

/// The first entries of the built-in catalogue, those of three resources.
inline std::vector<model::AcceleratorSpec> FewAccelerators() {
  std::vector<model::AcceleratorSpec> specs = model::AcceleratorCatalog::Defaults();
  specs.erase(specs.begin() + 5, specs.end());
  for (model::AcceleratorSpec& spec : specs) spec.slices.clear();
  return specs;
}

/// Berth's defaults, with a short catalogue.
struct DefaultRules {
  config::BerthConfiguration config;
  model::AcceleratorCatalog catalog = *model::AcceleratorCatalog::Make(FewAccelerators());

  Rules rules() const { return {.config = config, .catalog = catalog}; }
};

/// A node of 8 V100 with its labels, and one without accelerators.
inline model::Node GpuNode(const std::string& name) {
  model::Node node;
  node.name = name;
  node.labels = {{"berth.dev/accelerator", "V100"},
                 {"berth.dev/accelerator-memory", "32"},
                 {"nvidia.com/gpu.product", "Tesla-V100-SXM2-32GB"}};
  node.conditions = {{.type = "GPUIsLost", .status = model::ConditionStatus::kFalse}};
  for (const auto& [resource, amount] : std::map<std::string, std::int64_t>{
           {"cpu", 35'000}, {"memory", std::int64_t{380} << 30}, {"nvidia.com/gpu", 8}}) {
    node.capacity.Set(resource, amount);
    node.allocatable.Set(resource, amount);
  }
  return node;
}

inline model::Node CpuNode(const std::string& name) {
  model::Node node;
  node.name = name;
  node.allocatable.Set("cpu", 64'000);
  node.allocatable.Set("memory", std::int64_t{252} << 30);
  node.capacity = node.allocatable;
  return node;
}

inline PodFacts GpuPod(const std::string& name) {
  PodFacts pod{.namespace_name = "ml", .name = name, .node = "v100-1", .scheduler = "berth"};
  pod.requests.Set("nvidia.com/gpu", 1);
  return pod;
}

inline ExtenderEntry BerthsEntry() {
  return {.url_prefix = "https://10.96.0.7:443",
          .filter_verb = "filter",
          .prioritize_verb = "prioritize",
          .preempt_verb = "preempt",
          .weight = 31,
          .enable_https = true,
          .ca_file = "/etc/ca.crt",
          .node_cache_capable = true,
          .managed_resources = {{.name = "nvidia.com/gpu"},
                                {.name = "preferred.jp/mncore"},
                                {.name = "preferred.jp/mncore2"}}};
}

inline SchedulerConfig GoodSchedulerConfig() {
  return {.source = "scheduler.yaml",
          .percentage = 100,
          .profiles = {{.name = "berth", .candidate_percentage = 100}},
          .extenders = {BerthsEntry()}};
}

/// Facts without anything gathered, of release berth.
inline Facts NoFacts() {
  return {.now = kNow, .namespace_name = "berth-system", .fullname = "berth"};
}

/// The one finding of a check that finds one.
inline Finding Only(const Findings& findings) {
  return findings.size() == 1 ? findings.front() : Finding{.what = "not one finding"};
}

/// Answers by "METHOD target"; what is not scripted is 404. Not thread-safe.
class ScriptedTransport final : public kube::Transport {
 public:
  struct Reply {
    int status = 200;
    std::string body;
    std::vector<std::string> warnings;
  };

  void Script(const std::string& request, Reply reply) { replies_[request] = std::move(reply); }
  void Script(const std::string& request, std::string body) {
    Script(request, Reply{.body = std::move(body)});
  }

  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    const std::string what = fmt::format("{} {}", kube::NameOf(request.method), request.target);
    requests.push_back(what);
    bodies.push_back(request.body);
    if (!failure.ok()) return failure;
    const auto found = replies_.find(what);
    const Reply reply = found == replies_.end()
                            ? Reply{.status = 404, .body = R"({"message":"not there"})"}
                            : found->second;
    const absl::Status taken = sink.OnHead(
        {.status = reply.status, .content_type = "application/json", .warnings = reply.warnings});
    return taken.ok() ? sink.OnBody(reply.body) : taken;
  }

  void Stop() override {}

  std::vector<std::string> requests;
  std::vector<std::string> bodies;
  absl::Status failure;

 private:
  std::map<std::string, Reply> replies_;
};

/// RBAC's refusal.
inline ScriptedTransport::Reply Forbidden(const std::string& message = "forbidden") {
  return {.status = 403, .body = R"({"message":")" + message + "\"}", .warnings = {}};
}

}  // namespace berth::doctor
