#include "controller/observer.h"

#include "server/log.h"

namespace berth::controller {

namespace {

using server::Log;
using server::LogLevel;

constexpr std::chrono::seconds kLeaseLineInterval{10};

struct WriteWords {
  const char* metric;
  const char* done;
  const char* right;
};

constexpr WriteWords kWrites[kWriteKinds] = {
    {"node_label", "labelled", "patch on nodes"},
    {"nudge", "nudged", "patch on pods"},
    {"secret", "wrote a Secret", "create and update on secrets"},
    {"ca_bundle", "wrote caBundles",
     "update on mutatingwebhookconfigurations and validatingwebhookconfigurations"},
    {"lease_owner", "gave a Lease its owner", "patch on leases"},
    {"lost_pod", "force-deleted a pod on a lost node",
     "get on jobs and nodes, get and delete on pods, and patch on pods/status"},
    {"nomination", "nominated a node", "patch on pods/status"},
    {"gate", "took the gate of a gang away", "patch on pods"},
    {"gang_condition", "said why a gang waits", "patch on pods/status and create on events"},
    {"gang_eviction", "evicted a gang", "list on jobs and pods, and create on pods/eviction"},
    {"node_taint", "changed the taint of a node", "list and patch on nodes"},
    {"pod_group", "created or deleted the PodGroup of a gang",
     "create, delete, list and patch on podgroups"},
    {"repair_label", "let a node be repaired, or stopped that", "patch on nodes"},
    {"eviction", "evicted a pod from an excluded node",
     "get on jobs, list on pods and create on pods/eviction"},
    {"pod_event", "told why a pod stays on an excluded node", "create on events"},
    {"avoid", "noted on a node whose pods failed there", "patch on nodes"},
    {"fault_event", "told of an excluded node", "create on events"},
    {"idle_event", "told of idle devices", "get on pods and create on events"},
    {"idle_eviction", "evicted a notebook with idle devices",
     "get on pods and create on pods/eviction"},
    {"kept", "noted on a node what is kept for gangs", "patch on nodes"}};
constexpr const char* kResultNames[] = {"ok", "gone", "conflict", "forbidden", "failed"};

}  // namespace

Observer::Observer(server::Metrics& metrics)
    : lease_lines_(kLeaseLineInterval), failure_lines_(kLeaseLineInterval) {
  prometheus::Registry& registry = metrics.registry();
  auto& writes = prometheus::BuildCounter()
                     .Name("berth_controller_writes_total")
                     .Help("Writes of objects, by what was written and the result.")
                     .Register(registry);
  for (std::size_t write = 0; write < writes_.size(); ++write) {
    for (std::size_t result = 0; result < kResults; ++result) {
      writes_[write][result] =
          &writes.Add({{"write", kWrites[write].metric}, {"result", kResultNames[result]}});
    }
  }
  lease_errors_ = &prometheus::BuildCounter()
                       .Name("berth_controller_lease_errors_total")
                       .Help("Requests for the Lease that failed.")
                       .Register(registry)
                       .Add({});
}

void Observer::OnLeading(bool leads) {
  Log(leads ? LogLevel::kInfo : LogLevel::kWarning, leads ? "leading" : "no longer leading");
}

void Observer::OnLeader(const std::string& holder) {
  if (holder.empty()) return Log(LogLevel::kInfo, "nobody holds the lease");
  Log(LogLevel::kInfo, "another controller leads", {{"holder", holder}});
}

void Observer::OnError(const absl::Status& error) {
  lease_errors_->Increment();
  if (const auto held_back = lease_lines_.Admit()) {
    Log(LogLevel::kWarning, "cannot read or write the lease; trying again",
        {{"error", std::string(error.message())}, {"linesHeldBack", *held_back}});
  }
}

Observer::Result Observer::ResultOf(const absl::Status& status) {
  if (status.ok()) return kOk;
  if (absl::IsNotFound(status)) return kGone;
  if (absl::IsAborted(status)) return kConflict;
  if (absl::IsPermissionDenied(status)) return kForbidden;
  return kFailed;
}

void Observer::OnWritten(Write write, std::string_view object, std::string_view value,
                         const absl::Status& status) {
  const auto index = static_cast<std::size_t>(write);
  const WriteWords& words = kWrites[index];
  const Result result = ResultOf(status);
  writes_[index][result]->Increment();
  if (result == kOk) {
    // Waiting pods are written by the thousand, and what nodes keep for gangs is renewed again and
    // again; nodes are labelled once.
    const bool many = write == Write::kNudge || write == Write::kNomination ||
                      write == Write::kGate || write == Write::kGangCondition ||
                      write == Write::kPodGroup || write == Write::kKept;
    const LogLevel level = many ? LogLevel::kDebug : LogLevel::kInfo;
    return Log(level, words.done, {{"object", object}, {"value", value}});
  }
  if (result == kGone || result == kConflict) return;
  if (const auto held_back = failure_lines_.Admit()) {
    const std::string error(status.message());
    const std::string hint =
        std::string("needs verb ") + words.right + "; `berth controller --rbac` writes the role";
    Log(LogLevel::kError, result == kForbidden ? "not allowed to write" : "cannot write",
        {{"object", object},
         {"error", error},
         {"hint", result == kForbidden ? hint : "Berth tries again"},
         {"linesHeldBack", *held_back}});
  }
}

}  // namespace berth::controller
