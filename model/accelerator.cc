#include "model/accelerator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
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

void ValidateShare(const std::optional<Quantity>& share, const std::string& path,
                   std::string_view example, std::vector<FieldError>& errors) {
  if (!share || share->Sign() > 0) return;
  errors.push_back({path, fmt::format("\"{}\" is not more than 0; write the share of one device, "
                                      "such as \"{}\", or leave it out",
                                      share->text(), example)});
}

void ValidateSpec(const AcceleratorSpec& spec, const std::string& path,
                  std::vector<FieldError>& errors) {
  if (!IsLabelValue(spec.name)) {
    errors.push_back(
        {path + ".name", fmt::format("\"{}\" is not a valid label value; write at most 63 letters, "
                                     "digits, '-', '_' or '.', with a letter or digit at both ends",
                                     spec.name)});
  }
  if (!IsExtendedResourceName(spec.resource)) {
    errors.push_back({path + ".resource",
                      fmt::format("\"{}\" is not an extended resource; write <domain>/<name>, such "
                                  "as \"nvidia.com/gpu\"",
                                  spec.resource)});
  }
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    ValidateMatcher(spec.nodes[i], fmt::format("{}.nodes[{}]", path, i), errors);
  }
  if (spec.memory && spec.memory->Sign() <= 0) {
    errors.push_back({path + ".memory",
                      fmt::format("\"{}\" is not more than 0; write the memory of one device, such "
                                  "as \"40Gi\", or leave it out",
                                  spec.memory->text())});
  }
  if (!(spec.performance > 0 && std::isfinite(spec.performance))) {
    errors.push_back({path + ".performance",
                      "is not a number above 0; write 1.0 for the slowest accelerator, 2.5 for one "
                      "that is two and a half times as fast"});
  }
  ValidateShare(spec.share.cpu, path + ".share.cpu", "4", errors);
  ValidateShare(spec.share.memory, path + ".share.memory", "40Gi", errors);
}

/// Returns the index of the first entry with that name, or specs.size().
std::size_t Position(const std::vector<AcceleratorSpec>& specs, std::string_view name) {
  const auto it =
      std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; });
  return static_cast<std::size_t>(it - specs.begin());
}

std::vector<std::string> DistinctResources(const std::vector<AcceleratorSpec>& specs) {
  std::vector<std::string> resources;
  resources.reserve(specs.size());
  for (const AcceleratorSpec& spec : specs) resources.push_back(spec.resource);
  std::sort(resources.begin(), resources.end());
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  return resources;
}

DeviceShare Share(std::string_view cpu, std::string_view memory) {
  return {.cpu = Quantity::Parse(cpu).value(), .memory = Quantity::Parse(memory).value()};
}

/// Returns an entry for a GPU whose product label contains the word `product`, or whose label
/// "accelerator" is nvidia-tesla-<plain>.
AcceleratorSpec NvidiaSpec(std::string name, const std::string& product, const std::string& plain,
                           std::string_view memory, double performance, DeviceShare share) {
  return {.name = std::move(name),
          .resource = "nvidia.com/gpu",
          .nodes = {{"nvidia.com/gpu.product", "(?i)\\b" + product},
                    {"accelerator", "^nvidia-tesla-" + plain + "$"}},
          .memory = Quantity::Parse(memory).value(),
          .performance = performance,
          .share = std::move(share)};
}

AcceleratorSpec SpecByResource(std::string name, std::string resource, DeviceShare share) {
  return {.name = std::move(name),
          .resource = std::move(resource),
          .nodes = {},
          .memory = {},
          .share = std::move(share)};
}

}  // namespace

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

const std::vector<AcceleratorSpec>& AcceleratorCatalog::Defaults() {
  // The patterns for A100 and A30 end at a word boundary, because there are an A1000 and an A3000.
  // V100 has none, because a V100S is a V100.
  //
  // The shares fit these nodes: 8 V100, 36 cores and 384 GB; 4 A100, 128 cores and 1,024 GB; 6 A30,
  // 80 cores and 512 GB; 4 MN-Core, 48 cores and 384 GB. On each, the kubelet reserves a core and 4
  // GiB, and DaemonSets take a core and some GiB. The share of MN-Core 2 is the one on PFN's
  // computing platform.
  static const std::vector<AcceleratorSpec> specs = {
      NvidiaSpec("V100", "v100", "v100", "32Gi", 1.0, Share("4", "40Gi")),
      NvidiaSpec("A100", "a100\\b", "a100", "40Gi", 2.5, Share("31", "230Gi")),
      NvidiaSpec("A30", "a30\\b", "a30", "24Gi", 1.3, Share("13", "76Gi")),
      SpecByResource("MN-Core", "preferred.jp/mncore", Share("11", "85Gi")),
      SpecByResource("MN-Core2", "preferred.jp/mncore2", Share("7", "125Gi")),
  };
  return specs;
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
