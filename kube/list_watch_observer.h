#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "kube/unreadable_object.h"

namespace berth::kube {

/// Why a watch ended.
enum class WatchEnd {
  kServer,          // orderly, as after timeoutSeconds
  kExpired,         // the resource version is too old: everything is listed again
  kStalled,         // nothing came for too long, no bookmark either
  kConnectionLost,  // or never made
  kRefused,         // by an HTTP status or an ERROR event, other than for expiry
  kGarbage,         // what came cannot be decoded: everything is listed again
};

/// For a metric's label: "server", "expired", "stalled", "connection", "refused", "garbage".
std::string_view NameOf(WatchEnd end);

/// What becomes of a list-and-watch, for log and metrics. Called on its thread.
class ListWatchObserver {
 public:
  virtual ~ListWatchObserver() = default;
  /// A list came to its end.
  virtual void OnListed(std::size_t items) = 0;
  /// A watch ended; another one, or a list, follows.
  virtual void OnWatchEnd(WatchEnd end) = 0;
  /// An object cannot be read: told as often as it comes.
  virtual void OnUnreadable(const UnreadableObject& object) = 0;
  /// A sentence that names the request.
  virtual void OnError(const absl::Status& error) = 0;
  virtual void OnBackoff(std::chrono::milliseconds wait) = 0;
};

}  // namespace berth::kube
