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

/// Which pods were given a shortlist lately. kube-scheduler asks about such a pod again where the
/// answer led nowhere: no volume could be provisioned there, or Reserve, Permit or the binding
/// failed. The shortlist would be the same again, and so would the best of all nodes: the pod would
/// never get another one.
///
/// Each replica knows its own answers, which is enough: a pod that goes on failing comes back to
/// each. Thread-safe.
class ShortlistedPods {
 public:
  /// Pods are remembered for so long. A volume is waited for up to 10 minutes
  /// (VolumeBindingArgs.bindTimeoutSeconds, 600 by default), and a pod that failed is tried again
  /// after 5 more at the latest (podMaxInUnschedulablePodsDuration in
  /// k8s.io/kubernetes/pkg/scheduler/backend/queue/scheduling_queue.go, v1.36.3).
  static constexpr model::Duration kSoon = std::chrono::minutes(30);

  /// As many answers are remembered, some 5 MiB; the oldest is forgotten.
  static constexpr std::size_t kMost = 1 << 16;

  /// `most` > 0.
  explicit ShortlistedPods(std::size_t most = kMost) : most_(most) {}
  ShortlistedPods(const ShortlistedPods&) = delete;
  ShortlistedPods& operator=(const ShortlistedPods&) = delete;

  /// A shortlist is about to be answered for the pod, as of `now`. Whether this was so before less
  /// than kSoon ago; kSoon counts from the last time. Never for a pod without UID.
  bool AskedAgain(std::string_view uid, model::Time now);

  /// After AskedAgain was false: the shortlist was `node` alone.
  void SetOnlyNode(std::string_view uid, std::string_view node);

  /// The places in `names` of the node that SetOnlyNode was told of for this pod; none where the
  /// pod has not been asked about again since.
  std::vector<std::size_t> PlacesThatFailed(std::string_view uid,
                                            std::span<const std::string_view> names) const;

 private:
  struct Answer {
    std::uint64_t pod;
    model::Time time;
  };

  struct Pod {
    model::Time time;             // of the last answer
    std::uint64_t only_node = 0;  // its hash; 0: there were several
    bool asked_again = false;
  };

  // Forgets what is older than kSoon, or one too many. An answer that was given again later is
  // forgotten with the later one.
  void ForgetOldest(model::Time now);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::deque<Answer> answers_;                    // in the order of answering
  absl::flat_hash_map<std::uint64_t, Pod> pods_;  // by hash of the UID
};

}  // namespace berth::extender
