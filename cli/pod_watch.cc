#include "cli/pod_watch.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigtimedwait is of POSIX, not of C

#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/exit_code.h"
#include "cli/explanation_output.h"
#include "cli/pod_poll.h"
#include "cli/pod_progress.h"
#include "cluster/feed.h"
#include "kube/http_client.h"
#include "kube/watch_rights.h"
#include "placement/explanation.h"
#include "placement/placement_messages.h"
#include "process/engine.h"
#include "process/live_cluster.h"

namespace berth::cli {

namespace {

// Nothing is told more often.
constexpr timespec kTick{.tv_sec = 1, .tv_nsec = 0};
// After a single failure everything is watched again within a second.
constexpr int kShortestOutage = 3;

// Why nodes or pods cannot be listed or watched just now. Thread-safe.
class Troubles final : public kube::ListWatchObserver {
 public:
  void OnListed(std::size_t /*items*/) override { Set(absl::OkStatus()); }
  void OnWatchGranted() override { Set(absl::OkStatus()); }
  void OnWatchEnd(kube::WatchEnd /*end*/) override {}
  void OnUnreadable(const kube::UnreadableObject& /*object*/) override {}
  void OnError(const absl::Status& error) override { Set(error); }
  void OnBackoff(std::chrono::milliseconds /*wait*/) override {}

  absl::Status Last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  void Set(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    last_ = status;
  }

  mutable std::mutex mutex_;
  absl::Status last_;
};

// For how many ticks nodes or pods could not be watched, and whether that was said.
struct Outage {
  int ticks = 0;
  bool told = false;
};

sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// Waits for a second. Returns the signal that came, or 0.
int AwaitSignal(const timespec& patience) {
  const sigset_t signals = EndingSignals();
  const int signal = sigtimedwait(&signals, nullptr, &patience);
  return signal > 0 ? signal : 0;
}

class Watching {
 public:
  explicit Watching(const WatchRequest& request)
      : request_(request),
        engine_(process::MakeEngine(request.config)),
        snapshot_({.catalog = engine_.catalog, .labels = {}}),
        feed_(process::FeedOptions(request.api), &snapshot_, &nodes_, &pods_,
              request.config.extender.shortlist.NeedsServices() ? &services_ : nullptr),
        poll_(request.api, {.namespace_name = request.namespace_name,
                            .name = request.pod,
                            .names = model::GangNames(request.config.prefix)}) {}

  absl::StatusOr<int> Run() {
    const absl::Status granted = CheckRights();
    if (!granted.ok()) return granted;
    const absl::Status first = poll_.ReadFirst();
    if (absl::IsNotFound(first)) return NoSuchPod();
    if (!first.ok()) return first;
    // All threads that start from here on inherit it, so that only AwaitSignal() takes them.
    const sigset_t signals = EndingSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    feed_.Start();
    poll_.Start();
    const int exit_code = Follow();
    poll_.Stop();
    feed_.Stop();
    return exit_code;
  }

 private:
  // The feed would try again for ever, and whoever lacks a right does not get it by waiting.
  absl::Status CheckRights() const {
    kube::HttpClient client(request_.api);
    for (const std::string resource : {"nodes", "pods"}) {
      const absl::Status granted = kube::CheckListAndWatch(
          client, {.who = "explain --watch", .resource = resource, .path = "/api/v1/" + resource});
      if (!granted.ok()) return granted;
    }
    return absl::OkStatus();
  }

  absl::Status NoSuchPod() const {
    return absl::NotFoundError(
        fmt::format("there is no pod {} in namespace {}; give its namespace with -n", request_.pod,
                    request_.namespace_name));
  }

  int Follow() {
    if (const int signal = AwaitCluster(); signal != 0) return 128 + signal;
    PodReading reading = poll_.Last();
    Observed seen = Observe(reading);
    PrintFirst(seen);
    while (true) {
      if (const auto exit_code = ExitAfter(reading, seen)) return *exit_code;
      if (const int signal = AwaitSignal(kTick); signal != 0) return 128 + signal;
      reading = poll_.Last();
      TellOfConnection(reading.status);
      TellOfWatch("nodes", nodes_, nodes_outage_);
      TellOfWatch("pods", pods_, pods_outage_);
      if (absl::IsNotFound(reading.status) || reading.progress.uid != seen.pod.uid) continue;
      Observed now = Observe(reading);
      for (const Remark& remark : ChangesBetween(seen, now)) Say(remark);
      seen = std::move(now);
    }
  }

