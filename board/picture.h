#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "board/node_row.h"
#include "board/pod_table.h"
#include "board/waiting.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::board {

/// What a pool has. A plain value.
struct PoolTotals {
  std::int64_t nodes = 0;
  /// Nodes whose status is not NodeStatus::kGood.
  std::int64_t bad_nodes = 0;
  /// Devices; see NodeRow.
  std::int64_t held = 0;
  std::int64_t planned = 0;
  std::int64_t free = 0;
  std::int64_t broken = 0;

  friend bool operator==(const PoolTotals&, const PoolTotals&) = default;
};

/// The whole board as of the last Update(), and what has changed since any earlier one. Every
/// change has a revision; each part of the board remembers the revision of its last change, so a
/// client that knows revision N gets everything that has a greater one. No history of changes is
/// kept, and a client that was away for long gets no more than the whole board once.
///
/// Not thread-safe.
class Picture {
 public:
  /// The most rows that are sent of what waits. Further ones are only counted.
  static constexpr std::size_t kMostWaiting = 500;
  /// Texts that no node has any more are kept up to this number, or up to as many as were in use
  /// when it was last looked which are.
  static constexpr std::size_t kFewWords = 1000;

  /// `engine` must outlive this. `labels`: of the topology, from narrow to wide; the view must have
  /// them.
  Picture(const policies::scheduling::SchedulingEngine& engine, std::vector<std::string> labels);

  /// Looks at the cluster as of `now`. Takes time for the nodes that have changed, and little for
  /// the others. Returns whether anything of the board has changed.
  bool Update(const model::ClusterView& view, PodTable& pods, model::Time now);

  /// Of the last change; 0 before the first Update().
  std::uint64_t revision() const { return revision_; }

  /// JSON objects that together tell everything that has changed after revision `since`; 0:
  /// everything, which they also tell if texts were forgotten after that revision. Each tells of
  /// `most_nodes` nodes at most, so that no page has to read much at once, and the last one of what
  /// is not about single nodes. docs/board.md describes them.
  std::vector<std::string> Encode(std::uint64_t since, std::size_t most_nodes) const;

  /// No more nodes than this are drawn.
  std::size_t node_slots() const { return slots_.size(); }

  /// By name.
  const std::map<std::string, PoolTotals>& pools() const { return pools_; }
  const std::vector<WaitingRow>& waiting() const { return waiting_; }

  /// The node's row, or null. Valid until the next Update().
  const NodeRow* Find(std::string_view name) const;

  /// Calls visit(row) for each node until it returns false.
  template <typename Visit>
  void ForEachNode(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.row && !visit(*slot.row)) return;
    }
  }

 private:
  /// The place of a node, as in the view.
  struct Slot {
    std::optional<NodeRow> row;
    /// Of the last change; 0: there was never a node here.
    std::uint64_t revision = 0;
    /// Of the node's state that the row shows, and how it was judged.
    std::uint64_t version = 0;
    policies::scheduling::ReasonId reason = policies::scheduling::kNoReason;
    model::Time since = model::kNoTime;
    bool is_excluded = false;
  };

  // Draws the nodes that have changed. Returns whether any row has.
  bool UpdateNodes(const model::ClusterView& view, PodTable& pods, model::Time now);
  // Returns whether the slot has changed.
  bool Draw(Slot& slot, const model::NodeState& node,
            const std::optional<placement::Exclusion>& exclusion, const PodTable& pods,
            bool is_touched);
  bool UpdateWaiting(const PodTable& pods);
  void CountPools();
  // The number by which messages refer to a text.
  std::uint32_t WordOf(const std::string& text);
  // Gives every text of the row a number.
  void InternWords(const NodeRow& row);
  // Owners and reasons come and go. Once there are twice as many texts as were in use, this numbers
  // those in use anew, and clients are told everything again. That is rare: the list has to double.
  void ForgetWords();

  const policies::scheduling::SchedulingEngine* engine_;
  const std::vector<std::string> labels_;
  const WaitingNames names_;

  std::uint64_t revision_ = 0;
  std::vector<Slot> slots_;  // by model::NodeIndex
  std::map<std::string, PoolTotals> pools_;
  std::uint64_t pools_revision_ = 0;
  std::vector<WaitingRow> waiting_;
  std::optional<std::uint64_t> waiting_version_;  // PodTable's
  std::uint64_t waiting_revision_ = 0;
  std::unordered_map<std::string, std::uint32_t> words_;
  std::vector<std::pair<std::string, std::uint64_t>> word_list_;  // with their revisions
  // With more texts than that, it is looked which are in use.
  std::size_t most_words_ = kFewWords;
  // Since when numbers stand for the texts for which they stand now.
  std::uint64_t words_revision_ = 0;
};

}  // namespace berth::board
