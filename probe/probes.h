#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// A probe: how it looks, and the node condition that node-problem-detector makes of its answers.
/// The texts follow the API conventions of conditions: types and reasons are in CamelCase.
struct Probe {
  std::string_view name;
  /// One line without a full stop, for the command's help.
  std::string_view help;
  std::string_view condition;
  /// Reason and message of the condition while all is well.
  std::string_view well_reason;
  std::string_view well_message;
  /// Reason of the condition while it is True. The message is the probe's.
  std::string_view bad_reason;
  /// What it means that the probe hangs.
  Outcome on_hang;
  /// The file that it locks: probes that run nvidia-smi share one, and so do those that read sysfs
  /// and nothing else, so that only one of them is ever left behind. The others do not: what one
  /// hangs in says nothing of what another reads.
  std::string_view lock;
  /// Flags besides those that all probes take, separated by blanks.
  std::string_view flags;
  /// Looks at the node; called in a child of its own (see child.h).
  Verdict (*look)(const Settings& settings, Progress& progress);
};

/// All probes, in the order of docs/probe.md.
std::span<const Probe> AllProbes();

/// The probe of this name. Null: there is none.
const Probe* FindProbe(std::string_view name);

/// Whether the probe takes the flag, which stands without its dashes.
bool Takes(const Probe& probe, std::string_view flag);

/// Writes the value of a flag into the settings. On an error, what to write instead.
absl::Status SetFlag(const Probe& probe, std::string_view flag, std::string_view value,
                     Settings& settings);

/// Looks, and answers after at most three times the timeout, whatever hangs.
Verdict RunProbe(const Probe& probe, const Settings& settings);

}  // namespace berth::probe
