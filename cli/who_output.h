#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "model/time.h"
#include "usage/holders.h"

namespace berth::cli {

/// The table that `berth who` prints: a line for each holder and accelerator. With `hours`, it has
/// device-hours, too, "-" where there are none. Pods of which nobody noted who created them have
/// the creator "(unknown)". Of several creators or namespaces it has the first two and how many
/// more there are; wide, it has all of them.
///
///   CREATOR  NAMESPACE  ACCELERATOR  RESOURCE        DEVICES  PODS  OLDEST
///   alice    vision     A100         nvidia.com/gpu  8        2     3d
std::string WhoText(const std::vector<usage::Held>& held, usage::GroupBy group, bool hours,
                    model::Time now, const TableStyle& style = {});

/// The same as JSON. docs/usage.md describes the format.
std::string WhoJson(const std::vector<usage::Held>& held, const std::vector<std::string>& hints,
                    model::Time now);

}  // namespace berth::cli
