#include "model/accelerator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "model/compute_size.h"
#include "model/label.h"
#include "re2/re2.h"

namespace berth::model {
namespace {

constexpr std::size_t kMaxEntries = std::numeric_limits<AcceleratorCatalog::Index>::max();

std::unique_ptr<re2::RE2> Compile(const std::string& pattern) {
  // A bad pattern is reported to the user, so RE2 need not log it.
  return std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet);
}

void ValidateMatcher(const NodeMatcher& matcher, const std::string& path,
                     std::vector<FieldError>& errors) {
  if (!IsQualifiedName(matcher.label)) {
    errors.push_back(
        {path + ".label", fmt::format("\"{}\" is not the name of a label; write one such as "
                                      "\"nvidia.com/gpu.product\"",
                                      matcher.label)});
  }
  if (matcher.matches.empty()) {
    errors.push_back({path + ".matches", "is empty; write \".*\" for every value"});
    return;
  }
  const auto pattern = Compile(matcher.matches);
  if (!pattern->ok()) {
    errors.push_back(
        {path + ".matches", fmt::format("\"{}\" is not an RE2 expression: {}; the syntax is at "
                                        "https://github.com/google/re2/wiki/Syntax",
                                        matcher.matches, pattern->error())});
  }
}

void ValidateShare(const DeviceShare& share, const std::string& path,
                   std::vector<FieldError>& errors) {
  if (share.cpu) {
    RequireOk(
        CheckWholeCpuSize(share.cpu, "the share of one device, such as \"4\", or leave it out"),
        path + ".cpu", errors);
  }
  if (share.memory) {
    RequireOk(
        CheckMemorySize(share.memory, "the share of one device, such as \"40Gi\", or leave it out"),
        path + ".memory", errors);
  }
}

void ValidateResource(const std::string& resource, const std::string& path,
                      std::vector<FieldError>& errors) {
  if (IsExtendedResourceName(resource)) return;
  errors.push_back({path, fmt::format("\"{}\" is not an extended resource; write <domain>/<name>, "
                                      "such as \"nvidia.com/gpu\"",
                                      resource)});
}

void ValidateSlice(const DeviceSlice& slice, const std::string& whole, const std::string& path,
                   std::vector<FieldError>& errors) {
  ValidateResource(slice.resource, path + ".resource", errors);
  if (slice.resource == whole) {
    errors.push_back({path + ".resource",
                      fmt::format("\"{}\" is the resource of whole devices; write that of a part "
                                  "of one, such as \"nvidia.com/mig-1g.5gb\"",
                                  slice.resource)});
  }
  if (slice.per_device >= 1) return;
  errors.push_back(
      {path + ".perDevice",
       "is less than 1; write how many slices of this size a device holds, such as 8"});
}

void ValidateSpec(const AcceleratorSpec& spec, const std::string& path,
                  std::vector<FieldError>& errors) {
  if (!IsLabelValue(spec.name)) {
    errors.push_back(
        {path + ".name", fmt::format("\"{}\" is not a valid label value; write at most 63 letters, "
                                     "digits, '-', '_' or '.', with a letter or digit at both ends",
                                     spec.name)});
  }
  ValidateResource(spec.resource, path + ".resource", errors);
  for (std::size_t i = 0; i < spec.slices.size(); ++i) {
    ValidateSlice(spec.slices[i], spec.resource, fmt::format("{}.slices[{}]", path, i), errors);
  }
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    ValidateMatcher(spec.nodes[i], fmt::format("{}.nodes[{}]", path, i), errors);
  }
  if (spec.memory) {
    RequireOk(
        CheckMemorySize(spec.memory, "the memory of one device, such as \"40Gi\", or leave it out"),
        path + ".memory", errors);
  }
  if (!(spec.performance > 0 && std::isfinite(spec.performance))) {
    errors.push_back({path + ".performance",
                      "is not a number above 0; write 1.0 for the slowest accelerator, 2.5 for one "
                      "that is two and a half times as fast"});
  }
  ValidateShare(spec.share, path + ".share", errors);
}

/// Returns the index of the first entry with that name, or specs.size().
std::size_t Position(const std::vector<AcceleratorSpec>& specs, std::string_view name) {
  const auto it =
      std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; });
  return static_cast<std::size_t>(it - specs.begin());
}

std::vector<std::string> DistinctResources(const std::vector<AcceleratorSpec>& specs) {
  std::vector<std::string> resources;
  for (const AcceleratorSpec& spec : specs) {
    resources.push_back(spec.resource);
    for (const DeviceSlice& slice : spec.slices) resources.push_back(slice.resource);
  }
  std::sort(resources.begin(), resources.end());
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  return resources;
}

}  // namespace

