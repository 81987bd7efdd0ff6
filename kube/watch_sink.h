#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/api_reply.h"
#include "kube/list_watch_observer.h"
#include "kube/protobuf.h"
#include "kube/transport.h"

namespace berth::kube {

template <typename T>
class ListWatchHandler;

/// Receives the reply to one watch. It passes events to the handler, and records the resource
/// version that they reach. T is model::Node, model::Pod or model::Service. Not thread-safe:
/// everything happens on the thread of Transport::Send().
template <typename T>
class WatchSink final : public HttpSink {
 public:
  /// All pointers must outlive the sink. `resource_version` is updated with every event.
  ///
  /// `lists` is whether the watch begins with everything that exists, up to a bookmark that says
  /// so. Until then `resource_version` stays empty. The observer learns of unreadable objects and
  /// of the end of the list, too.
  WatchSink(ListWatchHandler<T>* handler, ListWatchObserver* observer,
            std::string* resource_version, bool lists);

  /// If the watch is granted, tells handler and observer that it is, or the handler that a list
  /// begins if one does.
  /// Returns DataLoss if the reply is not Kubernetes' protobuf.
  absl::Status OnHead(const HttpHead& head) override;
  /// Processes every event that is complete. An error ends the exchange:
  /// - DataLoss if the bytes are not events about Ts, or if a known object changed to one whose
  ///   name cannot be read, so that everything has to be listed again;
  /// - Aborted after an ERROR event; see Refusal();
  /// - Unimplemented if the server sends a bookmark during the list that does not end it: it does
  ///   not support to list by a watch.
  absl::Status OnBody(std::string_view bytes) override;

  /// The number of events and bookmarks that were processed.
  std::size_t events() const { return events_; }

  /// Whether the list at the beginning is not complete yet.
  bool listing() const { return listing_; }

  /// Whether the head of a reply has arrived.
  bool answered() const { return refusal_.answered(); }

  /// Whether the server granted the watch.
  bool granted() const { return refusal_.granted(); }

  /// Whether the reply may end here, and not within an event.
  bool AtBoundary() const { return splitter_.AtBoundary(); }

  /// Why the server refused, by the reply's status or later by an ERROR event; else nullopt.
  std::optional<ApiStatus> Refusal() const;

 private:
  /// Processes one event. Errors end the watch.
  absl::Status OnFrame(std::string_view frame);
  /// Passes on an object that was added, changed or deleted, or a bookmark.
  absl::Status OnObject(WatchEvent<T>& event);
  /// Passes on an object that cannot be read.
  absl::Status OnUnreadable(WatchEventType type, const UnreadableObject& object);
  /// Ends the list, if there is one.
  absl::Status OnBookmark(const WatchEvent<T>& event);

  ListWatchHandler<T>* const handler_;
  ListWatchObserver* const observer_;
  /// Belongs to the caller.
  std::string* const resource_version_;
  RefusalReader refusal_;
  WatchFrameSplitter splitter_;
  /// See listing().
  bool listing_;
  /// Objects of the list so far.
  std::size_t listed_ = 0;
  std::size_t events_ = 0;
  /// The ERROR event, if one arrived.
  std::optional<ApiStatus> error_event_;
};

}  // namespace berth::kube
