#include "tests/simulation/cluster_life.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace berth::simulation {
namespace {

using model::ConditionStatus;

constexpr std::size_t kMaxNodes = 9;
constexpr std::size_t kMaxPods = 24;

const std::vector<std::string>& ConditionTypes() {
  static const std::vector<std::string> types = {"GPUIsLost",        "GPURuntimeError",
                                                 "GPUPendingPage",   "DStateProcess",
                                                 "PCIeLinkDegraded", "Ready"};
  return types;
}

constexpr char kMemoryLabel[] = "nvidia.com/gpu.memory";

struct Product {
  const char* label;
  const char* accelerator;
  std::int64_t gibibytes;
};
constexpr std::array<Product, 3> kProducts = {{{"Tesla-V100-SXM2-32GB", "V100", 32},
                                               {"NVIDIA-A100-SXM4-40GB", "A100", 40},
                                               {"NVIDIA-A30", "A30", 24}}};

// What its drivers report; nothing: the label goes.
void Report(std::optional<std::string> mebibytes, model::Node& node) {
  std::erase_if(node.labels, [](const auto& label) { return label.first == kMemoryLabel; });
  if (mebibytes) node.labels.emplace_back(kMemoryLabel, *std::move(mebibytes));
  model::Normalize(node.labels);
}

const Product* ProductOf(const model::Node& node) {
  const auto product = model::Find(node.labels, kProductLabel);
  const auto known = std::ranges::find_if(
      kProducts, [&product](const Product& each) { return product == each.label; });
  return known == kProducts.end() ? nullptr : &*known;
}

}  // namespace

std::string AcceleratorOf(const model::Node& node) {
  const Product* const product = ProductOf(node);
  return product == nullptr ? "" : product->accelerator;
}

std::int64_t MemoryOf(const model::Node& node) {
  const auto mebibytes = model::Find(node.labels, kMemoryLabel);
  if (mebibytes) return std::stoll(std::string(*mebibytes)) * 100 / (93 * 1024);
  const Product* const product = ProductOf(node);
  return product == nullptr ? 0 : product->gibibytes;
}

model::Time ClusterLife::Now() const { return timeline_->api_time(); }

template <typename T>
std::string ClusterLife::Any() const {
  const Contents<T>& objects = server_->Of<T>().now();
  if (objects.empty()) return "";
  return std::next(objects.begin(), chance_->Below(static_cast<int>(objects.size())))->first;
}

void ClusterLife::Begin() {
  for (int nodes = chance_->Between(2, 7); nodes > 0; --nodes) CreateNode();
  for (int pods = chance_->Between(0, 10); pods > 0; --pods) {
    CreatePod();
    Bind(WaitingPod(), Any<model::Node>());
  }
  ChangeService();
}

void ClusterLife::Change() {
  if (chance_->Percent(odd_share_)) return MakeOdd();
  const int ticket = chance_->Below(100);
  if (ticket < 35) return ChangeCondition();
  if (ticket < 42) return Beat();
  if (ticket < 45) return ResizeNode();
  if (ticket < 50) return CreateNode();
  if (ticket < 54) return server_->Delete<model::Node>(Any<model::Node>());
  if (ticket < 68) return CreatePod();
  if (ticket < 72) return Bind(WaitingPod(), Any<model::Node>());
  if (ticket < 84) return ChangePod();
  if (ticket < 95) return server_->Delete<model::Pod>(Any<model::Pod>());
  ChangeService();
}

void ClusterLife::CreateNode() {
  // Of a few names, so that some come again.
  model::Node node{.name = "n" + std::to_string(chance_->Below(12))};
  if (server_->Of<model::Node>().now().size() >= kMaxNodes) return;
  if (server_->Of<model::Node>().Find(node.name) != nullptr) return;
  node.uid = "uid-" + std::to_string(created_++);
  const auto product = static_cast<std::size_t>(chance_->Below(3));
  node.labels = {{kProductLabel, kProducts[product].label}};
  node.capacity.Set(kGpu, 8);
  node.allocatable.Set(kGpu, 8);
  SetCondition(node, "Ready", ConditionStatus::kTrue);
  trace_->Write("{} is created", node.name);
  server_->Put(std::move(node));
}

void ClusterLife::SetCondition(model::Node& node, const std::string& type, ConditionStatus status) {
  auto condition = std::find_if(node.conditions.begin(), node.conditions.end(),
                                [&](const auto& other) { return other.type == type; });
  if (condition == node.conditions.end()) {
    condition =
        node.conditions.insert(condition, model::Condition{.type = type, .last_transition = Now()});
  }
  if (condition->status != status) condition->last_transition = Now();
  condition->status = status;
  condition->last_heartbeat = Now();
}

void ClusterLife::ChangeCondition() {
  const auto stored = server_->Of<model::Node>().Find(Any<model::Node>());
  if (stored == nullptr) return;
  model::Node node = stored->value;
  const auto type =
      static_cast<std::size_t>(chance_->Below(static_cast<int>(ConditionTypes().size())));
  const auto status = static_cast<ConditionStatus>(chance_->Below(3));
  SetCondition(node, ConditionTypes()[type], status);
  trace_->Write("{} says {} {}", node.name, ConditionTypes()[type], static_cast<int>(status));
  server_->Put(std::move(node), chance_->Percent(50) ? stored->oddity : Oddity::kNone);
}

