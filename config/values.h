#pragma once

#include <absl/status/status.h>
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/namespaced_name.h"
#include "model/quantity.h"
#include "model/time.h"

namespace berth::config {

// Readers for the scalar field types of the configuration. `node` must not be null. Each returns
// INVALID_ARGUMENT, with what was found and what to write instead, if `node` is not of that type;
// then `value` stays as it was. The reader puts file, line and path before the message. The type of
// a scalar follows YAML's core schema, so "true" in quotes is text.

/// Only true and false, unquoted.
absl::Status ReadValue(const YAML::Node& node, bool& value);
/// An unquoted integer that fits 32 bits.
absl::Status ReadValue(const YAML::Node& node, std::int32_t& value);
/// An unquoted, finite number.
absl::Status ReadValue(const YAML::Node& node, double& value);
/// Text. A scalar that YAML reads as something else, such as true or 5, must be in quotes.
absl::Status ReadValue(const YAML::Node& node, std::string& value);
/// A duration as Go writes it: "10m", "1h30m", "0s".
absl::Status ReadValue(const YAML::Node& node, model::Duration& value);
/// The same, for a field that may be left out.
absl::Status ReadValue(const YAML::Node& node, std::optional<model::Duration>& value);
/// The namespace and the name of an object, with a '/' between them: "kube-system/kube-scheduler".
absl::Status ReadValue(const YAML::Node& node, model::NamespacedName& value);
/// A quantity as Kubernetes writes it: "40Gi", "1500m", 4.
absl::Status ReadValue(const YAML::Node& node, std::optional<model::Quantity>& value);

/// Reads a word. Sets `position` to its index in `names`; INVALID_ARGUMENT if it is not one of
/// them.
absl::Status ReadName(const YAML::Node& node, const std::vector<std::string_view>& names,
                      std::size_t& position);

}  // namespace berth::config
