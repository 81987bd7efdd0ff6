#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "placement/capacity.h"
#include "placement/explanation.h"

namespace berth::cli {

/// A server of berth.v1.Placement, and how to reach it.
struct PlacementEndpoint {
  /// "host:port".
  std::string address;
  /// PEM files: all three, or none where the address is loopback.
  std::string cert_file;
  std::string key_file;
  std::string ca_file;
  /// The name that the server's certificate must have; empty: the host of `address`.
  std::string tls_server_name;

  bool tls() const { return !ca_file.empty(); }
};

/// What is wrong with `server` before anything is asked, in words of the options --server, --cert,
/// --key, --ca and --tls-server-name.
absl::Status Validate(const PlacementEndpoint& server);

// INVALID_ARGUMENT where the request or a file is to blame, else what the server said or why it
// cannot be reached, with what to do. `server` is valid.

/// Explains the v1 Pod of `pod_json`.
absl::StatusOr<placement::Explanation> ExplainBy(const PlacementEndpoint& server,
                                                 const std::string& pod_json);

absl::StatusOr<placement::Capacity> CapacityBy(const PlacementEndpoint& server);

}  // namespace berth::cli
