#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/pod.h"
#include "model/time.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/trace.h"

namespace berth::simulation {

inline constexpr char kGangGate[] = "berth.dev/gang";
inline constexpr std::int64_t kDevicesOfNode = 8;

/// "ml/train" for a pod of the gang train; "" for a pod of none.
std::string GangKeyOf(const model::Pod& pod);
/// What the pod says of the size of its gang; 0 for a pod of none.
std::size_t GangSizeOf(const model::Pod& pod);

/// Jobs of one pod and of gangs, the nodes that they run on, and what the Job controller and
/// kubelets make of both. A Job ends when all its pods have run at the same time for a while; until
/// then it makes each pod anew that vanishes. Not thread-safe.
class GangJobs {
 public:
  GangJobs(ApiServer* server, Timeline* timeline, Chance* chance, Trace* trace)
      : server_(server), timeline_(timeline), chance_(chance), trace_(trace) {}

  /// The nodes, and the first Jobs.
  void Begin();
  /// Somebody creates a Job, deletes a pod, or a node breaks or recovers.
  void Change();
  /// All nodes recover, and nobody creates or deletes anything any more.
  void CalmDown();

  /// What the Job controller and kubelets do of themselves, once a second.
  void Work();

  /// Whether all Jobs have ended.
  bool AllEnded() const;
  /// The Jobs that have not, and their pods: for a complaint.
  std::string Left() const;

  /// Since when a gang has had pods that run beside others that do not. Kept once a second.
  struct Partly {
    std::string gang;
    Time since;
  };
  std::vector<Partly> PartlyRunning() const;

  static bool IsBroken(const model::Node& node);
  /// The time of policies and of what the API server keeps.
  model::Time Now() const;

 private:
  struct Job {
    bool gang = false;
    std::size_t size = 1;
    std::int64_t devices = 1;
    std::int32_t priority = 0;
    model::StringMap annotations = {};
    /// How long all pods run together.
    Time runs{0};
    /// Since when all of them do. Negative: they do not.
    Time complete{-1};
    /// Since when only some do.
    Time partly{-1};
    /// By index: from when on a pod that is not there is made anew.
    std::map<std::size_t, Time> due = {};
    bool ended = false;
  };

  static std::string PodOf(const std::string& job, std::size_t index);
  void Create(bool gang);
  void CreatePod(const std::string& name, Job& job, std::size_t index);
  void DeletePod();
  void BreakNode();
  void Recover(const std::string& node);
  void Watch(const std::string& name, Job& job);
  void End(const std::string& name, Job& job);

  ApiServer* const server_;
  Timeline* const timeline_;
  Chance* const chance_;
  Trace* const trace_;
  std::map<std::string, Job> jobs_;
  int created_ = 0;
  int uids_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace berth::simulation
