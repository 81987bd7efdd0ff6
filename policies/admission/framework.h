#pragma once

#include <cstdint>
#include <span>

#include "model/config_field.h"

namespace berth::policies::admission {

/// The frameworks that Berth has a ready profile of (see framework_profiles.h).
enum class Framework : std::uint8_t {
  kJobSet,
  kKueue,
  kMpiOperator,
  kTrainingOperator,
  kTrainer,
  kKubeRay,
  kLeaderWorkerSet,
  kArgo,
};

/// How the configuration spells the frameworks.
std::span<const model::EnumName<Framework>> EnumNames(Framework);

}  // namespace berth::policies::admission
