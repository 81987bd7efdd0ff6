#include "controller/nudge_plan.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace berth::controller {

namespace {

using scheduling::ReasonId;
using Clock = NudgePlan::Clock;

/// What was found of one node for one shape.
struct Verdict {
  std::uint64_t version = 0;
  model::Time valid_until = model::kForever;
  /// kNoReason: it fits.
  ReasonId reason = scheduling::kNoReason;
};

std::string KeyOf(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

/// The last of the moments at which what began at `begin` is due; nothing: none has come yet.
std::optional<Clock::time_point> LastDue(Clock::time_point begin, Clock::time_point now) {
  std::optional<Clock::time_point> last;
  for (const std::chrono::seconds delay : NudgePlan::kDelays) {
    if (begin + delay <= now) last = begin + delay;
  }
  return last;
}

/// The number that ends right before `end`; 0 where none does.
std::size_t NumberBefore(std::string_view text, std::size_t end) {
  const std::size_t before = text.substr(0, end).find_last_not_of("0123456789");
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t number = 0;
  std::from_chars(text.data() + begin, text.data() + end, number);
  return number;
}

/// How many nodes a message of kube-scheduler's counts for a reason: 3 in "0/9 nodes are available:
/// 3 node(s) had condition GPUIsLost, 6 Insufficient nvidia.com/gpu." (FitError.Error in
/// pkg/scheduler/framework/types.go).
std::size_t CountOf(std::string_view message, const std::string& reason) {
  const std::string part = " " + reason;
  std::size_t at = message.find(part);
  for (; at != std::string_view::npos; at = message.find(part, at + 1)) {
    // Another reason may begin with the same words.
    const std::string_view rest = message.substr(at + part.size());
    if (rest.empty() || rest.front() == ',' || rest.front() == '.')
      return NumberBefore(message, at);
  }
  return 0;
}

}  // namespace

/// Of a reason: how many nodes kube-scheduler says were refused for it.
struct NudgePlan::Blame {
  ReasonId reason = scheduling::kNoReason;
  std::size_t nodes = 0;
};

/// Pods of equal shape get equal judgements; see SchedulingEngine::ShapeOf.
struct NudgePlan::Shape {
  std::string key;
  model::Pod sample;
  std::size_t pods = 0;
  bool judged = false;
  std::uint64_t generation = 0;
  model::Time time = model::kNoTime;
  /// PreparedPod::key(): what the policies took from the view as a whole.
  std::string view_key;
  std::vector<Verdict> verdicts;  // by node index
  /// Nodes that are refused.
  std::map<ReasonId, std::size_t> refused;
  /// When nodes refused for a reason came to fit, ascending, while a delay is to come.
  std::map<ReasonId, std::deque<Clock::time_point>> changes;
  /// When pods were due last for these changes.
  std::map<ReasonId, Clock::time_point> due;

  void OnFits(ReasonId former, Clock::time_point now) {
    std::deque<Clock::time_point>& times = changes[former];
    if (times.empty() || times.back() != now) times.push_back(now);
  }

  /// Tells what is due by now, and forgets what has been due for the last time.
  void Advance(Clock::time_point now) {
    for (auto& [reason, times] : changes) {
      for (const Clock::time_point change : times) {
        const auto last = LastDue(change, now);
        if (last) due[reason] = std::max(due[reason], *last);
      }
      std::erase_if(times, [now](auto change) { return change + *std::rbegin(kDelays) <= now; });
    }
  }

  std::size_t Refused(ReasonId reason) const {
    const auto found = refused.find(reason);
    return found == refused.end() ? 0 : found->second;
  }
};

struct NudgePlan::Waiting {
  std::string namespace_;
  std::string name;
  std::string uid;
  model::Time created;
  std::size_t message_hash = 0;
  std::vector<Blame> blamed;
  Clock::time_point blamed_at;
  /// Whether that was true when it was first looked at.
  enum class Report { kNew, kTrue, kStale } report = Report::kNew;
  Shape* shape = nullptr;  // null: there are too many
  Clock::time_point nudged;
  std::uint32_t epoch = 0;
};

NudgePlan::NudgePlan(std::shared_ptr<const scheduling::SchedulingEngine> engine)
    : engine_(std::move(engine)) {}

NudgePlan::~NudgePlan() = default;

void NudgePlan::Upsert(const model::Pod& pod, Clock::time_point now) {
  const bool waits = pod.node_name.empty() && !pod.terminated;
  if (!waits || scheduling::AcceleratorRequests(pod, engine_->catalog()).empty()) {
    return Remove(pod);
  }
  const auto [entry, is_new] = waiting_.try_emplace(KeyOf(pod));
  Waiting& waiting = entry->second;
  // What came to fit before the pod was there was no reason to refuse it.
  if (is_new || waiting.uid != pod.uid) waiting.nudged = now;
  waiting.namespace_ = pod.namespace_;
  waiting.name = pod.name;
  waiting.uid = pod.uid;
  waiting.created = pod.created;
  const std::size_t message_hash = std::hash<std::string>()(pod.unschedulable);
  if (is_new || waiting.message_hash != message_hash) {
    waiting.message_hash = message_hash;
    waiting.blamed = BlamedOn(pod.unschedulable);
    waiting.blamed_at = now;
    waiting.report = Waiting::Report::kNew;
  }
  waiting.epoch = epoch_;
  Shape* const former = std::exchange(waiting.shape, ShapeOf(pod));
  if (waiting.shape != nullptr) ++waiting.shape->pods;
  Release(former);
}

void NudgePlan::Remove(const model::Pod& pod) {
  const auto found = waiting_.find(KeyOf(pod));
  if (found == waiting_.end() || found->second.uid != pod.uid) return;
  Release(found->second.shape);
  waiting_.erase(found);
}

void NudgePlan::Keep(const kube::UnreadableObject& pod) {
  const auto found = waiting_.find(kube::FullNameOf(pod));
  if (found == waiting_.end()) return;
  const bool same = pod.uid.empty() || found->second.uid == pod.uid;
  if (same) found->second.epoch = epoch_;
  if (same) return;
  Release(found->second.shape);
  waiting_.erase(found);
}

void NudgePlan::EndReplace() {
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    const auto next = std::next(entry);
    if (entry->second.epoch != epoch_) {
      Release(entry->second.shape);
      waiting_.erase(entry);
    }
    entry = next;
  }
}

