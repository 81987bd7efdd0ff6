#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/config_field.h"
#include "model/node.h"
#include "model/quantity.h"

namespace re2 {
class RE2;
}

namespace berth::model {

/// One way to recognise the nodes of an accelerator: a label whose value matches.
struct NodeMatcher {
  std::string label;
  /// RE2 syntax, unanchored.
  std::string matches;
};

template <typename Visitor>
void VisitFields(Visitor& visit, NodeMatcher& matcher) {
  visit.Required("label", matcher.label, "Name of a node label");
  visit.Required("matches", matcher.matches, "RE2 expression that its value matches, unanchored");
}

/// What goes with one device for containers that set no limits of their own.
struct DeviceShare {
  std::optional<Quantity> cpu;
  std::optional<Quantity> memory;
};

template <typename Visitor>
void VisitFields(Visitor& visit, DeviceShare& share) {
  visit("cpu", share.cpu, "Cores; whole ones, so that kubelet can give them to the pod alone");
  visit("memory", share.memory, "Memory of the node, not of the device");
}

/// One entry of the catalogue, as users write it.
struct AcceleratorSpec {
  /// What users write, e.g. "A100"; a valid label value.
  std::string name;
  /// The extended resource that pods ask for, e.g. "nvidia.com/gpu".
  std::string resource;
  /// Any of them makes a node one of this accelerator. None: every node that lists the resource.
  std::vector<NodeMatcher> nodes;
  /// Memory of one device, used where a node has no usable label nvidia.com/gpu.memory.
  std::optional<Quantity> memory;
  /// Relative to the other entries of the resource; only their order and proportions matter.
  double performance = 1.0;
  /// A node's devices times this should fit what the node has for pods.
  DeviceShare share = {};
};

template <typename Visitor>
void VisitFields(Visitor& visit, AcceleratorSpec& spec) {
  visit.Required("name", spec.name, "What users write in berth.dev/accelerators");
  visit.Required("resource", spec.resource, "Extended resource that pods ask for");
  visit("nodes", spec.nodes, "Any of these labels tells the model; none: the resource alone does");
  visit("memory", spec.memory, "Of one device, where the node has no nvidia.com/gpu.memory label");
  visit("performance", spec.performance,
        "Of one device, relative to other entries of the resource, above 0: pods that name no "
        "model go to the slower ones first");
  visit(
      "share", spec.share,
      "What one device brings to containers without limits; as many of them as a node has devices "
      "should fit the node");
}

/// Everything that is wrong with a catalogue; paths begin with "[<entry>]".
std::vector<FieldError> Validate(const std::vector<AcceleratorSpec>& specs);

/// The catalogue of accelerators: which model a node has. Immutable, so thread-safe.
class AcceleratorCatalog {
 public:
  /// The position of an entry in the catalogue.
  using Index = std::int16_t;
  static constexpr Index kNone = -1;

  /// Compiles the matchers. The error is the first that Validate finds.
  static absl::StatusOr<AcceleratorCatalog> Make(std::vector<AcceleratorSpec> specs);

  /// The entries of a cluster of V100, A100, A30, MN-Core and MN-Core 2, recognised by the labels
  /// of GPU feature discovery or by their resource.
  static const std::vector<AcceleratorSpec>& Defaults();

  AcceleratorCatalog(AcceleratorCatalog&&) noexcept;
  AcceleratorCatalog& operator=(AcceleratorCatalog&&) noexcept;
  ~AcceleratorCatalog();

  /// The first entry that recognises the node, or kNone.
  Index Match(const Node& node) const;

  /// A later entry that recognises the node as well as `entry`, its Match, does; or kNone. One
  /// without matchers is no such entry where it has the same resource: it is what the others leave.
  Index HiddenBy(Index entry, const Node& node) const;

  /// The entry of that name (exact case), or kNone.
  Index IndexOf(std::string_view name) const;

  /// Whether some entry is asked for by that resource.
  bool HasResource(std::string_view resource) const;

  /// Of the entries, in their order.
  std::vector<std::string_view> names() const;

  /// Whether some entry tells its nodes by that label.
  bool ReadsLabel(std::string_view label) const;

  /// Whether a node of that label and value is one of some entry.
  bool RecognisesLabel(std::string_view label, std::string_view value) const;

  std::size_t size() const { return specs_.size(); }
  const AcceleratorSpec& operator[](Index index) const {
    return specs_[static_cast<std::size_t>(index)];
  }

  /// The resources of all entries, ascending, each once.
  const std::vector<std::string>& resources() const { return resources_; }

 private:
  explicit AcceleratorCatalog(std::vector<AcceleratorSpec> specs);
  bool Recognises(Index index, const Node& node) const;

  std::vector<AcceleratorSpec> specs_;
  std::vector<std::vector<std::unique_ptr<re2::RE2>>> patterns_;  // [entry][matcher]
  std::vector<std::string> resources_;
};

}  // namespace berth::model
