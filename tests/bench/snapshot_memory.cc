// What a snapshot of a large cluster takes in memory: 7,500 nodes and 100,000 bound pods, of which
// 60,000 hold one GPU each, arrive as a watch tells them. With the argument "whole-pods" it is a
// view of whole pods, and there are 200,000 of them, of which most ask for cores and memory alone.
// Prints the resident memory of the process.

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "cluster/snapshot.h"
#include "kube/protobuf.h"
#include "tests/integration/fake_objects.h"

namespace berth {
namespace {

constexpr int kNodes = 7'500;
constexpr int kGpusPerNode = 8;
constexpr char kGpu[] = "nvidia.com/gpu";
constexpr char kCreatedBy[] = "berth.dev/created-by";

/// kubelet's four, and what detectors of hardware faults publish.
constexpr const char* kConditions[] = {
    "MemoryPressure", "DiskPressure",     "PIDPressure",       "Ready",       "GPUIsLost",
    "GPUPendingPage", "PCIeLinkDegraded", "DStateProcess",     "NICLinkDown", "NICLinkFlapping",
    "KernelDeadlock", "GPURuntimeError",  "ReadonlyFilesystem"};

std::string NodeName(int index) {
  return "mn2a-" + std::to_string(10'000 + index) + ".cluster.example.com";
}

model::Node MakeNode(int index) {
  model::Node node;
  node.name = NodeName(index);
  // About as many as feature discovery of the node and of its GPUs give it.
  for (int i = 0; i < 40; ++i) {
    node.labels.emplace_back("feature.node.kubernetes.io/cpu-cpuid.FEATURE" + std::to_string(i),
                             "true");
  }
  for (int i = 0; i < 20; ++i) {
    node.labels.emplace_back("nvidia.com/gpu.property-" + std::to_string(i), "some-value");
  }
  node.labels.emplace_back("nvidia.com/gpu.product", "Tesla-V100-SXM2-32GB");
  model::Normalize(node.labels);
  for (const char* type : kConditions) {
    node.conditions.push_back({type, model::ConditionStatus::kFalse, model::Time(), model::Time()});
  }
  for (const char* resource : {"cpu", "memory", "ephemeral-storage", "pods", "hugepages-1Gi"}) {
    node.capacity.Set(resource, 110);
    node.allocatable.Set(resource, 110);
  }
  node.capacity.Set(kGpu, kGpusPerNode);
  node.allocatable.Set(kGpu, kGpusPerNode);
  return node;
}

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

model::Pod MakePod(int index) {
  model::Pod pod;
  pod.namespace_ = "team-" + std::to_string(index % 50);
  pod.name = "train-resnet-worker-" + std::to_string(index);
  pod.uid = "0b8c2f1e-0000-4000-8000-" + std::to_string(100'000'000'000 + index);
  pod.node_name = NodeName(index % kNodes);
  // Of 300 people.
  pod.annotations = {
      {"berth.dev/accelerators", "V100"},
      {kCreatedBy, "researcher-" + std::to_string(index % 300) + "@cluster.example.com"}};
  // Teams ask for round figures, so many pods ask for the same.
  pod.requests.Set("cpu", 1'000 * (1 + index % 13));
  pod.requests.Set("memory", (1 + index % 29) * kGiB);
  if (index < kNodes * kGpusPerNode) pod.requests.Set(kGpu, 1);
  return pod;
}

/// Encodes and decodes one event.
template <typename T>
T Told(const T& object, const char* kind) {
  const std::string frame = berth::tests::EncodeFrame(
      "ADDED", berth::tests::Envelope(kind, berth::tests::EncodeObject(object, "1")));
  constexpr std::size_t kLength = 4;
  return *kube::DecodeWatchEvent<T>(std::string_view(frame).substr(kLength))->object;
}

/// "VmRSS" or "VmHWM" of this process, in MiB.
double Memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  return 0;
}

void Run(bool whole_pods) {
  const int pods = whole_pods ? 200'000 : 100'000;
  const double before = Memory("VmRSS");
  auto catalog = std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
  cluster::Snapshot snapshot({.catalog = catalog,
                              .labels = {},
                              .whole_pods = whole_pods,
                              .creator_annotation = kCreatedBy});
  for (int i = 0; i < kNodes; ++i) snapshot.UpsertNode(Told(MakeNode(i), "Node"));
  const double nodes = Memory("VmRSS");
  for (int i = 0; i < pods; ++i) snapshot.UpsertPod(Told(MakePod(i), "Pod"));
  std::printf(
      "%d nodes: %.1f MiB; %d %s: %.1f MiB more\nresident: %.1f MiB, at most %.1f MiB, of which "
      "%.1f MiB before the first node\n",
      kNodes, nodes - before, pods, whole_pods ? "whole pods" : "pods", Memory("VmRSS") - nodes,
      Memory("VmRSS"), Memory("VmHWM"), before);
}

}  // namespace
}  // namespace berth

int main(int count, char** arguments) {
  berth::Run(count > 1 && std::string_view(arguments[1]) == "whole-pods");
}
