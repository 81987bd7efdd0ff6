#include "policies/admission/guaranteed_qos.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/annotation.h"
#include "policies/admission/default_sizes.h"
#include "policies/admission/device_shares.h"
#include "policies/admission/equalize.h"
#include "policies/admission/grouped_remarks.h"
#include "policies/admission/job.h"
#include "policies/admission/limit_ranger.h"
#include "policies/admission/qos.h"
#include "policies/admission/qos_objections.h"

namespace berth::policies::admission {

using model::Amount;
using model::Quantity;

namespace {

constexpr std::string_view kAdvice = "; set your own limits";
constexpr std::string_view kGuaranteed = "Guaranteed";

std::string Cores(const Quantity& cpu) {
  const std::int64_t milli = cpu.MilliValue();
  if (milli % 1000 != 0) return cpu.text();
  return cpu.text() + (milli == 1000 ? " core" : " cores");
}

// Collects the text of a remark, such as "cpu and memory of " and "8 cores, 80Gi".
struct Wording {
  void Add(Compute resource, const Quantity& size) {
    what += (what.empty() ? "" : " and ") + std::string(NameOf(resource));
    sizes += (sizes.empty() ? "" : ", ") + (resource == Compute::kCpu ? Cores(size) : size.text());
  }

  std::string what;
  std::string sizes;
};

// kubelet believes the class that is stored, whatever the resources are.
void ForgetClass(Draft& draft, Remarks& remarks) {
  const std::string& written = draft.workload().qos_class;
  if (written.empty()) return;
  remarks.Changed("status.qosClass " + written + " removed: the API server computes it");
  draft.RemoveQosClass();
}

// For a pod that is Guaranteed by its resources.
std::vector<Objection> ClassObjections(const model::Workload& workload) {
  const std::string& written = workload.qos_class;
  if (written.empty() || written == kGuaranteed) return {};
  return {{.field = "status.qosClass",
           .reason = "is " + written + ", which the resources contradict",
           .advice = "leave it out"}};
}

bool LacksAny(const model::ResourceRequirements& resources) {
  return std::ranges::any_of(kCompute,
                             [&](Compute resource) { return IsMissing(resources, resource); });
}

// What only a LimitRange requests is missing all the same.
bool LacksLimits(const model::PodTemplate& pod) {
  if (pod.resources) return LacksAny(*pod.resources);
  const LimitRangerDefaults defaults(pod.annotations);
  return std::ranges::any_of(pod.containers, [&](const model::Container& container) {
    return std::ranges::any_of(kCompute, [&](Compute resource) {
      return IsMissing(container.resources, resource) ||
             defaults.HasNothingButRequest(container, resource);
    });
  });
}

}  // namespace

GuaranteedQosPolicy::GuaranteedQosPolicy(const PolicyContext& context,
                                         const GuaranteedQosConfig& config)
    : catalog_(context.catalog),
      unknown_(context),
      config_(config),
      models_annotation_(model::kAcceleratorsAnnotation.Below(context.prefix)),
      retryless_annotation_(model::kRetrylessAnnotation.Below(context.prefix)) {}

bool GuaranteedQosPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  ForgetClass(draft, remarks);
  if (draft.pod().resources) {
    EqualizePod(config_.cpu, draft, remarks);
  } else {
    GroupedRemarks grouped;
    EqualizeContainers(config_, draft, grouped);
    grouped.WriteTo(remarks);
  }
  if (MayFill(draft.pod()) && LacksLimits(draft.pod())) {
    draft.pod().resources ? FillPod(draft, remarks) : FillContainers(draft, remarks);
  }
  MarkRetryless(draft, remarks);
  return IsGuaranteed(draft.pod()) || MayLackLimits(request, draft.workload());
}

// This policy cannot see what resources a claim or a part of a device brings with it, so it sets no
// defaults for such pods, unless the shares of all claims that containers use are configured.
bool GuaranteedQosPolicy::MayFill(const model::PodTemplate& pod) const {
  if (config_.missing_limits != MissingLimits::kDefault) return false;
  if (!unknown_.AskedByAnnotation(pod).empty()) return false;
  if (!pod.has_claims) return true;
  const DeviceShares shares = SharesOf(pod);
  return !config_.claims.empty() &&
         std::ranges::all_of(pod.containers, [&shares](const model::Container& container) {
           return container.claims.empty() || shares.Of(container, Compute::kCpu).has_value();
         });
}

