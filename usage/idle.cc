#include "usage/idle.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace berth::usage {

namespace {

std::string FullName(const Holding& holding) { return holding.namespace_name + '/' + holding.pod; }

// The items by which any of the holdings is measured.
std::set<const UtilizationConfig*> ItemsFor(const IdleConfig& config,
                                            const std::vector<Holding>& holdings) {
  std::set<const UtilizationConfig*> items;
  for (const Holding& holding : holdings) {
    if (const UtilizationConfig* item = MeasuredBy(config, holding.accelerator)) items.insert(item);
  }
  return items;
}

}  // namespace

PodUse JudgeUse(const Holding& holding, const std::vector<MeasuredDevice>* devices,
                const IdleConfig& config, model::Time now) {
  PodUse use{.holding = holding};
  std::int64_t used = 0;
  std::int64_t idle = 0;
  if (devices != nullptr) {
    for (const MeasuredDevice& device : *devices) {
      use.peak = std::max(use.peak.value_or(0), device.peak);
      if (device.peak >= config.below) {
        ++used;
      } else if (device.coverage >= kLeastCoverage) {
        ++idle;
      }
    }
  }
  // A pod whose age is not known may have begun a moment ago.
  if (holding.created == model::kNoTime || holding.created + config.window > now) {
    use.use = Use::kYoung;
  } else if (used == 0 && idle < holding.devices) {
    use.use = Use::kNoData;
  } else {
    use.idle_devices = std::min(idle, holding.devices);
    use.use = used == 0 ? Use::kIdle : idle > 0 ? Use::kPartlyIdle : Use::kUsed;
  }
  return use;
}

const UtilizationConfig* MeasuredBy(const IdleConfig& config, std::string_view accelerator) {
  const UtilizationConfig* others = nullptr;
  for (const UtilizationConfig& item : config.utilization) {
    if (item.accelerators.empty()) others = &item;
    if (std::ranges::find(item.accelerators, accelerator) != item.accelerators.end()) return &item;
  }
  return others;
}

absl::StatusOr<std::vector<PodUse>> AskUse(Prometheus& prometheus, const IdleConfig& config,
                                           const std::vector<Holding>& holdings, model::Time now) {
  std::map<const UtilizationConfig*, MeasuredPods> measured;
  for (const UtilizationConfig* item : ItemsFor(config, holdings)) {
    auto pods = Measure(prometheus, *item, config.window);
    if (!pods.ok()) return pods.status();
    measured[item] = *std::move(pods);
  }
  std::vector<PodUse> uses;
  for (const Holding& holding : holdings) {
    const MeasuredPods& pods = measured[MeasuredBy(config, holding.accelerator)];
    const auto found = pods.find(FullName(holding));
    uses.push_back(JudgeUse(holding, found == pods.end() ? nullptr : &found->second, config, now));
  }
  return uses;
}

std::vector<DevicesInUse> CountIdle(const std::vector<PodUse>& uses, std::size_t most) {
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> sums;
  for (const PodUse& use : uses) {
    if (use.idle_devices == 0) continue;
    const Holding& holding = use.holding;
    const std::string creator =
        holding.creator.empty() ? std::string(kUnknownCreator) : holding.creator;
    const std::string accelerator =
        holding.accelerator.empty() ? std::string(kNoAccelerator) : holding.accelerator;
    sums[{creator, holding.namespace_name, accelerator}] += use.idle_devices;
  }
  std::vector<DevicesInUse> idle;
  for (const auto& [user, devices] : sums) {
    const auto& [creator, namespace_name, accelerator] = user;
    idle.push_back({creator, namespace_name, accelerator, devices});
  }
  return Greatest(std::move(idle), most);
}

absl::StatusOr<std::map<std::string, model::Time>> AskLastUse(Prometheus& prometheus,
                                                              const IdleConfig& config,
                                                              const std::vector<Holding>& holdings,
                                                              model::Duration span) {
  std::map<std::string, model::Time> last;
  for (const UtilizationConfig* item : ItemsFor(config, holdings)) {
    const auto times = AskLastUse(prometheus, *item, config.below, span);
    if (!times.ok()) return times.status();
    for (const auto& [pod, time] : *times) last[pod] = std::max(last[pod], time);
  }
  return last;
}

}  // namespace berth::usage
