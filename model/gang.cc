#include "model/gang.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "model/annotation.h"
#include "model/avoid.h"
#include "model/label.h"
#include "model/stable_hash.h"
#include "model/utf8.h"

namespace berth::model {

namespace {

constexpr std::string_view kPodsOfEviction = " pods=";

// The longest name of an API object.
constexpr std::size_t kMaxGangName = 253;

// A name in an error: somebody may have written 200 KiB.
std::string Quoted(std::string_view text) {
  constexpr std::size_t kMost = 64;
  return text.size() > kMost ? fmt::format("'{}...'", WholeCharacters(text, kMost))
                             : fmt::format("'{}'", text);
}

absl::Status Missing(const std::string& missing, const std::string& present,
                     std::string_view advice) {
  return absl::InvalidArgumentError(
      fmt::format("{} is missing although {} is there; {}", missing, present, advice));
}

absl::StatusOr<std::string> NameFrom(std::string_view text, const std::string& annotation) {
  const std::string_view name = Trim(text);
  if (IsGangName(name)) return std::string(name);
  return absl::InvalidArgumentError(
      fmt::format("{} {} is not a name; write up to 253 letters, digits, '-', '_' and '.', the "
                  "same on all pods of the gang",
                  annotation, Quoted(name)));
}

absl::StatusOr<std::string> TopologyFrom(std::string_view text, const std::string& annotation) {
  const std::string_view label = Trim(text);
  if (IsQualifiedName(label)) return std::string(label);
  return absl::InvalidArgumentError(
      fmt::format("{} {} is not the name of a label; write the label of nodes that all pods of "
                  "the gang have to share, such as topology.kubernetes.io/rack",
                  annotation, Quoted(label)));
}

absl::StatusOr<bool> AnyModelsFrom(std::string_view text, const std::string& annotation) {
  const std::string_view models = Trim(text);
  if (models == "any") return true;
  return absl::InvalidArgumentError(
      fmt::format("{} {} is not known; write any, or remove it: then all pods of the gang get the "
                  "same model",
                  annotation, Quoted(models)));
}

absl::StatusOr<bool> PreflightFrom(std::string_view text, const std::string& annotation) {
  const std::string_view word = Trim(text);
  if (word == "true" || word == "false") return word == "true";
  return absl::InvalidArgumentError(
      fmt::format("{} {} is not known; write true or false, or remove it: then the configuration "
                  "decides whether the gang's nodes are checked before it starts",
                  annotation, Quoted(word)));
}

// Reads what may be absent. Keeps the first error.
void ReadOptional(const StringMap& annotations, const GangNames& names, Gang& gang,
                  absl::Status& error) {
  if (const auto text = Find(annotations, names.topology)) {
    auto topology = TopologyFrom(*text, names.topology);
    error.Update(topology.status());
    if (topology.ok()) gang.topology = *std::move(topology);
  }
  if (const auto text = Find(annotations, names.models)) {
    const auto any = AnyModelsFrom(*text, names.models);
    error.Update(any.status());
    gang.any_models = any.ok() && *any;
  }
  if (const auto text = Find(annotations, names.preflight)) {
    const auto preflight = PreflightFrom(*text, names.preflight);
    error.Update(preflight.status());
    if (preflight.ok()) gang.preflight = *preflight;
  }
}

absl::StatusOr<std::int32_t> SizeFrom(std::string_view text, const std::string& annotation) {
  auto size = ParseGangSize(text);
  if (size.ok()) return size;
  return absl::InvalidArgumentError(fmt::format("{} {}; write the number of pods of the gang",
                                                annotation, std::string(size.status().message())));
}

}  // namespace

GangNames::GangNames(std::string_view prefix)
    : gate(kGang.Below(prefix)),
      name(kGangNameAnnotation.Below(prefix)),
      size(kGangSizeAnnotation.Below(prefix)),
      topology(kGangTopologyAnnotation.Below(prefix)),
      models(kGangModelsAnnotation.Below(prefix)),
      preflight(kGangPreflightAnnotation.Below(prefix)),
      freed(kGangFreedAnnotation.Below(prefix)),
      eviction(kGangEvictionAnnotation.Below(prefix)),
      plan(kPlanAnnotation.Below(prefix)) {}

absl::StatusOr<std::optional<Gang>> GangOf(const StringMap& annotations, const GangNames& names) {
  const auto name = Find(annotations, names.name);
  const auto size = Find(annotations, names.size);
  if (!name && !size) return std::nullopt;
  if (!name) return Missing(names.name, names.size, "write one name on all pods of the gang");
  if (!size) return Missing(names.size, names.name, "write the number of pods of the gang");
  auto valid_name = NameFrom(*name, names.name);
  const auto valid_size = SizeFrom(*size, names.size);
  absl::Status error = valid_name.status();
  error.Update(valid_size.status());
  Gang gang;
  ReadOptional(annotations, names, gang, error);
  if (!error.ok()) return error;
  gang.name = *std::move(valid_name);
  gang.size = *valid_size;
  return gang;
}

std::optional<GangEviction> GangEvictionOf(const StringMap& annotations, Time created,
                                           const GangNames& names) {
  const std::string_view text = Find(annotations, names.eviction).value_or("");
  const std::size_t end = text.find(kPodsOfEviction);
  if (end == std::string_view::npos) return std::nullopt;
  const auto began = TimeFromRfc3339(text.substr(0, end));
  const auto pods = ParseGangSize(text.substr(end + kPodsOfEviction.size()));
  if (!began || *began <= created || !pods.ok()) return std::nullopt;
  return GangEviction{.began = *began, .pods = *pods};
}

std::string GangEvictionText(const GangEviction& eviction) {
  return fmt::format("{}{}{}", Rfc3339Text(eviction.began), kPodsOfEviction, eviction.pods);
}

absl::StatusOr<std::int32_t> ParseGangSize(std::string_view text) {
  const std::string_view digits = Trim(text);
  const bool is_number =
      !digits.empty() && std::ranges::all_of(digits, [](char c) { return absl::ascii_isdigit(c); });
  std::int32_t size = 0;
  if (!is_number) {
    return absl::InvalidArgumentError(Quoted(digits) + " is not a whole number above 0");
  }
  const char* const end = digits.data() + digits.size();
  // It fails if there are too many digits.
  const bool fits = std::from_chars(digits.data(), end, size).ec == std::errc();
  if (!fits || size > kMaxGangSize) {
    return absl::InvalidArgumentError(
        fmt::format("{} is more than {}, the most pods of a gang", Quoted(digits), kMaxGangSize));
  }
  if (size == 0) return absl::InvalidArgumentError("0 is not a whole number above 0");
  return size;
}

bool IsGangName(std::string_view name) {
  const auto is_outer = [](char c) { return absl::ascii_isalnum(c); };
  const auto is_inner = [](char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxGangName && is_outer(name.front()) &&
         is_outer(name.back()) && std::ranges::all_of(name, is_inner);
}

std::string PodGroupNameOf(std::string_view gang) {
  // Names of objects have no upper case and no underscore, and a dot only between letters or digits
  // (IsDNS1123Subdomain in k8s.io/apimachinery/pkg/api/validate/content/dns.go, v0.37.2).
  std::string name = "berth-";
  for (const char c : gang) {
    const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
    name += absl::ascii_isalnum(static_cast<unsigned char>(lower)) ? lower : '-';
  }
  const bool is_same = std::string_view(name).ends_with(gang);
  constexpr std::size_t kMost = 200;
  if (is_same && name.size() <= kMost) return name;
  return fmt::format("{}-{:016x}", name.substr(0, kMost), StableHash().Add(gang).value());
}

bool IsOnlyGate(const std::vector<std::string>& gates, std::string_view gate) {
  return gates.size() == 1 && gates.front() == gate;
}

}  // namespace berth::model
