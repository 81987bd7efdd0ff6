#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.h"

namespace berth::config {

/// A value of the configuration, for those who print it.
struct ConfigValue {
  enum class Kind { kAbsent, kPlain, kText, kList, kMap };

  Kind kind = Kind::kAbsent;
  /// kPlain (numbers, true, false) and kText.
  std::string scalar;
  /// kList.
  std::vector<ConfigValue> items;
  /// kMap; within lists without the fields that have their default.
  std::vector<std::pair<std::string, ConfigValue>> members;

  friend bool operator==(const ConfigValue&, const ConfigValue&) = default;
};

/// What the values of a field are; of a list, its items.
enum class ConfigType { kBool, kInteger, kNumber, kText, kDuration, kQuantity, kWord, kMap };

/// One field of the configuration.
struct ConfigField {
  std::string key;
  std::string help;
  ConfigType shape = ConfigType::kMap;
  /// Of kWord: what it may be.
  std::vector<std::string> words;
  /// For people: "duration", "list of maps", "Exclude, Penalize or Ignore".
  std::string type;
  bool required = false;
  ConfigValue value;
  /// Of a map, or of each map of a list (with the values that such a map has by default).
  std::vector<ConfigField> fields;
};

/// Every field of `config` in the order of the file.
std::vector<ConfigField> Describe(BerthConfiguration config);

}  // namespace berth::config
