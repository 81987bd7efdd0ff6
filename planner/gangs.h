#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/gang.h"
#include "model/kept_room.h"
#include "model/pod.h"
#include "model/time.h"
#include "planner/allowance.h"
#include "planner/config.h"
#include "planner/gang_change.h"
#include "planner/gang_evictions.h"
#include "planner/gang_placer.h"
#include "planner/gang_rests.h"
#include "planner/preflight.h"
#include "planner/round.h"
#include "planner/search_turns.h"
#include "planner/topology.h"
#include "planner/waiting_pod.h"

namespace berth::planner {

/// How far a gang is.
enum class GangPhase : std::uint8_t {
  /// Not all of its pods are there, or somebody else holds one of them back.
  kCollecting,
  /// All are there, but they do not fit at once. It holds nothing.
  kWaiting,
  /// Each of its pods has a node, but kube-scheduler may not know all of them yet.
  kPlanned,
  /// Its gates are taken away, and some of its pods are not bound yet.
  kReleased,
};
inline constexpr std::size_t kGangPhases = 4;

/// A word for metrics and users: "collecting", "waiting".
std::string_view NameOf(GangPhase phase);

/// What there is to say about a gang.
struct GangOutlook {
  std::string namespace_ = {};
  std::string name = {};
  GangPhase phase = GangPhase::kCollecting;
  std::size_t size = 0;
  /// How many of its pods wait, and how many are bound and have not ended.
  std::size_t waiting = 0;
  std::size_t running = 0;
  /// Why it waits; a clause such as "12 of 16 pods fit at once". Empty if it does not.
  std::string reason = {};
  /// The lowest of its pods that wait.
  std::int32_t priority = 0;
  /// When the first of its pods that wait was created.
  model::Time created = model::kNoTime;
  /// Since when it is in this phase, as far as this plan has seen.
  model::Time since = model::kNoTime;
  /// What GangChange::spans said of its release. Empty in other phases, and if an earlier
  /// controller has released it.
  std::vector<GangSpan> spans = {};

  friend bool operator==(const GangOutlook&, const GangOutlook&) = default;
};

/// The part of Planner that plans gangs: pods that run all together or not at all. They wait behind
/// a scheduling gate of Berth's, or for a PodGroup that Berth has not created yet.
///
///   collecting -> planned -> released -> bound, or else waiting with a reason
///
/// When all pods of a gang are there and only that gate holds them back, nodes are sought for all
/// of them at once (GangPlacer). If they fit, each is nominated: kube-scheduler counts nominated
/// pods that are gated (Update in k8s.io/kubernetes/pkg/scheduler/backend/queue/
/// scheduling_queue.go, v1.36.3), so nobody of equal or lower priority gets their place. When the
/// watch has shown all nominations and the plan still holds, the gang is reserved, and the gates
/// are taken away, all in one round; but first its nodes may have to pass a preflight (Preflights).
/// Until then giving up costs nothing but some writes. Afterwards it is all or nothing with
/// compensation: a pod that was not bound is planned again, and after `planner.gangs.timeout` the
/// whole gang is evicted.
///
/// Gangs come by priority, then by age. One that does not fit holds nothing in kube-scheduler; but
/// the plan keeps room for it: later gangs and later single pods do not get it, except pods that
/// say how long they run (`planner.gangs.backfill`). kube-scheduler does not know of it, but asks
/// the extender, which refuses what is kept (model/kept_room.h) to single pods that come later.
///
/// A PodGroup in place of gates is let go by one write for all pods, after which kube-scheduler
/// places all of them or none. It is deleted when none of them waits any more.
///
/// What has to survive a restart stands in the pods: gates, nominations and the annotations of
/// both. A gang of which pods run counts as released; so does one of whose pods some were planned
/// and have no gate any more, and for how long it lacks pods the times of its pods tell. A gang
/// that was evicted, or could not be released, rests (GangRests); that does not survive.
///
/// Not thread-safe.
class Gangs {
 public:
  using Clock = Round::Clock;

