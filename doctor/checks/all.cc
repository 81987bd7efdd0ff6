#include "doctor/checks/all.h"

#include <vector>

namespace berth::doctor::checks {

std::span<const Check> All() {
  static const std::vector<Check> all = {
      Registered(),   Last(),        Shortlist(), Authority(),   Sampling(),     Preemption(),
      Spreading(),    NodeCache(),   Weight(),    Ignorable(),   ClientLimit(),  ManagedResources(),
      Extender(),     Snapshot(),    Planner(),   Webhook(),     WebhookScope(), WebhookAuthority(),
      Certificates(), Readable(),    Labels(),    NodeGroups(),  Catalogue(),    DeviceClasses(),
      Conditions(),   Taints(),      Shares(),    CpuCapacity(), Bypass(),       MemoryMinimum(),
      Affinity(),     Checkpoints(), LostNodes(), Rights(),
  };
  return all;
}

}  // namespace berth::doctor::checks
