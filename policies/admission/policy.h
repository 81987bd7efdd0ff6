#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/accelerator.h"
#include "model/config_field.h"
#include "policies/admission/draft.h"
#include "policies/admission/request.h"

namespace berth::policies::admission {

/// What a policy tells the user about one object: clauses without a full stop, which the engine
/// puts behind a prefix that says whether it is so or would be. Thread-compatible.
class Remarks {
 public:
  /// A change and its reason: "cpu and memory of 'train' set to 8 cores, 80Gi (2 x V100); set
  /// own limits".
  void Changed(std::string what) { changes_.push_back(std::move(what)); }

  /// What the user should know though nothing changed.
  void Noted(std::string what) { notes_.push_back(std::move(what)); }

  const std::vector<std::string>& changes() const { return changes_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> changes_;
  std::vector<std::string> notes_;
};

/// Why an object cannot be as it is.
struct Objection {
  /// From the top of the object: "spec.template.spec.containers[0].resources".
  std::string field;
  /// "has no memory limit".
  std::string reason;
  /// What to write instead: "write resources.limits.memory".
  std::string advice;
  /// How bad it is, where more is worse: an update that raises it is denied.
  std::int64_t degree = 0;

  friend bool operator==(const Objection&, const Objection&) = default;
};

/// What a policy is made from, besides its own config. Lives as long as the policy.
struct PolicyContext {
  const model::AcceleratorCatalog& catalog;
  /// Prefix of Berth's labels and annotations, "berth.dev".
  const std::string& prefix;
};

/// One way to make pods and Jobs safe. Immutable once made, so thread-safe.
///
/// Besides this interface a policy has, for the list in policies.h:
///   static constexpr std::string_view kName        in warnings, audit annotations and metrics
///   static constexpr std::string_view kConfigKey   its block under admission.policies
///   static constexpr std::string_view kHelp        of that block
///   static constexpr Mode kDefaultMode
///   struct Config                                  with VisitFields and Validate beside it
///   a constructor from (const PolicyContext&, const Config&)
class AdmissionPolicy {
 public:
  virtual ~AdmissionPolicy() = default;

  /// Makes the workload, a pod or Job that is being created or stands for one, what the policy
  /// wants it to be. What it makes it leaves alone when it sees it again. Whether the policy holds
  /// for this workload: it was made so now, or found so; the same of its own result.
  virtual bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const = 0;

  /// What is wrong with the workload as it is, whoever made it so.
  virtual std::vector<Objection> Judge(const Request& request,
                                       const model::Workload& workload) const {
    static_cast<void>(request), static_cast<void>(workload);
    return {};
  }
};

/// Where the pods' spec is within the workload: "spec", "spec.template.spec".
std::string PodSpecField(const model::Workload& workload);

/// Where an annotation of the pods is: "spec.template.metadata.annotations[berth.dev/checkpoint]".
std::string PodAnnotationField(const model::Workload& workload, std::string_view annotation);

/// Notes that an annotation for pods stands on what makes them instead, where nothing reads it.
void NoteIfMisplaced(const model::Workload& workload, std::string_view annotation,
                     Remarks& remarks);

/// Whether a container of the pod has a limit or request of the resource above zero.
bool AsksFor(const model::PodTemplate& pod, std::string_view resource);

/// Whether a pod asks for a resource of the catalogue.
bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog);

/// The same; notes of a pod that asks for none that an annotation about accelerators has no effect.
bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog,
                         std::string_view annotation, Remarks& remarks);

/// The config of a policy that has none.
struct NoConfig {};

template <typename Visitor>
void VisitFields(Visitor&, NoConfig&) {}

inline std::vector<model::FieldError> Validate(const NoConfig&) { return {}; }

}  // namespace berth::policies::admission
