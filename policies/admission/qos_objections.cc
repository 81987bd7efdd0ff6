#include "policies/admission/qos_objections.h"

#include <string>
#include <string_view>

#include "policies/admission/compute.h"

namespace berth::policies::admission {

using model::Quantity;

namespace {

// Limits the work of comparing the objections to two states of an object.
constexpr std::size_t kMostCompared = 100;

// What to write if limits are missing. Depends on why they are not filled in.
std::string AdviceFor(const model::Workload& workload, const QosJudgement& judgement) {
  if (workload.pod.has_claims) {
    return "write limits: there is no default for claimed devices";
  }
  if (!judgement.unknown_device.empty()) {
    return "write limits: there is no default for " + std::string(judgement.unknown_device) +
           ", which the catalogue lacks";
  }
  if (judgement.missing_limits == MissingLimits::kAllowRetryless) {
    return "write limits, such as cpu: \"4\", memory: 16Gi, or measure the need with a Job, which "
           "may run without limits";
  }
  return "write limits, such as cpu: \"4\", memory: 16Gi";
}

class Objections {
 public:
  Objections(const model::Workload& workload, QosJudgement judgement)
      : judgement_(judgement), advice_(AdviceFor(workload, judgement)) {}

  bool IsFull() const { return found_.size() >= kMostCompared; }

  // `field` is the path of the resources.
  template <typename Request>
  void Judge(const model::ResourceRequirements& resources, Request request,
             const std::string& field) {
    const bool lacks_cpu = Lacks(resources, Compute::kCpu);
    const bool lacks_memory = Lacks(resources, Compute::kMemory);
    if (lacks_cpu && lacks_memory) {
      ObjectToMissing("cpu and memory", field);
      return;
    }
    for (const Compute resource : kCompute) {
      if (Lacks(resources, resource)) {
        ObjectToMissing(NameOf(resource), field);
      } else {
        JudgeRequest(request(resource), *Given(resources.limits, resource), resource, field);
      }
    }
  }

  std::vector<Objection> Take() { return std::move(found_); }

 private:
  static bool Lacks(const model::ResourceRequirements& resources, Compute resource) {
    const Quantity* limit = Given(resources.limits, resource);
    return limit == nullptr || limit->Sign() < 0;
  }

  void ObjectToMissing(std::string_view what, const std::string& field) {
    if (judgement_.may_lack_limits) return;
    found_.push_back({field + ".limits", "lacks " + std::string(what), advice_});
  }

  void JudgeRequest(const Quantity* request, const Quantity& limit, Compute resource,
                    const std::string& field) {
    if (request != nullptr && *request == limit) return;
    const bool above = request != nullptr && limit < *request;
    found_.push_back({field + ".requests." + std::string(NameOf(resource)),
                      above ? "is above the limit" : "is not the same as the limit",
                      above ? "write " + request->text() + " as the limit, or " + limit.text() +
                                  " as the request"
                            : "write " + limit.text() + ", as the limit"});
  }

  const QosJudgement judgement_;
  const std::string advice_;
  std::vector<Objection> found_;
};

}  // namespace

std::vector<Objection> QosObjections(const model::Workload& workload, QosJudgement judgement) {
  Objections objections(workload, judgement);
  const std::string spec = PodSpecField(workload);
  if (workload.pod.resources) {
    const model::ResourceRequirements& resources = *workload.pod.resources;
    objections.Judge(
        resources, [&](Compute resource) { return Given(resources.requests, resource); },
        spec + ".resources");
    return objections.Take();
  }
  for (const model::Container& container : workload.pod.containers) {
    if (objections.IsFull()) break;
    objections.Judge(
        container.resources, [&](Compute resource) { return RequestOf(container, resource); },
        spec + "." + FieldOf(container) + ".resources");
  }
  return objections.Take();
}

}  // namespace berth::policies::admission
