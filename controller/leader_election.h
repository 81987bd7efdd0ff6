#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "controller/lease_store.h"
#include "kube/timer.h"

namespace berth::controller {

/// Is notified of the course of an election. The methods are called on the thread of
/// LeaderElection::Run(), and must not call the election.
class LeaderObserver {
 public:
  virtual ~LeaderObserver() = default;
  /// This process leads from now on, or does not any more. Noticed at the end of a Step();
  /// LeaderElection::Leads() may have changed before.
  virtual void OnLeading(bool leads) = 0;

  /// Another process holds the lease now; empty: nobody does. Not called for this process.
  virtual void OnLeader(const std::string& holder) = 0;

  /// The lease could not be read or written. The election goes on. Not called for requests that
  /// were cancelled.
  virtual void OnError(const absl::Status& error) = 0;
};

/// Decides which one of several processes may write: the holder of a Lease, as client-go elects it
/// (k8s.io/client-go/tools/leaderelection/leaderelection.go, v0.36.3). The holder renews the lease
/// every `retry_period`. Others may take it when they have not seen it change for its duration.
/// Each process measures this by its own steady clock, so the clocks need not agree.
///
/// It is stricter than client-go in three points:
/// - The right to lead ends `renew_deadline` after the last successful renewal was *sent*, by
///   itself, whatever this thread does then.
/// - The right ends at once if a renewal finds that another process has written meanwhile.
/// - If somebody deletes the lease, its former holder may create it again at once, and a process
///   that has seen it only after `lease_duration`. A process that has just started cannot tell a
///   deleted lease from one that never existed, so it creates it at once.
///
/// A process that has lost the lease goes on as a candidate.
///
/// Call Run(), Step() and Release() on one thread; LeadsUntil(), Leads(), OtherHolder() and
/// Stop() may be called on any.
///
///   LeaderElection election(options, &store, &timer, &observer);
///   std::thread thread([&] { election.Run(); });
///   // ... before each request that writes:
///   if (const auto end = election.LeadsUntil()) SendBefore(*end);
///   // ... to shut down, end all writing first:
///   election.Stop();
///   thread.join();
///   election.Release();
class LeaderElection {
 public:
  using Clock = kube::Timer::Clock;

  /// The times must satisfy retry_period < renew_deadline < lease_duration.
  struct Options {
    /// Written into the lease as its holder. Must differ between processes.
    std::string identity;
    /// How long others must see the lease unchanged before they may take it. Written into the lease
    /// in whole seconds.
    std::chrono::milliseconds lease_duration{std::chrono::seconds(15)};
    /// How long this process may write after it sent a renewal.
    std::chrono::milliseconds renew_deadline{std::chrono::seconds(10)};
    /// From one renewal to the next. Candidates wait 1 to 2.2 times as long between two looks.
    std::chrono::milliseconds retry_period{std::chrono::seconds(2)};
    /// For the jitter of candidates.
    std::uint64_t seed = 0;
    /// The times in the lease, for people. Nothing is decided by them.
    std::function<std::chrono::system_clock::time_point()> wall_clock;
  };

  /// Everything must outlive this. Nothing is read or written yet, and this process does not lead.
  LeaderElection(Options options, LeaseStore* store, kube::Timer* timer, LeaderObserver* observer);

  /// Competes, and renews while it leads, until Stop(). Blocks. Failed requests are reported to the
  /// observer and tried again.
  void Run();

  /// Tries once to acquire or to renew the lease; Run() does this again and again. Blocks while the
  /// requests are under way. Returns how long to wait until the next step.
  std::chrono::milliseconds Step();

  /// Ends Run() after the step under way, and at once if it waits.
  void Stop() { timer_->Stop(); }

  /// Gives up the lease if this process leads, so that another need not wait until it expires.
  /// Blocks for one request. Call it after Run() has returned, and after all writing has ended.
  void Release();

  /// Returns until when this process may write if the lease is not renewed before; nothing if it
  /// may not write now. Ask right before each request, because a write may take several.
  std::optional<Clock::time_point> LeadsUntil() const;

  /// Returns which other process held the lease when it was last read or written. Empty: none, as
  /// far as is known.
  std::string OtherHolder() const;

  /// Returns whether this process may write now.
  bool Leads() const { return LeadsUntil().has_value(); }

 private:
  // Renews the lease if this process leads, and else, or if that fails, tries to acquire it.
  absl::Status Try();
  // Sends a new record without reading first. Ends the right to lead if somebody else has written.
  absl::Status Renew();
  // Reads the lease and takes it if nobody holds it. OK also if another holds it.
  absl::Status Acquire();
  // The same if there is no lease.
  absl::Status AcquireMissing();
  // Send a new record, and set LeadsUntil() if the server accepts it.
  absl::Status Create();
  absl::Status Update();
  // Takes over what was read or written, and notes when it changed.
  void Observe(kube::Lease lease);
  // Nothing: this process does not lead.
  void SetLeadsUntil(std::optional<Clock::time_point> end);
  // Tells the observer what has changed since the last call. Cancelled is not an error.
  void Report(const absl::Status& status);
  bool IsMine() const { return lease_ && lease_->record.holder == options_.identity; }
  // Returns whether another process holds the lease and its time is not over.
  bool IsHeldByOther() const;
  // Returns the record that makes this process the holder.
  kube::LeaseRecord NewRecord() const;
  // Returns retry_period for a leader, and a longer, random wait for a candidate.
  std::chrono::milliseconds NextWait();

  const Options options_;
  LeaseStore* const store_;
  kube::Timer* const timer_;
  LeaderObserver* const observer_;
  std::mt19937_64 random_;

  // As it was last read or written, and when it was first seen like this. Nothing: this process has
  // never seen it.
  std::optional<kube::Lease> lease_;
  Clock::time_point seen_;
  // Since when each look has found no lease.
  std::optional<Clock::time_point> missing_since_;

  // Guards what other threads read.
  mutable std::mutex mutex_;
  std::optional<Clock::time_point> leads_until_;
  std::string other_holder_;

  // What was reported to the observer last.
  bool reported_leading_ = false;
  std::optional<std::string> reported_holder_;
};

}  // namespace berth::controller
