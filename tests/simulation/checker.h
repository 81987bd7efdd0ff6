#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "extender/decision.h"
#include "model/node.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/berth_process.h"
#include "tests/simulation/object_store.h"

namespace berth::simulation {

/// What is wrong, in a sentence; nothing: all is well.
using Complaint = std::optional<std::string>;

/// Judges one life of Berth against what the API server really had. Asks neither a policy nor the
/// snapshot how it should be. Not thread-safe.
class Checker {
 public:
  explicit Checker(const ApiServer* server);

  /// Truth: what the snapshot has is what there was at the resource version that it carries; while
  /// a list is under way nothing in it is older.
  Complaint CheckTruth(const BerthProcess& berth);

  /// Safety: no node is admitted that was excluded, or could not be read, at the revision of the
  /// decision, and has been ever since. And where the nodes are whole the others are, be it that a
  /// shortlist leaves out some of them.
  Complaint CheckAnswer(const BerthProcess& berth, const BerthProcess::Answer& answer,
                        const std::vector<std::string>& asked, bool shortlist);

  /// Liveness: the snapshot is whole, and has what there is now.
  Complaint CheckConverged(const BerthProcess& berth) const;

 private:
  struct Range {
    std::int64_t least = 0;
    std::int64_t most = 0;
  };

  Complaint MoveTo(Revision nodes, Revision pods);
  Complaint CheckNodes(const cluster::Snapshot::Reader& reader, bool whole) const;
  Complaint CheckQuarantine(const cluster::Quarantine& nodes) const;
  std::map<std::string, Range> UsedThen() const;
  Complaint CheckUsed(const cluster::Snapshot::Reader& reader) const;
  Complaint CheckServices(const cluster::Snapshot::Reader& reader) const;
  bool MayBe(const model::NodeState& state) const;
  bool MayLack(const std::string& name) const;
  bool IsRefusedSince(const std::string& name) const;
  bool WasBadAndIsUnknown(const std::string& name) const;

  const ApiServer* const server_;
  Past<model::Node> nodes_;
  Past<model::Pod> pods_;
};

}  // namespace berth::simulation
