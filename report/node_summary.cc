#include "report/node_summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "model/saturating.h"
#include "policies/scheduling/exclusions.h"
#include "policies/scheduling/health_profiles.h"
#include "report/amount_text.h"
#include "report/plain_text.h"

namespace berth::report {

namespace {

using cluster::Snapshot;
using model::AcceleratorCatalog;
using model::NodeIndex;
using model::NodeState;
using policies::scheduling::PreparedPod;
using policies::scheduling::ReasonId;
using Record = Survey::Record;

constexpr std::size_t kNodeExamples = 3;

void AddExample(std::string text, std::vector<std::string>& examples) {
  if (examples.size() < kNodeExamples) examples.push_back(std::move(text));
}

std::string NameOf(const Record& record, const Survey& survey) {
  return survey.namespaces()[record.namespace_name] + "/" + record.name;
}

std::string NameOf(const NodeState& node) { return PlainText(node.node.name, kMaxName); }

Compute AllocatableOf(const NodeState& node) {
  return {.cpu = node.node.allocatable.Get("cpu"), .memory = node.node.allocatable.Get("memory")};
}

bool Exceeds(const Compute& asked, const Compute& there) {
  return asked.cpu > there.cpu || asked.memory > there.memory;
}

// "gpu-7 by 12 cores, 40Gi"
std::string ExcessText(const NodeState& node, const Compute& asked) {
  Compute excess = asked - AllocatableOf(node);
  const std::string cores = excess.cpu > 0 ? CoresText(excess.cpu) + " cores" : "";
  const std::string memory = excess.memory > 0 ? MemoryText(excess.memory) : "";
  const char* comma = cores.empty() || memory.empty() ? "" : ", ";
  return NameOf(node) + " by " + cores + comma + memory;
}

// Goes through the pods on their nodes.
class NodeSummary {
 public:
  NodeSummary(const Survey& survey, const Standings& standings, const SummaryRules& rules,
              model::Time now, Report& report)
      : survey_(survey),
        standings_(standings),
        engine_(*rules.engine),
        rules_(rules),
        now_(now),
        view_(survey.snapshot().Read()),
        report_(report),
        pools_(engine_.catalog().size() + 1),
        loads_(view_.EndIndex()) {
    for (std::size_t i = 0; i < survey.nodes().size(); ++i) {
      places_.push_back(view_.Find(survey.nodes()[static_cast<Survey::TextId>(i)]));
    }
    prepared_.resize(survey.shapes().size());
  }

  std::vector<Misplacement> Run() {
    std::vector<Misplacement> misplaced;
    misplaced.reserve(survey_.records().size());
    for (const Record& record : survey_.records()) misplaced.push_back(Add(record));
    FinishPools();
    FinishMoved();
    FinishRefused();
    AddExclusions();
    AddSilentConditions();
    AddNotes();
    return misplaced;
  }

 private:
  // What the pods of a node request, now and then.
  struct Load {
    Compute now;
    Compute then;
    // Whether a pod that is on it would be kept off.
    bool loses = false;
  };

  // The index of the pool of nodes with that accelerator; the last one is that of the others.
  std::size_t PoolOf(AcceleratorCatalog::Index accelerator) const {
    return accelerator == AcceleratorCatalog::kNone ? pools_.size() - 1
                                                    : static_cast<std::size_t>(accelerator);
  }
  std::string PoolName(std::size_t pool) const {
    if (pool + 1 == pools_.size()) return "";
    return PlainText(engine_.catalog()[static_cast<AcceleratorCatalog::Index>(pool)].name,
                     kMaxName);
  }

  Misplacement Add(const Record& record) {
    if (!record.has_use) return {};
    const Compute then = standings_.ThenOf(record);
    if (record.node == Survey::kNoText) {
      ++report_.waiting;
      report_.waiting_now += record.now;
      report_.waiting_then += then;
      return {};
    }
    const std::optional<NodeIndex> place = places_[record.node];
    if (!place) {
      ++elsewhere_;
      return {};
    }
    return AddBound(record, *place, then);
  }

