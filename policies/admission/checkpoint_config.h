#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"
#include "model/time.h"

namespace berth::policies::admission {

/// Where pods keep their checkpoints.
enum class CheckpointTarget : std::uint8_t {
  /// On a PersistentVolumeClaim in the pod's namespace.
  kClaim,
  /// At a URI; the pod itself must be able to access it.
  kObjectStore,
};

/// How the configuration spells the values.
std::span<const model::EnumName<CheckpointTarget>> EnumNames(CheckpointTarget);

/// The block admission.policies.checkpoint.
struct CheckpointConfig {
  CheckpointTarget target = CheckpointTarget::kClaim;
  /// Name of the claim for pods annotated checkpoint: "true".
  std::string claim = "checkpoints";
  /// Absolute path in the container, without a slash at its end.
  std::string mount_path = "/checkpoints";
  /// Only with kObjectStore: the part of the URI before namespace, key and index.
  std::string uri;
  /// A shorter terminationGracePeriodSeconds is raised to it; 0 leaves every pod as it is.
  model::Duration min_grace_period{120};

  friend bool operator==(const CheckpointConfig&, const CheckpointConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, CheckpointConfig& config) {
  visit("target", config.target,
        "Claim: mounts a PersistentVolumeClaim and sets CHECKPOINT_DIR; ObjectStore: sets "
        "CHECKPOINT_URI");
  visit("claim", config.claim,
        "PersistentVolumeClaim of pods annotated berth.dev/checkpoint: \"true\", in their own "
        "namespace; several nodes must be able to mount it");
  visit("mountPath", config.mount_path,
        "Where the claim is mounted, and the value of CHECKPOINT_DIR");
  visit("uri", config.uri,
        "With ObjectStore, the beginning of CHECKPOINT_URI: s3://bucket/prefix; namespace, key and "
        "completion index follow");
  visit("minGracePeriod", config.min_grace_period,
        "A shorter terminationGracePeriodSeconds is raised to this, so that the pod can write a "
        "checkpoint on SIGTERM");
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const CheckpointConfig& config);

}  // namespace berth::policies::admission