  /// After this time without an echo of the watch, a gate counts as not taken away.
  static constexpr std::chrono::seconds kLost{10};
  /// How long a new pod of a gang that runs waits, and how long after the last pod of the gang
  /// ended, before it is taken for a replacement of one pod and not for the first one of a new
  /// start of all.
  static constexpr std::chrono::seconds kReplacement{10};
  /// How long a gang rests after kube-scheduler has refused its PodGroup for the first time.
  static constexpr std::chrono::seconds kRefused{10};
  /// How long a gang that has lacked pods for too long has to become whole once a controller begins
  /// to lead: what it lacks may have a node at once. A pod behind the gate needs longer, because it
  /// is let go after kReplacement at the earliest. kube-scheduler seeks nodes for the others also
  /// while nobody leads.
  static constexpr std::chrono::seconds kChance{10};
  static constexpr std::chrono::seconds kChanceBehindGate{20};
  /// How long after a release without nodes that has reached no pod it is tried again.
  static constexpr std::chrono::seconds kReleaseAgain{30};
  /// How long a gang waits before its users are told, and how often they are told of changes.
  static constexpr std::chrono::seconds kSayAfter{10};
  static constexpr std::chrono::seconds kSayAgain{60};
  /// How many conditions and events are written a minute, of all gangs.
  static constexpr std::size_t kSaysAMinute = 3'000;
  /// How often at most is asked how many pods have succeeded: in all, and in one namespace.
  static constexpr std::chrono::seconds kCount{1};
  static constexpr std::chrono::seconds kCountAgain{30};

  /// For how many gangs at most room is kept, those that come first. One that would share what is
  /// kept for others does not count.
  static constexpr std::size_t kMostKept = 16;
  /// For how long devices are kept for a gang after all of them have become free, and when they are
  /// kept again if it has not fitted: what lacks is not devices, but perhaps the memory that pods
  /// of DaemonSets have.
  static constexpr std::chrono::minutes kAllFree{5};
  static constexpr std::chrono::minutes kKeepAgain{60};
  /// Of how many shapes the pods of a gang may be. Nodes are sought for each.
  static constexpr std::size_t kMostShapes = 64;

  /// A waiting pod of a gang.
  struct Member {
    WaitingPod* pod = nullptr;
    const std::string* shape = nullptr;
    const model::Gang* gang = nullptr;
    /// How many accelerators it asks for.
    std::int64_t devices = 0;
    /// Whether it waits for the PodGroup of its gang; see LacksGroup().
    bool lacks_group = false;
    /// Whether it waits for it because there still is that of an earlier start. Of one round.
    bool former_group = false;
    /// Why no node is sought for it (policies::fit::ExcessOf()). Empty: one is.
    std::string_view excess = {};
    /// Whether its nomination is booked. Of one round.
    bool held = false;
    /// Whether it, or its PodGroup, was let go by hand. Of one round.
    bool freed = false;
  };

  /// `prefix`: of Berth's annotations, "berth.dev".
  Gangs(const PlannerConfig& config, const std::string& prefix);

  /// What names a gang: "<namespace>/<gang>".
  static std::string KeyOf(const model::Pod& pod, const model::Gang& gang);

  /// Whether the pod belongs to the PodGroup of its gang, and that is not there, or not open, as
  /// far as is known. kube-scheduler then looks at the pod as little as at one behind a gate.
  static bool LacksGroup(const model::Pod& pod, const model::Gang& gang, const GangFacts& facts);

  /// Another controller leads. Forgets everything: who leads again begins as one that starts.
  void Forget();

  /// A round begins. `waiting`: the pods of all gangs that wait and are not shown bound.
  void Begin(const std::vector<Member>& waiting, Round& round);
  /// Books the nominations that still hold. Call it before anything new is booked.
  void Confirm(Round& round);
  /// Whether any gangs are not planned yet, and whether any of them come before a single pod of
  /// that place: times have whole seconds, and of one second gangs come first, as the policy `kept`
  /// has it.
  bool HasAny() const { return next_ < queue_.size(); }
  bool HasAnyBefore(const QueuePlace& place) const {
    return HasAny() && queue_[next_]->place <= place;
  }
  /// Plans the gangs that come before the place, and all that are left.
  void PlanBefore(const QueuePlace& place, Round& round);
  void PlanRest(Round& round);

  /// Whether the pod may have room that is kept for gangs, because it says that it ends in time.
  bool MayUseKept(const model::Pod& pod, const Round& round) const;

  /// For steps of other kinds than kNominate; see Planner. `pod`: the step's pod, if it waits.
  bool IsWanted(const Step& step, const model::Pod* pod) const;
  /// See Planner::Failed().
  void Failed(const Step& step, std::string_view why, Failure failure);
  void OnSucceeded(const Step& step, const SucceededPods& pods);

