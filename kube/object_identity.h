#pragma once

#include <string>
#include <string_view>

namespace berth::kube {

/// Who an object is, whatever else is wrong with it. What cannot be read is empty.
struct ObjectIdentity {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
};

/// Reads the metadata of `bytes`, the bare protobuf message of an object of any kind, as far as
/// they go. API servers write an object's metadata first and its name before everything else, so
/// that is known of most objects that break off. What broke off itself counts as absent: half a
/// name is another's.
ObjectIdentity ReadIdentity(std::string_view bytes);

}  // namespace berth::kube
