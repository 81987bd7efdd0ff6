#include "tests/simulation/gang_world.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "fmt/format.h"

namespace berth::simulation {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr seconds kTimeout{30};

// How long calm may have to last: a watch that has just stalled and a Retry-After (World has these,
// too), then gangs that rest for ten minutes at most, and ten of which only one runs at a time.
constexpr Time kCalm = minutes(60);
// From then on nothing of the trouble is left.
constexpr Time kSettled = minutes(12);
// How long a part of a gang may run without the rest then: until the timeout, then until its
// eviction has succeeded.
constexpr Time kPartly = kTimeout + seconds(60);

// How long single pods come and go before a gang comes among them.
constexpr Time kBefore = seconds(30);
// For how many more devices than there are they ask from then on: without what is kept, none would
// stay free for long.
constexpr std::int64_t kBeyond = 2 * kDevicesOfNode;
// By how much those of them may delay the gang that say when they end. None of them runs as long.
constexpr seconds kBackfill{120};
// How long it may take until the gang runs. What runs when it comes has to end, and what waits then
// was created before it, and may still run and end; then the present span of kBackfill ends. Two
// lives of single pods, the times until each of them is tried again, and one span: the bound is
// three times that, because what is kept may move to a node that happens to become free.
constexpr Time kStarts = 3 * (4 * GangJobs::kLongestSingle + kBackfill);

// A third of all worlds has gangs with masters, and a quarter PodGroups.
GangKinds KindsOf(std::uint64_t seed) {
  return {.masters = seed % 3 == 0, .pod_groups = seed % 4 == 2};
}

planner::PlannerConfig ConfigOf(std::uint64_t seed) {
  Chance chance(seed);
  planner::PlannerConfig config;
  config.backlog.enabled = chance.Percent(30);
  config.backlog.pods = chance.Between(0, 3);
  config.gangs.enabled = true;
  config.gangs.timeout = kTimeout;
  config.gangs.pod_groups = KindsOf(seed).pod_groups;
  config.topology = {{"rack"}};
  return config;
}

}  // namespace

GangWorld::GangWorld(std::uint64_t seed, PlannerSabotage sabotage, bool traced)
    : seed_(seed),
      sabotage_(sabotage),
      chance_(seed),
      config_(ConfigOf(seed)),
      trace_(&timeline_, traced),
      weather_(&chance_, chance_.Percent(40) ? 0 : chance_.Between(1, 30)),
      jobs_(&server_, &timeline_, &chance_, &trace_, KindsOf(seed)),
      scheduler_(&server_, &timeline_, &chance_, &trace_,
                 {.forgets = chance_.Percent(70) && !KindsOf(seed).pod_groups,
                  .now = [this] { return jobs_.Now(); }}),
      checker_(&server_, &timeline_, &scheduler_),
      trouble_(minutes(chance_.Between(1, 6))) {
  options_ = {.page_size = chance_.Percent(50) ? chance_.Between(1, 4) : 500,
              .watch_list = chance_.Percent(85),
              .seed = seed,
              .for_planner = true};
  server_.before_pod_patch = [this](const std::string& who, const model::Pod& before,
                                    const model::Pod& after) {
    Note(checker_.CheckPatch(who, before, after));
  };
  server_.before_node_patch = [this](const std::string& who, const model::Node& after) {
    Note(GangChecker::CheckNode(who, after));
  };
  server_.pod_groups().before_change = [this](const std::string& who, const std::string& group,
                                              std::int64_t min_count) {
    trace_.Write("{} opens PodGroup {} for {} pods", who, group, min_count);
    ++counts_.openings;
    Note(checker_.CheckPodGroup(who, group));
  };
}

GangWorld::~GangWorld() = default;

void GangWorld::Note(const Complaint& complaint) {
  if (!complaint || complaint_) return;
  complaint_ = complaint;
  trace_.Write("FAILED: {}", *complaint);
}

void GangWorld::StartControllers() {
  controllers_.resize(chance_.Percent(50) ? 2 : 1);
  for (std::size_t index = 0; index < controllers_.size(); ++index) StartController(index);
}

void GangWorld::StartController(std::size_t index) {
  BerthProcess::Options options = options_;
  options.seed = seed_ + 1000 * (index + 1) + static_cast<std::uint64_t>(timeline_.now().count());
  const Surroundings surroundings{&timeline_, &server_, &weather_, &trace_};
  const std::string identity = index == 0 ? "controller-a" : "controller-b";
  checker_.Forget(identity);
  controllers_[index] = std::make_unique<ControllerProcess>(
      surroundings, options, identity, [this] { return jobs_.Now(); },
      PlannerOptions{.config = config_, .sabotage = sabotage_, .heard = [this, index] {
                       if (controllers_[index] != nullptr) checker_.Note(*controllers_[index]);
                     }});
}

