#pragma once

#include <string>
#include <vector>

#include "admission/templates.h"
#include "model/workload.h"
#include "simdjson.h"

// From typed views to a JSON Patch. Berth never serialises an object again, so fields that it does
// not know are stored byte for byte.

namespace berth::admission {

/// Returns the JSON Patch (RFC 6902) that turns `object` into one whose typed view is `after`, and
/// that changes nothing else. Returns an empty string if nothing changes.
///
/// `object` is a Pod or a Job, and `before` is its typed view. `after` must be a result of `before`
/// that only the setters of policies::admission::Draft have changed. A new setter therefore needs
/// its counterpart in patch.cc.
std::string JsonPatch(simdjson::dom::element object, const model::Workload& before,
                      const model::Workload& after);

/// Returns the JSON Patch that turns the annotations of the pods of each of `templates`, which
/// `before` has, into those of its typed view in `after`. Nothing else is changed in an object of
/// another kind. All three have the same order.
std::string TemplatesPatch(const std::vector<FoundTemplate>& templates,
                           const std::vector<model::StringMap>& before,
                           const std::vector<model::Workload>& after);

}  // namespace berth::admission
