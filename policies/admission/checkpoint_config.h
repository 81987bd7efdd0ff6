#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"
#include "model/time.h"

namespace berth::policies::admission {

/// Where checkpoints are kept.
enum class CheckpointTarget : std::uint8_t {
  /// On a PersistentVolumeClaim of the pod's namespace.
  kClaim,
  /// Wherever a URI leads; the pod has to bring the means to get there.
  kObjectStore,
};

std::span<const model::EnumName<CheckpointTarget>> EnumNames(CheckpointTarget);

/// The block admission.policies.checkpoint.
struct CheckpointConfig {
  CheckpointTarget target = CheckpointTarget::kClaim;
  std::string claim = "checkpoints";
  std::string mount_path = "/checkpoints";
  std::string uri;
  model::Duration min_grace_period{120};
};

template <typename Visitor>
void VisitFields(Visitor& visit, CheckpointConfig& config) {
  visit("target", config.target,
        "Claim: mounts a PersistentVolumeClaim and sets CHECKPOINT_DIR; ObjectStore: sets "
        "CHECKPOINT_URI");
  visit("claim", config.claim,
        "PersistentVolumeClaim of pods annotated berth.dev/checkpoint: \"true\", in their own "
        "namespace; several nodes must be able to mount it");
  visit("mountPath", config.mount_path, "Where it is mounted, and what CHECKPOINT_DIR says");
  visit("uri", config.uri,
        "With ObjectStore, where CHECKPOINT_URI begins: s3://bucket/prefix; behind it come "
        "namespace, key and completion index");
  visit("minGracePeriod", config.min_grace_period,
        "A shorter terminationGracePeriodSeconds is raised to it, so that a checkpoint can be "
        "written on SIGTERM");
}

/// Everything that is wrong with `config`.
std::vector<model::FieldError> Validate(const CheckpointConfig& config);

}  // namespace berth::policies::admission
