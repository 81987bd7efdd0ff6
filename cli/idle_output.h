#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "model/time.h"
#include "usage/config.h"
#include "usage/idle.h"
#include "usage/workload.h"

namespace berth::cli {

/// One line of `berth idle`. A plain value.
struct IdleLine {
  usage::PodUse use;
  /// Only of pods with idle devices.
  usage::Workload workload;
  /// When a device of the pod was last used. kNoTime if it was not since the pod was created, or
  /// within the time that was asked for.
  model::Time last_used = model::kNoTime;
};

/// What `berth idle` found.
struct IdleFindings {
  model::Time time = model::kNoTime;
  /// By which idle devices were found.
  usage::IdleConfig config;
  /// All holdings, in any order.
  std::vector<IdleLine> lines;
  /// How far back `last_used` was looked for. Nothing if nobody could tell.
  std::optional<model::Duration> looked_back;
  /// Sentences about what is not known.
  std::vector<std::string> hints;
};

/// The table of pods with idle devices, those with most idle devices first, and below it how many
/// pods were not judged, and why:
///
///   CREATOR  NAMESPACE  POD       ACCELERATOR  DEVICES  IDLE  PEAK  UNUSED  AGE  WORKLOAD
///   alice    nlp        alice-0   A100         2        2     0 %   3d      5d   notebook
///
///   no data: 1 pod with 4 devices: vision/cnn
///
/// Wide, the table also has the resource and the node, and names all pods that were not judged.
std::string IdleText(const IdleFindings& findings, const TableStyle& style = {});

/// Everything as JSON. docs/usage.md describes the format.
std::string IdleJson(const IdleFindings& findings);

/// A text for each creator of pods with idle devices, to be mailed. They are ascending by creator.
std::string IdleReport(const IdleFindings& findings);

}  // namespace berth::cli
