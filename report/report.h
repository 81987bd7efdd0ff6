#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "report/object.h"

// What a report says. All types are plain values; all texts have passed PlainText(), so they may be
// printed on a terminal.

namespace berth::report {

/// Objects by what would become of them.
struct EffectCounts {
  std::array<std::size_t, 5> of{};

  std::size_t& operator[](Effect effect) { return of[static_cast<std::size_t>(effect)]; }
  std::size_t operator[](Effect effect) const { return of[static_cast<std::size_t>(effect)]; }
  std::size_t Sum() const {
    std::size_t sum = 0;
    for (const std::size_t count : of) sum += count;
    return sum;
  }
  friend bool operator==(const EffectCounts&, const EffectCounts&) = default;
};

/// Pods, Jobs and objects with templates, such as CronJobs and Deployments.
struct ObjectCounts {
  EffectCounts pods;
  EffectCounts jobs;
  EffectCounts templates;
};

/// Whether the webhook is asked about a namespace.
enum class Standing : std::uint8_t {
  kAsked,
  /// By its label `admission: off`.
  kOff,
  /// By its name: kube-system, and those that the operator excludes.
  kExcluded,
};

struct NamespaceReport {
  std::string name;
  Standing standing = Standing::kAsked;
  /// The value of its label `admission`; empty if it has none, or was not seen.
  std::string label;
  /// What enforcing would do. In a namespace that the webhook is not asked about: nothing, so its
  /// objects are left alone.
  ObjectCounts objects;
  /// How many objects each policy would deny; one may be denied by several.
  std::map<std::string, std::size_t> denied_by;
  /// Pods that run on a node where Berth would not put them now.
  std::size_t refused = 0;
  std::size_t moved = 0;
};

/// What one policy says about several objects.
struct FindingReport {
  std::string policy;
  Effect effect = Effect::kWarned;
  /// The sentence about the first of them, and the part of it that says what to write.
  std::string says;
  std::string write;
  /// Objects without an owner, or owners of them as far as they are known: how many manifests there
  /// are to change.
  std::size_t workloads = 0;
  std::size_t pods = 0;
  std::size_t jobs = 0;
  std::size_t templates = 0;
  /// Up to three, of different workloads: "vision/Job train".
  std::vector<std::string> examples;
};

/// The nodes of one accelerator, or those without one.
struct PoolReport {
  /// The catalogue's name; empty for nodes without accelerator.
  std::string accelerator;
  std::size_t nodes = 0;
  /// What the nodes have for pods.
  Compute allocatable;
  /// What their pods request.
  Compute now;
  /// What they would if all of them were created again, and went where Berth lets them. Pods that
  /// are kept off nodes with accelerators count in the pool without.
  Compute then;
  /// Nodes whose pods request more than they have, now and then. The latter are those that do not
  /// now.
  std::size_t crowded_now = 0;
  std::size_t crowded_then = 0;
  /// Some of the latter, and by what their pods exceed them.
  std::vector<std::string> examples;
};

/// Pods that run on nodes that Berth would refuse to them now, for one reason.
struct RefusedReport {
  /// As in kube-scheduler's event, and for lists.
  std::string reason;
  std::string summary;
  std::size_t pods = 0;
  /// Up to three: "vision/train-0 on gpu-7".
  std::vector<std::string> examples;
};

/// Pods that ask for no accelerator and run on nodes with one kind of them.
struct MovedReport {
  std::string accelerator;
  std::size_t pods = 0;
  std::size_t nodes = 0;
  /// What they request there.
  Compute now;
  std::vector<std::string> examples;
};

/// Nodes that a condition excludes now.
struct ExcludedReport {
  std::string condition;
  /// The pool; empty for nodes without accelerator.
  std::string accelerator;
  /// The resources that the rule is for; empty for all pods.
  std::vector<std::string> resources;
  std::size_t nodes = 0;
  std::int64_t devices = 0;
  std::vector<std::string> examples;
};

/// One object with its fate, for a list of all of them.
struct ObjectReport {
  std::string namespace_name;
  std::string kind;
  std::string name;
  Effect effect = Effect::kUnchanged;
  /// The policies that have something to say about it.
  std::vector<std::string_view> policies;
  /// Of a pod that is bound: its node, and why Berth would not put it there now. The latter is
  /// empty if it would.
  std::string node;
  std::string refused;
  bool moved = false;
};

/// Objects that could not be read.
struct UnreadableReport {
  std::size_t count = 0;
  /// The first of them: "Pod vision/train-0: spec.containers: expected an array, got string".
  std::vector<std::string> examples;
};

/// Objects of a kind that Berth has no rules for.
struct OtherKindReport {
  std::string kind;
  std::size_t count = 0;
  /// Why their pods are not foretold, and what to write; empty if they have no pods.
  std::string why;
};

struct Report {
  /// As of when conditions were judged.
  model::Time time = model::kNoTime;
  /// What was read.
  std::size_t nodes = 0;
  std::size_t namespaces = 0;
  /// Of the pods and Jobs those that have ended.
  std::size_t ended = 0;
  /// Sentences about what was not seen, and what that means.
  std::vector<std::string> notes;
  UnreadableReport unreadable;
  std::vector<OtherKindReport> other_kinds;

  ObjectCounts objects;
  /// Those with most to change first, then by name.
  std::vector<NamespaceReport> by_namespace;
  /// The most frequent ones, and how many different ones there are.
  std::vector<FindingReport> findings;
  std::size_t different_findings = 0;
  /// In the catalogue's order, the nodes without accelerator last. Only pools with nodes.
  std::vector<PoolReport> pools;
  /// What pods request that wait for a node.
  std::size_t waiting = 0;
  Compute waiting_now;
  Compute waiting_then;
  std::vector<RefusedReport> refused;
  std::vector<MovedReport> moved;
  std::vector<ExcludedReport> excluded;
  /// Configured conditions that no node publishes, although a detector that works would.
  std::vector<std::string> silent_conditions;
  /// In the order in which they were read.
  std::vector<ObjectReport> all;
};

}  // namespace berth::report
