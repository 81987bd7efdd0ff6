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
#include "model/resources.h"

namespace re2 {
class RE2;
}

namespace berth::model {

/// One way to recognise the nodes of an accelerator: by a label whose value matches.
struct NodeMatcher {
  /// The full name of a node label, e.g. "nvidia.com/gpu.product".
  std::string label;
  /// An RE2 expression that matches the label's value or a part of it (unanchored).
  std::string matches;

  friend bool operator==(const NodeMatcher&, const NodeMatcher&) = default;
};

/// Declares the fields for the configuration; see config_field.h. The texts appear in its docs.
template <typename Visitor>
void VisitFields(Visitor& visit, NodeMatcher& matcher) {
  visit.Required("label", matcher.label, "Name of a node label");
  visit.Required("matches", matcher.matches, "RE2 expression that its value matches, unanchored");
}

/// What one device brings to containers that set no limits of their own. A plain value.
struct DeviceShare {
  /// Whole cores. nullopt if the device brings none.
  std::optional<Quantity> cpu;
  /// Bytes of the node's memory, not of the device's. nullopt if the device brings none.
  std::optional<Quantity> memory;

  friend bool operator==(const DeviceShare&, const DeviceShare&) = default;
};

/// Declares the fields for the configuration.
template <typename Visitor>
void VisitFields(Visitor& visit, DeviceShare& share) {
  visit("cpu", share.cpu, "Cores; a whole number, so that kubelet can reserve them for the pod");
  visit("memory", share.memory, "Memory of the node, not of the device; at least 1Mi");
}

/// A part of a device that pods ask for by a resource of its own, such as a MIG device. A plain
/// value.
struct DeviceSlice {
  /// The extended resource, e.g. "nvidia.com/mig-1g.5gb".
  std::string resource;
  /// By how much the share of a device is divided for the slice. At least 1.
  std::int32_t per_device = 1;

  friend bool operator==(const DeviceSlice&, const DeviceSlice&) = default;
};

/// Declares the fields for the configuration.
template <typename Visitor>
void VisitFields(Visitor& visit, DeviceSlice& slice) {
  visit.Required("resource", slice.resource, "Extended resource that pods ask for");
  visit("perDevice", slice.per_device,
        "The slice gets the share of a device divided by this, at least 1: how many slices of "
        "this size the memory of a device holds");
}

/// One entry of the catalogue, as users write it. A plain value.
struct AcceleratorSpec {
  /// The name that users write in annotations, e.g. "A100". A valid label value, unique in the
  /// catalogue.
  std::string name;
  /// The extended resource that pods request, e.g. "nvidia.com/gpu".
  std::string resource;
  /// Further resources, by which pods request a part of a device. A pod that requests one of them
  /// asks for this accelerator.
  std::vector<DeviceSlice> slices = {};
  /// A node that meets any of them has this accelerator. If empty, every node that lists the
  /// resource in its capacity or allocatable has it.
  std::vector<NodeMatcher> nodes;
  /// Bytes of one device. Counts only on nodes without a usable label nvidia.com/gpu.memory.
  std::optional<Quantity> memory;
  /// The speed of one device relative to the other entries of the resource. Only order and
  /// proportions matter. Greater than 0.
  double performance = 1.0;
  /// The share multiplied by a node's devices should fit what the node has for pods.
  DeviceShare share = {};