  // Waits until nodes and bound pods are listed. Returns the signal that came before, or 0.
  int AwaitCluster() {
    constexpr timespec kOften{.tv_sec = 0, .tv_nsec = 50'000'000};
    std::string told;
    while (!snapshot_.Synced()) {
      if (const int signal = AwaitSignal(kOften); signal != 0) return signal;
      for (const Troubles* troubles : {&nodes_, &pods_}) {
        const std::string trouble(troubles->Last().message());
        if (trouble.empty() || trouble == told) continue;
        fmt::print(stderr, "{}; trying again\n", Printable(trouble));
        told = trouble;
      }
    }
    return 0;
  }

  // Judges the nodes for the pod as it was read last.
  Observed Observe(const PodReading& reading) {
    auto explanation = placement::Explain(reading.pod, snapshot_, *engine_.scheduling,
                                          request_.config.extender.shortlist, process::Now());
    placement::AddPlanHints(reading.pod, request_.config.planner, request_.config.prefix,
                            explanation);
    explanation_ = placement::ToMessage(explanation);
    Observed observed{.pod = reading.progress, .gang = reading.gang, .events = reading.events};
    // What has changed just before the pod was bound is why it could be.
    const bool is_judged = !explanation_.requests().empty() && !was_bound_;
    if (is_judged) observed.verdicts = VerdictsOf(explanation_);
    was_bound_ = !reading.progress.node.empty();
    return observed;
  }

  void PrintFirst(const Observed& seen) {
    const std::string what = fmt::format("Pod {}/{}", request_.namespace_name, request_.pod);
    fmt::print("{}", ExplanationHead(explanation_, what, request_.terminal));
    for (const Remark& remark : StateOf(seen)) Say(remark);
    const absl::Status error = poll_.Last().events_error;
    if (!seen.events && !error.ok()) {
      Say({fmt::format("events are not shown: {}", std::string(error.message())), Tone::kWaiting});
    }
  }

  // The exit code, if there is nothing more to follow.
  std::optional<int> ExitAfter(const PodReading& reading, const Observed& seen) {
    const bool is_other = reading.progress.uid != seen.pod.uid;
    if (absl::IsNotFound(reading.status) || is_other) {
      Say({is_other ? "it is gone, and another pod has its name" : "it is gone", Tone::kBad});
      return kExitNo;
    }
    const auto end = EndOf(seen.pod);
    if (!end) return std::nullopt;
    Say(end->remark);
    return end->good ? kExitOk : kExitNo;
  }

  void TellOfConnection(const absl::Status& status) {
    const bool is_away = !status.ok() && !absl::IsNotFound(status);
    if (is_away && !was_away_) {
      Say({fmt::format("no answer, trying again: {}", std::string(status.message())),
           Tone::kWaiting});
    } else if (!is_away && was_away_) {
      Say({"the API server answers again", Tone::kGood});
    }
    was_away_ = is_away;
  }

  // The pod may be read although nodes or other pods cannot be watched, as after a right was taken
  // away. What is said of nodes is old then.
  void TellOfWatch(const char* what, const Troubles& troubles, Outage& outage) {
    const absl::Status trouble = troubles.Last();
    if (trouble.ok()) {
      if (outage.told) Say({fmt::format("{} are watched again", what), Tone::kGood});
      outage = {};
      return;
    }
    // If the pod cannot be read either, the API server is away, which is said already.
    if (was_away_ || outage.told || ++outage.ticks < kShortestOutage) return;
    Say({fmt::format("{} cannot be watched, trying again: {}", what,
                     std::string(trouble.message())),
         Tone::kWaiting});
    outage.told = true;
  }

  void Say(const Remark& remark) const {
    const std::string time = absl::FormatTime("%H:%M:%S", absl::Now(), absl::LocalTimeZone());
    fmt::print("{}  {}\n", time, Painted(Printable(remark.text), remark.tone, request_.terminal));
    // A person looks at it, also through a pipe. Run() reports what could not be written.
    static_cast<void>(std::fflush(stdout));
  }

  const WatchRequest& request_;
  const process::Engine engine_;
  cluster::Snapshot snapshot_;
  Troubles nodes_;
  Troubles pods_;
  Troubles services_;
  cluster::Feed feed_;
  PodPoll poll_;
  // The latest.
  v1::ExplainResponse explanation_;
  bool was_away_ = false;
  Outage nodes_outage_;
  Outage pods_outage_;
  bool was_bound_ = false;
};

}  // namespace

absl::StatusOr<int> WatchPod(const WatchRequest& request) {
  return std::make_unique<Watching>(request)->Run();
}

}  // namespace berth::cli
