#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/checkpoint_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Gives pods annotated checkpoint: "true" | "<claim>" a place for their checkpoints that every
/// retry finds again, on whatever node: the claim at a path of its own (see checkpoint_path.h) and
/// CHECKPOINT_DIR, or CHECKPOINT_URI; and time to write one on SIGTERM. "false" asks for none. For
/// main containers only.
///
/// Done to pods, whose owner and index are known; what makes pods is only judged, and its author
/// told. Nothing is changed where the pod has something else at that path.
class CheckpointPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "checkpoint";
  static constexpr std::string_view kConfigKey = "checkpoint";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Pods annotated berth.dev/checkpoint find their checkpoints again when they are retried";
  using Config = CheckpointConfig;

  /// Of the volume that it adds.
  static constexpr std::string_view kVolume = "berth-checkpoint";

  CheckpointPolicy(const PolicyContext& context, const CheckpointConfig& config);

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // Where a pod's checkpoints are.
  struct Place {
    std::string claim;
    model::VolumeMount mount;
    model::EnvVar variable;
    /// For people.
    std::string text;
  };

  bool mounts() const { return config_.target == CheckpointTarget::kClaim; }
  // The claim that the pod asks for; nothing: it asks for no checkpoints.
  std::optional<std::string> ClaimFor(const model::PodTemplate& pod) const;
  Place PlaceAt(const std::string& path, std::string claim, const Request& request) const;
  void NoteForPods(const model::Workload& workload, const Place& place, Remarks& remarks) const;
  void Give(const Place& place, Draft& draft, Remarks& remarks) const;
  // Why the claim cannot be mounted; empty: nothing is in the way.
  std::string Obstacle(const model::PodTemplate& pod, const Place& place) const;
  void Mount(const Place& place, Draft& draft) const;
  void SetVariable(const model::EnvVar& variable, Draft& draft, Remarks& remarks) const;
  void RaiseGracePeriod(Draft& draft, Remarks& remarks) const;

  const CheckpointConfig config_;
  std::string annotation_;
  std::string key_annotation_;
};

}  // namespace berth::policies::admission