std::vector<NudgePlan::Blame> NudgePlan::BlamedOn(const std::string& message) const {
  std::vector<Blame> blamed;
  const scheduling::ReasonTable& reasons = engine_->reasons();
  for (std::size_t id = 1; id < reasons.size(); ++id) {
    const auto reason = static_cast<ReasonId>(id);
    const std::size_t nodes = CountOf(message, reasons[reason].text);
    if (nodes > 0) blamed.push_back({reason, nodes});
  }
  return blamed;
}

NudgePlan::Shape* NudgePlan::ShapeOf(const model::Pod& pod) {
  std::string key = engine_->ShapeOf(pod);
  const auto found = shapes_.find(key);
  if (found != shapes_.end()) return found->second.get();
  if (shapes_.size() >= kMaxShapes) return nullptr;
  auto shape = std::make_unique<Shape>();
  shape->key = key;
  shape->sample.requests = pod.requests;
  shape->sample.annotations = pod.annotations;
  shape->sample.tolerations = pod.tolerations;
  return shapes_.emplace(std::move(key), std::move(shape)).first->second.get();
}

void NudgePlan::Release(Shape* shape) {
  if (shape == nullptr || --shape->pods > 0) return;
  const std::string key = shape->key;
  shapes_.erase(key);
}

void NudgePlan::Judge(const model::ClusterView& view, model::Time time, Clock::time_point now) {
  for (auto& [key, shape] : shapes_) {
    const bool changed = shape->generation != view.Generation() || time != shape->time;
    if (!shape->judged || changed) JudgeShape(*shape, view, time, now);
    shape->Advance(now);
  }
  for (auto& [key, pod] : waiting_) CheckReport(pod);
}

void NudgePlan::CheckReport(Waiting& pod) {
  if (pod.shape == nullptr || pod.report != Waiting::Report::kNew) return;
  const bool stale = std::any_of(pod.blamed.begin(), pod.blamed.end(), [&](const Blame& blame) {
    return blame.nodes > pod.shape->Refused(blame.reason);
  });
  pod.report = stale ? Waiting::Report::kStale : Waiting::Report::kTrue;
}

void NudgePlan::JudgeShape(Shape& shape, const model::ClusterView& view, model::Time time,
                           Clock::time_point now) const {
  const scheduling::PreparedPod pod = engine_->Prepare(shape.sample, view, time);
  const bool all_anew = shape.view_key != pod.key();
  // A node of which nothing was known was refused as unknown.
  shape.verdicts.resize(view.EndIndex(), {.reason = engine_->unknown_node()});
  shape.refused.clear();
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    Verdict& verdict = shape.verdicts[i];
    const model::NodeState* const state = view.At(i);
    if (state == nullptr) {
      verdict = {.reason = engine_->unknown_node()};
      continue;
    }
    if (all_anew || verdict.version != state->version || time >= verdict.valid_until) {
      const scheduling::DatedJudgement judgement = pod.Judge(*state);
      const bool came_to_fit = verdict.reason != scheduling::kNoReason && judgement.fits;
      if (came_to_fit && shape.judged) shape.OnFits(verdict.reason, now);
      verdict = {state->version, judgement.valid_until,
                 judgement.fits ? scheduling::kNoReason : judgement.reason};
    }
    if (verdict.reason != scheduling::kNoReason) ++shape.refused[verdict.reason];
  }
  shape.generation = view.Generation();
  shape.time = time;
  shape.view_key = pod.key();
  shape.judged = true;
}

bool NudgePlan::IsDue(const Waiting& pod, Clock::time_point now) {
  if (pod.shape == nullptr) return false;
  if (pod.report == Waiting::Report::kStale) {
    const auto due = LastDue(pod.blamed_at, now);
    if (due && *due > pod.nudged) return true;
  }
  return std::any_of(pod.blamed.begin(), pod.blamed.end(), [&](const Blame& blame) {
    const auto due = pod.shape->due.find(blame.reason);
    return due != pod.shape->due.end() && due->second > pod.nudged;
  });
}

std::optional<NudgeTarget> NudgePlan::TakeDue(Clock::time_point now) {
  Waiting* oldest = nullptr;
  for (auto& [key, pod] : waiting_) {
    const bool older = oldest == nullptr || pod.created < oldest->created;
    if (older && IsDue(pod, now)) oldest = &pod;
  }
  if (oldest == nullptr) return std::nullopt;
  oldest->nudged = now;
  return NudgeTarget{oldest->namespace_, oldest->name, oldest->uid};
}

}  // namespace berth::controller
