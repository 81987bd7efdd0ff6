#include "kube/watch_sink.h"

#include <utility>

#include "absl/status/statusor.h"
#include "kube/list_watch.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::kube {

template <typename T>
WatchSink<T>::WatchSink(ListWatchHandler<T>* handler, ListWatchObserver* observer,
                        std::string* resource_version, bool lists)
    : handler_(handler),
      observer_(observer),
      resource_version_(resource_version),
      listing_(lists) {}

template <typename T>
absl::Status WatchSink<T>::OnHead(const HttpHead& head) {
  refusal_.OnHead(head);
  if (!granted()) return absl::OkStatus();
  absl::Status protobuf = CheckContentType(head);
  if (!protobuf.ok()) return protobuf;
  if (listing_) {
    handler_->OnReplaceBegin();
  } else {
    handler_->OnGranted();
    observer_->OnWatchGranted();
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status WatchSink<T>::OnBody(std::string_view bytes) {
  if (refusal_.OnBody(bytes)) return absl::OkStatus();
  splitter_.Append(bytes);
  while (true) {
    const absl::StatusOr<std::optional<std::string_view>> frame = splitter_.Next();
    if (!frame.ok()) return frame.status();
    if (!frame->has_value()) return absl::OkStatus();
    absl::Status status = OnFrame(**frame);
    if (!status.ok()) return status;
  }
}

template <typename T>
absl::Status WatchSink<T>::OnFrame(std::string_view frame) {
  absl::StatusOr<WatchEvent<T>> event = DecodeWatchEvent<T>(frame);
  if (!event.ok()) return event.status();
  if (event->type == WatchEventType::kError) {
    error_event_ = std::move(event->status);
    return absl::AbortedError("the server ended the watch");
  }
  absl::Status status = OnObject(*event);
  if (status.ok()) ++events_;
  // During a list the version stays empty, because a list that breaks off has to begin again.
  if (!listing_ && !event->resource_version.empty()) {
    *resource_version_ = std::move(event->resource_version);
  }
  handler_->OnHeard(*resource_version_);
  return status;
}

template <typename T>
absl::Status WatchSink<T>::OnObject(WatchEvent<T>& event) {
  if (event.type == WatchEventType::kBookmark) return OnBookmark(event);
  if (event.unreadable) return OnUnreadable(event.type, *event.unreadable);
  if (event.type == WatchEventType::kDeleted) {
    handler_->OnDelete(*std::move(event.object));
  } else {
    ++listed_;
    handler_->OnUpsert(*std::move(event.object));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status WatchSink<T>::OnUnreadable(WatchEventType type, const UnreadableObject& object) {
  observer_->OnUnreadable(object);
  // If a known object changed, the watch must end: what is known of it is out of date, and nobody
  // can tell which object it is. Nothing was known of a new object, so the watch can continue.
  if (object.name.empty() && type != WatchEventType::kAdded) {
    return absl::DataLossError("not even the name of a changed object can be read: " +
                               object.error);
  }
  ++listed_;
  handler_->OnUnreadable(object);
  return absl::OkStatus();
}

template <typename T>
absl::Status WatchSink<T>::OnBookmark(const WatchEvent<T>& event) {
  if (!listing_) return absl::OkStatus();
  if (!event.initial_events_end) {
    return absl::UnimplementedError("the server does not say when its watch has listed all");
  }
  listing_ = false;
  handler_->OnReplaceEnd(event.resource_version);
  observer_->OnListed(listed_);
  return absl::OkStatus();
}

template <typename T>
std::optional<ApiStatus> WatchSink<T>::Refusal() const {
  return error_event_ ? error_event_ : refusal_.Refusal();
}

template class WatchSink<model::Node>;
template class WatchSink<model::Pod>;
template class WatchSink<model::Service>;

}  // namespace berth::kube
