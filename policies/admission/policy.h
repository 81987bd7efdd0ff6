#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/accelerator.h"
#include "policies/admission/draft.h"
#include "policies/admission/request.h"
#include "policies/policy_list.h"

// The interface of admission policies, and what several of them need. AdmissionEngine calls them;
// see engine.h for the order and for modes.

namespace berth::policies::admission {

/// What a policy tells the user about one object. Each remark is a clause without a full stop. The
/// engine puts a prefix before it, which says whether Berth did it or would do it.
/// Thread-compatible.
class Remarks {
 public:
  /// A change and its reason: "cpu and memory of 'train' set to 8 cores, 80Gi (2 x V100); set own
  /// limits".
  void Changed(std::string what) { changes_.push_back(std::move(what)); }

  /// Something that the user should know although nothing changed.
  void Noted(std::string what) { notes_.push_back(std::move(what)); }

  /// In the order of the calls.
  const std::vector<std::string>& changes() const { return changes_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> changes_;
  std::vector<std::string> notes_;
};

/// A reason to deny an object.
struct Objection {
  /// The path from the top of the object: "spec.template.spec.containers[0].resources".
  std::string field;
  /// What is wrong with the field: "has no memory limit".
  std::string reason;
  /// What to write instead: "write resources.limits.memory".
  std::string advice;
  /// How bad it is; more is worse. An update is denied for an old objection only if it raises the
  /// degree.
  std::int64_t degree = 0;

  friend bool operator==(const Objection&, const Objection&) = default;
};

/// What a policy is made from, besides its own config. Everything in it outlives the policy.
struct PolicyContext {
  const model::AcceleratorCatalog& catalog;
  /// The prefix of Berth's labels and annotations, "berth.dev".
  const std::string& prefix;
  /// AdmissionConfig::ordinary_resources and fraction_annotations.
  std::span<const std::string> ordinary_resources = {};
  std::span<const std::string> fraction_annotations = {};
};

/// One way to make pods and Jobs safe. Owned by an AdmissionEngine. Immutable after construction,
/// so thread-safe. Policies do no I/O and read no clock.
///
/// Besides this interface, the list in policies.h requires of a policy:
///   static constexpr std::string_view kName        in warnings, audit annotations and metrics
///   static constexpr std::string_view kConfigKey   its block under admission.policies
///   static constexpr std::string_view kHelp        describes that block in the documentation
///   static constexpr Mode kDefaultMode             the mode if none is configured
///   struct Config                                  with VisitFields and Validate beside it
///   a constructor from (const PolicyContext&, const Config&)
class AdmissionPolicy {
 public:
  virtual ~AdmissionPolicy() = default;

  /// Changes the workload, which is a pod or Job that is being created or the template of one. Must
  /// be idempotent: applied to its own result, it changes nothing and returns the same.
  ///
  /// Returns whether the policy holds for the workload: it was changed accordingly, or already
  /// complied.
  virtual bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const = 0;

  /// Returns what is wrong with the workload in its present state, whoever is responsible; empty if
  /// nothing is. The default never objects.
  virtual std::vector<Objection> Judge(const Request& request,
                                       const model::Workload& workload) const {
    static_cast<void>(request), static_cast<void>(workload);
    return {};
  }

  /// Returns what is wrong with an update of a pod or Job, whatever Judge() says of its present
  /// state. `before` is the stored object. Both may be large objects of which nothing is read but
  /// the owners and the annotations of the pods. The default never objects.
  virtual std::vector<Objection> JudgeUpdate(const Request& request,
                                             const model::Workload& workload,
                                             const model::Workload& before) const {
    static_cast<void>(request), static_cast<void>(workload), static_cast<void>(before);
    return {};
  }

  /// Whether the policy is asked about DaemonSets and their pods, too. These are part of their
  /// nodes, so by default they are left alone.
  virtual bool ReachesDaemons() const { return false; }

  /// Is called before the next two, with all templates of the object. May set the fields of
  /// Workload that depend on all of them, but no others. The default sets nothing.
  virtual void SeeTogether(std::vector<model::Workload>& templates) const {
    static_cast<void>(templates);
  }

  /// Changes the template in an object of a configured kind (TemplateSpec) that is being created.
  /// Only the annotations of the pods may be changed there; nothing else would be stored. The
  /// default changes nothing.
  virtual void MutateTemplate(const Request& request, Draft& draft, Remarks& remarks) const {
    static_cast<void>(request), static_cast<void>(draft), static_cast<void>(remarks);
  }

  /// Returns what is wrong with the template in an object that makes pods and is itself never
  /// changed, such as a Deployment. In mode Enforce the object is denied for it, whereas what
  /// Judge() says only foretells what becomes of its pods. The default never objects.
  virtual std::vector<Objection> JudgeTemplate(const Request& request,
                                               const model::Workload& workload) const {
    static_cast<void>(request), static_cast<void>(workload);
    return {};
  }
};

/// Whether the policy of that name held for the stored object of an update when it was created.
bool WasApplied(std::string_view policy, const Request& request);

/// The path of the pods' spec in the workload: "spec", "spec.template.spec".
std::string PodSpecField(const model::Workload& workload);

/// The path of an annotation of the pods:
/// "spec.template.metadata.annotations[berth.dev/checkpoint]".
std::string PodAnnotationField(const model::Workload& workload, std::string_view annotation);

/// Adds a note if an annotation for pods is on the object that makes them, where nothing reads it.
void NoteIfMisplaced(const model::Workload& workload, std::string_view annotation,
                     Remarks& remarks);

/// Whether a container of the pod has a limit or request of the resource above zero.
bool AsksFor(const model::PodTemplate& pod, std::string_view resource);

/// The same for the device of a catalogue's entry: the resource is its own or that of a slice.
bool AsksFor(const model::PodTemplate& pod, const model::AcceleratorSpec& spec);

/// Whether the pod requests a resource of the catalogue.
bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog);

/// The same. Also adds a note if the pod requests none and has `annotation`, which then has no
/// effect.
bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog,
                         std::string_view annotation, Remarks& remarks);

}  // namespace berth::policies::admission
