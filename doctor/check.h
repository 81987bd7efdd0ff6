#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "doctor/facts.h"
#include "doctor/finding.h"
#include "model/accelerator.h"

namespace berth::doctor {

/// By what is judged: Berth's configuration, which has been validated, and its catalogue.
struct Rules {
  const config::BerthConfiguration& config;
  const model::AcceleratorCatalog& catalog;
};

/// One question to the cluster. What is judged is in the arguments: no I/O, no clock.
struct Check {
  /// What users write in --only and --skip.
  std::string_view name;
  /// What is well where it finds nothing.
  std::string_view help;
  /// Without which it cannot judge; `run` may take them for given.
  std::vector<Source> needs;
  /// What it can do without; `run` has to look whether they are there.
  std::vector<Source> uses;
  Findings (*run)(const Facts& facts, const Rules& rules);
};

/// Whether the pod asks for a resource of the catalogue.
bool AsksForDevices(const PodFacts& pod, const model::AcceleratorCatalog& catalog);

/// Judges the facts by each of `checks`, and names the findings after them. One that lacks what it
/// needs finds that unknown.
Findings Examine(std::span<const Check> checks, const Facts& facts, const Rules& rules);

}  // namespace berth::doctor
