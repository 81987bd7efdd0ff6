#include "policies/scheduling/kept.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "model/accelerator_requests.h"
#include "model/annotation.h"
#include "model/kept_room.h"
#include "policies/scheduling/max_runtime.h"

namespace berth::policies::scheduling {

namespace {

// What an entry is compared with, and what the verdicts depend on besides the pod's shape.
struct Latecomer {
  // The place of the last gang that the pod comes after.
  model::PlanningPlace last;
  std::optional<model::Duration> max_runtime;
  // The node that is nominated for the pod, if devices of it are kept.
  std::string nominated;
  // The pod's own gang, as entries name it; empty if it belongs to none.
  std::string gang;
};

class KeptEvaluator : public NodeEvaluator {
 public:
  KeptEvaluator(std::string annotation, model::Resources requests, Latecomer pod, ReasonId kept,
                model::Time now)
      : annotation_(std::move(annotation)),
        requests_(std::move(requests)),
        pod_(std::move(pod)),
        kept_(kept),
        now_(now) {}

  std::string ViewKey() const override {
    const auto& [priority, created] = pod_.last;
    const model::Duration runtime = pod_.max_runtime.value_or(model::Duration::zero());
    return std::to_string(priority) + ' ' + std::to_string(created.time_since_epoch().count()) +
           ' ' + std::to_string(runtime.count()) + ' ' + pod_.nominated +
           (pod_.gang.empty() ? "" : ' ' + pod_.gang);
  }

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    const auto text = model::Find(node.node.annotations, annotation_);
    if (!text || node.node.name == pod_.nominated) return {};
    Verdict verdict;
    model::Resources kept;
    for (const model::KeptRoom& room : model::ParseKeptRooms(*text)) {
      if (!requests_.Has(room.resource) || room.gang == pod_.gang) continue;
      if (room.until <= now_ || PlaceOf(room) > pod_.last) continue;
      verdict.valid_until = std::min(verdict.valid_until, room.until);
      if (pod_.max_runtime) {
        const model::Time latest = room.ends_by - *pod_.max_runtime;
        if (now_ <= latest) {
          verdict.valid_until = std::min(verdict.valid_until, latest + model::Duration{1});
          continue;
        }
      }
      kept.Add(room.resource, room.devices);
    }
    if (LeavesFree(kept, node)) return verdict;
    return {.fits = false, .score = 0, .reason = kept_, .valid_until = verdict.valid_until};
  }

 private:
  // Whether so many devices are left on the node beside the pod.
  bool LeavesFree(const model::Resources& kept, const model::NodeState& node) const noexcept {
    return std::ranges::all_of(kept, [&](const model::Resources::Entry& entry) {
      const auto& [resource, devices] = entry;
      // A difference of what somebody has written might not fit into an integer.
      const double free = static_cast<double>(node.node.allocatable.Get(resource)) -
                          static_cast<double>(node.used.Get(resource));
      return free - static_cast<double>(devices) >= static_cast<double>(requests_.Get(resource));
    });
  }

  const std::string annotation_;
  // Of the catalogue's resources.
  const model::Resources requests_;
  const Latecomer pod_;
  const ReasonId kept_;
  const model::Time now_;
};

model::Resources AcceleratorsOf(const model::Pod& pod, const model::AcceleratorCatalog& catalog) {
  model::Resources accelerators;
  for (const auto& [resource, amount] : model::AcceleratorRequests(pod, catalog)) {
    accelerators.Add(resource, amount);
  }
  return accelerators;
}

// Returns the gang of the pod as entries name it; "" if it belongs to none.
std::string FullNameOfGang(const model::Pod& pod, const model::GangNames& names) {
  // Who states a gang that cannot be read belongs to none; admission refuses such pods.
  const auto gang = model::GangOf(pod.annotations, names);
  return gang.ok() && gang->has_value() ? pod.namespace_ + '/' + (*gang)->name : "";
}

// Returns the node that is nominated for the pod, if it has the annotation; else "".
std::string NominatedWith(std::string_view annotation, const model::Pod& pod,
                          const model::ClusterView& view) {
  const auto index = view.Find(pod.nominated_node);
  if (!index) return "";
  const bool has = model::Find(view.At(*index)->node.annotations, annotation).has_value();
  return has ? pod.nominated_node : "";
}

}  // namespace

KeptPolicy::KeptPolicy(const PolicyContext& context, const NoConfig&)
    : catalog_(context.catalog),
      annotation_(model::kKeptAnnotation.Below(context.prefix)),
      runtime_annotation_(model::kMaxRuntimeAnnotation.Below(context.prefix)),
      gang_names_(context.prefix),
      kept_(context.reasons.Intern({.policy = std::string(kName),
                                    .text = "node(s) had devices that are kept for a gang",
                                    .summary = "keep devices for a gang"})) {}

Preparation KeptPolicy::Prepare(const model::Pod& pod, const model::ClusterView& view,
                                model::Time now) const {
  const auto last = view.LastKept(PlaceOf(pod));
  if (!last) return NoOpinion{};
  std::string gang = FullNameOfGang(pod, gang_names_);
  // The planner has let it go, and if kube-scheduler knows better than that node, it shall not
  // wait.
  if (!gang.empty() && !pod.nominated_node.empty()) return NoOpinion{};
  Latecomer latecomer{.last = *last,
                      .max_runtime = MaxRuntimeOf(pod, runtime_annotation_),
                      .nominated = NominatedWith(annotation_, pod, view),
                      .gang = std::move(gang)};
  return std::make_unique<KeptEvaluator>(annotation_, AcceleratorsOf(pod, catalog_),
                                         std::move(latecomer), kept_, now);
}

}  // namespace berth::policies::scheduling