  friend bool operator==(const AcceleratorSpec&, const AcceleratorSpec&) = default;
};

/// Declares the fields for the configuration.
template <typename Visitor>
void VisitFields(Visitor& visit, AcceleratorSpec& spec) {
  visit.Required("name", spec.name, "What users write in berth.dev/accelerators");
  visit.Required("resource", spec.resource, "Extended resource that pods ask for");
  visit("slices", spec.slices,
        "Resources by which pods ask for a part of a device, such as those of MIG with the "
        "strategy mixed");
  visit("nodes", spec.nodes,
        "Labels that identify the model, each on its own; empty: the resource alone identifies it");
  visit("memory", spec.memory,
        "Memory of one device, at least 1Mi, for nodes without the label nvidia.com/gpu.memory");
  visit("performance", spec.performance,
        "Speed of one device, relative to other entries of the same resource, above 0: pods that "
        "name no model go to slower ones first");
  visit("share", spec.share,
        "What containers without limits get for each of their devices; the shares of all devices "
        "of a node should fit the node");
}

/// Into how many parts a device is divided where pods ask for it by `resource`: 1 for its own
/// resource, DeviceSlice::per_device for a slice of it, 0 for any other resource.
std::int32_t PartsPerDevice(const AcceleratorSpec& spec, std::string_view resource);

/// Whether `amounts` has more than 0 of the entry's own resource or of one of its slices: of what a
/// pod requests, that it holds devices or parts of them; of what a node's pods use, that one does.
bool HasDevicesOf(const AcceleratorSpec& spec, const Resources& amounts);

/// Returns everything that is wrong with a catalogue, in the order of the entries; empty if nothing
/// is. Paths begin with "[<entry>]".
std::vector<FieldError> Validate(const std::vector<AcceleratorSpec>& specs);

/// The catalogue of accelerators: recognises which model a node has, and which resources count.
/// Immutable, so thread-safe. Movable only; owners usually share it as std::shared_ptr<const
/// AcceleratorCatalog>.
///
/// Example:
///
///   const auto catalog = AcceleratorCatalog::Make(AcceleratorCatalog::Defaults());
///   if (!catalog.ok()) return catalog.status();
///   const AcceleratorCatalog::Index index = catalog->Match(node);
///   if (index != AcceleratorCatalog::kNone) Use((*catalog)[index].name);
class AcceleratorCatalog {
 public:
  /// The position of an entry in the catalogue. Earlier entries win.
  using Index = std::int16_t;
  /// Stands for no entry: the node has no accelerator of the catalogue.
  static constexpr Index kNone = -1;

  /// Compiles the matchers. Returns InvalidArgument with the first error of Validate(), if there is
  /// one.
  static absl::StatusOr<AcceleratorCatalog> Make(std::vector<AcceleratorSpec> specs);

  /// The entries for V100, A100, A30, MN-Core and MN-Core 2, then those for other accelerators that
  /// have a device plugin: see accelerator_defaults.cc. Valid until the process ends.
  static const std::vector<AcceleratorSpec>& Defaults();

  AcceleratorCatalog(AcceleratorCatalog&&) noexcept;
  AcceleratorCatalog& operator=(AcceleratorCatalog&&) noexcept;
  ~AcceleratorCatalog();

  /// Returns the first entry that recognises the node, or kNone.
  Index Match(const Node& node) const;

  /// Returns the first entry after `entry` that recognises the node too, or kNone. `entry` is the
  /// node's Match(). An entry without matchers that has the same resource does not count, because
  /// it is meant for the nodes that the other entries leave.
  Index HiddenBy(Index entry, const Node& node) const;

  /// Returns the entry with that name (case-sensitive), or kNone.
  Index IndexOf(std::string_view name) const;

  /// Whether pods request some entry, or a slice of it, by that resource.
  bool HasResource(std::string_view resource) const;

  /// The names of all entries, in the catalogue's order. Valid as long as the catalogue.
  std::vector<std::string_view> names() const;

  /// Whether some entry has a matcher for that label.
  bool ReadsLabel(std::string_view label) const;

  /// Whether some entry recognises nodes by that label with that value.
  bool RecognisesLabel(std::string_view label, std::string_view value) const;

  std::size_t size() const { return specs_.size(); }
  /// The entry at `index`, which must be in [0, size()).
  const AcceleratorSpec& operator[](Index index) const {
    return specs_[static_cast<std::size_t>(index)];
  }

  /// The resources of all entries and their slices in ascending order, each once.
  const std::vector<std::string>& resources() const { return resources_; }

 private:
  /// `specs` must have passed Validate().
  explicit AcceleratorCatalog(std::vector<AcceleratorSpec> specs);
  /// Whether the entry recognises the node, whatever entries come before it.
  bool Recognises(Index index, const Node& node) const;

  std::vector<AcceleratorSpec> specs_;
  std::vector<std::vector<std::unique_ptr<re2::RE2>>> patterns_;  // [entry][matcher], compiled
  /// Sorted, for HasResource().
  std::vector<std::string> resources_;
};

}  // namespace berth::model
