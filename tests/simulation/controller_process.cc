#include "tests/simulation/controller_process.h"

#include <chrono>
#include <utility>

#include "model/annotation.h"

namespace berth::simulation {
namespace {

using std::chrono::seconds;

// A request that takes longer would outlive the right to lead; see controller/controller.cc.
constexpr Time kWriteTimeout = seconds(3);
constexpr Time kListTimeout = seconds(30);

// Slower than in life: it is virtual time that passes, but each look costs real time.
constexpr Time kInterval = seconds(1);

// How many writers of plans there are, and how often they look whether there is something to write.
constexpr int kWriters = 2;
constexpr Time kLook{100};

constexpr char kPrefix[] = "berth.dev";

const char* WordOf(controller::Write write) {
  switch (write) {
    case controller::Write::kNudge:
      return "a nudge";
    case controller::Write::kNomination:
      return "the nominated node";
    case controller::Write::kGate:
      return "the end of the gate";
    case controller::Write::kGangCondition:
      return "the condition";
    case controller::Write::kGangEviction:
      return "the eviction";
    case controller::Write::kPodGroup:
      return "the PodGroup";
    case controller::Write::kKept:
      return "what is kept";
    default:
      return "the label";
  }
}

using ReadGroups = std::function<const controller::PodGroupReader::Known&()>;

std::vector<kube::ListWatchHandler<model::Pod>*> HandlersOf(controller::Nudger* nudger,
                                                            controller::Nominator* nominator) {
  if (nominator == nullptr) return {nudger};
  return {nudger, nominator};
}

}  // namespace

void ControllerProcess::Observer::OnLeading(bool leads) {
  trace_->Write("{} {}", identity_, leads ? "leads" : "leads no more");
}

void ControllerProcess::Observer::OnWritten(controller::Write write, std::string_view object,
                                            std::string_view value, const absl::Status& status) {
  trace_->Write("{} writes {} of {}: {}: {}", identity_, WordOf(write), object, value,
                status.ToString());
}

ControllerProcess::Electing::Electing(ControllerProcess* process, const Surroundings& surroundings,
                                      std::uint64_t seed)
    : task(surroundings.timeline, [this] { election.Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/lease", kWriteTimeout, surroundings, &task),
      store(&link, "berth-system", "berth-controller"),
      election({.identity = process->identity_,
                .seed = seed,
                .wall_clock = [] { return std::chrono::system_clock::time_point(); }},
               &store, &timer, &process->observer_) {}

ControllerProcess::Labelling::Labelling(ControllerProcess* process,
                                        const Surroundings& surroundings)
    : task(surroundings.timeline, [this] { labeler.Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/labels", kWriteTimeout, surroundings, &task),
      patcher(&link),
      labeler({.labels = controller::NodeLabelNames("berth.dev"),
               .may_write = [process] { return process->Leads(); },
               .interval = kInterval},
              &process->fed_.snapshot(), &patcher, &timer, &process->observer_) {}

ControllerProcess::Nudging::Nudging(ControllerProcess* process, const Surroundings& surroundings,
                                    std::function<model::Time()> now)
    : task(surroundings.timeline, [this] { nudger.Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/nudges", kWriteTimeout, surroundings, &task),
      patcher(&link),
      nudger({.annotation = "berth.dev/nudged-at",
              .may_write = [process] { return process->Leads(); },
              .now = std::move(now),
              .interval = kInterval},
             DefaultEngine(), &process->fed_.snapshot(), &patcher, &timer, &process->observer_) {}

ControllerProcess::Writing::Writing(ControllerProcess* process, const Surroundings& surroundings,
                                    int number)
    : task(surroundings.timeline, [this] { Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/plans-" + std::to_string(number), kWriteTimeout, surroundings,
           &task),
      transport(&link, [process] { return process->electing_.election.LeadsUntil(); }),
      patcher(&transport),
      nominator(&process->planning_->nominator) {}

void ControllerProcess::Writing::Run() {
  do {
    nominator->WriteQueued(&patcher);
  } while (timer.Wait(kLook));
}

ControllerProcess::Planning::Planning(ControllerProcess* process, const Surroundings& surroundings,
                                      std::function<model::Time()> now)
    : task(surroundings.timeline, [this] { nominator.Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/scheduler-lease", kWriteTimeout, surroundings, &task),
      leases(process->options_.config.gangs.scheduler_leases, &link),
      groups(&link, model::GangNames(kPrefix)),
      metrics(registry),
      nominator({.planner = process->options_.config,
                 .annotation = model::kPlanAnnotation.Below(kPrefix),
                 .purpose_annotation = model::kPlanForAnnotation.Below(kPrefix),
                 .lease_annotation = model::kPlanLeaseAnnotation.Below(kPrefix),
                 .gang_names = model::GangNames(kPrefix),
                 .may_write = [process] { return process->Leads(); },
                 .scheduler_term = process->options_.sabotage == PlannerSabotage::kForgetsLease
                                       ? std::function<controller::SchedulerTerm()>()
                                       : [this] { return leases.Read(); },
                 .pod_groups = process->options_.config.gangs.pod_groups
                                   ? ReadGroups([this]() -> const auto& { return groups.Read(); })
                                   : ReadGroups(),
                 .kept_rooms = &kept,
                 .now = std::move(now),
                 .interval = kInterval},
                DefaultEngine(), &process->fed_.snapshot(), &timer, &process->observer_, &metrics) {
}

ControllerProcess::Keeping::Keeping(ControllerProcess* process, const Surroundings& surroundings,
                                    std::function<model::Time()> now)
    : task(surroundings.timeline, [this] { writer.Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/kept", kWriteTimeout, surroundings, &task),
      transport(&link, [process] { return process->electing_.election.LeadsUntil(); }),
      patcher(&transport),
      writer({.annotation = model::kKeptAnnotation.Below(kPrefix),
              .kept = [process] { return process->planning_->kept.Get(); },
              .may_write = [process] { return process->Leads(); },
              .now = std::move(now),
              .interval = kInterval},
             &process->fed_.snapshot(), &patcher, &timer, &process->observer_) {}

ControllerProcess::Waiting::Waiting(ControllerProcess* process, const PlannerOptions& options)
    : handlers_(HandlersOf(&process->nudging_.nudger, process->planning_ == nullptr
                                                          ? nullptr
                                                          : &process->planning_->nominator)),
      options_(options) {}

void ControllerProcess::Waiting::OnReplaceBegin() {
  for (const auto& [key, pod] : pods_) unseen_.insert(key);
  if (options_.sabotage != PlannerSabotage::kForgetsDeletes) handlers_.OnReplaceBegin();
}

void ControllerProcess::Waiting::OnReplaceEnd(const std::string& version) {
  handlers_.OnReplaceEnd(version);
  for (const std::string& key : unseen_) pods_.erase(key);
  unseen_.clear();
  options_.heard();
}

void ControllerProcess::Waiting::OnUpsert(model::Pod pod) {
  const std::string key = KeyOf(pod);
  unseen_.erase(key);
  pods_[key] = pod;
  handlers_.OnUpsert(std::move(pod));
  options_.heard();
}

void ControllerProcess::Waiting::OnUnreadable(const kube::UnreadableObject& pod) {
  unseen_.erase(pod.namespace_ + '/' + pod.name);
  handlers_.OnUnreadable(pod);
}

void ControllerProcess::Waiting::OnDelete(model::Pod pod) {
  pods_.erase(KeyOf(pod));
  options_.heard();
  // A pod that was bound is gone from here, too, and that is not forgotten.
  const bool vanished = pod.node_name.empty();
  if (vanished && options_.sabotage == PlannerSabotage::kForgetsDeletes) return;
  handlers_.OnDelete(std::move(pod));
}

ControllerProcess::Pending::Pending(ControllerProcess* process, const Surroundings& surroundings,
                                    std::uint64_t seed)
    : task(surroundings.timeline, [this] { list_watch.Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/pending", kListTimeout, surroundings, &task),
      list_watch({.path = "/api/v1/pods",
                  .field_selector = controller::WaitingPods::kSelector,
                  .seed = seed},
                 &link, &timer, &process->waiting_, &process->observer_) {}

ControllerProcess::ControllerProcess(const Surroundings& surroundings,
                                     const BerthProcess::Options& options, std::string identity,
                                     std::function<model::Time()> now,
                                     std::optional<PlannerOptions> planner)
    : identity_(std::move(identity)),
      options_(planner.value_or(PlannerOptions())),
      observer_(identity_, surroundings.trace),
      fed_(surroundings, options, [this] { options_.heard(); }),
      electing_(this, surroundings, options.seed),
      labelling_(this, surroundings),
      nudging_(this, surroundings, now),
      planning_(planner ? std::make_unique<Planning>(this, surroundings, now) : nullptr),
      keeping_(planner && options_.sabotage != PlannerSabotage::kForgetsKept
                   ? std::make_unique<Keeping>(this, surroundings, std::move(now))
                   : nullptr),
      waiting_(this, options_),
      pending_(this, surroundings, options.seed) {
  if (planning_ == nullptr) return;
  for (int number = 0; number < kWriters; ++number) {
    planning_->writers.push_back(std::make_unique<Writing>(this, surroundings, number));
  }
}

ControllerProcess::~ControllerProcess() {
  const auto end = [](auto& part) {
    part.timer.Stop();
    part.link.Stop();
    part.task.Finish();
  };
  end(pending_);
  if (keeping_ != nullptr) end(*keeping_);
  if (planning_ != nullptr) {
    for (const auto& writer : planning_->writers) end(*writer);
    end(*planning_);
  }
  end(nudging_);
  end(labelling_);
  end(electing_);
}

}  // namespace berth::simulation
