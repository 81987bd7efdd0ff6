#include "tests/simulation/controller_process.h"

#include <chrono>
#include <utility>

namespace berth::simulation {
namespace {

using std::chrono::seconds;

// A request that takes longer would outlive the right to lead; see controller/controller.cc.
constexpr Time kWriteTimeout = seconds(3);
constexpr Time kListTimeout = seconds(30);

// Slower than in life: it is virtual time that passes, but each look costs real time.
constexpr Time kInterval = seconds(1);

}  // namespace

void ControllerProcess::Observer::OnLeading(bool leads) {
  trace_->Write("{} {}", identity_, leads ? "leads" : "leads no more");
}

void ControllerProcess::Observer::OnWritten(controller::Write write, std::string_view object,
                                            std::string_view value, const absl::Status& status) {
  trace_->Write("{} writes {} of {}: {}: {}", identity_,
                write == controller::Write::kNudge ? "a nudge" : "the label", object, value,
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

ControllerProcess::Pending::Pending(ControllerProcess* process, const Surroundings& surroundings,
                                    std::uint64_t seed)
    : task(surroundings.timeline, [this] { list_watch.Run(); }),
      timer(surroundings.timeline, &task),
      link(process->identity_ + "/pending", kListTimeout, surroundings, &task),
      list_watch({.path = "/api/v1/pods",
                  .field_selector = controller::WaitingPods::kSelector,
                  .seed = seed},
                 &link, &timer, &process->nudging_.nudger, &process->observer_) {}

ControllerProcess::ControllerProcess(const Surroundings& surroundings,
                                     const BerthProcess::Options& options, std::string identity,
                                     std::function<model::Time()> now)
    : identity_(std::move(identity)),
      observer_(identity_, surroundings.trace),
      fed_(surroundings, options, [] {}),
      electing_(this, surroundings, options.seed),
      labelling_(this, surroundings),
      nudging_(this, surroundings, std::move(now)),
      pending_(this, surroundings, options.seed) {}

ControllerProcess::~ControllerProcess() {
  const auto end = [](auto& part) {
    part.timer.Stop();
    part.link.Stop();
    part.task.Finish();
  };
  end(pending_);
  end(nudging_);
  end(labelling_);
  end(electing_);
}

}  // namespace berth::simulation
