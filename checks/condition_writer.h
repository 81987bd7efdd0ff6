#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/time.h"

namespace berth::checks {

/// What ConditionWriter needs at the API server, besides the rights of the snapshot's feed.
inline constexpr kube::Permission kConditionPermissions[] = {{"", "nodes/status", "patch"}};

/// What a check says of a node. A plain value.
struct Verdict {
  std::string node;
  /// Of the node.
  std::string uid;
  /// Type of the condition.
  std::string type;
  bool failed = false;
  /// A sentence for people.
  std::string message;
};

/// Writes the condition in which a check tells of a node. A condition of that type that somebody
/// else has written is left alone: its reason is none of the two below. Each patch is made from a
/// fresh reading of the node, and the API server refuses it if the node has changed since.
///
/// The heartbeat is the time of the check, and the only record of it. The node is read by a list of
/// one, for which the right to list nodes suffices. Not thread-safe.
class ConditionWriter {
 public:
  static constexpr char kFailed[] = "ActiveCheckFailed";
  static constexpr char kPassed[] = "ActiveCheckPassed";
  /// How often a node is read and patched in a row if others change it meanwhile.
  static constexpr int kTries = 3;

  /// `transport` must outlive this.
  explicit ConditionWriter(kube::Transport* transport) : transport_(transport) {}

  /// Whether a condition of that type may be written: OK; FailedPrecondition if somebody else
  /// writes it; NotFound if there is no node of that name and UID.
  absl::Status MayWrite(const std::string& node, const std::string& uid, const std::string& type);

  /// Writes the condition: True if the check failed, else False. Errors are those of MayWrite(),
  /// Aborted if others have changed the node kTries times in a row, and those of kube::CallJson().
  ///
  ///   GET   /api/v1/nodes?fieldSelector=metadata.name%3Dgpu-7
  ///   PATCH /api/v1/nodes/gpu-7/status
  ///   {"metadata":{"resourceVersion":"712","uid":"..."},"status":{"conditions":[{
  ///    "lastHeartbeatTime":"...","lastTransitionTime":"...","message":"...",
  ///    "reason":"ActiveCheckFailed","status":"True","type":"GPURuntimeError"}]}}
  absl::Status Write(const Verdict& verdict, model::Time now);

 private:
  // What was read of a node.
  struct Reading {
    std::string version;
    // Of the condition; empty: it has none. `since` may be empty by itself.
    std::string status;
    std::string since;
  };

  absl::StatusOr<Reading> Read(const std::string& node, const std::string& uid,
                               const std::string& type);
  absl::Status TryToWrite(const Verdict& verdict, model::Time now);

  kube::Transport* const transport_;
};

}  // namespace berth::checks
