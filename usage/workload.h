#pragma once

#include <string>

#include "kube/json_value.h"
#include "model/node.h"
#include "model/time.h"
#include "usage/config.h"

// What a pod belongs to, as people call it.

namespace berth::usage {

/// What a pod is part of. A plain value.
struct Workload {
  /// The kind and the name of the object that controls the pod: "Job", "train". Empty if none does.
  std::string kind;
  std::string name;
  bool notebook = false;

  friend bool operator==(const Workload&, const Workload&) = default;
};

/// Whether the pod is a notebook by `config`. `owner_kind` is that of its controller.
bool IsNotebook(const model::StringMap& labels, std::string_view owner_kind,
                const NotebooksConfig& config);

/// Reads what a v1.Pod belongs to.
Workload WorkloadOf(const kube::JsonValue& pod, const NotebooksConfig& config);

/// Text for people: "Notebook alice", "Job train", "StatefulSet web"; a notebook is called so,
/// whatever controls it: "notebook (StatefulSet alice)". "-" for a pod without a controller.
std::string ToString(const Workload& workload);

}  // namespace berth::usage
