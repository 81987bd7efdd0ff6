#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "proto/berth/v1/placement.pb.h"

// Asks a running `berth extender` over gRPC, for `berth explain --server`, `berth capacity
// --server` and `berth who --server`.

namespace berth::cli {

/// A server of the gRPC service berth.v1.Placement, and how to reach it.
struct PlacementEndpoint {
  /// "host:port", the address of grpc.listen. Proxies are not used.
  std::string address;
  /// PEM files of the client's certificate, its key, and the server's authorities. All three, or
  /// none if the address is a loopback address. Read for each call.
  std::string cert_file;
  std::string key_file;
  std::string ca_file;
  /// The name that the server's certificate must have; empty for the host of `address`.
  std::string tls_server_name;

  bool tls() const { return !ca_file.empty(); }
};

/// Returns INVALID_ARGUMENT if `server` cannot be right, before anything is sent. The message names
/// the options --server, --cert, --key, --ca and --tls-server-name.
absl::Status Validate(const PlacementEndpoint& server);

// The calls below connect, block for up to 30 seconds, and disconnect. `server` must be valid. They
// return INVALID_ARGUMENT if the request or a file is to blame. Otherwise they return UNAVAILABLE,
// with what the server said or why it cannot be reached, and what to do.

/// Explains the pod whose manifest, a v1 Pod in JSON, is `pod_json`.
absl::StatusOr<v1::ExplainResponse> ExplainBy(const PlacementEndpoint& server,
                                              const std::string& pod_json);

/// Counts the devices of the server's cluster.
absl::StatusOr<v1::CapacityResponse> CapacityBy(const PlacementEndpoint& server);

/// Lists what the bound pods of a namespace, or of all if it is empty, hold in the server's
/// cluster.
absl::StatusOr<v1::HoldingsResponse> HoldingsBy(const PlacementEndpoint& server,
                                                const std::string& namespace_name);

}  // namespace berth::cli