void GangWorld::ScheduleChange() {
  timeline_.After(Time(chance_.Between(0, 10'000)), [this] {
    if (weather_.calm()) return;
    jobs_.Change();
    ScheduleChange();
  });
}

void GangWorld::ScheduleWork() {
  timeline_.After(seconds(1), [this] {
    if (server_.up()) jobs_.Work();
    ScheduleWork();
  });
}

void GangWorld::ScheduleSingles() {
  timeline_.After(seconds(1), [this] {
    jobs_.AddSingles(beyond_);
    ScheduleSingles();
  });
}

// The great troubles; the small ones are the weather's.
void GangWorld::Break() {
  const int ticket = chance_.Below(10);
  if (ticket < 4) {
    ++counts_.restarts;
    const auto index =
        static_cast<std::size_t>(chance_.Below(static_cast<int>(controllers_.size())));
    controllers_[index].reset();
    StartController(index);
  } else if (ticket < 7) {
    ++counts_.restarts;
    scheduler_.Restart();
  } else if (ticket < 8) {
    trace_.Write("etcd is compacted");
    server_.Compact();
  } else if (server_.up()) {
    TakeAway();
  }
}

void GangWorld::TakeAway() {
  trace_.Write("the API server goes away");
  server_.GoAway();
  timeline_.After(Time(chance_.Between(0, 40'000)), [this] {
    trace_.Write("the API server is back");
    server_.ComeBack();
  });
}

void GangWorld::CheckParts() {
  for (const GangJobs::Partly& part : jobs_.PartlyRunning()) {
    const Time since = std::max(part.since, trouble_ + kSettled);
    if (timeline_.now() - since <= kPartly) continue;
    Note(fmt::format("a part of gang {} has run without the rest since {} s{}", part.gang,
                     part.since.count() / 1000, jobs_.Left()));
  }
}

void GangWorld::RunUntil(Time end) {
  while (!complaint_ && timeline_.NextUntil(end)) {
  }
}

Complaint GangWorld::Run() {
  jobs_.Begin();
  scheduler_.Begin();
  StartControllers();
  ScheduleChange();
  ScheduleWork();
  for (int troubles = chance_.Between(0, 6); troubles > 0; --troubles) {
    timeline_.At(Time(chance_.Below(static_cast<int>(trouble_.count()))), [this] { Break(); });
  }
  RunUntil(trouble_);
  trace_.Write("calm");
  weather_.CalmDown();
  jobs_.CalmDown();
  while (!complaint_ && !jobs_.AllEnded() && timeline_.now() < trouble_ + kCalm) {
    RunUntil(timeline_.now() + seconds(10));
    CheckParts();
  }
  if (!jobs_.AllEnded()) Note("not all Jobs have ended:" + jobs_.Left());
  counts_.releases = checker_.releases();
  counts_.evictions = server_.evictions();
  controllers_.clear();
  return complaint_;
}

Complaint GangWorld::RunAmongSingles() {
  weather_.CalmDown();
  // Of fewer than four nodes half would be one.
  const auto nodes = static_cast<double>(jobs_.BeginEmpty(4, 8));
  config_.gangs.max_share = chance_.Percent(50) ? 0.5 : 1;
  config_.gangs.backfill = kBackfill;
  scheduler_.Begin();
  StartControllers();
  ScheduleWork();
  ScheduleSingles();
  RunUntil(kBefore);
  const auto kept = static_cast<int>(std::floor(config_.gangs.max_share * nodes));
  const int wanted = chance_.Between(2, std::min(kept, 4));
  const std::string gang = jobs_.AddGang(static_cast<std::size_t>(wanted));
  const Time begin = timeline_.now();
  beyond_ = kBeyond;
  while (!complaint_ && !jobs_.IsComplete(gang) && timeline_.now() < begin + kStarts) {
    RunUntil(timeline_.now() + seconds(1));
  }
  if (!jobs_.IsComplete(gang)) {
    Note(fmt::format("{} has waited among single pods for {} s:{}", gang,
                     (timeline_.now() - begin).count() / 1000, jobs_.Left()));
  }
  counts_.releases = checker_.releases();
  counts_.evictions = server_.evictions();
  controllers_.clear();
  return complaint_;
}

}  // namespace berth::simulation