std::int32_t PartsPerDevice(const AcceleratorSpec& spec, std::string_view resource) {
  if (spec.resource == resource) return 1;
  const auto slice = std::ranges::find(spec.slices, resource, &DeviceSlice::resource);
  return slice == spec.slices.end() ? 0 : slice->per_device;
}

bool HasDevicesOf(const AcceleratorSpec& spec, const Resources& amounts) {
  return std::ranges::any_of(amounts, [&spec](const Resources::Entry& entry) {
    return entry.second > 0 && PartsPerDevice(spec, entry.first) > 0;
  });
}

std::vector<FieldError> Validate(const std::vector<AcceleratorSpec>& specs) {
  std::vector<FieldError> errors;
  if (specs.size() > kMaxEntries) {
    errors.push_back({"", fmt::format("more than {} entries", kMaxEntries)});
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string path = fmt::format("[{}]", i);
    ValidateSpec(specs[i], path, errors);
    const std::size_t first = Position(specs, specs[i].name);
    if (first < i) {
      errors.push_back({path + ".name", fmt::format("\"{}\" is already the name of entry [{}]",
                                                    specs[i].name, first)});
    }
  }
  return errors;
}

absl::StatusOr<AcceleratorCatalog> AcceleratorCatalog::Make(std::vector<AcceleratorSpec> specs) {
  const std::vector<FieldError> errors = Validate(specs);
  if (!errors.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", errors.front().path, errors.front().message));
  }
  return AcceleratorCatalog(std::move(specs));
}

AcceleratorCatalog::AcceleratorCatalog(std::vector<AcceleratorSpec> specs)
    : specs_(std::move(specs)), resources_(DistinctResources(specs_)) {
  for (const AcceleratorSpec& spec : specs_) {
    auto& patterns = patterns_.emplace_back();
    for (const NodeMatcher& matcher : spec.nodes) patterns.push_back(Compile(matcher.matches));
  }
}

AcceleratorCatalog::AcceleratorCatalog(AcceleratorCatalog&&) noexcept = default;
AcceleratorCatalog& AcceleratorCatalog::operator=(AcceleratorCatalog&&) noexcept = default;
AcceleratorCatalog::~AcceleratorCatalog() = default;

bool AcceleratorCatalog::Recognises(Index index, const Node& node) const {
  const AcceleratorSpec& spec = (*this)[index];
  if (spec.nodes.empty()) {
    return node.capacity.Has(spec.resource) || node.allocatable.Has(spec.resource);
  }
  const auto& patterns = patterns_[static_cast<std::size_t>(index)];
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const std::optional<std::string_view> value = Find(node.labels, spec.nodes[i].label);
    if (value && re2::RE2::PartialMatch(*value, *patterns[i])) return true;
  }
  return false;
}

AcceleratorCatalog::Index AcceleratorCatalog::Match(const Node& node) const {
  for (Index i = 0; std::cmp_less(i, specs_.size()); ++i) {
    if (Recognises(i, node)) return i;
  }
  return kNone;
}

AcceleratorCatalog::Index AcceleratorCatalog::HiddenBy(Index entry, const Node& node) const {
  if (entry == kNone) return kNone;
  for (auto i = static_cast<Index>(entry + 1); std::cmp_less(i, specs_.size()); ++i) {
    const AcceleratorSpec& later = (*this)[i];
    const bool is_rest = later.nodes.empty() && later.resource == (*this)[entry].resource;
    if (!is_rest && Recognises(i, node)) return i;
  }
  return kNone;
}

AcceleratorCatalog::Index AcceleratorCatalog::IndexOf(std::string_view name) const {
  const std::size_t position = Position(specs_, name);
  return position < specs_.size() ? static_cast<Index>(position) : kNone;
}

bool AcceleratorCatalog::HasResource(std::string_view resource) const {
  return std::binary_search(resources_.begin(), resources_.end(), resource);
}

std::vector<std::string_view> AcceleratorCatalog::names() const {
  std::vector<std::string_view> names;
  for (const AcceleratorSpec& spec : specs_) names.push_back(spec.name);
  return names;
}

bool AcceleratorCatalog::ReadsLabel(std::string_view label) const {
  return std::ranges::any_of(specs_, [label](const AcceleratorSpec& spec) {
    return std::ranges::find(spec.nodes, label, &NodeMatcher::label) != spec.nodes.end();
  });
}

bool AcceleratorCatalog::RecognisesLabel(std::string_view label, std::string_view value) const {
  for (std::size_t entry = 0; entry < specs_.size(); ++entry) {
    const std::vector<NodeMatcher>& matchers = specs_[entry].nodes;
    for (std::size_t i = 0; i < matchers.size(); ++i) {
      const bool reads = matchers[i].label == label;
      if (reads && re2::RE2::PartialMatch(value, *patterns_[entry][i])) return true;
    }
  }
  return false;
}

}  // namespace berth::model
