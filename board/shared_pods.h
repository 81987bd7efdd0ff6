#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "board/pod_table.h"
#include "model/accelerator.h"

namespace berth::board {

/// The pods, and word of changes in the cluster. The feed writes, and the board reads. Thread-safe.
class SharedPods {
 public:
  SharedPods(std::shared_ptr<const model::AcceleratorCatalog> catalog, const std::string& prefix)
      : table_(std::move(catalog), prefix) {}

  /// Calls write(PodTable&) with the lock held, and tells of a change.
  template <typename Write>
  void Change(Write write) {
    {
      const std::lock_guard lock(mutex_);
      write(table_);
    }
    Tell();
  }

  /// Calls read(PodTable&) with the lock held, and returns what it returns.
  template <typename Read>
  auto With(Read read) {
    const std::lock_guard lock(mutex_);
    return read(table_);
  }

  /// Something in the cluster has changed.
  void Tell();
  /// Waits until something has changed since the last call, for `time` at most. Returns false once
  /// Stop() was called.
  bool Await(std::chrono::milliseconds time);
  /// Waits for `time`. Returns false once Stop() was called.
  bool Pause(std::chrono::milliseconds time);
  void Stop();

 private:
  std::mutex mutex_;  // guards table_
  PodTable table_;
  std::mutex news_mutex_;  // guards the following
  std::condition_variable news_;
  bool has_news_ = false;
  bool stopped_ = false;
};

}  // namespace berth::board
