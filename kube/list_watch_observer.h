#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "kube/unreadable_object.h"

namespace berth::kube {

/// Why a watch ended.
enum class WatchEnd {
  kServer,          // the server ended it in order, as after timeoutSeconds
  kExpired,         // the resource version is too old: everything is listed again
  kStalled,         // nothing arrived for too long, not even a bookmark
  kConnectionLost,  // it was lost, or never established
  kRefused,         // by an HTTP status or an ERROR event, except for expiry
  kGarbage,         // undecodable bytes: everything is listed again
};

/// Returns the value of a metric's label: "server", "expired", "stalled", "connection", "refused"
/// or "garbage".
std::string_view NameOf(WatchEnd end);

/// Receives the events of a list-and-watch, for log and metrics. All functions are called on the
/// thread of ListWatch::Run().
class ListWatchObserver {
 public:
  virtual ~ListWatchObserver() = default;
  /// A list is complete. `items` is the number of its objects.
  virtual void OnListed(std::size_t items) = 0;
  /// A watch was granted that goes on from what is known.
  virtual void OnWatchGranted() {}
  /// A watch ended. Another watch or a list follows.
  virtual void OnWatchEnd(WatchEnd end) = 0;
  /// An object cannot be read. Called each time that it arrives, so once for each list and each
  /// change of the object.
  virtual void OnUnreadable(const UnreadableObject& object) = 0;
  /// A request failed. `error` is a sentence that names it.
  virtual void OnError(const absl::Status& error) = 0;
  /// The list-and-watch now waits for this long before it tries again. Called after OnError().
  virtual void OnBackoff(std::chrono::milliseconds wait) = 0;
};

}  // namespace berth::kube
