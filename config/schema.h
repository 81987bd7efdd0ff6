#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.h"

// The configuration as data: a visitor turns the declarations in VisitFields into a tree of fields,
// from which the default file, its documentation and its JSON Schema are generated.

namespace berth::config {

/// A value of the configuration, in a form that printers can walk through.
struct ConfigValue {
  /// The kind of the value. kAbsent is an optional value that is not set. kPlain is written without
  /// quotes.
  enum class Kind { kAbsent, kPlain, kText, kList, kMap };

  /// Decides which of the members below is used.
  Kind kind = Kind::kAbsent;
  /// For kPlain (numbers, true, false) and kText.
  std::string scalar;
  /// For kList.
  std::vector<ConfigValue> items;
  /// For kMap: keys and values in the order of the file. Maps in a list lack the fields that have
  /// their default.
  std::vector<std::pair<std::string, ConfigValue>> members;

  friend bool operator==(const ConfigValue&, const ConfigValue&) = default;
};

/// The type of a field's value or, for a list, of its items.
enum class ConfigType { kBool, kInteger, kNumber, kText, kDuration, kQuantity, kWord, kMap };

/// One field of the configuration with everything that its declaration in VisitFields says.
/// Generators of documentation use `help` and `type`; the schema uses `shape` and `words`.
struct ConfigField {
  /// The field's name in the file, without a path.
  std::string key;
  /// One or more sentences without the last full stop.
  std::string help;
  /// The type for programs.
  ConfigType shape = ConfigType::kMap;
  /// For kWord: the words that are allowed.
  std::vector<std::string> words;
  /// The type in words: "duration", "list of maps", "Exclude, Penalize or Ignore".
  std::string type;
  /// Whether the file must have it; such a field has no default.
  bool required = false;
  /// The value in the configuration that was described.
  ConfigValue value;
  /// The fields of a map. For a list of maps, the fields of each map, with their defaults as
  /// values.
  std::vector<ConfigField> fields;
};

/// Returns every field of `config`, in the order of the file. The writer, the docs and the JSON
/// Schema are all made from this list.
std::vector<ConfigField> Describe(BerthConfiguration config);

}  // namespace berth::config