DeviceShares GuaranteedQosPolicy::SharesOf(const model::PodTemplate& pod) const {
  return {catalog_, model::Find(pod.annotations, models_annotation_).value_or(""), &unknown_,
          config_.claims};
}

void GuaranteedQosPolicy::FillContainers(Draft& draft, Remarks& remarks) const {
  const model::PodTemplate pod = WithoutDefaultRequests(draft.pod());
  const DeviceShares shares = SharesOf(pod);
  const DefaultSizes sizes(pod, shares, config_);
  const std::size_t before = draft.writes();
  GroupedRemarks grouped;
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    Wording wording;
    for (const Compute resource : kCompute) {
      const std::optional<Amount> size = sizes.Of(i, resource);
      if (!size || !IsMissing(pod.containers[i].resources, resource)) continue;
      // What the LimitRange requests is at least its minimum, below which the pod is rejected.
      const Quantity* floor = Given(draft.pod().containers[i].resources.requests, resource);
      const Quantity quantity =
          QuantityOf(resource, floor == nullptr ? *size : std::max(*size, floor->amount()));
      draft.SetRequest(i, NameOf(resource), quantity);
      draft.SetLimit(i, NameOf(resource), quantity);
      wording.Add(resource, quantity);
    }
    if (wording.what.empty()) continue;
    grouped.Add(wording.what + " of ", pod.containers[i].name,
                " set to " + wording.sizes + " (" + sizes.ReasonOf(i) + ")" + std::string(kAdvice));
  }
  grouped.WriteTo(remarks);
  // Containers with nothing but such devices get no size, and are objected to.
  const std::string device(unknown_.In(pod));
  if (device.empty() || draft.writes() == before) return;
  remarks.Noted("the default sizes leave out " + device + ", which the catalogue lacks");
}

void GuaranteedQosPolicy::FillPod(Draft& draft, Remarks& remarks) const {
  const model::PodTemplate& pod = draft.pod();
  const DeviceShares shares = SharesOf(pod);
  Wording wording;
  for (const Compute resource : kCompute) {
    const std::optional<Amount> size = DefaultPodSize(pod, shares, config_, resource);
    if (!size || !IsMissing(*pod.resources, resource)) continue;
    const Quantity quantity =
        QuantityOf(resource, std::max(*size, LeastForContainers(pod, resource)));
    draft.SetPodRequest(NameOf(resource), quantity);
    draft.SetPodLimit(NameOf(resource), quantity);
    wording.Add(resource, quantity);
  }
  if (wording.what.empty()) return;
  remarks.Changed(wording.what + " of spec.resources set to " + wording.sizes +
                  std::string(kAdvice));
}

void GuaranteedQosPolicy::MarkRetryless(Draft& draft, Remarks& remarks) const {
  const auto& job = draft.workload().job;
  if (!job) return;
  const bool retryless = config_.missing_limits == MissingLimits::kAllowRetryless &&
                         IsRunByKubernetes(*job) && LacksLimits(draft.pod());
  if (retryless) {
    draft.SetAnnotation(Metadata::kPods, retryless_annotation_, "true");
  } else if (model::Find(draft.pod().annotations, retryless_annotation_)) {
    remarks.Changed(retryless_annotation_ + " removed: only Berth sets it, on Jobs without limits");
    draft.RemoveAnnotation(Metadata::kPods, retryless_annotation_);
  }
}

bool GuaranteedQosPolicy::MayLackLimits(const Request& request,
                                        const model::Workload& workload) const {
  if (config_.missing_limits != MissingLimits::kAllowRetryless) return false;
  const bool marked = IsMarkedRetryless(workload.pod, retryless_annotation_);
  if (workload.is_pod()) {
    // A kind named Job in another group may retry, and Berth has not removed a mark of its author.
    const model::OwnerReference* owner = ControllingOwner(workload);
    return marked && request.controller == "Job" && owner != nullptr && model::IsJob(*owner);
  }
  // In a namespace that only warns, nobody marks a Job.
  return workload.job && IsRunByKubernetes(*workload.job) &&
         (marked || request.mode != Mode::kEnforce);
}

std::vector<Objection> GuaranteedQosPolicy::Judge(const Request& request,
                                                  const model::Workload& workload) const {
  if (IsGuaranteed(workload.pod)) return ClassObjections(workload);
  return QosObjections(workload, {.may_lack_limits = MayLackLimits(request, workload),
                                  .missing_limits = config_.missing_limits,
                                  .unknown_device = unknown_.In(workload.pod)});
}

}  // namespace berth::policies::admission
