#pragma once

#include <string>
#include <string_view>

namespace berth::kube {

/// What identifies an object, whatever else is wrong with it. Fields that cannot be read are empty.
/// A plain value.
struct ObjectIdentity {
  std::string namespace_;
  std::string name;
  std::string uid;
  /// The version up to which a watch has come with this object.
  std::string resource_version;
};

/// Reads the metadata of `bytes`, the bare protobuf message of an object of any kind, as far as it
/// decodes. API servers write the metadata first and its name before everything else, so the name
/// of most truncated objects can be read. A field that is itself truncated counts as absent: half a
/// name may be the name of another object.
ObjectIdentity ReadIdentity(std::string_view bytes);

}  // namespace berth::kube
