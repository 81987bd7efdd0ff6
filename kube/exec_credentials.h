#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "absl/status/statusor.h"
#include "kube/exec_plugin.h"
#include "model/time.h"

namespace berth::kube {

/// The credential of an exec plugin, which is asked when there is none, when it has expired, and
/// after the API server has not accepted it: as in kubectl. All connections of a process share one.
/// Thread-safe.
class ExecCredentials {
 public:
  using Clock = std::function<model::Time()>;

  /// Runs nothing yet. `now` is the time of day; tests replace it.
  explicit ExecCredentials(ExecPlugin plugin, Clock now = {});

  /// Returns the credential, and runs the plugin if need be. Blocks then, also while another thread
  /// has it run. `stopped` makes it return Cancelled; see RunExecPlugin() for this and for all
  /// errors, which name the plugin. None of them is Unauthenticated.
  absl::StatusOr<ExecCredential> Get(const std::function<bool()>& stopped);

  /// Says that the API server has not accepted this credential. Does nothing if there is another by
  /// now.
  void Refuse(const ExecCredential& credential);

 private:
  const ExecPlugin plugin_;
  const Clock now_;
  std::mutex mutex_;
  std::optional<ExecCredential> current_;
};

}  // namespace berth::kube
