#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"

namespace berth::policies::admission {

/// What comes of what a policy wants. In ascending order: of a namespace's mode and a policy's the
/// weaker one holds.
enum class Mode : std::uint8_t {
  /// It is not asked.
  kOff,
  /// Nothing is changed or denied; the user is warned of what would be.
  kWarn,
  /// The object is changed, or denied.
  kEnforce,
};

std::span<const model::EnumName<Mode>> EnumNames(Mode);

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete, kConnect };

/// Who asks, as the API server authenticated them.
struct User {
  /// "alice", "system:serviceaccount:kube-system:job-controller". Empty: not known, which only a
  /// manifest that nobody has sent yet is.
  std::string name;
  std::vector<std::string> groups;
};

/// What an admission request says besides the object.
struct Request {
  Operation operation = Operation::kCreate;
  /// Where the object is, or is to be; its own metadata may lack it.
  std::string namespace_name;
  User user;
  /// Of the namespace.
  Mode mode = Mode::kWarn;
  /// Whether the namespace lets pods without accelerators ask for nodes with them.
  bool accelerator_nodes_allowed = false;
  /// Kind of the controller that asks ("Job"), where one does; set by the engine.
  std::string controller = {};
};

}  // namespace berth::policies::admission
