#pragma once

#include <absl/status/status.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/pod_progress.h"
#include "kube/api_config.h"
#include "kube/http_client.h"
#include "kube/timer.h"
#include "model/gang.h"
#include "model/pod.h"

namespace berth::cli {

/// Which pod is followed, and by what names it states its gang.
struct PodToFollow {
  std::string namespace_name;
  std::string name;
  model::GangNames names;
};

/// What was read of the pod last.
struct PodReading {
  /// OK, NotFound if the pod is gone, or why it could not be read just now. Then what follows is
  /// from before.
  absl::Status status;
  PodProgress progress = {};
  model::Pod pod = {};
  /// How far its gang is. Empty: it has none, or it could not be read.
  std::string gang = {};
  /// Not set: they could not be read. `events_error` says why.
  std::optional<std::vector<PodEvent>> events = {};
  absl::Status events_error;
};

/// Reads a pod again and again: its own object every second, its events and its gang every three
/// seconds, because these are lists. Everything is read by itself, so no watch can be stale.
class PodPoll {
 public:
  /// Reads nothing yet.
  PodPoll(kube::ApiConfig api, PodToFollow what);
  /// Stops.
  ~PodPoll();
  PodPoll(const PodPoll&) = delete;
  PodPoll& operator=(const PodPoll&) = delete;

  /// Reads all once, and blocks until the replies have come. The error is that of the pod itself.
  /// Call it once, before Start().
  absl::Status ReadFirst();
  /// Reads on a thread of its own until Stop().
  void Start();
  /// Ends the thread, also while it waits for a reply.
  void Stop();

  /// What was read last. Thread-safe.
  PodReading Last() const;

 private:
  void Run();
  void ReadPod(PodReading& reading);
  void ReadEvents(PodReading& reading);
  void ReadGangOf(PodReading& reading);
  void Keep(PodReading reading);

  const PodToFollow what_;
  kube::HttpClient client_;
  kube::SteadyTimer timer_;
  std::thread thread_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  PodReading last_;
};

}  // namespace berth::cli
