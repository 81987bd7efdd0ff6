#include "tests/simulation/world.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"

namespace berth::simulation {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// The longest chain that calm may find: a watch that has just stalled (3 min), then the longest
// Retry-After that is obeyed (5 min), then a wait of 30 s.
constexpr Time kCalm = minutes(10);

// What the snapshot may take of what it was told, at most, and of nothing.
constexpr std::size_t kBytesPerByte = 8;
constexpr std::size_t kBytesOfNothing = 64 * 1024;

// As kube-scheduler's event has it.
std::string WordsOf(const extender::FilterResult& result) {
  std::map<std::string, int> reasons;
  for (const auto* failed : {&result.failed, &result.unresolvable}) {
    for (const extender::FailedNode& node : *failed) ++reasons[std::string(node.reason)];
  }
  std::string words;
  for (const auto& [reason, nodes] : reasons) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", nodes, reason);
  }
  return fmt::format("0/{} nodes are available: {}.",
                     result.failed.size() + result.unresolvable.size(), words);
}

Complaint ComplaintAboutModel(const model::Node& node, bool must_have_it) {
  const auto label = model::Find(node.labels, "berth.dev/accelerator");
  if (label == AcceleratorOf(node) || (!label && !must_have_it)) return std::nullopt;
  return fmt::format("node {} of {} has the label {}", node.name, AcceleratorOf(node),
                     label.value_or("(none)"));
}

Complaint ComplaintAboutMemory(const model::Node& node, bool used) {
  const std::string label(
      model::Find(node.labels, "berth.dev/accelerator-memory").value_or("(none)"));
  const std::int64_t memory = MemoryOf(node);
  if (label == std::to_string(memory)) return std::nullopt;
  if (used && label != "(none)" && std::stoll(label) > memory) return std::nullopt;
  return fmt::format("node {} of {} GiB has the label {}", node.name, memory, label);
}

}  // namespace

World::World(std::uint64_t seed, Sabotage sabotage, bool traced)
    : seed_(seed),
      chance_(seed),
      trace_(&timeline_, traced),
      weather_(&chance_, chance_.Between(0, 60)),
      cluster_(&server_, &timeline_, &chance_, &trace_),
      trouble_(minutes(chance_.Between(1, 8))),
      change_interval_(chance_.Percent(50) ? 1000 : 8000) {
  server_.watch_list = chance_.Percent(75);
  options_ = {.page_size = chance_.Percent(70) ? chance_.Between(1, 4) : 500,
              .watch_list = chance_.Percent(85),
              .seed = seed,
              .shortlist = chance_.Percent(30) ? 1 : 0,
              .sabotage = sabotage};
}

World::~World() = default;

void World::Note(const Complaint& complaint) {
  if (!complaint || complaint_) return;
  complaint_ = complaint;
  trace_.Write("FAILED: {}", *complaint);
}

void World::StartBerth() {
  ++counts_.berth_lives;
  trace_.Write("Berth starts");
  checker_ = std::make_unique<Checker>(&server_);
  most_input_ = InputBytes();
  options_.seed = seed_ + static_cast<std::uint64_t>(counts_.berth_lives);
  const Surroundings surroundings{&timeline_, &server_, &weather_, &trace_};
  berth_ = std::make_unique<BerthProcess>(surroundings, options_, [this] { CheckTruth(); });
}

void World::StartController(std::size_t index) {
  BerthProcess::Options options = options_;
  options.seed = seed_ + 1000 * (index + 1) + static_cast<std::uint64_t>(timeline_.now().count());
  options.sabotage = Sabotage::kNone;
  const Surroundings surroundings{&timeline_, &server_, &weather_, &trace_};
  controllers_[index] = std::make_unique<ControllerProcess>(
      surroundings, options, index == 0 ? "controller-a" : "controller-b",
      [this] { return cluster_.Now(); });
}

// Who has written has the right to; "": nobody has written.
void World::CheckLeaders(const std::string& writer) {
  int leaders = 0;
  for (const auto& controller : controllers_) {
    if (controller == nullptr || !controller->Leads()) continue;
    ++leaders;
    if (writer.empty() || writer.starts_with(controller->identity())) continue;
    Note(fmt::format("{} wrote while {} leads", writer, controller->identity()));
  }
  if (leaders > 1) Note("two controllers lead");
}

// No node ever gets the labels of another, be it one that had its name a moment ago; in the end
// each has its own. A memory that is said to be too much stays while pods are bound.
void World::CheckLabels(bool in_the_end) {
  if (controllers_.empty()) return;
  std::set<std::string> used;
  for (const auto& [key, stored] : server_.Of<model::Pod>().now()) {
    if (!stored->value.terminated) used.insert(stored->value.node_name);
  }
  for (const auto& [name, stored] : server_.Of<model::Node>().now()) {
    const bool must_have_them = in_the_end && !stored->unreadable();
    Note(ComplaintAboutModel(stored->value, must_have_them));
    if (must_have_them) Note(ComplaintAboutMemory(stored->value, used.contains(name)));
  }
}

void World::EndBerth() {
  trace_.Write("Berth ends");
  CheckBytes(berth_->End());
  berth_.reset();
}

