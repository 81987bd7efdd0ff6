#pragma once

#include <string>

#include "model/workload.h"
#include "simdjson.h"

namespace berth::admission {

/// The JSON Patch (RFC 6902) that makes of `object`, a Pod or a Job, whose typed view is `before`,
/// one whose typed view is `after`, and changes nothing else; empty where both are the same.
/// `after` has come from `before` by the setters of admission::Draft alone.
std::string JsonPatch(simdjson::dom::element object, const model::Workload& before,
                      const model::Workload& after);

}  // namespace berth::admission
