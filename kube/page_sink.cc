#include "kube/page_sink.h"

#include <utility>

#include "absl/status/statusor.h"
#include "kube/list_watch.h"
#include "kube/protobuf.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::kube {

template <typename T>
PageSink<T>::PageSink(ListWatchHandler<T>* handler, ListWatchObserver* observer, bool begins)
    : handler_(handler), observer_(observer), begins_(begins), splitter_(ListKindOf<T>()) {}

template <typename T>
absl::Status PageSink<T>::OnHead(const HttpHead& head) {
  refusal_.OnHead(head);
  return refusal_.granted() ? CheckContentType(head) : absl::OkStatus();
}

template <typename T>
absl::Status PageSink<T>::OnBody(std::string_view bytes) {
  if (refusal_.OnBody(bytes)) return absl::OkStatus();
  splitter_.Append(bytes);
  while (true) {
    const absl::StatusOr<std::optional<std::string_view>> item = splitter_.Next();
    if (!item.ok()) return item.status();
    if (!item->has_value()) return absl::OkStatus();
    absl::Status status = OnItem(**item);
    if (!status.ok()) return status;
  }
}

/// Tells the handler that the list begins, as soon as its version is known.
template <typename T>
absl::Status PageSink<T>::Begin() {
  if (resource_version().empty()) return absl::DataLossError("a list without resourceVersion");
  if (std::exchange(begins_, false)) handler_->OnReplaceBegin();
  return absl::OkStatus();
}

template <typename T>
absl::Status PageSink<T>::OnItem(std::string_view bytes) {
  absl::Status begun = Begin();
  if (!begun.ok()) return begun;
  Item<T> item = DecodeItem<T>(bytes);
  ++items_;
  if (item.object) {
    handler_->OnUpsert(*std::move(item.object));
  } else {
    unreadable_.push_back(std::move(item.unreadable));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status PageSink<T>::OnEnd() {
  absl::Status status = splitter_.CheckEnd();
  if (status.ok()) status = Begin();
  if (!status.ok()) return status;
  for (const UnreadableObject& item : unreadable_) {
    handler_->OnUnreadable(item);
    observer_->OnUnreadable(item);
  }
  return absl::OkStatus();
}

template class PageSink<model::Node>;
template class PageSink<model::Pod>;
template class PageSink<model::Service>;

}  // namespace berth::kube
