#pragma once

#include <string>
#include <vector>

#include "cli/gang_report.h"
#include "cli/output.h"
#include "model/time.h"

// What `berth explain --gang` and `berth gangs` print of gangs. docs/explain.md and docs/kubectl.md
// describe the JSON.

namespace berth::cli {

/// One gang with its pods, for people:
///
///   gang ml/train of 2: waiting
///   2 of 2 pods are there: 2 gated
///   why: gang train of 2: 1 of 2 pods fit at once on nodes of one model (A100)
///
///   POD      STATE  NODE
///   train-0  gated
std::string GangText(const GangReport& report, const TableStyle& style = {});

/// How far the gang is, in some words: "planned: 0 of 4 bound, 4 reserved, 0 waiting".
std::string GangProgress(const GangReport& report);

/// GangText() as JSON.
std::string GangJson(const GangReport& report);

/// A line for each gang. BOUND counts pods that are bound or have succeeded, RESERVED those that
/// have a node and are not bound, and WAITING all others that are there.
///
///   NAMESPACE  GANG   SIZE  STATE    BOUND  RESERVED  WAITING  AGE  NODES  WHY
///   ml         train  2     waiting  0      0         2        5m   0      gang train of 2: ...
///
/// One without a name has "-" as GANG. Wide, NODES names them, and DOMAINS has the label that all
/// of them must share, with its values.
std::string GangsTable(const std::vector<GangReport>& reports, model::Time now,
                       const TableStyle& style);

/// The same as JSON: every gang as in GangJson(), with the counts.
std::string GangsJson(const std::vector<GangReport>& reports);

}  // namespace berth::cli
