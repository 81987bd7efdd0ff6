#include "kube/watch_sink.h"

#include <utility>

#include "absl/status/statusor.h"
#include "kube/list_watch.h"
#include "model/node.h"
#include "model/pod.h"

namespace berth::kube {
namespace {

/// Of the reply to a watch that is refused; what is beyond is left out of the error.
constexpr std::size_t kMaxRefusal = 64 * 1024;

}  // namespace

template <typename T>
WatchSink<T>::WatchSink(std::string target, ListWatchHandler<T>* handler,
                        std::string* resource_version)
    : target_(std::move(target)), handler_(handler), resource_version_(resource_version) {}

template <typename T>
absl::Status WatchSink<T>::OnHead(const HttpHead& head) {
  head_ = head;
  if (!granted()) return absl::OkStatus();
  handler_->OnHeard();
  return CheckContentType(target_, head);
}

template <typename T>
absl::Status WatchSink<T>::OnBody(std::string_view bytes) {
  if (!granted()) {
    refusal_body_.append(bytes.substr(0, kMaxRefusal - refusal_body_.size()));
    return absl::OkStatus();
  }
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
  ++events_;
  if (event->type == WatchEventType::kDeleted) {
    handler_->OnDelete(*std::move(event->object));
  } else if (event->object) {
    handler_->OnUpsert(*std::move(event->object));
  }
  if (!event->resource_version.empty()) *resource_version_ = std::move(event->resource_version);
  handler_->OnHeard();
  return absl::OkStatus();
}

template <typename T>
std::optional<ApiStatus> WatchSink<T>::Refusal() const {
  if (error_event_) return error_event_;
  if (head_.status == 0 || granted()) return std::nullopt;
  return StatusOf(head_, refusal_body_);
}

template class WatchSink<model::Node>;
template class WatchSink<model::Pod>;

}  // namespace berth::kube
