#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "doctor/facts.h"
#include "doctor/finding.h"
#include "model/accelerator.h"

// What a check is, and how checks are run. The checks themselves are in doctor/checks/. A check
// looks like this:
//
//   Findings CheckWeight(const Facts& facts, const Rules& rules) { ... }
//
//   Check Weight() {
//     return {.name = "weight",
//             .help = "Berth's scores outweigh the scoring plugins that it takes into account",
//             .needs = {Source::kScheduler},
//             .uses = {Source::kService},
//             .run = CheckWeight};
//   }

namespace berth::doctor {

/// What facts are judged by: Berth's configuration, which must be valid, and its catalogue. Both
/// must outlive the object.
struct Rules {
  /// Valid.
  const config::BerthConfiguration& config;
  /// Made from `config`.
  const model::AcceleratorCatalog& catalog;
};

/// One question about the cluster. Its answer depends only on its arguments: a check does no I/O
/// and reads no clock. Gatherers collect the facts beforehand.
struct Check {
  /// The name that users write in --only and --skip.
  std::string_view name;
  /// What is true of a cluster in which the check finds nothing wrong; docs/doctor.md says the
  /// same.
  std::string_view help;
  /// Sources that the check cannot do without. `run` is called only if all of them are there.
  std::vector<Source> needs;
  /// Sources that improve the answer. `run` must test whether they are there.
  std::vector<Source> uses;
  /// Judges the facts. Returns at least one finding, also if all is well.
  Findings (*run)(const Facts& facts, const Rules& rules);
};

/// Whether the pod requests a resource of the catalogue.
bool AsksForDevices(const PodFacts& pod, const model::AcceleratorCatalog& catalog);

/// Judges the facts by each of `checks`, in that order, and writes the check's name into its
/// findings. If a needed source could not be read, the check's only finding is Unknown, with the
/// error; if nobody asked that source on purpose (FAILED_PRECONDITION), a Note.
Findings Examine(std::span<const Check> checks, const Facts& facts, const Rules& rules);

}  // namespace berth::doctor
