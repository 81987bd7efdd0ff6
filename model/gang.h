#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/node.h"
#include "model/time.h"

// What a pod says about the gang that it belongs to: the pods that run all together or not at all.
// Admission writes and checks it when the pod is created, and the planner reads it. All functions
// are thread-safe.

namespace berth::model {

/// The most pods of one gang. More than any job runs at once, and few enough to plan in one step.
inline constexpr std::int32_t kMaxGangSize = 4'096;

/// The gang of a pod. A plain value.
struct Gang {
  /// Unique among the gangs of the namespace.
  std::string name;
  /// How many pods it has, 1 to kMaxGangSize.
  std::int32_t size = 0;
  /// The label of nodes that has to have one value for all pods of the gang. Empty if nothing is
  /// required; then near nodes are only preferred.
  std::string topology = {};
  /// Whether its pods may get different models of accelerators.
  bool any_models = false;
  /// Whether its nodes are to be checked together before it starts, whatever its size. Nothing: as
  /// the configuration says.
  std::optional<bool> preflight = {};

  friend bool operator==(const Gang&, const Gang&) = default;
};

/// The full names by which pods state their gang, for one prefix ("berth.dev"). A plain value.
struct GangNames {
  explicit GangNames(std::string_view prefix);

  /// The annotation or label "berth.dev/gang" with which users ask for a gang ("true"), and also
  /// the scheduling gate of its pods.
  std::string gate;
  /// The annotation with the gang's name.
  std::string name;
  /// The annotation with the number of its pods.
  std::string size;
  /// The annotation with the label of nodes that all of them have to share.
  std::string topology;
  /// The annotation with "any" if they may have different models.
  std::string models;
  /// The annotation with "true" or "false": whether its nodes are checked before it starts.
  std::string preflight;
  /// The annotation with "true" on pods, or on their PodGroup, that were let go by hand.
  std::string freed;
  /// The annotation with the time when the eviction of the gang began.
  std::string eviction;
  /// The annotation with the node that the planner has nominated.
  std::string plan;
};

/// Reads the gang from the annotations of a pod. Returns nullopt if they state neither name nor
/// size. Returns InvalidArgument, with a sentence that names the annotation and says what to write,
/// if one of the two is missing or any of them is not valid.
absl::StatusOr<std::optional<Gang>> GangOf(const StringMap& annotations, const GangNames& names);

/// An eviction of a whole gang that has begun. A plain value.
struct GangEviction {
  /// For how long after its begin it is gone on with. After that, budgets or the API server will
  /// probably never allow the rest of it.
  static constexpr std::chrono::minutes kGoesOn{10};

  Time began = kNoTime;
  /// How many pods of the gang there were then, without those that had ended.
  std::int32_t pods = 0;

  /// Whether it is to be gone on with. If it began long after `now`, it is not: somebody else has
  /// written it.
  bool GoesOnAt(Time now) const {
    return began <= now + std::chrono::minutes(1) && now < began + kGoesOn;
  }

  friend bool operator==(const GangEviction&, const GangEviction&) = default;
};

/// Reads the eviction of a pod's gang from the annotations of the pod, which was created then.
/// Returns nothing if they state none, or not as they should, or one that began before that: such a
/// pod was made from a copy of another one.
std::optional<GangEviction> GangEvictionOf(const StringMap& annotations, Time created,
                                           const GangNames& names);

/// The value of the annotation: "2026-01-31T12:00:00Z pods=16".
std::string GangEvictionText(const GangEviction& eviction);

/// Reads the number of pods of a gang: an integer from 1 to kMaxGangSize, in decimal digits without
/// a sign. Returns InvalidArgument, with a clause about the text, if it is none.
absl::StatusOr<std::int32_t> ParseGangSize(std::string_view text);

/// Whether `name` can name a gang: 1 to 253 letters, digits, '-', '_' and '.', with a letter or
/// digit at both ends. So names of objects and values of labels can.
bool IsGangName(std::string_view name);

/// The name of the PodGroup that holds the pods of the gang back as long as it does not exist: the
/// gang's name behind "berth-", as the name of an object. Gangs with different names have different
/// PodGroups. `gang` must be a gang's name.
std::string PodGroupNameOf(std::string_view gang);

/// Whether `gate` is the only scheduling gate of a pod, so that nobody else holds it back.
bool IsOnlyGate(const std::vector<std::string>& gates, std::string_view gate);

}  // namespace berth::model
