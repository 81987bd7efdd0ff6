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

/// What gangs of a world may be, beside pods that are all alike behind gates.
struct GangKinds {
  /// The first pod of some asks for other devices than the rest: a master or a launcher.
  bool masters = false;
  /// Some wait for PodGroups instead of behind gates.
  bool pod_groups = false;
};

/// "ml/train" for a pod of the gang train; "" for a pod of none.
std::string GangKeyOf(const model::Pod& pod);
/// What the pod says of the size of its gang; 0 for a pod of none.
std::size_t GangSizeOf(const model::Pod& pod);

/// Jobs of one pod and of gangs, the nodes that they run on, and what the Job controller and
/// kubelets make of both. A Job ends when all its pods have run at the same time for a while; until
/// then it makes each pod anew that vanishes. Not thread-safe.
class GangJobs {
 public:
  GangJobs(ApiServer* server, Timeline* timeline, Chance* chance, Trace* trace, GangKinds kinds)
      : server_(server), timeline_(timeline), chance_(chance), trace_(trace), kinds_(kinds) {}

  /// The nodes, and the first Jobs.
  void Begin();
  /// The nodes alone, from `least` to `most`; how many.
  std::size_t BeginEmpty(int least, int most);
  /// Somebody creates a Job, deletes a pod, or a node breaks or recovers.
  void Change();
  /// All nodes recover, and nobody creates or deletes anything any more.
  void CalmDown();

  /// Creates Jobs of one pod, until all such Jobs ask for so many devices more than there are. They
  /// have the priority 0 and run for kLongestSingle at most; some say that they end in time.
  void AddSingles(std::int64_t beyond);
  static constexpr Time kLongestSingle{20'000};
  /// Creates a gang of the priority 0 that fits on so many nodes if nobody else runs there, and
  /// needs all of each but for one; its name.
  std::string AddGang(std::size_t nodes);
  /// Whether all pods of the Job run, or have run.
  bool IsComplete(const std::string& name) const;

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
    /// Of each pod, and of the first one.
    std::int64_t devices = 1;
    std::int64_t first = 1;
    /// Whether its pods wait for a PodGroup.
    bool grouped = false;
    std::int32_t priority = 0;
    model::StringMap annotations = {};
    /// Whether it waits for minutes before it makes evicted pods anew.
    bool backs_off = false;
    /// How long all pods run together.
    Time runs{0};
    /// Since when all of them do. Negative: they do not.
    Time complete{-1};
    /// Since when only some do.
    Time partly{-1};
    /// By index: from when on a pod that is not there is made anew.
    std::map<std::size_t, Time> due = {};
    bool ended = false;

    std::int64_t DevicesOf(std::size_t index) const { return index == 0 ? first : devices; }
    std::int64_t sum() const { return first + devices * (static_cast<std::int64_t>(size) - 1); }
  };

  static std::string PodOf(const std::string& job, std::size_t index);
  void Create(bool gang);
  // What the first pod of a gang asks for, so that all fit together if pods would that are alike.
  std::int64_t FirstBeside(const Job& job);
  // Whether a gang waits for a PodGroup.
  bool IsGrouped() { return kinds_.pod_groups && chance_->Percent(80); }
  std::string Add(Job job);
  void CreatePod(const std::string& name, Job& job, std::size_t index);
  void DeletePod();
  void BreakNode();
  void Recover(const std::string& node);
  void Watch(const std::string& name, Job& job);
  // How long a pod that is gone is not made anew.
  Time WaitBefore(const std::string& pod, const Job& job);
  void End(const std::string& name, Job& job);

  ApiServer* const server_;
  Timeline* const timeline_;
  Chance* const chance_;
  Trace* const trace_;
  const GangKinds kinds_;
  std::map<std::string, Job> jobs_;
  int created_ = 0;
  int uids_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace berth::simulation