  /// What the last round made of a gang. Nothing if none of its pods wait.
  std::optional<GangOutlook> Find(std::string_view namespace_name, std::string_view gang) const;
  /// The same of all gangs of which pods wait, ascending by "<namespace>/<gang>".
  std::vector<GangOutlook> Outlooks() const;
  /// How many gangs there are of each GangPhase.
  std::array<std::size_t, kGangPhases> phases() const;
  /// The devices that the last round keeps for gangs that wait, by the name of the node; the
  /// entries of a node ascending by gang and resource. `until` is not set: who writes them down
  /// says how long they hold.
  std::map<std::string, std::vector<model::KeptRoom>> KeptRooms() const;
  /// Whether nothing could be said of some gang in the last round, because it was not known which
  /// PodGroups there are.
  bool IsAnyPaused() const;
  /// When the first pod was created of the gang that waits for its release the longest, those aside
  /// that somebody else holds back by a gate, such as Kueue. kNoTime if none waits.
  model::Time OldestWaiting() const;
  /// For how long that gang was released and lacks pods which does so the longest, as far as this
  /// plan has seen. Zero if none has for planner.gangs.timeout. Those that were let go by hand do
  /// not count.
  Clock::duration LongestIncomplete() const;

 private:
  using Groups = std::vector<PodGroup>;

  // A node on which room is kept for a pod of the gang, by its UID.
  struct KeptPlace {
    std::string node;
    std::string uid;
  };

  // What is kept for a gang.
  struct KeptFor {
    // Where room is kept for which of its pods, and how many devices that are, by the names of node
    // and resource.
    std::vector<KeptPlace> places = {};
    std::map<std::pair<std::string, std::string>, std::int64_t> devices = {};
    // On how many nodes that is, and on how many more it would be but for the share that may be
    // kept of their model.
    std::size_t nodes = 0;
    std::size_t beyond_share = 0;
    // Pods that have ended by then may use them.
    model::Time until = model::kNoTime;
    // Since when all of them have been free and kept, and until when nothing is kept because that
    // was in vain.
    std::optional<Clock::time_point> all_free = {};
    std::optional<Clock::time_point> vain_until = {};
  };

  // How many pods of a gang fitted at once at most, and on nodes of which model, if that is known
  // and all of them must be of one.
  struct Fitting {
    std::size_t pods = 0;
    std::string model = {};
  };

  // Of a gang that lacked pods when it was seen first.
  struct TakenOver {
    // When that was, and what time it was at least by the API server's clock. While no gang may be
    // released, it counts as seen now.
    Clock::time_point seen = {};
    model::Time time = model::kNoTime;
    // How long it has from then to become whole.
    Clock::duration chance = kChance;
  };

  struct Record {
    std::string namespace_ = {};
    std::string name = {};
    // Of one round. By rank: near ranks get near nodes.
    std::vector<Member> members = {};
    QueuePlace place = {};
    // The nodes of its pods that run, and when there were last more of them.
    std::vector<std::string> running = {};
    std::optional<Clock::time_point> shrunk = {};
    // Whether any of its pods has a gate of somebody else.
    bool is_held_back = false;
    // What its pods say of its size, and how many were still to run while some of them waited.
    std::size_t said_size = 0;
    std::size_t needed = 0;
    // How many of its pods have succeeded, and when that was asked. Not known before.
    std::size_t succeeded = 0;
    std::optional<Clock::time_point> asked = {};
    // Whether any of its pods ask for accelerators. If so, those that do not may run anywhere.
    bool asks = false;
    // What of it fits, and whether all of it might if nothing else ran.
    Fitting fitting = {};
    bool possible = true;
    // When it was its turn last (SearchTurns), and whether it had to wait for it in this round.
    std::uint64_t turn = 0;
    bool waits_for_turn = false;

