#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace berth::server {

/// How much a Broker holds: all queues together have max_watchers times max_queued items at most.
struct BrokerLimits {
  /// Watchers at the same time.
  std::size_t max_watchers = 16;
  /// Items in the queue of one watcher.
  std::size_t max_queued = 1024;
};

/// Passes every item to all watchers, such as gRPC clients. Each watcher has a queue of its own. A
/// slow watcher loses its oldest items, and delays nobody. `Item` is a plain value. Thread-safe.
///
///   auto watcher = broker.Watch([&] { /* have some thread call Take() */ });
///   while (auto delivery = (*watcher)->Take()) Send(*delivery);
template <typename Item>
class Broker {
 public:
  /// What a watcher gets.
  struct Delivery {
    Item item;
    /// How many items the watcher has lost right before this one.
    std::uint64_t lost = 0;
  };

  /// One client that watches. It gets the items since Watch(), until the last shared_ptr to it is
  /// gone. It may outlive the broker. Thread-safe.
  class Watcher {
   public:
    /// Removes the oldest item from the queue and returns it; nothing if the queue is empty. Does
    /// not wait.
    std::optional<Delivery> Take() {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) return std::nullopt;
      Delivery delivery{std::move(queue_.front()), std::exchange(lost_, 0)};
      queue_.pop_front();
      return delivery;
    }

    /// Returns why no further items will come; OK while they may. Those in the queue can still be
    /// taken.
    absl::Status End() const {
      const std::lock_guard lock(mutex_);
      return end_;
    }

   private:
    friend class Broker;
    Watcher(std::size_t max_queued, std::function<void()> wake)
        : max_queued_(max_queued), wake_(std::move(wake)) {}

    // Adds an item to the queue, in place of the oldest one if it is full.
    void Push(const Item& item) {
      {
        const std::lock_guard lock(mutex_);
        if (queue_.size() == max_queued_) {
          queue_.pop_front();
          ++lost_;
        }
        queue_.push_back(item);
      }
      wake_();
    }

    void Finish(const absl::Status& why) {
      {
        const std::lock_guard lock(mutex_);
        end_ = why;
      }
      wake_();
    }

    const std::size_t max_queued_;
    // See Watch(). Called without the mutex.
    const std::function<void()> wake_;
    // Guards the following.
    mutable std::mutex mutex_;
    std::deque<Item> queue_;
    // Items that were lost since the last Take().
    std::uint64_t lost_ = 0;
    absl::Status end_;
  };

  /// Nobody watches yet.
  explicit Broker(BrokerLimits limits = {}) : limits_(limits) {}

  /// Begins to watch. `wake` is called whenever there may be something to take, and when the watch
  /// ends. It is called on any thread, mostly the one that publishes, so it must not block; it may
  /// call the watcher. It may still be called for a moment after the watcher is dropped.
  ///
  /// Returns RESOURCE_EXHAUSTED if BrokerLimits::max_watchers watch already, UNAVAILABLE if the
  /// broker is closed.
  absl::StatusOr<std::shared_ptr<Watcher>> Watch(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    if (closed_) return ShuttingDown();
    std::erase_if(watchers_, [](const auto& watcher) { return watcher.expired(); });
    if (watchers_.size() >= limits_.max_watchers) {
      return absl::ResourceExhaustedError("the maximum number of clients already watch");
    }
    const std::shared_ptr<Watcher> watcher(new Watcher(limits_.max_queued, std::move(wake)));
    watchers_.push_back(watcher);
    watched_ = true;
    return watcher;
  }

  /// Ends all watches: wakes the watchers, which then find `why` in End(). Others may watch again.
  void EndWatches(const absl::Status& why) {
    std::vector<std::shared_ptr<Watcher>> ended;
    {
      const std::lock_guard lock(mutex_);
      ended = Present();
      watchers_.clear();
      watched_ = false;
    }
    for (const auto& watcher : ended) watcher->Finish(why);
  }

  /// The same for good, because the server shuts down: new watchers are rejected.
  void Close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    EndWatches(ShuttingDown());
  }

  /// Returns whether anybody watches.
  bool Wants() { return watched_ && !Watchers().empty(); }

  /// Adds the item to all queues.
  void Publish(const Item& item) {
    for (const auto& watcher : Watchers()) watcher->Push(item);
  }

 private:
  static absl::Status ShuttingDown() {
    return absl::UnavailableError("the server is shutting down; watch again");
  }

  // Returns the watchers that are still there.
  std::vector<std::shared_ptr<Watcher>> Watchers() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Watcher>> present = Present();
    watched_ = !present.empty();
    return present;
  }

  // The same. The lock must be held.
  std::vector<std::shared_ptr<Watcher>> Present() const {
    std::vector<std::shared_ptr<Watcher>> present;
    for (const auto& each : watchers_) {
      if (auto watcher = each.lock()) present.push_back(std::move(watcher));
    }
    return present;
  }

  const BrokerLimits limits_;
  // False if nobody watches, which is the usual case. Wants() looks at it first, because it may be
  // asked in every request.
  std::atomic<bool> watched_ = false;
  // Guards the following.
  std::mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> watchers_;  // some may be gone
  bool closed_ = false;
};

}  // namespace berth::server