  Misplacement AddBound(const Record& record, NodeIndex place, const Compute& then) {
    const NodeState& node = *view_.At(place);
    const Survey::Verdict verdict = standings_.VerdictOn(record);
    const std::size_t pool = PoolOf(node.accelerator);
    loads_[place].now += record.now;
    pools_[pool].now += record.now;
    Misplacement misplaced;
    misplaced.moved = verdict.effect == Effect::kChanged && verdict.kept_off &&
                      node.accelerator != AcceleratorCatalog::kNone;
    if (misplaced.moved) {
      pools_.back().then += then;
      CountMoved(record, node, pool);
      loads_[place].loses = true;
    } else {
      loads_[place].then += then;
      pools_[pool].then += then;
    }
    misplaced.refused = Refuse(record, place, node);
    return misplaced;
  }

  void CountMoved(const Record& record, const NodeState& node, std::size_t pool) {
    MovedReport& moved = moved_[pool];
    ++moved.pods;
    moved.now += record.now;
    AddExample(NameOf(record, survey_) + " on " + NameOf(node), moved.examples);
  }

  // Returns why the node would be refused to the pod now. Counts it.
  std::string Refuse(const Record& record, NodeIndex place, const NodeState& node) {
    const bool asks = record.shape != Survey::kNoText;
    if (!asks || standings_.Of(record.namespace_name) != Standing::kAsked) return "";
    std::optional<PreparedPod>& prepared = prepared_[record.shape];
    if (!prepared) prepared = engine_.Prepare(survey_.shapes()[record.shape], view_, now_);
    const auto [found, is_new] = judged_.try_emplace({record.shape, place});
    if (is_new) found->second = prepared->Judge(node).reason;
    if (found->second == policies::scheduling::kNoReason) return "";
    const policies::scheduling::Reason& reason = engine_.reasons()[found->second];
    RefusedReport& refused = refused_[found->second];
    ++refused.pods;
    refused.reason = PlainText(reason.text, kMaxSentence);
    refused.summary = PlainText(reason.summary, kMaxSentence);
    AddExample(NameOf(record, survey_) + " on " + NameOf(node), refused.examples);
    return refused.summary;
  }

  void FinishPools() {
    // The worst examples come first.
    std::vector<std::vector<std::pair<double, std::string>>> crowded(pools_.size());
    for (NodeIndex i = 0; i < view_.EndIndex(); ++i) {
      const NodeState* node = view_.At(i);
      if (node == nullptr) continue;
      const std::size_t pool = PoolOf(node->accelerator);
      const Compute there = AllocatableOf(*node);
      ++pools_[pool].nodes;
      pools_[pool].allocatable += there;
      if (loads_[i].loses) ++moved_[pool].nodes;
      const bool now = Exceeds(loads_[i].now, there);
      if (now) ++pools_[pool].crowded_now;
      if (now || !Exceeds(loads_[i].then, there)) continue;
      ++pools_[pool].crowded_then;
      const Compute excess = loads_[i].then - there;
      crowded[pool].emplace_back(
          -std::max(Share(excess.cpu, there.cpu), Share(excess.memory, there.memory)),
          ExcessText(*node, loads_[i].then));
    }
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      std::ranges::sort(crowded[pool]);
      for (auto& [worst, text] : crowded[pool]) AddExample(std::move(text), pools_[pool].examples);
      pools_[pool].accelerator = PoolName(pool);
      const bool counts = pools_[pool].nodes > 0 || pools_[pool].then != Compute();
      if (counts) report_.pools.push_back(std::move(pools_[pool]));
    }
  }

