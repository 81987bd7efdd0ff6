#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "proto/berth/v1/placement.pb.h"

namespace berth::cli {

/// One line for people: "96 fit; 12 GPUIsLost since 3h; 48 are MN-Core".
std::string SummaryOf(const v1::ExplainResponse& explanation);

/// What `berth explain` prints above its table: what the pod asks for, the summary, what
/// kube-scheduler says, and the hints. If the pod is not Berth's business, a sentence that says so
/// takes the place of the first two. `unschedulable` is what kube-scheduler says of a pod that is
/// not bound (model::Pod::unschedulable), of which 1,024 columns are printed; empty if that is
/// nothing. It comes from the pod, which is why the explanation does not have it.
std::string ExplanationHead(const v1::ExplainResponse& explanation, const std::string& what,
                            const Terminal& terminal = {}, const std::string& unschedulable = {});

/// What `berth explain` prints: the head, and a table with a line for every node. `what` names the
/// pod. There is no table if the pod is not Berth's business, or is refused everywhere.
///
///   Pod train asks for 1 nvidia.com/gpu
///   7 fit; 2 GPUIsLost since 5m to 3h; 2 are MN-Core
///   kube-scheduler says: 0/11 nodes are available: 7 Insufficient cpu, 2 node(s) had ...
///   - of the 7 that fit, 5 have 1 free nvidia.com/gpu
///
///   NODE  FITS  RANK  SCORE  ACCELERATOR  FREE/TOTAL  WHY
///
/// Wide, the table also has each policy's score, the conditions of the node that are not as those
/// of a sound one, and since when the node is refused.
std::string ExplanationText(const v1::ExplainResponse& explanation, const std::string& what,
                            const TableStyle& style = {}, const std::string& unschedulable = {});

/// What `berth explain --node` prints: the verdict on one node, its devices, every policy's verdict
/// and every condition. `node` is one of `explanation.nodes()`.
std::string NodeText(const v1::NodeExplanation& node, const v1::ExplainResponse& explanation,
                     const std::string& what, const TableStyle& style = {});

/// The explanation as JSON; docs/explain.md describes the format. `what` names the pod. If `node`
/// is not null, the output has only that node, with its conditions. `unschedulable` is as in
/// ExplanationHead(), and is not cut here.
std::string ExplanationJson(const v1::ExplainResponse& explanation, const std::string& what,
                            const v1::NodeExplanation* node, const std::string& unschedulable = {});

/// "Enforce" or "Observe".
std::string_view ModeOf(const v1::PolicyOpinion& opinion);

/// "True", "False" or "Unknown".
std::string_view StatusOf(const v1::Condition& condition);

/// Devices that are left for new pods; negative if the node has lost devices that pods use.
std::int64_t FreeOf(const v1::DeviceCount& devices);

}  // namespace berth::cli