std::size_t World::InputBytes() const {
  return server_.Of<model::Node>().bytes() + server_.Of<model::Pod>().bytes() +
         server_.Of<model::Service>().bytes();
}

// Bounds: what is kept depends on what there is, and not on all that ever was.
void World::CheckBytes(std::size_t kept) {
  const std::size_t bound = kBytesPerByte * most_input_ + kBytesOfNothing;
  if (kept <= bound) return;
  Note(fmt::format("the snapshot kept {} bytes of never more than {} that there were at once", kept,
                   most_input_));
}

void World::CheckTruth() {
  // While it ends there is nothing to be told any more.
  if (berth_ == nullptr || complaint_) return;
  ++counts_.truths;
  const bool unreadable = !berth_->snapshot().Read().Quarantined(cluster::Kind::kNodes).empty();
  counts_.unreadable += unreadable ? 1 : 0;
  Note(checker_->CheckTruth(*berth_));
  CheckLeaders("");
}

void World::ScheduleChange() {
  timeline_.After(Time(chance_.Between(0, change_interval_)), [this] {
    if (weather_.calm()) return;
    cluster_.Change();
    most_input_ = std::max(most_input_, InputBytes());
    ScheduleChange();
  });
}

void World::ScheduleAttempt() {
  timeline_.After(Time(chance_.Between(0, 2 * change_interval_)), [this] {
    if (weather_.calm()) return;
    Attempt();
    ScheduleAttempt();
  });
}

// kube-scheduler's, which has a view of its own: all nodes as they are, in any order.
void World::Attempt() {
  const std::string key = cluster_.WaitingPod();
  if (key.empty() || !berth_->snapshot().Synced()) return;
  std::vector<std::string> names;
  for (const auto& [name, stored] : server_.Of<model::Node>().now()) names.push_back(name);
  if (chance_.Percent(20)) names.push_back("n" + std::to_string(chance_.Below(20)));
  const model::Pod pod = server_.Of<model::Pod>().Find(key)->value;
  const BerthProcess::Answer answer = berth_->Ask(pod, names, cluster_.Now());
  ++counts_.answers;
  const auto& admitted = answer.result.node_names;
  counts_.refusals += static_cast<int>(names.size() - admitted.size());
  trace_.Write("{}: {} of {} nodes admitted at {}", key, admitted.size(), names.size(),
               answer.decision.node_resource_version);
  // A pod without devices is not Berth's business.
  if (pod.requests.Get(kGpu) > 0) {
    Note(checker_->CheckAnswer(*berth_, answer, names, options_.shortlist > 0));
  }
  if (admitted.empty()) return cluster_.Refuse(key, WordsOf(answer.result));
  const auto best = static_cast<std::size_t>(
      std::max_element(answer.ranks.begin(), answer.ranks.end()) - answer.ranks.begin());
  const std::string node(admitted[answer.ranks.empty() ? 0 : best]);
  timeline_.After(weather_.Latency(), [this, key, node] { cluster_.Bind(key, node); });
}

// The great troubles; the small ones are the weather's.
void World::Breaks() {
  const int ticket = chance_.Below(10);
  if (ticket < 3) {
    EndBerth();
    StartBerth();
    if (!controllers_.empty()) {
      const auto index = static_cast<std::size_t>(chance_.Below(2));
      controllers_[index].reset();
      StartController(index);
    }
  } else if (ticket < 6) {
    trace_.Write("etcd is compacted");
    server_.Compact();
  } else if (server_.up()) {
    TakeAway();
  }
}

void World::TakeAway() {
  ++counts_.outages;
  trace_.Write("the API server goes away");
  server_.GoAway();
  timeline_.After(Time(chance_.Between(0, 40'000)), [this] {
    trace_.Write("the API server is back");
    // Another version, or another flag.
    if (chance_.Percent(20)) server_.watch_list = !server_.watch_list;
    server_.ComeBack();
  });
}

void World::Schedule() {
  ScheduleChange();
  ScheduleAttempt();
  for (int troubles = chance_.Between(0, 6); troubles > 0; --troubles) {
    timeline_.At(Time(chance_.Below(static_cast<int>(trouble_.count()))), [this] { Breaks(); });
  }
}

void World::RunUntil(Time end) {
  while (!complaint_ && timeline_.NextUntil(end)) {
  }
}

Complaint World::Run() {
  cluster_.Begin();
  StartBerth();
  if (seed_ % 8 == 0) {
    server_.on_patch = [this](const std::string& who) {
      ++counts_.patches;
      CheckLeaders(who);
      CheckLabels(false);
    };
    controllers_.resize(2);
    StartController(0);
    StartController(1);
  }
  Schedule();
  RunUntil(trouble_);
  trace_.Write("calm");
  weather_.CalmDown();
  RunUntil(trouble_ + kCalm);
  if (!complaint_) Note(checker_->CheckConverged(*berth_));
  CheckLabels(true);
  controllers_.clear();
  // It lives: news come through, and count.
  const std::string broken = cluster_.BreakOne();
  RunUntil(timeline_.now() + seconds(1));
  if (!complaint_) Note(checker_->CheckConverged(*berth_));
  if (!complaint_ && !broken.empty()) Attempt();
  EndBerth();
  return complaint_;
}

}  // namespace berth::simulation