  static double Share(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1));
  }

  void FinishMoved() {
    for (auto& [pool, moved] : moved_) {
      moved.accelerator = PoolName(pool);
      report_.moved.push_back(std::move(moved));
    }
    std::ranges::stable_sort(
        report_.moved, [](const MovedReport& a, const MovedReport& b) { return a.pods > b.pods; });
  }

  void FinishRefused() {
    for (auto& [reason, refused] : refused_) report_.refused.push_back(std::move(refused));
    std::ranges::stable_sort(report_.refused, [](const RefusedReport& a, const RefusedReport& b) {
      return a.pods > b.pods;
    });
  }

  void AddExclusions() {
    std::map<std::tuple<std::string, std::size_t, std::vector<std::string>>, ExcludedReport> found;
    for (const auto& exclusion :
         policies::scheduling::Exclusions(rules_.health, engine_.catalog(), view_, now_)) {
      const std::size_t pool = PoolOf(exclusion.accelerator);
      ExcludedReport& excluded = found[{exclusion.condition, pool, exclusion.resources}];
      excluded.condition = PlainText(exclusion.condition, kMaxName);
      excluded.accelerator = PoolName(pool);
      excluded.resources = exclusion.resources;
      ++excluded.nodes;
      excluded.devices = model::SaturatingAdd(excluded.devices, exclusion.devices);
      AddExample(PlainText(exclusion.node, kMaxName), excluded.examples);
    }
    for (auto& [key, excluded] : found) report_.excluded.push_back(std::move(excluded));
    std::ranges::stable_sort(report_.excluded,
                             [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  }

  void AddSilentConditions() {
    if (survey_.node_count() == 0) return;
    std::set<std::string> expected = policies::scheduling::ExpectedTypes(rules_.health);
    for (NodeIndex i = 0; i < view_.EndIndex(); ++i) {
      const NodeState* node = view_.At(i);
      if (node == nullptr) continue;
      for (const model::Condition& condition : node->node.conditions) {
        expected.erase(condition.type);
      }
    }
    for (const std::string& type : expected) {
      report_.silent_conditions.push_back(PlainText(type, kMaxName));
    }
  }

  void AddNotes() {
    if (survey_.node_count() == 0) {
      report_.notes.emplace_back(
          "no Node was seen: what nodes have, which of them are excluded and which pods would be "
          "refused or moved is not known");
    } else if (elsewhere_ > 0) {
      report_.notes.push_back(
          fmt::format("{} pods run on nodes that were not seen", CountText(Signed(elsewhere_))));
    }
    const bool homeless =
        !report_.moved.empty() && std::ranges::none_of(report_.pools, [](const PoolReport& pool) {
          return pool.accelerator.empty() && pool.nodes > 0;
        });
    if (homeless) {
      report_.notes.emplace_back(
          "every node has accelerators: pods that ask for none would find no node");
    }
  }

  static std::int64_t Signed(std::size_t count) { return static_cast<std::int64_t>(count); }

  const Survey& survey_;
  const Standings& standings_;
  const policies::scheduling::SchedulingEngine& engine_;
  const SummaryRules& rules_;
  const model::Time now_;
  const Snapshot::Reader view_;
  Report& report_;
  std::vector<PoolReport> pools_;
  // By the node's index.
  std::vector<Load> loads_;
  // By Record::node.
  std::vector<std::optional<NodeIndex>> places_;
  // By Record::shape.
  std::vector<std::optional<PreparedPod>> prepared_;
  std::map<std::pair<Survey::TextId, NodeIndex>, ReasonId> judged_;
  std::map<ReasonId, RefusedReport> refused_;
  std::map<std::size_t, MovedReport> moved_;
  // Pods on nodes that are not in the view.
  std::size_t elsewhere_ = 0;
};

}  // namespace

std::vector<Misplacement> SummarizeNodes(const Survey& survey, const Standings& standings,
                                         const SummaryRules& rules, model::Time now,
                                         Report& report) {
  return NodeSummary(survey, standings, rules, now, report).Run();
}

}  // namespace berth::report
