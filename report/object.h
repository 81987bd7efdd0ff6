#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/saturating.h"

// What is read of one object of a cluster for a report, and what enforcing would do with it. All
// types are plain values. Texts are as the object has them; see plain_text.h.

namespace berth::report {

/// What would become of an object if it were created again while its namespace enforces. In
/// ascending order of what its author notices.
enum class Effect : std::uint8_t {
  /// Berth leaves it alone: a pod of a DaemonSet, a mirror of a static pod, or what is being
  /// deleted.
  kLeftAlone,
  kUnchanged,
  /// Unchanged, with a remark: of a policy that only warns, or about something without effect.
  kWarned,
  /// Changed. What is only recorded, such as who created it, is no change.
  kChanged,
  /// Denied; of an object with templates, its pods would be.
  kDenied,
};

/// One sentence of one policy about an object.
struct Finding {
  /// The policy's name; lives as long as the program.
  std::string_view policy;
  /// kWarned, kChanged or kDenied.
  Effect effect = Effect::kWarned;
  /// In the words in which the author would hear of it.
  std::string text;
};

/// What enforcing would do with an object, and why.
struct Opinion {
  Effect effect = Effect::kUnchanged;
  std::vector<Finding> findings;

  /// Whether that policy would change the object.
  bool IsChangedBy(std::string_view policy) const {
    return effect == Effect::kChanged &&
           std::ranges::any_of(findings, [policy](const Finding& finding) {
             return finding.policy == policy && finding.effect == Effect::kChanged;
           });
  }
};

/// An amount of cpu, in thousandths of a core, and of memory, in bytes. Sums saturate at the limits
/// of int64.
struct Compute {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;

  Compute& operator+=(const Compute& other) {
    cpu = model::SaturatingAdd(cpu, other.cpu);
    memory = model::SaturatingAdd(memory, other.memory);
    return *this;
  }
  Compute& operator-=(const Compute& other) {
    cpu -= other.cpu;
    memory -= other.memory;
    return *this;
  }
  friend Compute operator+(Compute a, const Compute& b) { return a += b; }
  friend Compute operator-(Compute a, const Compute& b) { return a -= b; }
  friend bool operator==(const Compute&, const Compute&) = default;
};

/// What a pod that has not ended takes.
struct PodUse {
  /// The node that it is bound to; empty if it waits for one.
  std::string node;
  /// What it requests, and what it would request if it were created again.
  Compute now;
  Compute then;
  /// Of a pod that asks for accelerators: what the scheduling policies read of it, and
  /// SchedulingEngine::ShapeOf() it.
  std::optional<model::Pod> asking;
  std::string shape;
};

/// A pod, a Job, or an object with templates of pods.
struct JudgedObject {
  std::string kind;
  /// Whether it is neither a pod nor a Job of the group batch: Berth never changes it, only what is
  /// made of its templates.
  bool is_template = false;
  std::string namespace_name;
  std::string name;
  std::string uid;
  /// The UID of the object that controls it; empty if none does.
  std::string owner_uid;
  /// Whether it has ended: a pod that succeeded or failed, a Job that is complete or failed.
  bool ended = false;
  Opinion opinion;
  /// The opinion in a namespace that lets its pods onto nodes with accelerators, for an object that
  /// asks for that.
  std::optional<Opinion> where_allowed;
  /// Only of a pod that has not ended.
  std::optional<PodUse> use;
};

/// What a namespace's labels say of admission.
struct SeenNamespace {
  std::string name;
  /// The label `admission`: "enforce", "warn", "off", something else, or empty if it has none.
  std::string mode;
  /// Whether its pods may ask for nodes with accelerators.
  bool accelerator_nodes_allowed = false;
};

/// An object of another kind.
struct OtherObject {
  std::string kind;
  /// Why Berth would not review it although it may have pods; empty if it has none.
  std::string why;
};

/// One object.
using Seen =
    std::variant<model::Node, SeenNamespace, JudgedObject, kube::UnreadableObject, OtherObject>;

}  // namespace berth::report
