#include "probe/probes.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/clock.h"
#include "probe/d_state.h"
#include "probe/ecc.h"
#include "probe/gpu_lost.h"
#include "probe/ib.h"
#include "probe/nfs.h"
#include "probe/nic.h"
#include "probe/pcie_link.h"
#include "probe/pending_page.h"
#include "probe/remapped_rows.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

constexpr std::string_view kCommonFlags = "root run-dir timeout";

// A driver that no longer answers serves nobody, so gpu-lost takes a hanging nvidia-smi for a loss.
// The other probes of GPUs then know nothing, and one condition is enough.
constexpr std::array<Probe, 10> kProbes = {{
    {"gpu-lost", "GPUs that do not answer on the PCI bus or to nvidia-smi", "GPUIsLost",
     "GPUIsPresent", "all GPUs answer", "GPUIsLost", Outcome::kBad, "nvidia-smi",
     "nvidia-smi nvidia-root expect vendor", LookForLostGpus},
    {"pending-page", "GPUs with pages or rows to be retired at their next reset", "GPUPendingPage",
     "NoPendingPages", "no page is pending", "PagesPending", Outcome::kUnknown, "nvidia-smi",
     "nvidia-smi nvidia-root", LookForPendingPages},
    {"remapped-rows", "GPUs that could not remap a row of their memory", "GPURowRemapFailure",
     "NoRowRemapFailure", "no row failed to be remapped", "RowRemapFailure", Outcome::kUnknown,
     "nvidia-smi", "nvidia-smi nvidia-root", LookForFailedRemapping},
    {"ecc", "GPUs with uncorrected ECC errors since their last reset", "GPUECCError", "NoECCErrors",
     "no uncorrected ECC errors", "UncorrectedECCErrors", Outcome::kUnknown, "nvidia-smi",
     "nvidia-smi nvidia-root max", LookForEccErrors},
    {"pcie-link", "Accelerators whose PCIe link lacks lanes", "PCIeLinkDegraded", "PCIeLinkIsFull",
     "all links are full", "PCIeLinkDegraded", Outcome::kUnknown, "sysfs",
     "vendor min-width min-speed", LookForDegradedLinks},
    {"d-state", "Tasks of pods that hang in the kernel", "DStateProcess", "NoDStateProcess",
     "no task hangs", "DStateProcess", Outcome::kBad, "d-state", "for cgroup", LookForHungTasks},
    {"nic", "Network interfaces without a carrier", "NICLinkDown", "NICLinksUp", "all links are up",
     "NICLinkDown", Outcome::kUnknown, "sysfs", "only", LookForLinksDown},
    {"ib", "Ports of InfiniBand or RoCE that are not active", "IBLinkDown", "IBLinksActive",
     "all ports are active", "IBLinkDown", Outcome::kUnknown, "sysfs", "only expect",
     LookForInfiniBandDown},
    {"nfs", "NFS mounts that do not answer", "NFSUnresponsive", "NFSAnswers",
     "all NFS mounts answer", "NFSUnresponsive", Outcome::kBad, "nfs", "", LookForDeadMounts},
    {"clock", "GPUs whose clock hardware holds down", "GPUClockThrottling", "NoGPUClockThrottling",
     "no GPU is slowed down", "HardwareSlowdown", Outcome::kUnknown, "nvidia-smi",
     "nvidia-smi nvidia-root", LookForThrottledClocks},
}};

bool Lists(std::string_view names, std::string_view name) {
  const std::vector<std::string> all = Split(names, " ");
  return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

std::span<const Probe> AllProbes() { return kProbes; }

const Probe* FindProbe(std::string_view name) {
  const auto at = std::find_if(kProbes.begin(), kProbes.end(),
                               [&](const Probe& probe) { return probe.name == name; });
  return at == kProbes.end() ? nullptr : &*at;
}

bool Takes(const Probe& probe, std::string_view flag) {
  return Lists(kCommonFlags, flag) || Lists(probe.flags, flag);
}

absl::Status SetFlag(const Probe& probe, std::string_view flag, std::string_view value,
                     Settings& settings) {
  const Flag* const known = FindFlag(flag);
  if (known != nullptr && Takes(probe, flag)) return known->set(value, settings);
  std::string flags;
  for (const Flag& each : AllFlags()) {
    if (Takes(probe, each.name)) flags += fmt::format(" --{}", each.name);
  }
  return absl::InvalidArgumentError(
      fmt::format("{} has no flag --{}; it takes{}", probe.name, flag, flags));
}

Verdict RunProbe(const Probe& probe, const Settings& settings) {
  const GuardOptions options{fmt::format("{}/{}.lock", settings.run_dir, probe.lock),
                             settings.timeout};
  const Guarded guarded =
      RunGuarded(options, [&](Progress& progress) { return probe.look(settings, progress); });
  switch (guarded.ending) {
    case Guarded::Ending::kAnswered:
      return guarded.verdict;
    case Guarded::Ending::kHung:
      return {probe.on_hang, guarded.detail};
    case Guarded::Ending::kFailed:
      break;
  }
  return Unknown(guarded.detail);
}

}  // namespace berth::probe
