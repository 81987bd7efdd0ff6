#include "board/picture.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "board/devices.h"

namespace berth::board {

namespace {

using model::AcceleratorCatalog;
using placement::Exclusion;
using placement::ExclusionJudge;

// Judges nodes by the resource of their accelerator.
class JudgeByEntry {
 public:
  JudgeByEntry(const policies::scheduling::SchedulingEngine& engine, const model::ClusterView& view,
               model::Time now)
      : engine_(engine), view_(view), now_(now) {}

  std::optional<Exclusion> Judge(const model::NodeState& node) {
    const model::AcceleratorSpec* spec = SpecOf(node, engine_.catalog());
    if (spec == nullptr) return std::nullopt;
    auto& judge = judges_[spec->resource];
    if (!judge) judge = std::make_unique<ExclusionJudge>(engine_, spec->resource, view_, now_);
    return judge->Judge(node);
  }

 private:
  const policies::scheduling::SchedulingEngine& engine_;
  const model::ClusterView& view_;
  const model::Time now_;
  std::map<std::string_view, std::unique_ptr<ExclusionJudge>> judges_;
};

void AddToPool(const NodeRow& row, PoolTotals& pool) {
  ++pool.nodes;
  pool.bad_nodes += row.status == NodeStatus::kGood ? 0 : 1;
  pool.held += HeldDevices(row);
  pool.planned += PlannedDevices(row);
  pool.free += row.free;
  pool.broken += row.broken;
}

}  // namespace

Picture::Picture(const policies::scheduling::SchedulingEngine& engine,
                 std::vector<std::string> labels)
    : engine_(&engine), labels_(std::move(labels)), names_(engine.prefix()) {}

bool Picture::Update(const model::ClusterView& view, PodTable& pods, model::Time now) {
  const std::uint64_t next = revision_ + 1;
  bool changed = UpdateNodes(view, pods, now);
  if (changed) {
    CountPools();
    ForgetWords();
  }
  if (UpdateWaiting(pods)) changed = true;
  if (changed) revision_ = next;
  return changed;
}

bool Picture::UpdateNodes(const model::ClusterView& view, PodTable& pods, model::Time now) {
  const std::set<std::string> touched = pods.TakeTouched();
  JudgeByEntry judge(*engine_, view, now);
  bool changed = slots_.size() != view.EndIndex();
  slots_.resize(view.EndIndex());
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    Slot& slot = slots_[i];
    const model::NodeState* node = view.At(i);
    if (node == nullptr) {
      if (!slot.row) continue;
      slot = Slot{.row = std::nullopt, .revision = revision_ + 1};
      changed = true;
    } else if (Draw(slot, *node, judge.Judge(*node), pods, touched.contains(node->node.name))) {
      changed = true;
    }
  }
  return changed;
}

bool Picture::Draw(Slot& slot, const model::NodeState& node,
                   const std::optional<Exclusion>& exclusion, const PodTable& pods,
                   bool is_touched) {
  const Exclusion told = exclusion.value_or(Exclusion{});
  if (slot.row && !is_touched && slot.version == node.version &&
      slot.is_excluded == exclusion.has_value() && slot.reason == told.id &&
      slot.since == told.since) {
    return false;
  }
  slot.version = node.version;
  slot.is_excluded = exclusion.has_value();
  slot.reason = told.id;
  slot.since = told.since;
  NodeRow row = RowOfNode(node, exclusion, pods, engine_->catalog(), labels_);
  if (slot.row == row) return false;
  InternWords(row);
  slot.row = std::move(row);
  slot.revision = revision_ + 1;
  return true;
}

bool Picture::UpdateWaiting(const PodTable& pods) {
  if (waiting_version_ == pods.waiting_version()) return false;
  waiting_version_ = pods.waiting_version();
  std::vector<WaitingRow> rows = WaitingRows(pods.waiting(), engine_->catalog(), names_);
  if (rows == waiting_) return false;
  waiting_ = std::move(rows);
  waiting_revision_ = revision_ + 1;
  return true;
}

void Picture::CountPools() {
  std::map<std::string, PoolTotals> pools;
  ForEachNode([&](const NodeRow& row) {
    AddToPool(row, pools[row.pool]);
    return true;
  });
  if (pools == pools_) return;
  pools_ = std::move(pools);
  pools_revision_ = revision_ + 1;
}

std::uint32_t Picture::WordOf(const std::string& text) {
  const auto [known, is_new] =
      words_.try_emplace(text, static_cast<std::uint32_t>(word_list_.size()));
  if (is_new) word_list_.emplace_back(text, revision_ + 1);
  return known->second;
}

void Picture::InternWords(const NodeRow& row) {
  for (const std::string* text : {&row.pool, &row.rack, &row.reason}) WordOf(*text);
  for (const auto* shares : {&row.held, &row.planned}) {
    for (const auto& [owner, devices] : *shares) WordOf(owner);
  }
}

void Picture::ForgetWords() {
  if (word_list_.size() <= most_words_) return;
  words_.clear();
  word_list_.clear();
  ForEachNode([this](const NodeRow& row) {
    InternWords(row);
    return true;
  });
  most_words_ = std::max(kFewWords, 2 * word_list_.size());
  words_revision_ = revision_ + 1;
}

const NodeRow* Picture::Find(std::string_view name) const {
  const NodeRow* found = nullptr;
  ForEachNode([&](const NodeRow& row) {
    if (row.name == name) found = &row;
    return found == nullptr;
  });
  return found;
}

}  // namespace berth::board
