#include "config/values.h"

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "model/duration.h"
#include "model/label.h"
#include "model/suggest.h"
#include "yaml/scalar.h"

namespace berth::config {

namespace {

// A longer value would hide the message after it.
constexpr std::size_t kShownLength = 60;

std::string Shown(const YAML::Node& node) {
  const yaml::YamlType type = yaml::TypeOf(node);
  if (type == yaml::YamlType::kList || type == yaml::YamlType::kMap)
    return std::string(Describe(type));
  const std::string& text = node.Scalar();
  if (text.size() <= kShownLength) return fmt::format("\"{}\"", text);
  return fmt::format("\"{}...\"", text.substr(0, kShownLength));
}

absl::Status Expected(std::string_view what, const YAML::Node& node) {
  return absl::InvalidArgumentError(fmt::format("must be {}, got {}", what, Shown(node)));
}

// Accepts a leading '+', which std::from_chars does not.
template <typename Number>
bool Parse(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

}  // namespace

absl::Status ReadValue(const YAML::Node& node, bool& value) {
  if (yaml::TypeOf(node) != yaml::YamlType::kBool) return Expected("true or false", node);
  value = node.Scalar().front() == 't' || node.Scalar().front() == 'T';
  return absl::OkStatus();
}

absl::Status ReadValue(const YAML::Node& node, std::int32_t& value) {
  if (yaml::TypeOf(node) == yaml::YamlType::kInteger && Parse(node.Scalar(), value))
    return absl::OkStatus();
  return Expected("a whole number of at most 2147483647, unquoted", node);
}

absl::Status ReadValue(const YAML::Node& node, double& value) {
  const yaml::YamlType type = yaml::TypeOf(node);
  const bool number = type == yaml::YamlType::kInteger || type == yaml::YamlType::kFloat;
  if (number && Parse(node.Scalar(), value) && std::isfinite(value)) return absl::OkStatus();
  return Expected("a number such as 0.5, unquoted", node);
}

absl::Status ReadValue(const YAML::Node& node, std::string& value) {
  const yaml::YamlType type = yaml::TypeOf(node);
  if (type == yaml::YamlType::kList || type == yaml::YamlType::kMap) return Expected("text", node);
  if (type != yaml::YamlType::kText) {
    return absl::InvalidArgumentError(
        fmt::format("must be text, got {}; put it in quotes", node.Scalar()));
  }
  value = node.Scalar();
  return absl::OkStatus();
}

absl::Status ReadValue(const YAML::Node& node, model::Duration& value) {
  if (!node.IsScalar()) return Expected("a duration such as 10m, 1h30m or 0s", node);
  const auto duration = model::ParseDuration(node.Scalar());
  if (!duration.ok()) return duration.status();
  value = *duration;
  return absl::OkStatus();
}

absl::Status ReadValue(const YAML::Node& node, std::optional<model::Duration>& value) {
  model::Duration duration{0};
  const absl::Status status = ReadValue(node, duration);
  if (status.ok()) value = duration;
  return status;
}

absl::Status ReadValue(const YAML::Node& node, model::NamespacedName& value) {
  if (node.IsScalar()) {
    auto name = model::ParseNamespacedName(node.Scalar());
    if (name.ok() && model::IsDnsSubdomain(name->name)) {
      value = *std::move(name);
      return absl::OkStatus();
    }
  }
  return Expected("a namespace and a name such as kube-system/kube-scheduler", node);
}

absl::Status ReadValue(const YAML::Node& node, std::optional<model::Quantity>& value) {
  if (!node.IsScalar()) return Expected("a quantity such as 40Gi", node);
  auto quantity = model::Quantity::Parse(node.Scalar());
  if (!quantity.ok()) return quantity.status();
  value = *std::move(quantity);
  return absl::OkStatus();
}

absl::Status ReadName(const YAML::Node& node, const std::vector<std::string_view>& names,
                      std::size_t& position) {
  const std::string what = "one of " + model::Join(names);
  if (!node.IsScalar()) return Expected(what, node);
  const auto found = std::find(names.begin(), names.end(), node.Scalar());
  if (found == names.end()) {
    return absl::InvalidArgumentError(fmt::format("must be {}, got {}{}", what, Shown(node),
                                                  model::DidYouMean(node.Scalar(), names)));
  }
  position = static_cast<std::size_t>(found - names.begin());
  return absl::OkStatus();
}

}  // namespace berth::config
