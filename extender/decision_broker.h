#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "extender/decision.h"

namespace berth::extender {

/// Passes every decision to all watchers, such as gRPC clients. Each watcher has a queue of its
/// own. A slow watcher loses its oldest decisions, and delays nobody.
///
/// ExtenderServer owns the broker, gives it to Placer as an observer, and closes it at shutdown.
/// Thread-safe.
///
///   auto watcher = broker.Watch([&] { /* have some thread call Take() */ });
///   while (auto delivery = (*watcher)->Take()) Send(*delivery);
class DecisionBroker final : public DecisionObserver {
 public:
  /// Limits: all queues together hold max_watchers times max_queued decisions at most.
  struct Options {
    /// Watchers at the same time.
    std::size_t max_watchers = 16;
    /// Decisions in the queue of one watcher.
    std::size_t max_queued = 1024;
  };

  /// What a watcher gets.
  struct Delivery {
    Decision decision;
    /// How many decisions the watcher has lost right before this one.
    std::uint64_t lost = 0;
  };

  /// One client that watches. It gets the decisions since Watch(), until the last shared_ptr to it
  /// is gone. It may outlive the broker. Thread-safe.
  class Watcher {
   public:
    /// Removes the oldest decision from the queue and returns it; nothing if the queue is empty.
    /// Does not wait.
    std::optional<Delivery> Take();

    /// Returns whether the broker was closed. Then no further decisions will come; those in the
    /// queue can still be taken.
    bool Closed() const;

   private:
    friend class DecisionBroker;
    Watcher(std::size_t max_queued, std::function<void()> wake)
        : max_queued_(max_queued), wake_(std::move(wake)) {}

    // Adds a decision to the queue, in place of the oldest one if it is full.
    void Push(const Decision& decision);
    // Marks the watcher as closed, and wakes it.
    void Close();

    const std::size_t max_queued_;
    // See Watch(). Called without the mutex.
    const std::function<void()> wake_;
    // Guards the following.
    mutable std::mutex mutex_;
    std::deque<Decision> queue_;
    // Decisions that were lost since the last Take().
    std::uint64_t lost_ = 0;
    bool closed_ = false;
  };

  DecisionBroker() : DecisionBroker(Options{}) {}
  /// Nobody watches yet.
  explicit DecisionBroker(Options options) : options_(options) {}

  /// Begins to watch. `wake` is called whenever there may be something to take, and when the broker
  /// is closed. It is called on any thread, mostly one that answers kube-scheduler, so it must not
  /// block; it may call the watcher. It may still be called for a moment after the watcher is
  /// dropped.
  ///
  /// Returns RESOURCE_EXHAUSTED if Options::max_watchers watch already, UNAVAILABLE if the broker
  /// is closed.
  absl::StatusOr<std::shared_ptr<Watcher>> Watch(std::function<void()> wake);

  /// Ends all watching for good: wakes all watchers, which then find Closed(), and rejects new
  /// ones.
  void Close();

  /// Returns whether anybody watches.
  bool Wants() override;

  /// Adds the decision to all queues.
  void OnDecision(const Decision& decision) override;

 private:
  // Returns the watchers that are still there.
  std::vector<std::shared_ptr<Watcher>> Watchers();

  const Options options_;
  // False if nobody watches, which is the usual case. Wants() looks at it first, because it is
  // asked in every request.
  std::atomic<bool> watched_ = false;
  // Guards the following.
  std::mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> watchers_;  // some may be gone
  bool closed_ = false;
};

}  // namespace berth::extender
