#pragma once

#include <cstdint>
#include <string>

namespace berth::model {

/// A port of the node that a container asks for (hostPort of a v1.ContainerPort). A plain value.
struct HostPort {
  /// TCP, UDP or SCTP.
  std::string protocol = "TCP";
  /// The address of the node that is listened at. "0.0.0.0" for all of them.
  std::string ip = "0.0.0.0";
  std::int32_t port = 0;

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

/// Whether two pods cannot have these ports on one node: the same port of the same protocol, at the
/// same address or where one of them listens at all addresses (HostPortInfo.CheckConflict in
/// k8s.io/kube-scheduler/framework/types.go, v0.36.3).
inline bool Conflict(const HostPort& a, const HostPort& b) {
  static constexpr char kAll[] = "0.0.0.0";
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kAll || b.ip == kAll);
}

}  // namespace berth::model