    GangPhase phase = GangPhase::kCollecting;
    std::string reason = {};
    std::optional<Clock::time_point> since = {};  // in this phase
    model::Time since_time = model::kNoTime;      // the same, for people
    // Of its release, while it is released.
    std::vector<GangSpan> spans = {};
    bool released = false;
    // When the gates of which pods were taken away, by UID.
    std::map<std::string, Clock::time_point> ungated = {};
    // Since when there are no nodes for it, until it has some, is collecting again, or a pod of it
    // is released.
    std::optional<Clock::time_point> lacks_nodes = {};
    // Whether it was released without nodes, for an autoscaler; and when that was tried last.
    bool unplanned = false;
    std::optional<Clock::time_point> unplanned_at = {};
    // Whether its PodGroup could not be created, and when to try again.
    bool group_failed = false;
    std::optional<Clock::time_point> group_due = {};
    // Since when it holds nodes and no pod of it has been released.
    std::optional<Clock::time_point> holds_since = {};
    // What the API server has refused last: a clause. Empty if nothing since the last release.
    std::string trouble = {};
    // Since when it is released and lacks pods, and when it may be evicted for that.
    std::optional<Clock::time_point> incomplete = {};
    EvictionAttempts attempts = {};
    // Until it is whole, or has had its chance. Another controller may have released it.
    std::optional<TakenOver> taken_over = {};
    // Since when nothing could be said of it; see LacksKnowledge().
    std::optional<Clock::time_point> paused = {};
    KeptFor kept = {};
    // What users were told, in which phase and when.
    std::string said = {};
    GangPhase said_phase = GangPhase::kPlanned;
    Clock::time_point said_at = {};
    // Whether its pods were told last that it waits, by UID: in their condition. Of those that are
    // missing, the condition itself says so.
    std::map<std::string, bool> told = {};

    const model::Gang& gang() const { return *members.front().gang; }
    std::size_t size() const { return static_cast<std::size_t>(gang().size); }
    // How many pods are still to run: those of an Indexed Job that have succeeded never come again.
    std::size_t left() const { return size() - std::min(succeeded, size() - 1); }
    std::string key() const { return namespace_ + '/' + name; }
    bool wants_one_model() const { return asks && !gang().any_models; }
  };

  // Pods for which nodes are sought at once, by their shape.
  using Alike = std::vector<std::vector<Member*>>;
  // The same as GangPlacer takes them.
  struct Wanted {
    Groups groups = {};
    // Keeps those of `groups`.
    std::vector<std::shared_ptr<Candidates>> candidates = {};
  };
  // What is told of a gang of which no pod waits any more.
  struct Left {
    GangChange change = {};
    // How many pods it had still to run.
    std::size_t needed = 0;
  };

  // Takes what is to be known of the gang from its pods.
  void Refresh(const std::string& key, Record& gang, Round& round);
  // Whether pods of the gang ask for accelerators, or, as far as one can tell, did.
  static bool Asks(const Record& gang, const Round& round);
  // Sets `released` by what the pods show.
  void JudgeRelease(Record& gang, const Round& round) const;
  // Whether Berth alone holds the pod back, by a gate or a PodGroup.
  bool IsHeld(const Member& member) const;
  // Whether nobody holds the pod back.
  static bool IsOpen(const Member& member);
  // Whether the pod was let go after the plan gave it a node.
  bool WasReleased(const Member& member) const;
  // Whether somebody has let the pod go by hand.
  bool IsFreed(const Member& member, const Round& round) const;
  static bool IsFreed(const Record& gang);
  // Whether what was planned of its eviction still holds, as of the last round.
  static bool IsToBeEvicted(const Record& gang);

  void Plan(Record& gang, Round& round);
  // Why the pods cannot be planned, whatever nodes there are. Empty if they can.
  std::string ObstacleTo(const Record& gang, const Round& round) const;
  std::string ObstacleIn(const Member& member, const Round& round) const;
  // Why kube-scheduler would not place the two in one PodGroup. Empty if it would.
  static std::string ObstacleBetween(const Member& first, const Member& second);
  // Asks which pods have succeeded of the gangs that have lacked some for a while: for all gangs of
  // one namespace at a time, because all its pods are listed.
  void AskForSucceeded(Round& round);
  bool IsToBeCounted(const Record& gang, const Round& round) const;
  // Whether nothing can be said of the gang in this round, because it is not known which PodGroups
  // there are. It then stays as it is and its clocks stand still; but if that lasts, it holds
  // nothing before its release.
  bool LacksKnowledge(const Record& gang, const Round& round) const;
  std::string WhyNotKnown(const Member& member, const Round& round) const;
  void Pause(Record& gang, Round& round);
  static void Resume(Record& gang, const Round& round);
  // Whether to wait for the fate of former writes.
  static bool MustPause(const Member& member, const Round& round);

