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

/// Hands every decision to all who watch. Each watcher has a queue; one that is slow loses the
/// oldest decisions, and holds nobody up. Thread-safe.
class DecisionBroker final : public DecisionObserver {
 public:
  struct Options {
    std::size_t max_watchers = 16;
    /// Decisions that one watcher may be behind.
    std::size_t max_queued = 1024;
  };

  struct Delivery {
    Decision decision;
    /// How many were lost before it.
    std::uint64_t lost = 0;
  };

  /// One who watches, until it is destroyed. Thread-safe.
  class Watcher {
   public:
    /// The oldest decision that was not taken yet; nothing: there is none now.
    std::optional<Delivery> Take();

    /// Whether the broker was closed: no further decision will come.
    bool Closed() const;

   private:
    friend class DecisionBroker;
    Watcher(std::size_t max_queued, std::function<void()> wake)
        : max_queued_(max_queued), wake_(std::move(wake)) {}

    void Push(const Decision& decision);
    void Close();

    const std::size_t max_queued_;
    const std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::deque<Decision> queue_;
    std::uint64_t lost_ = 0;
    bool closed_ = false;
  };

  DecisionBroker() : DecisionBroker(Options{}) {}
  explicit DecisionBroker(Options options) : options_(options) {}

  /// `wake` is called, on any thread, each time that there may be something to take, or the broker
  /// was closed; it does not block. RESOURCE_EXHAUSTED when there are too many, UNAVAILABLE once
  /// closed.
  absl::StatusOr<std::shared_ptr<Watcher>> Watch(std::function<void()> wake);

  /// From now on nobody may watch, and those who do are told so.
  void Close();

  bool Wants() override;
  void OnDecision(const Decision& decision) override;

 private:
  // Those still there.
  std::vector<std::shared_ptr<Watcher>> Watchers();

  const Options options_;
  // What Wants() looks at first: it is asked in every request, and mostly nobody watches.
  std::atomic<bool> watched_ = false;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> watchers_;
  bool closed_ = false;
};

}  // namespace berth::extender
