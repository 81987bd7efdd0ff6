#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "controller/movable_pod.h"
#include "controller/patcher.h"

namespace berth::controller {

/// Pods that several threads evict at once: one thread has a batch evicted and takes part in that,
/// and others help it while they have nothing else to do.
///
/// Not thread-safe by itself: all methods take a lock on the mutex of who owns it. They release it
/// while they write and while they wait.
class EvictionBatches {
 public:
  /// `most`: of how many threads at most at a time another one comes to help. `changed`: what the
  /// threads wait for, with the same mutex; it is notified of new batches and of the ends of
  /// batches. It must outlive this.
  EvictionBatches(std::size_t most, std::condition_variable* changed)
      : most_(most), changed_(changed) {}

  /// Evicts the pods, with the help of other threads. Returns the first error, after which no other
  /// pod of them is begun. See EvictPods.
  absl::Status Evict(const std::vector<RunningPod>& pods, bool dry_run,
                     std::unique_lock<std::mutex>& lock, Patcher& patcher);

  /// Evicts one pod of any batch. Returns false if there is none, or if enough threads do so.
  bool Help(std::unique_lock<std::mutex>& lock, Patcher& patcher);

 private:
  struct Batch {
    const std::vector<RunningPod>& pods;
    bool dry_run = false;
    // The next of them, and how many are being evicted.
    std::size_t next = 0;
    std::size_t writers = 0;
    // The first error.
    absl::Status status = {};

    bool HasNext() const { return status.ok() && next < pods.size(); }
  };

  // Evicts the next pod of the batch, which must have one.
  void EvictNext(Batch& batch, std::unique_lock<std::mutex>& lock, Patcher& patcher);

  const std::size_t most_;
  std::condition_variable* const changed_;
  std::vector<Batch*> batches_;
};

}  // namespace berth::controller
