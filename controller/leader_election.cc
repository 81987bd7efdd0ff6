#include "controller/leader_election.h"

#include <utility>

#include "absl/time/time.h"

namespace berth::controller {

namespace {

// Spreads the tries of candidates as client-go does: JitterFactor in leaderelection.go.
constexpr double kJitter = 1.2;

// A released lease lasts as long as client-go makes it last.
constexpr std::chrono::seconds kReleased{1};

std::string MicroTime(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

}  // namespace

LeaderElection::LeaderElection(Options options, LeaseStore* store, kube::Timer* timer,
                               LeaderObserver* observer)
    : options_(std::move(options)),
      store_(store),
      timer_(timer),
      observer_(observer),
      random_(options_.seed) {}

void LeaderElection::Run() {
  while (timer_->Wait(Step())) {
  }
}

std::chrono::milliseconds LeaderElection::Step() {
  Report(Try());
  return NextWait();
}

absl::Status LeaderElection::Try() {
  if (Leads()) {
    const absl::Status renewed = Renew();
    if (renewed.ok()) return renewed;
  }
  return Acquire();
}

absl::Status LeaderElection::Renew() {
  const absl::Status status = Update();
  if (absl::IsAborted(status)) SetLeadsUntil(std::nullopt);
  return status;
}

absl::Status LeaderElection::Acquire() {
  absl::StatusOr<kube::Lease> lease = store_->Get();
  if (absl::IsNotFound(lease.status())) return AcquireMissing();
  // The lease exists, or it is unknown whether it does. So it has not been missing all the time.
  missing_since_.reset();
  if (!lease.ok()) return lease.status();
  Observe(*std::move(lease));
  if (!IsMine()) SetLeadsUntil(std::nullopt);
  if (IsHeldByOther()) return absl::OkStatus();
  const absl::Status status = Update();
  // If another candidate was faster, that is no error; the next step sees it.
  return absl::IsAborted(status) ? absl::OkStatus() : status;
}

absl::Status LeaderElection::AcquireMissing() {
  // The process that led when somebody deleted the lease may not know yet that it is gone.
  if (!missing_since_) missing_since_ = timer_->Now();
  const bool was_deleted = lease_.has_value();
  const bool others_may_lead = timer_->Now() < *missing_since_ + options_.lease_duration;
  if (was_deleted && others_may_lead && !Leads()) return absl::OkStatus();
  SetLeadsUntil(std::nullopt);
  return Create();
}

absl::Status LeaderElection::Create() {
  const Clock::time_point sent = timer_->Now();
  absl::StatusOr<kube::Lease> lease = store_->Create(NewRecord());
  // Whoever created the lease, the wait begins anew the next time that it is missing.
  if (lease.ok() || absl::IsAborted(lease.status())) missing_since_.reset();
  if (absl::IsAborted(lease.status())) return absl::OkStatus();
  if (!lease.ok()) return lease.status();
  Observe(*std::move(lease));
  SetLeadsUntil(sent + options_.renew_deadline);
  return absl::OkStatus();
}

absl::Status LeaderElection::Update() {
  const Clock::time_point sent = timer_->Now();
  absl::StatusOr<kube::Lease> lease =
      store_->Update({.record = NewRecord(), .metadata = lease_->metadata});
  if (!lease.ok()) return lease.status();
  Observe(*std::move(lease));
  SetLeadsUntil(sent + options_.renew_deadline);
  return absl::OkStatus();
}

void LeaderElection::Observe(kube::Lease lease) {
  // Compares the version, too, because the times in the record come from a clock that may stand
  // still.
  if (!lease_ || *lease_ != lease) seen_ = timer_->Now();
  lease_ = std::move(lease);
  const std::lock_guard guard(mutex_);
  other_holder_ = IsMine() ? "" : lease_->record.holder;
}

bool LeaderElection::IsHeldByOther() const {
  if (lease_->record.holder.empty() || IsMine()) return false;
  // In whole seconds, because somebody may have written a duration that Clock cannot hold.
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(timer_->Now() - seen_);
  return age < lease_->record.duration;
}

kube::LeaseRecord LeaderElection::NewRecord() const {
  const std::string now = MicroTime(options_.wall_clock());
  kube::LeaseRecord record;
  record.holder = options_.identity;
  record.duration = std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration);
  record.renewed = now;
  record.acquired = IsMine() ? lease_->record.acquired : now;
  if (lease_) record.transitions = lease_->record.transitions + (IsMine() ? 0 : 1);
  return record;
}

void LeaderElection::Release() {
  if (!Leads()) return;
  SetLeadsUntil(std::nullopt);
  kube::LeaseRecord record = NewRecord();
  record.acquired = record.renewed;
  record.holder.clear();
  record.duration = kReleased;
  const auto released = store_->Update({.record = record, .metadata = lease_->metadata});
  if (released.ok()) lease_ = *released;
  Report(released.status());
}

std::optional<LeaderElection::Clock::time_point> LeaderElection::LeadsUntil() const {
  const std::lock_guard guard(mutex_);
  if (!leads_until_ || timer_->Now() >= *leads_until_) return std::nullopt;
  return leads_until_;
}

std::string LeaderElection::OtherHolder() const {
  const std::lock_guard guard(mutex_);
  return other_holder_;
}

void LeaderElection::SetLeadsUntil(std::optional<Clock::time_point> end) {
  const std::lock_guard guard(mutex_);
  leads_until_ = end;
}

void LeaderElection::Report(const absl::Status& status) {
  if (!status.ok() && !absl::IsCancelled(status)) observer_->OnError(status);
  if (Leads() != std::exchange(reported_leading_, Leads())) observer_->OnLeading(reported_leading_);
  if (!lease_ || reported_holder_ == lease_->record.holder) return;
  reported_holder_ = lease_->record.holder;
  if (!IsMine()) observer_->OnLeader(*reported_holder_);
}

std::chrono::milliseconds LeaderElection::NextWait() {
  if (Leads()) return options_.retry_period;
  std::uniform_real_distribution<double> spread(1, 1 + kJitter);
  return std::chrono::duration_cast<std::chrono::milliseconds>(options_.retry_period *
                                                               spread(random_));
}

}  // namespace berth::controller