  static std::vector<Member*> MembersOf(Record& gang);
  // Nominates nodes for those of the pods that have none. Returns false if they do not all fit.
  bool PlaceMissing(Record& gang, const std::vector<Member*>& pods, Round& round);
  std::optional<GangPlacer::Places> PlaceOnOneModel(const Record& gang, GangPlacer& placer,
                                                    GangPlacer::Limits limits) const;
  // Empty if there is none, or none of the catalogue.
  static std::string NameOf(std::optional<GangPlacer::Model> model, const Round& round);
  // Groups equal pods, those first that are hardest to place.
  static Alike AlikeOf(const std::vector<Member*>& pods);
  // Equal for gangs that want the same.
  static std::string SignatureOf(const Record& gang, const Alike& pods, bool unkept);
  static Wanted WantedOf(const Record& gang, const Alike& pods, bool unkept, Round& round);
  // What the pods with nodes leave to the others.
  GangPlacer::Limits LimitsOf(const Record& gang, const Topology& topology,
                              const Round& round) const;
  const Topology& TopologyOf(const Record& gang, const Round& round);
  // `required`: a label; empty: none.
  const Topology& TopologyFor(const std::string& required, const Round& round);

  void Nominate(const Record& gang, Member& member, model::NodeIndex node, Round& round) const;
  void Withdraw(const Record& gang, Member& member, Round& round) const;
  void WithdrawAll(Record& gang, Round& round) const;
  // Nominates the same node again for pods whose nomination kube-scheduler may have forgotten.
  // Returns whether kube-scheduler knows all of them.
  bool AreReserved(const Record& gang, const std::vector<Member*>& pods, Round& round) const;
  void Release(Record& gang, Round& round);
  // Whether it has held nodes for too long without being released, as if its nominations or its
  // gates were refused for ever. Then it gives them back, and rests.
  bool IsOverdue(const Record& gang, const Round& round) const;
  std::string WhyOverdue(const Record& gang) const;
  // Whether the nodes of a gang that is reserved are well, as far as somebody is to check that.
  bool PassesPreflight(Record& gang, Round& round);
  PreflightRequest PreflightOf(const Record& gang, const Round& round) const;
  // Lets pods go that are held.
  void LetGo(Record& gang, const std::vector<const Member*>& pods, Round& round) const;
  // Whether the pod was let go just now, and the watch may not have shown it yet.
  static bool IsBeingLetGo(const Record& gang, const Member& member, const Round& round);

  // A PodGroup is created only when the pods have nodes. Where none of them had one, it was created
  // for others of the same name: the controller was away when these ended.
  void NoticeFormerGroup(Record& gang, const Round& round) const;
  // PodGroups exist only while a gang is let go: pods that come later wait for another one.
  void DropUnusedGroups(Round& round);
  // "<namespace>/<name>" of the pod's PodGroup.
  static std::string GroupKeyOf(const model::Pod& pod) {
    return pod.namespace_ + '/' + pod.scheduling_group;
  }
  // Whether no PodGroup of the gang was refused just now.
  static bool MayLetGo(Record& gang, const Round& round);
  // Deletes the PodGroup, if it exists.
  void DropGroup(const std::string& key, Round& round);
  // Whether kube-scheduler has refused the whole gang on the nodes that the plan gave it. It places
  // all pods of a PodGroup or none.
  static bool HasFallenThrough(const Record& gang);
  // Holds the gang back again, for some time at least.
  void TakeBack(Record& gang, Round& round);

  // Sees to the pods of a released gang that are not bound.
  void Complete(Record& gang, Round& round);
  // Those that are gated go on all together: alone they would only hold what others could use.
  void CompleteGated(Record& gang, Round& round);
  // Sets `incomplete` of a gang that is `taken_over`.
  void TakeOver(Record& gang, const Round& round) const;
  // For how long at least it had lacked pods then, as far as they tell.
  static Clock::duration LackedBefore(const Record& gang, const Round& round);
  // Whether a released gang has lacked pods for too long, and may be evicted.
  bool IsLate(const Record& gang, const Round& round) const;
  // How many of the pods that are still to run are not there.
  static std::size_t Missing(const Record& gang);
  // Whether a pod behind the gate may be the first one of a new start of the whole gang.
  static bool MayStartAnew(const Record& gang, const Member& member, const Round& round);
  void Evict(Record& gang, Round& round);
  // What has been made anew waits until those have gone that are being evicted.
  void AwaitEviction(Record& gang, Round& round);
  void PlaceOne(const Record& gang, Member& member, Round& round);

