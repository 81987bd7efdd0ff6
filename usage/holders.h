#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/time.h"
#include "usage/holdings.h"

namespace berth::usage {

/// Whose devices are summed up.
enum class GroupBy { kCreator, kNamespace, kPod };

/// Hours of devices of the last day, week and month (24 h, 7 and 30 days). A plain value.
struct DeviceHours {
  double day = 0;
  double week = 0;
  double month = 0;

  friend bool operator==(const DeviceHours&, const DeviceHours&) = default;
};

/// The device-hours of one creator in one namespace. A plain value.
struct HoursOfUser {
  /// As in DevicesInUse.
  std::string creator;
  std::string namespace_name;
  std::string accelerator;
  DeviceHours hours;

  friend bool operator==(const HoursOfUser&, const HoursOfUser&) = default;
};

/// What a holder has of one resource of one accelerator. A plain value.
struct Held {
  /// The creators of the pods, ascending; without those that are not known. One at most, unless
  /// grouped by namespace.
  std::vector<std::string> creators;
  /// Their namespaces, ascending. One, unless grouped by creator.
  std::vector<std::string> namespaces;
  /// The pod and its node. Empty unless grouped by pod.
  std::string pod;
  std::string node;
  /// As in Holding.
  std::string accelerator;
  std::string resource;
  std::int64_t devices = 0;
  std::size_t pods = 0;
  /// When the first of the pods was created; kNoTime if that is not known.
  model::Time oldest = model::kNoTime;
  /// Only where they were asked for.
  std::optional<DeviceHours> hours;

  friend bool operator==(const Held&, const Held&) = default;
};

/// Sums up who holds what. A holder is a creator, a namespace or a pod. Pods of which the creator
/// is not known are grouped by their namespace, even by creator, because that is who may know. The
/// holders of most devices come first, each with all its accelerators, of which it has most first.
std::vector<Held> HeldBy(GroupBy group, const std::vector<Holding>& holdings);

/// The same with the device-hours of `hours`, also of those who hold nothing now. Not by pod. Those
/// who had most device-hours of the month come first among those who hold equally many devices.
/// Hours on nodes that no entry of `catalog` recognises are those of the holder's devices there;
/// without a resource if it holds none there now, or several resources.
std::vector<Held> HeldBy(GroupBy group, const std::vector<Holding>& holdings,
                         const std::vector<HoursOfUser>& hours,
                         const model::AcceleratorCatalog& catalog);

}  // namespace berth::usage
