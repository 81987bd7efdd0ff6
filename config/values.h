#pragma once

#include <absl/status/status.h>
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/quantity.h"
#include "model/time.h"

namespace berth::config {

// The scalar field types of the configuration, read from a YAML node that is not null. Errors say
// what was found and what to write instead; the value is then left as it was.

absl::Status ReadValue(const YAML::Node& node, bool& value);
absl::Status ReadValue(const YAML::Node& node, std::int32_t& value);
absl::Status ReadValue(const YAML::Node& node, double& value);
absl::Status ReadValue(const YAML::Node& node, std::string& value);
absl::Status ReadValue(const YAML::Node& node, model::Duration& value);
absl::Status ReadValue(const YAML::Node& node, std::optional<model::Quantity>& value);

/// The position of the word that `node` has among `names`.
absl::Status ReadName(const YAML::Node& node, const std::vector<std::string_view>& names,
                      std::size_t& position);

}  // namespace berth::config
