#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/leader_election.h"

namespace berth::controller {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Time that passes when a test says so. A process may have a clock of its own that runs at another
/// rate, and jumps.
class FakeTime final : public kube::Timer {
 public:
  Clock::time_point Now() const override { return now; }
  bool Wait(milliseconds duration) override {
    now += duration;
    return !stopped;
  }
  void Stop() override { stopped = true; }

  Clock::time_point now{seconds(1000)};
  bool stopped = false;
};

/// The Lease at an API server, with what may go wrong on the way to it.
class FakeLease {
 public:
  enum class Fault { kNone, kNeverArrives, kReplyIsLost };

  absl::StatusOr<kube::Lease> Get() {
    return Call([this]() -> absl::StatusOr<kube::Lease> {
      if (!record) return absl::NotFoundError("no lease");
      return Current();
    });
  }
  absl::StatusOr<kube::Lease> Create(const kube::LeaseRecord& next) {
    return Call([&]() -> absl::StatusOr<kube::Lease> {
      if (record) return absl::AbortedError("exists");
      return Write(next);
    });
  }
  absl::StatusOr<kube::Lease> Update(const kube::Lease& lease) {
    return Call([&]() -> absl::StatusOr<kube::Lease> {
      if (!record) return absl::NotFoundError("no lease");
      if (lease.metadata != std::to_string(version)) return absl::AbortedError("modified");
      return Write(lease.record);
    });
  }

  /// As somebody with kubectl would.
  void Steal(const std::string& holder) {
    record->holder = holder;
    ++version;
  }

  std::optional<kube::LeaseRecord> record;
  int version = 0;
  /// Of the next calls: asked once for each.
  std::function<Fault()> fault = [] { return Fault::kNone; };
  /// What happens elsewhere before and after a call is carried out.
  std::function<void()> meanwhile = [] {};

 private:
  kube::Lease Current() const { return {.record = *record, .metadata = std::to_string(version)}; }
  kube::Lease Write(const kube::LeaseRecord& next) {
    record = next;
    ++version;
    return Current();
  }
  absl::StatusOr<kube::Lease> Call(const std::function<absl::StatusOr<kube::Lease>()>& carry_out) {
    const Fault what = fault();
    const auto elsewhere = meanwhile;  // which may replace itself
    elsewhere();
    if (what == Fault::kNeverArrives) return absl::UnavailableError("connection refused");
    const absl::StatusOr<kube::Lease> reply = carry_out();
    elsewhere();
    if (what == Fault::kReplyIsLost) return absl::DeadlineExceededError("took too long");
    return reply;
  }
};

/// One process that wants to lead, and what it is told.
class Candidate final : public LeaseStore, public LeaderObserver {
 public:
  Candidate(std::string identity, FakeLease* lease, FakeTime* clock, std::uint64_t seed = 1)
      : lease_(lease),
        election_({.identity = std::move(identity),
                   .seed = seed,
                   .wall_clock = [this] { return wall_clock; }},
                  this, clock, this) {}

  absl::StatusOr<kube::Lease> Get() override { return lease_->Get(); }
  absl::StatusOr<kube::Lease> Create(const kube::LeaseRecord& record) override {
    return lease_->Create(record);
  }
  absl::StatusOr<kube::Lease> Update(const kube::Lease& lease) override {
    return lease_->Update(lease);
  }

  void OnLeading(bool leads) override { story += leads ? "leads " : "stops "; }
  void OnLeader(const std::string& holder) override { story += "sees:" + holder + " "; }
  void OnError(const absl::Status& error) override { errors.emplace_back(error.message()); }

  milliseconds Step() { return election_.Step(); }
  bool Leads() const { return election_.Leads(); }
  std::string OtherHolder() const { return election_.OtherHolder(); }
  std::optional<FakeTime::Clock::time_point> LeadsUntil() const { return election_.LeadsUntil(); }
  void Release() { election_.Release(); }

  std::string story;
  std::vector<std::string> errors;
  std::chrono::system_clock::time_point wall_clock{seconds(1'800'000'000)};

 private:
  FakeLease* const lease_;
  LeaderElection election_;
};

}  // namespace berth::controller
