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

/// Takes the reply to one watch: decodes its events for the handler, and remembers up to which
/// resource version. T is model::Node, model::Pod or model::Service. Not thread-safe.
template <typename T>
class WatchSink final : public HttpSink {
 public:
  /// `resource_version` is moved on with every event.
  ///
  /// `lists`: the watch begins with everything that there is, up to a bookmark that says so; until
  /// then `resource_version` stays empty. The observer is told of nothing but that.
  WatchSink(ListWatchHandler<T>* handler, ListWatchObserver* observer,
            std::string* resource_version, bool lists);

  absl::Status OnHead(const HttpHead& head) override;
  absl::Status OnBody(std::string_view bytes) override;

  /// Events and bookmarks that were of use.
  std::size_t events() const { return events_; }

  /// Whether not everything that there is has been told.
  bool listing() const { return listing_; }

  /// Whether the watch was granted.
  bool granted() const { return refusal_.granted(); }

  /// Whether it may end here: not within an event.
  bool AtBoundary() const { return splitter_.AtBoundary(); }

  /// Why the server refused: by the reply's status, or later by an ERROR event.
  std::optional<ApiStatus> Refusal() const;

 private:
  absl::Status OnFrame(std::string_view frame);
  absl::Status OnObject(WatchEvent<T>& event);
  absl::Status OnUnreadable(WatchEventType type, const UnreadableObject& object);
  absl::Status OnBookmark(const WatchEvent<T>& event);

  ListWatchHandler<T>* const handler_;
  ListWatchObserver* const observer_;
  std::string* const resource_version_;
  RefusalReader refusal_;
  WatchFrameSplitter splitter_;
  bool listing_;
  std::size_t listed_ = 0;
  std::size_t events_ = 0;
  std::optional<ApiStatus> error_event_;
};

}  // namespace berth::kube
