#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "kube/json_value.h"
#include "proto/berth/v1/placement.pb.h"

// What `berth explain --watch` tells of a pod: how far it is, and what has changed. Without I/O and
// clock; pod_watch.h reads and prints it.

namespace berth::cli {

/// A condition of a pod. A plain value.
struct PodCondition {
  std::string status;
  std::string reason = {};
  std::string message = {};

  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

/// What the API server has stored of a pod. A plain value.
struct PodProgress {
  std::string uid;
  std::string phase = {};
  /// The node that it is bound to, and the one that is nominated for it. Empty: none.
  std::string node = {};
  std::string nominated = {};
  /// Its scheduling gates.
  std::vector<std::string> gates = {};
  /// By their types.
  std::map<std::string, PodCondition> conditions = {};
  /// What its containers wait for, in the kubelet's word: "ContainerCreating". Empty: nothing.
  std::string waiting = {};
  /// Why it failed, if somebody says so: "Evicted".
  std::string reason = {};
  /// Whether somebody has deleted it and it has not ended yet.
  bool ending = false;
  /// Its gang's name. Empty: it belongs to none.
  std::string gang = {};
};

/// Reads a v1.Pod. `gang_annotation` names the gang. Errors are those of JsonValue.
PodProgress PodProgressOf(const kube::JsonValue& pod, const std::string& gang_annotation);

/// An event about the pod. A plain value.
struct PodEvent {
  /// Who says so, "default-scheduler".
  std::string source;
  std::string reason;
  std::string message;

  friend auto operator<=>(const PodEvent&, const PodEvent&) = default;
};

/// Reads a v1.Event.
PodEvent PodEventOf(const kube::JsonValue& event);

/// The verdicts on all nodes, counted. A plain value.
struct Verdicts {
  std::uint64_t fitting = 0;
  /// How many nodes are refused, by what berth explain says of them: "GPUIsLost".
  std::map<std::string, std::uint64_t> refused = {};
};

Verdicts VerdictsOf(const v1::ExplainResponse& explanation);

/// All that is told of a pod at one moment. A plain value.
struct Observed {
  PodProgress pod;
  /// Not set: nothing is judged for this pod.
  std::optional<Verdicts> verdicts = {};
  /// How far its gang is, in words: "waiting, 0 of 4 bound". Empty: it has none.
  std::string gang = {};
  /// Not set: they could not be read.
  std::optional<std::vector<PodEvent>> events = {};
};

/// Something to tell, in one line. A plain value.
struct Remark {
  std::string text;
  Tone tone = Tone::kPlain;

  friend bool operator==(const Remark&, const Remark&) = default;
};

/// How far the pod is, and its events: what a person reads first.
std::vector<Remark> StateOf(const Observed& observed);

/// What is different, each in one line. Events count if none with the same words was there before,
/// so an event that is repeated is told once. What an event says, the condition PodScheduled says,
/// too: its message is left out while events can be read.
std::vector<Remark> ChangesBetween(const Observed& before, const Observed& after);

/// How a pod ended, or that it runs: there is nothing more to wait for.
struct PodEnd {
  Remark remark;
  /// Whether that is what its owner wants: it runs, or has succeeded.
  bool good = false;
};

/// nullopt if it is on its way.
std::optional<PodEnd> EndOf(const PodProgress& pod);

}  // namespace berth::cli
