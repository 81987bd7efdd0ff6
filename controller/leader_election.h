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

/// Told on the thread of LeaderElection::Run().
class LeaderObserver {
 public:
  virtual ~LeaderObserver() = default;
  virtual void OnLeading(bool leads) = 0;
  /// Somebody else holds the lease now; empty: nobody does.
  virtual void OnLeader(const std::string& holder) = 0;
  virtual void OnError(const absl::Status& error) = 0;
};

/// Who of several processes may write: the holder of a Lease, as client-go elects it
/// (k8s.io/client-go/tools/leaderelection/leaderelection.go, v0.36.3). The lease is renewed every
/// retry_period and good for lease_duration; others wait that long since they saw it change, each
/// by its own clock that never jumps, so no clocks have to agree.
///
/// Stricter than client-go in three points: the right to lead ends by itself renew_deadline after
/// the last renewal was *sent*, whatever this thread is doing then; it ends at once when a renewal
/// finds that somebody has written meanwhile; and a lease that somebody deleted is created again
/// only by its holder, or when its time is over, by whoever has seen it before: to a process that
/// has just started a lease that was deleted and one that never was are the same. Who lost goes on
/// as candidate.
///
/// Run(), Step() and Release() on one thread; Leads() and Stop() on any.
class LeaderElection {
 public:
  using Clock = kube::Timer::Clock;

  struct Options {
    /// Different for each process.
    std::string identity;
    std::chrono::milliseconds lease_duration{std::chrono::seconds(15)};
    std::chrono::milliseconds renew_deadline{std::chrono::seconds(10)};
    std::chrono::milliseconds retry_period{std::chrono::seconds(2)};
    /// For jitter.
    std::uint64_t seed = 0;
    /// Written into the lease, for people.
    std::function<std::chrono::system_clock::time_point()> wall_clock;
  };

  /// Everything must outlive this.
  LeaderElection(Options options, LeaseStore* store, kube::Timer* timer, LeaderObserver* observer);

  /// Competes until Stop().
  void Run();

  /// One try to acquire or renew; how long to wait until the next. What Run() does.
  std::chrono::milliseconds Step();

  /// Ends Run() at once.
  void Stop() { timer_->Stop(); }

  /// Gives up the lease, so that another need not wait for its end. After Run().
  void Release();

  /// Until when this process may write, unless the lease is renewed before; nothing: it may not
  /// write now. Ask right before each request, because a write may take several.
  std::optional<Clock::time_point> LeadsUntil() const;

  /// Whether this process may write now.
  bool Leads() const { return LeadsUntil().has_value(); }

 private:
  absl::Status Try();
  absl::Status Renew();
  absl::Status Acquire();
  absl::Status AcquireMissing();
  absl::Status Create();
  absl::Status Update();
  void Observe(kube::Lease lease);
  void SetLeadsUntil(std::optional<Clock::time_point> end);
  void Report(const absl::Status& status);
  bool IsMine() const { return lease_ && lease_->record.holder == options_.identity; }
  bool IsHeldByOther() const;
  kube::LeaseRecord NewRecord() const;
  std::chrono::milliseconds NextWait();

  const Options options_;
  LeaseStore* const store_;
  kube::Timer* const timer_;
  LeaderObserver* const observer_;
  std::mt19937_64 random_;

  /// As last read or written, and when it was seen to change.
  std::optional<kube::Lease> lease_;
  Clock::time_point seen_;
  /// Since when every look has found no lease.
  std::optional<Clock::time_point> missing_since_;

  mutable std::mutex mutex_;
  std::optional<Clock::time_point> leads_until_;

  bool told_leading_ = false;
  std::optional<std::string> told_holder_;
};

}  // namespace berth::controller