std::string ClusterLife::BreakOne() {
  const auto stored = server_->Of<model::Node>().Find(Any<model::Node>());
  if (stored == nullptr) return "";
  model::Node node = stored->value;
  SetCondition(node, "GPUIsLost", ConditionStatus::kTrue);
  trace_->Write("{} is broken", node.name);
  server_->Put(node);
  return node.name;
}

void ClusterLife::Beat() {
  const auto stored = server_->Of<model::Node>().Find(Any<model::Node>());
  if (stored == nullptr) return;
  model::Node node = stored->value;
  // At times nothing that Berth reads changes, as when somebody sets an annotation.
  if (chance_->Percent(70)) {
    for (model::Condition& condition : node.conditions) condition.last_heartbeat = Now();
  }
  server_->Put(std::move(node));
}

void ClusterLife::ResizeNode() {
  const auto stored = server_->Of<model::Node>().Find(Any<model::Node>());
  if (stored == nullptr) return;
  model::Node node = stored->value;
  const int devices = chance_->Between(4, 8);
  node.allocatable.Set(kGpu, devices);
  // Its drivers were replaced, too: they report more than before, less, or nothing.
  constexpr std::array<const char*, 3> kReported = {"16384", "32510", "81559"};
  const auto report = static_cast<std::size_t>(devices) - 4;
  Report(report < kReported.size() ? std::optional<std::string>(kReported[report]) : std::nullopt,
         node);
  server_->Put(std::move(node));
}

void ClusterLife::CreatePod() {
  if (server_->Of<model::Pod>().now().size() >= kMaxPods) {
    return server_->Delete<model::Pod>(Any<model::Pod>());
  }
  const bool named_again = chance_->Percent(50);  // as a StatefulSet's
  model::Pod pod{.namespace_ = kNamespace,
                 .name = named_again ? "set-" + std::to_string(chance_->Below(6))
                                     : "job-" + std::to_string(created_)};
  pod.uid = "uid-" + std::to_string(created_++);
  pod.requests.Set(kGpu, chance_->Between(0, 3));
  if (server_->Of<model::Pod>().Find(KeyOf(pod)) != nullptr) return;
  trace_->Write("{} is created", KeyOf(pod));
  server_->Put(std::move(pod));
}

std::string ClusterLife::WaitingPod() {
  std::vector<std::string> waiting;
  for (const auto& [key, stored] : server_->Of<model::Pod>().now()) {
    if (stored->value.node_name.empty() && !stored->value.terminated) waiting.push_back(key);
  }
  if (waiting.empty()) return "";
  return waiting[static_cast<std::size_t>(chance_->Below(static_cast<int>(waiting.size())))];
}

void ClusterLife::Bind(const std::string& pod, const std::string& node) {
  const auto stored = server_->Of<model::Pod>().Find(pod);
  if (stored == nullptr || !stored->value.node_name.empty() || stored->value.terminated) return;
  // kube-apiserver binds to nodes that do not exist, too.
  if (node.empty()) return;
  model::Pod bound = stored->value;
  bound.node_name = node;
  bound.unschedulable.clear();
  trace_->Write("{} is bound to {}", pod, node);
  server_->Put(std::move(bound), stored->oddity);
}

void ClusterLife::Refuse(const std::string& pod, const std::string& why) {
  const auto stored = server_->Of<model::Pod>().Find(pod);
  if (stored == nullptr || !stored->value.node_name.empty()) return;
  model::Pod refused = stored->value;
  refused.unschedulable = why;
  server_->Put(std::move(refused));
}

void ClusterLife::ChangePod() {
  const auto stored = server_->Of<model::Pod>().Find(Any<model::Pod>());
  if (stored == nullptr) return;
  model::Pod pod = stored->value;
  const int ticket = chance_->Below(10);
  if (ticket < 6) {
    pod.terminated = true;
  } else if (ticket < 8) {
    pod.requests.Set(kGpu, chance_->Between(0, 3));
  }  // else something that Berth does not read
  trace_->Write("{} is changed{}", KeyOf(pod), pod.terminated ? ", and has ended" : "");
  server_->Put(std::move(pod));
}

void ClusterLife::ChangeService() {
  model::Service service{.namespace_ = kNamespace, .name = "s" + std::to_string(chance_->Below(4))};
  if (chance_->Percent(40)) return server_->Delete<model::Service>(KeyOf(service));
  const auto app = static_cast<std::size_t>(chance_->Below(static_cast<int>(kApps.size())));
  service.selector = {{kAppLabel, kApps[app]}};
  server_->Put(std::move(service));
}

void ClusterLife::MakeOdd() {
  const int ticket = chance_->Below(10);
  if (ticket < 5) return MakeOdd<model::Node>();
  if (ticket < 9) return MakeOdd<model::Pod>();
  MakeOdd<model::Service>();
}

template <typename T>
void ClusterLife::MakeOdd() {
  const auto stored = server_->Of<T>().Find(Any<T>());
  if (stored == nullptr) return;
  const auto oddity = static_cast<Oddity>(chance_->Between(1, 4));
  T value = stored->value;
  if constexpr (std::is_same_v<T, model::Node>) {
    // What the odd time is read as.
    if (!value.conditions.empty()) value.conditions.front().last_transition = model::kNoTime;
  }
  trace_->Write("{} becomes odd: {}", KeyOf(value), static_cast<int>(oddity));
  server_->Put(std::move(value), oddity);
}

}  // namespace berth::simulation
