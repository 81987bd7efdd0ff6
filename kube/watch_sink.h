#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/api_reply.h"
#include "kube/protobuf.h"
#include "kube/transport.h"

namespace berth::kube {

template <typename T>
class ListWatchHandler;

/// Takes the reply to one watch: decodes its events for the handler, and remembers up to which
/// resource version. T is model::Node or model::Pod. Not thread-safe.
template <typename T>
class WatchSink final : public HttpSink {
 public:
  /// `resource_version` is moved on with every event. `target` names the request in errors.
  WatchSink(std::string target, ListWatchHandler<T>* handler, std::string* resource_version);

  absl::Status OnHead(const HttpHead& head) override;
  absl::Status OnBody(std::string_view bytes) override;

  /// Events and bookmarks.
  std::size_t events() const { return events_; }

  /// Whether the watch was granted.
  bool granted() const { return head_.status == 200; }

  /// Whether it may end here: not within an event.
  bool AtBoundary() const { return splitter_.AtBoundary(); }

  /// Why the server refused: by the reply's status, or later by an ERROR event.
  std::optional<ApiStatus> Refusal() const;

 private:
  absl::Status OnFrame(std::string_view frame);

  const std::string target_;
  ListWatchHandler<T>* const handler_;
  std::string* const resource_version_;
  HttpHead head_;
  std::string refusal_body_;
  WatchFrameSplitter splitter_;
  std::size_t events_ = 0;
  std::optional<ApiStatus> error_event_;
};

}  // namespace berth::kube
