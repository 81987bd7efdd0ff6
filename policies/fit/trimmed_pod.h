#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/accelerator.h"
#include "model/accelerator_requests.h"
#include "model/pod.h"

// What is kept of a pod that waits while a node is sought for it. Whoever may create pods can have
// any number of them wait for ever, behind a gate of their own, each of up to 1.5 MB. 95,000
// tolerations in it take ten times as much in memory. So every pod is kept within the limits below.
// For one that needs more of nodes no node is sought: kube-scheduler alone places it, and only what
// it would hold on a node counts.
//
// No I/O, no clock; all functions are thread-safe.

namespace berth::policies::fit {

/// Limit on the bytes of all that a pod needs of nodes: its tolerations, NodeNeeds, requests above
/// 0 and host ports. Those of an ordinary pod take some 2 KiB. Each toleration, value and request
/// counts with the size of its type, besides its text.
inline constexpr std::size_t kMaxNeedBytes = 16 * 1024;
/// How many resources such a pod may request, so that all of them count.
inline constexpr std::size_t kMostRequests = model::kMostOtherRequests;
/// Limit on the bytes of Berth's annotations that are kept, the first ones by name.
inline constexpr std::size_t kMaxAnnotationBytes = 8 * 1024;
/// Limit on the bytes of what kube-scheduler says of the pod.
inline constexpr std::size_t kMaxMessageBytes = 4 * 1024;
/// How many gates are kept. It matters whether there is one besides Berth's.
inline constexpr std::size_t kMostGates = 8;
/// Limit on the bytes of names that the API server does not check, such as that of the scheduler.
/// Names of objects have no more.
inline constexpr std::size_t kMaxNameBytes = 253;

/// Which of the first two limits the pod exceeds: a clause about it, such as "states in more than
/// 16 KiB what it needs of nodes, most of it in tolerations". Empty if none. `pod` must be whole.
std::string ExcessOf(const model::Pod& pod);

/// Returns the pod without what nobody reads who looks for a node for it: labels, terms of affinity
/// to pods, annotations that are not Berth's, requests that do not count
/// (model::CountedRequests()), and what exceeds the limits. If ExcessOf() is not empty, it has
/// neither tolerations nor NodeNeeds, and must not be judged. `prefix`: of Berth's annotations,
/// "berth.dev".
model::Pod Trimmed(model::Pod pod, std::string_view prefix,
                   const model::AcceleratorCatalog& catalog);

}  // namespace berth::policies::fit
