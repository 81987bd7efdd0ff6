#pragma once

#include <string>

namespace berth::config {

/// Returns what each name in admission.frameworks stands for, as YAML with comments: a map from the
/// name to `controllers` and `templates`, which have the form of admission.controllers and
/// admission.templates, and `rules`, which have the form of a webhook's rules without operations
/// and scope. `berth config frameworks` prints it, and the chart takes its rules from it.
std::string FrameworksYaml();

}  // namespace berth::config
