#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/time.h"

namespace berth::extender {

/// Remembers which pods were given a shortlist lately. kube-scheduler asks about such a pod again
/// if the answer led nowhere: no volume could be provisioned on the node, or Reserve, Permit or the
/// binding failed. The shortlist would be the same again, and so would the best of all nodes, so
/// the pod would never get another node.
///
///   filter for pod u           AskedAgain(u) is false: answer n1 alone, and SetOnlyNode(u, n1)
///   its binding to n1 fails
///   filter for pod u           AskedAgain(u) is true: answer all nodes that fit
///   prioritize for pod u       PlacesThatFailed(u) has n1, which then comes last
///
/// Each replica of Berth knows only its own answers. This is enough, because a pod that goes on
/// failing returns to each replica. Placer owns this. Thread-safe.
///
/// UIDs and names are stored as hashes of 64 bits. If two are equal by chance, a pod gets all nodes
/// instead of a shortlist, or one more node comes last.
class ShortlistedPods {
 public:
  /// How long a pod is remembered. A volume is waited for up to 10 minutes
  /// (VolumeBindingArgs.bindTimeoutSeconds, 600 by default), and a pod that failed is tried again
  /// at most 5 minutes later (podMaxInUnschedulablePodsDuration in
  /// k8s.io/kubernetes/pkg/scheduler/backend/queue/scheduling_queue.go, v1.36.3).
  static constexpr model::Duration kSoon = std::chrono::minutes(30);

  /// Default for how many answers are remembered, some 5 MiB; the oldest is forgotten.
  static constexpr std::size_t kMost = 1 << 16;

  /// Remembers `most` > 0 answers.
  explicit ShortlistedPods(std::size_t most = kMost) : most_(most) {}
  ShortlistedPods(const ShortlistedPods&) = delete;
  ShortlistedPods& operator=(const ShortlistedPods&) = delete;

  /// Records that a shortlist is about to be answered for the pod at `now`. Returns true if one was
  /// answered for it less than kSoon before; then the pod shall get all nodes. kSoon counts from
  /// the last call for the pod. Returns false, and records nothing, for an empty `uid`.
  bool AskedAgain(std::string_view uid, model::Time now);

  /// Records that the shortlist consisted of `node` alone. Call it after AskedAgain() has returned
  /// false.
  void SetOnlyNode(std::string_view uid, std::string_view node);

  /// Returns the indices in `names` of the node that SetOnlyNode() recorded for the pod, if the pod
  /// was asked about again since; else none.
  std::vector<std::size_t> PlacesThatFailed(std::string_view uid,
                                            std::span<const std::string_view> names) const;

 private:
  // A call of AskedAgain() for a pod, by the hash of its UID.
  struct Answer {
    std::uint64_t pod = 0;
    model::Time time;
  };

  // What is remembered of a pod.
  struct Pod {
    model::Time time;             // of the last answer
    std::uint64_t only_node = 0;  // its hash; 0: there were several
    bool asked_again = false;
  };

  // Forgets answers older than kSoon, and the oldest one if there are too many. A pod that has a
  // later answer stays known.
  void ForgetOldest(model::Time now);

  const std::size_t most_;
  // Guards the following.
  mutable std::mutex mutex_;
  std::deque<Answer> answers_;                    // the oldest first
  absl::flat_hash_map<std::uint64_t, Pod> pods_;  // by the hash of the UID
};

}  // namespace berth::extender