  // The gang does not fit: keeps room for it, and says why.
  void Wait(Record& gang, Round& round);
  static std::string WhyItWaits(const Record& gang, const Topology& topology, const Round& round);
  // Returns false if it is known that no nodes could ever hold it.
  bool Keep(Record& gang, Round& round);
  // Keeps those of the places that the share of their model allows. The gang counts as one for
  // which room is kept if any of the nodes was not kept yet.
  void KeepPlaces(Record& gang, const std::vector<KeptPlace>& places, Round& round);
  // Whether all devices that are kept for it have been free for so long that the gang must lack
  // something else: memory, or nodes beyond the share.
  static bool IsKeptInVain(Record& gang, const Round& round);
  // The nodes on which room is kept for it.
  static GangPlacer::Nodes KeptNodes(const Record& gang, const Round& round);
  // The same as in the last round, because it is not the gang's turn, or it must pause: what was
  // noted on the nodes stays true.
  void KeepAsBefore(Record& gang, Round& round);
  static void ForgetKept(Record& gang);
  // Pods that have ended by then may use what is kept for the gang.
  model::Time KeptUntil(const Record& gang, model::Time now) const;

  void Enter(Record& gang, GangPhase phase, std::string reason, Round& round);
  static GangOutlook OutlookOf(const Record& gang);
  static GangChange ChangeOf(const Record& gang, GangEvent event, const Round& round);
  // No pod of the gang waits any more. What runs of it is told when the view shows all of it, or
  // when the gang starts anew.
  void Leave(const std::string& key, const Record& gang, const Round& round);
  void TellLeft(Round& round);
  void TellReleased(Record& gang, Round& round);
  // Over how many domains of each level of the configuration its pods are spread.
  std::vector<GangSpan> SpansOf(const Record& gang, const Round& round);
  void Say(Record& gang, Round& round);
  // The pods whose condition is to say why it waits. `again`: others in this phase have said so
  // before; `is_news`: not in the same words.
  std::vector<const Member*> WhomToTell(const Record& gang, bool again, bool is_news,
                                        const Round& round) const;
  // Whether the pod of a released gang waits on behind the gate because it has no node.
  bool IsLeftBehind(const Record& gang, const Member& member, const Round& round) const;
  static bool WasTold(const Record& gang, const Member& member);
  // Takes back what users were told of a pod that waits for no release any more, if they were.
  void Correct(Record& gang, const Member& member, Round& round) const;
  // A condition could not be written.
  static void OnNotTold(const Step& step, Record& gang);
  Step StepFor(const Record& gang, const Member& member, StepKind kind) const;

  const PlannerConfig config_;
  const model::GangNames names_;
  const std::string plan_annotation_;
  const std::string lease_annotation_;
  const std::string runtime_annotation_;
  std::map<std::string, Record> gangs_;  // by "<namespace>/<gang>"
  // Those of which no pod waits any more, until that is told; by the same.
  std::map<std::string, Left> left_;
  // Also of gangs of which no pod waits.
  BegunEvictions evictions_;
  // When PodGroups were to be deleted, by "<namespace>/<name>".
  std::map<std::string, Clock::time_point> dropped_;
  GangRests rests_;
  SearchTurns turns_;
  Allowance says_{kSaysAMinute};

  // When the last round was, and how much earlier the one before.
  std::optional<Clock::time_point> round_ = {};
  Clock::duration pace_ = {};
  // Of one round: the gangs in the order of planning, and how many of them are planned.
  std::vector<Record*> queue_;
  std::size_t next_ = 0;
  // When pods that have succeeded were counted last, by namespace.
  std::map<std::string, Clock::time_point> counted_;

  // What did not fit, and how much of it did. Others that want the same do not fit either.
  std::map<std::string, Fitting> unfit_;
  // By the label that a gang requires, if it is none of `planner.topology`.
  std::map<std::string, std::unique_ptr<Topology>> topologies_;
  // For how many gangs room is kept, and on which nodes, by model.
  std::size_t keeping_ = 0;
  std::map<GangPlacer::Model, std::set<model::NodeIndex>> kept_;
};

}  // namespace berth::planner
