#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/accelerator.h"

// The built-in catalogue. Names of resources and labels are those of the device plugins:
// - NVIDIA: github.com/NVIDIA/k8s-device-plugin, docs/gpu-feature-discovery/README.md; slices have
//   the names of MIG profiles (github.com/NVIDIA/go-nvlib, pkg/nvlib/device/mig_profile.go).
// - AMD: github.com/ROCm/k8s-device-plugin, cmd/k8s-node-labeller and
// docs/user-guide/configuration.
// - Intel Gaudi: docs.habana.ai, Intel Gaudi Device Plugin for Kubernetes.
// - TPU and the labels cloud.google.com/...: docs of Google Kubernetes Engine.
// - Ascend: gitee.com/ascend/ascend-device-plugin and its plugin for Volcano.
// Performance is the dense 16-bit throughput of the vendor's data sheet, relative to one entry of
// the same resource (125 TFLOPS of the V100 for nvidia.com/gpu), and rounded.

namespace berth::model {
namespace {

constexpr std::string_view kNvidia = "nvidia.com/gpu";
constexpr std::string_view kAmd = "amd.com/gpu";
constexpr std::string_view kTpu = "google.com/tpu";

DeviceShare Share(std::string_view cpu, std::string_view memory) {
  return {.cpu = Quantity::Parse(cpu).value(), .memory = Quantity::Parse(memory).value()};
}

// What an entry is made of besides its share.
struct Device {
  std::string_view name;
  std::string_view resource;
  std::vector<NodeMatcher> nodes = {};
  std::string_view memory = {};  // empty if it is not known
  double performance = 1.0;
};

AcceleratorSpec SpecOf(Device device, DeviceShare share, std::vector<DeviceSlice> slices = {}) {
  AcceleratorSpec spec{.name = std::string(device.name),
                       .resource = std::string(device.resource),
                       .slices = std::move(slices),
                       .nodes = std::move(device.nodes),
                       .memory = {},
                       .performance = device.performance,
                       .share = std::move(share)};
  if (!device.memory.empty()) spec.memory = Quantity::Parse(device.memory).value();
  return spec;
}

NodeMatcher Product(const std::string& word) {
  return {"nvidia.com/gpu.product", "(?i)\\b" + word};
}

NodeMatcher OnGke(std::string pattern) {
  return {"cloud.google.com/gke-accelerator", std::move(pattern)};
}

NodeMatcher TpuOnGke(std::string pattern) {
  return {"cloud.google.com/gke-tpu-accelerator", std::move(pattern)};
}

// Recognises a GPU whose product label contains the word `product`, or whose label "accelerator" is
// nvidia-tesla-<plain>.
std::vector<NodeMatcher> ProductOr(const std::string& product, const std::string& plain) {
  return {Product(product), {"accelerator", "^nvidia-tesla-" + plain + "$"}};
}

// Recognises an AMD GPU by its product's name, in which '_' or '-' stands between words, or by the
// PCI identifier of its device.
std::vector<NodeMatcher> AmdProduct(const std::string& name, const std::string& ids) {
  return {{"amd.com/gpu.product-name", "(?i)(^|[_-])" + name},
          {"amd.com/gpu.device-id", "^(" + ids + ")$"}};
}

using Profiles = std::initializer_list<std::pair<std::string_view, std::int32_t>>;

std::vector<DeviceSlice> Slices(std::string_view prefix, Profiles profiles) {
  std::vector<DeviceSlice> slices;
  for (const auto& [profile, per_device] : profiles) {
    slices.push_back({std::string(prefix) + std::string(profile), per_device});
  }
  return slices;
}

// A slice counts by its part of the memory, because all slices of a device together never have more
// than its memory. Of compute they may have seven sevenths and yet leave memory over.
std::vector<DeviceSlice> Mig(Profiles profiles) { return Slices("nvidia.com/mig-", profiles); }

// A slice of 10 GB is an eighth of a device of 80 GB, though a quarter of one of 40 GB.
std::vector<DeviceSlice> MigOfA100() {
  return Mig({{"1g.5gb", 8},
              {"1g.5gb.me", 8},
              {"2g.10gb", 4},
              {"3g.20gb", 2},
              {"4g.20gb", 2},
              {"7g.40gb", 1},
              {"1g.10gb", 8},
              {"1g.10gb.me", 8},
              {"1g.20gb", 4},
              {"2g.20gb", 4},
              {"3g.40gb", 2},
              {"4g.40gb", 2},
              {"7g.80gb", 1}});
}

// Of 80 GB, of 94 GB and of 96 GB.
std::vector<DeviceSlice> MigOfH100() {
  return Mig({{"1g.10gb", 8},
              {"1g.10gb.me", 8},
              {"1g.20gb", 4},
              {"2g.20gb", 4},
              {"3g.40gb", 2},
              {"4g.40gb", 2},
              {"7g.80gb", 1},
              {"1g.12gb", 8},
              {"1g.12gb.me", 8},
              {"1g.24gb", 4},
              {"2g.24gb", 4},
              {"3g.47gb", 2},
              {"4g.47gb", 2},
              {"7g.94gb", 1},
              {"3g.48gb", 2},
              {"4g.48gb", 2},
              {"7g.96gb", 1}});
}

// Of 96 GB, and of 144 GB.
std::vector<DeviceSlice> MigOfGh200() {
  return Mig({{"1g.12gb", 8},
              {"1g.12gb.me", 8},
              {"1g.24gb", 4},
              {"2g.24gb", 4},
              {"3g.48gb", 2},
              {"4g.48gb", 2},
              {"7g.96gb", 1},
              {"1g.18gb", 8},
              {"1g.18gb.me", 8},
              {"1g.36gb", 4},
              {"2g.36gb", 4},
              {"3g.72gb", 2},
              {"4g.72gb", 2},
              {"7g.144gb", 1}});
}

// The reference cluster's. The patterns for A100 and A30 end at a word boundary, because there are
// an A1000 and an A3000. V100 has none, because a V100S is a V100.
//
// The shares fit these nodes: 8 V100, 36 cores and 384 GB; 4 A100, 128 cores and 1,024 GB; 6 A30,
// 80 cores and 512 GB; 4 MN-Core, 48 cores and 384 GB. On each, the kubelet reserves a core and 4
// GiB, and DaemonSets take a core and some GiB. The share of MN-Core 2 is the one on PFN's
// computing platform.
std::vector<AcceleratorSpec> OfTheReferenceCluster() {
  return {SpecOf({"V100", kNvidia, ProductOr("v100", "v100"), "32Gi", 1.0}, Share("4", "40Gi")),
          SpecOf({"A100", kNvidia, ProductOr("a100\\b", "a100"), "40Gi", 2.5}, Share("31", "230Gi"),
                 MigOfA100()),
          SpecOf({"A30", kNvidia, ProductOr("a30\\b", "a30"), "24Gi", 1.3}, Share("13", "76Gi"),
                 Mig({{"1g.6gb", 4},
                      {"1g.6gb.me", 4},
                      {"2g.12gb", 2},
                      {"2g.12gb.me", 2},
                      {"4g.24gb", 1}})),
          SpecOf({"MN-Core", "preferred.jp/mncore"}, Share("11", "85Gi")),
          SpecOf({"MN-Core2", "preferred.jp/mncore2"}, Share("7", "125Gi"))};
}

// The shares fit the common nodes of these GPUs, in the cloud and outside, with one exception: the
// smallest instances with one L4 or T4, whose memory is a fraction of what others bring. No share
// is below that of the V100, which pods without a named model therefore still get.
std::vector<AcceleratorSpec> OtherNvidia() {
  return {SpecOf({"H100", kNvidia, {Product("h100\\b"), OnGke("^nvidia-h100-")}, "80Gi", 7.9},
                 Share("11", "200Gi"), MigOfH100()),
          SpecOf({"H200", kNvidia, {Product("h200\\b"), OnGke("^nvidia-h200-")}, "141Gi", 7.9},
                 Share("11", "200Gi"),
                 Mig({{"1g.18gb", 8},
                      {"1g.18gb.me", 8},
                      {"1g.35gb", 4},
                      {"2g.35gb", 4},
                      {"3g.71gb", 2},
                      {"4g.71gb", 2},
                      {"7g.141gb", 1}})),
          SpecOf({"B200", kNvidia, {Product("b200\\b"), OnGke("^nvidia-b200$")}, "180Gi", 18.0},
                 Share("23", "230Gi"),
                 Mig({{"1g.23gb", 8},
                      {"1g.23gb.me", 8},
                      {"1g.45gb", 4},
                      {"2g.45gb", 4},
                      {"3g.90gb", 2},
                      {"4g.90gb", 2},
                      {"7g.180gb", 1}})),
          SpecOf({"L4", kNvidia, {Product("l4\\b"), OnGke("^nvidia-l4$")}, "24Gi", 1.0},
                 Share("11", "40Gi")),
          SpecOf({"L40S", kNvidia, {Product("l40s\\b")}, "48Gi", 2.9}, Share("11", "88Gi")),
          SpecOf({"T4", kNvidia, {Product("t4\\b"), OnGke("^nvidia-tesla-t4$")}, "16Gi", 0.5},
                 Share("7", "40Gi")),
          SpecOf({"GH200", kNvidia, {Product("gh200\\b")}, "96Gi", 7.9}, Share("68", "400Gi"),
                 MigOfGh200())};
}

// A MI250 is two devices to Kubernetes, and its memory that of one of them.
std::vector<AcceleratorSpec> Amd() {
  return {SpecOf({"MI210", kAmd, AmdProduct("mi210", "740f"), "64Gi", 1.0}, Share("14", "110Gi")),
          SpecOf({"MI250", kAmd, AmdProduct("mi250x?", "7408|740c"), "64Gi", 1.0},
                 Share("14", "110Gi")),
          SpecOf({"MI300X", kAmd, AmdProduct("mi300x", "74a1"), "192Gi", 7.2}, Share("11", "200Gi"),
                 Slices("amd.com/", {{"spx_nps1", 1}, {"cpx_nps1", 8}, {"cpx_nps4", 8}}))};
}

std::vector<AcceleratorSpec> Tpu() {
  return {SpecOf({"TPU-v4", kTpu, {TpuOnGke("^tpu-v4-")}, "32Gi", 1.4}, Share("58", "88Gi")),
          SpecOf({"TPU-v5e", kTpu, {TpuOnGke("^tpu-v5-lite-")}, "16Gi", 1.0}, Share("26", "40Gi")),
          SpecOf({"TPU-v5p", kTpu, {TpuOnGke("^tpu-v5p-")}, "95Gi", 2.3}, Share("50", "96Gi")),
          SpecOf({"TPU-v6e", kTpu, {TpuOnGke("^tpu-v6e-")}, "32Gi", 4.7}, Share("21", "150Gi"))};
}

std::vector<AcceleratorSpec> KnownByTheirResource() {
  return {SpecOf({"Gaudi", "habana.ai/gaudi"}, Share("11", "88Gi")),
          SpecOf({"Ascend910", "huawei.com/Ascend910"}, Share("22", "85Gi"),
                 Slices("huawei.com/Ascend910-", {{"2c", 16}, {"4c", 8}, {"8c", 4}, {"16c", 2}})),
          SpecOf({"Ascend310P", "huawei.com/Ascend310P"}, Share("7", "40Gi"),
                 Slices("huawei.com/Ascend310P-",
                        {{"1c", 8}, {"2c", 4}, {"2c.1cpu", 4}, {"4c", 2}, {"4c.3cpu", 2}}))};
}

}  // namespace

const std::vector<AcceleratorSpec>& AcceleratorCatalog::Defaults() {
  static const std::vector<AcceleratorSpec> specs = [] {
    std::vector<AcceleratorSpec> all = OfTheReferenceCluster();
    for (auto& more : {OtherNvidia(), Amd(), Tpu(), KnownByTheirResource()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return specs;
}

}  // namespace berth::model
