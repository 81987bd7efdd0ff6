#include "policies/admission/checkpoint_config.h"

#include <string_view>

#include "model/label.h"
#include "policies/admission/checkpoint_path.h"
#include "re2/re2.h"

namespace berth::policies::admission {

namespace {

// Kubernetes accepts more. But it rejects colons, and blanks break people's scripts.
bool IsMountPath(std::string_view path) {
  if (path.empty()) return false;
  while (!path.empty()) {
    if (path.front() != '/') return false;
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    if (!IsPathSegment(segment)) return false;
    path.remove_prefix(segment.size());
  }
  return true;
}

// Excludes '$', which kubelet would expand in the value of a variable.
bool IsUri(std::string_view uri) {
  static const re2::RE2 pattern("[a-z][a-z0-9+.-]*://[!#%-~]*[!#%-.0-~]");
  return re2::RE2::FullMatch(uri, pattern);
}

}  // namespace

std::span<const model::EnumName<CheckpointTarget>> EnumNames(CheckpointTarget) {
  static constexpr model::EnumName<CheckpointTarget> kNames[] = {
      {CheckpointTarget::kClaim, "Claim"}, {CheckpointTarget::kObjectStore, "ObjectStore"}};
  return kNames;
}

std::vector<model::FieldError> Validate(const CheckpointConfig& config) {
  std::vector<model::FieldError> errors;
  if (!model::IsDnsSubdomain(config.claim)) {
    errors.push_back({"claim", "'" + config.claim +
                                   "' is not the name of a PersistentVolumeClaim; write one such "
                                   "as checkpoints"});
  }
  if (!IsMountPath(config.mount_path)) {
    errors.push_back({"mountPath", "'" + config.mount_path +
                                       "' is not a valid mount path; write an absolute path such "
                                       "as /checkpoints, without a '/' at its end"});
  }
  if (config.uri.empty() && config.target == CheckpointTarget::kObjectStore) {
    errors.push_back({"uri", "is empty, but target is ObjectStore; write s3://bucket/prefix"});
  }
  if (!config.uri.empty() && !IsUri(config.uri)) {
    errors.push_back({"uri", "'" + config.uri +
                                 "' is not a URI; write one such as s3://bucket/prefix, without a "
                                 "'/' at its end"});
  }
  if (config.min_grace_period.count() < 0) {
    errors.push_back({"minGracePeriod", "must not be negative; 0s keeps the pod's own value"});
  }
  return errors;
}

}  // namespace berth::policies::admission
