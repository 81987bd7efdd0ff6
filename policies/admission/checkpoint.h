#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/checkpoint_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Gives pods annotated checkpoint: "true" | "<claim>" a place for their checkpoints that every
/// retry finds again, on whatever node. With the target Claim, each main container gets
///
///   volumeMounts: [{name: berth-checkpoint, mountPath: /checkpoints, subPath: <path>}]
///   env: [{name: CHECKPOINT_DIR, value: /checkpoints}]
///
/// where <path> is the pod's own; see checkpoint_path.h. With the target ObjectStore it gets
/// CHECKPOINT_URI: "<uri>/<namespace>/<path>". The policy also raises the grace period, so that the
/// pod can write a checkpoint on SIGTERM. "false" asks for no checkpoints. Init containers get
/// nothing.
///
/// The policy changes only pods, because only their owner and index are known. An object that makes
/// pods is judged, and its author gets remarks. The policy changes nothing if the pod mounts
/// something else at the same path.
class CheckpointPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "checkpoint";
  static constexpr std::string_view kConfigKey = "checkpoint";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Pods annotated berth.dev/checkpoint find their checkpoints again when they are retried";
  using Config = CheckpointConfig;

  /// Name of the volume that the policy adds.
  static constexpr std::string_view kVolume = "berth-checkpoint";

  CheckpointPolicy(const PolicyContext& context, const CheckpointConfig& config);

  /// Gives the pod its place for checkpoints, or remarks why it gets none.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to an annotation that cannot be the name of a claim, and to a key that cannot be a
  /// directory.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // Where the checkpoints of a pod are.
  struct Place {
    std::string claim;
    /// With the target Claim: how each main container mounts the claim.
    model::VolumeMount mount;
    /// CHECKPOINT_DIR or CHECKPOINT_URI.
    model::EnvVar variable;
    /// Describes the place in remarks.
    std::string text;
  };

  // Whether pods mount a claim.
  bool mounts() const { return config_.target == CheckpointTarget::kClaim; }
  // The claim that the pod asks for. Nothing if it asks for no checkpoints.
  std::optional<std::string> ClaimFor(const model::PodTemplate& pod) const;
  // The place at `path`, for the claim that the pod asks for.
  Place PlaceAt(const std::string& path, std::string claim, const Request& request) const;
  // Tells the author of an object that makes pods what its pods will get.
  void NoteForPods(const model::Workload& workload, const Place& place, Remarks& remarks) const;
  // Gives the pod its place.
  void Give(const Place& place, Draft& draft, Remarks& remarks) const;
  // Why the claim cannot be mounted; empty if nothing is in the way.
  std::string Obstacle(const model::PodTemplate& pod, const Place& place) const;
  // Adds the volume, and a mount to every main container that has none.
  void Mount(const Place& place, Draft& draft) const;
  // Adds the variable to every main container that has none of that name.
  void SetVariable(const model::EnvVar& variable, Draft& draft, Remarks& remarks) const;
  // Raises terminationGracePeriodSeconds to the configured minimum.
  void RaiseGracePeriod(Draft& draft, Remarks& remarks) const;

  const CheckpointConfig config_;
  // Full names, with the prefix.
  std::string annotation_;
  std::string key_annotation_;
};

}  // namespace berth::policies::admission
