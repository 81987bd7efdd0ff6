#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kube/api_config.h"
#include "model/accelerator.h"
#include "model/time.h"
#include "planner/config.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/shortlist.h"

namespace berth::board {

/// What a board shows, and to whom. A plain value.
struct BoardOptions {
  /// The person's own access. The board has no other.
  kube::ApiConfig api;
  /// Show only pods of this namespace. Empty: all.
  std::string namespace_name;
  /// Neither is null, and the engine was made with the catalogue.
  std::shared_ptr<const model::AcceleratorCatalog> catalog;
  std::shared_ptr<const policies::scheduling::SchedulingEngine> engine;
  policies::scheduling::ShortlistConfig shortlist;
  planner::PlannerConfig planner;
  /// On 127.0.0.1. 0: the system chooses a free one.
  std::uint16_t port = 0;
  /// Where /livez and /readyz are answered, to everybody and in plain HTTP, in the form that
  /// server::ParseAddress() reads. Nothing of the cluster is told there. Empty: nowhere.
  std::string probes;
  /// The present time.
  std::function<model::Time()> now;
};

/// Serves the page on loopback, and follows the cluster meanwhile. It writes nothing to the cluster
/// and exposes nothing in it.
///
///   GET /                  the page and its files
///   GET /api/state         the whole board
///   GET /api/events        its changes, as server-sent events
///   GET /api/history       the pools over time
///   GET /api/node          one node, and what each policy says of it
///   GET /api/pod           one pod, and what each policy says of the nodes
///   GET /api/search        pods by a part of their names
///
/// docs/board.md describes them. Its threads end with the object. Thread-safe.
class Board {
 public:
  /// Returns a board that serves already; the picture follows when the cluster has been listed.
  /// Returns UNAVAILABLE if an address cannot be listened on, and INVALID_ARGUMENT if `probes` is
  /// none. Call CheckRights() first.
  static absl::StatusOr<std::unique_ptr<Board>> Start(BoardOptions options);

  /// Ends the connections, and waits for the threads.
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// What a person opens; see Access::Url().
  std::string Url() const;

 private:
  class Impl;
  explicit Board(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::board
