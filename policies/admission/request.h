#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"

// The parts of an admission request that policies read, besides the object itself.

namespace berth::policies::admission {

/// What Berth does with what a policy wants, in ascending order. Of the modes of a namespace and a
/// policy, the weaker one applies.
enum class Mode : std::uint8_t {
  /// The policy is not asked.
  kOff,
  /// Nothing is changed or denied. The user gets warnings of what would be.
  kWarn,
  /// The object is changed or denied.
  kEnforce,
};

/// How the configuration spells the modes.
std::span<const model::EnumName<Mode>> EnumNames(Mode);

/// The operation of an AdmissionRequest.
enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete, kConnect };

/// The user who sends the request, as the API server authenticated them.
struct User {
  /// "alice", "system:serviceaccount:kube-system:job-controller". Empty if it is not known, which
  /// happens only for a manifest that nobody has sent yet.
  std::string name;
  /// "system:nodes", "system:serviceaccounts".
  std::vector<std::string> groups;
};

/// The contents of an admission request besides the object.
struct Request {
  Operation operation = Operation::kCreate;
  /// Namespace of the object. The object's own metadata may lack it.
  std::string namespace_name;
  User user;
  /// The mode of the namespace.
  Mode mode = Mode::kWarn;
  /// Whether the namespace allows pods without accelerators to ask for nodes with accelerators.
  bool accelerator_nodes_allowed = false;
  /// The kind on whose behalf a controller sends the request ("Job"); empty for other users. The
  /// engine sets it; see origin.h.
  std::string controller = {};
  /// Whether the controller copies a template that is reviewed itself: that of an owner whose kind
  /// is configured (TemplateSpec). The engine sets it.
  bool owner_is_reviewed = false;
  /// For an update, the annotation `applied` of the stored object: which policies held for it when
  /// it was created. Empty otherwise. The engine sets it.
  std::string applied = {};
  /// Whether Jobs of the namespace may keep their own retries (AdmissionConfig::own_retries). The
  /// engine sets it.
  bool own_retries_allowed = false;
  /// Whether the object is a DaemonSet or one of its pods, which only some policies reach (see
  /// AdmissionPolicy::ReachesDaemons). The engine sets it.
  bool of_daemons = false;
};

}  // namespace berth::policies::admission
