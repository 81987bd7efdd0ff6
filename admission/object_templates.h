#pragma once

#include <absl/status/status.h>

#include <string_view>
#include <vector>

#include "admission/review.h"
#include "admission/templates.h"
#include "model/workload.h"
#include "policies/admission/config.h"
#include "simdjson.h"

namespace berth::admission {

/// What can be read of the pod templates of one object.
struct ObjectTemplates {
  /// Where those are that could be read; they point into the parsed object. Empty for Kubernetes'
  /// own kinds, which have one template at a fixed place.
  std::vector<FoundTemplate> found = {};
  /// The typed views of the same templates, in the same order.
  std::vector<model::Workload> workloads = {};
  /// InvalidArgument if another template could not be read, if there are more than kMaxTemplates,
  /// if a key of more than kMaxKey bytes leads to one, or if the object's metadata could not be
  /// read. The message names the metadata, or the first such template.
  absl::Status error = {};
  /// Whether the error is one of the object's metadata, which its templates have in common. Then
  /// none could be read.
  bool is_of_metadata = false;
};

/// Reads the pod templates of an object of a kind that has some. `specs` say where they are; empty
/// for Kubernetes' own kinds. Two paths may lead to one template, which is read once. A template
/// that cannot be read does not keep the others from being read. Does no I/O. Thread-safe.
///
/// Every template of another kind has a copy of the object's metadata, of which only what policies
/// read is kept: names, the owner that controls the object, and the labels and annotations below
/// `prefix`, "berth.dev". More than 16 KiB of that cannot be read.
ObjectTemplates ReadTemplates(const GroupVersionKind& kind, simdjson::dom::element object,
                              const std::vector<const policies::admission::TemplateSpec*>& specs,
                              std::string_view prefix);

}  // namespace berth::admission
