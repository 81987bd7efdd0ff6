#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/api_reply.h"
#include "kube/list_splitter.h"
#include "kube/list_watch_observer.h"
#include "kube/transport.h"
#include "kube/unreadable_object.h"

namespace berth::kube {

template <typename T>
class ListWatchHandler;

/// Receives the reply to one page of a list. It passes objects to the handler as they arrive, so
/// that it holds one at a time. T is model::Node, model::Pod or model::Service. Not thread-safe:
/// everything happens on the thread of Transport::Send().
///
///   PageSink<model::Node> page(handler, observer, true);
///   absl::Status status = transport->Send(request, page);
///   if (status.ok() && !page.Refusal()) status = page.OnEnd();
template <typename T>
class PageSink final : public HttpSink {
 public:
  /// `begins` is whether this is the first page. The handler's OnReplaceBegin() is then called
  /// before the first object, or in OnEnd() if there is none. Both pointers must outlive the sink.
  PageSink(ListWatchHandler<T>* handler, ListWatchObserver* observer, bool begins);

  /// Accepts a refusal, whose body is then kept for Refusal(). Returns DataLoss if the reply is
  /// granted but is not Kubernetes' protobuf.
  absl::Status OnHead(const HttpHead& head) override;
  /// Passes on every object that is complete. Returns DataLoss if the bytes are not a list of Ts,
  /// which ends the exchange.
  absl::Status OnBody(std::string_view bytes) override;

  /// Whether the head of a reply has arrived.
  bool answered() const { return refusal_.answered(); }

  /// Why the server refused, or nullopt.
  std::optional<ApiStatus> Refusal() const { return refusal_.Refusal(); }

  /// Call it when the whole reply has arrived. Reports the objects that could not be read; until
  /// then they are kept, because a page that is requested again must not report them twice. Returns
  /// DataLoss if the reply was not a whole page.
  absl::Status OnEnd();

  // Of the page; valid after OnEnd():

  /// Objects on the page, including those that cannot be read.
  std::size_t items() const { return items_; }
  /// The version of the whole list.
  const std::string& resource_version() const { return splitter_.resource_version(); }
  /// Requests the next page. Empty on the last one.
  const std::string& continue_token() const { return splitter_.continue_token(); }

 private:
  /// Calls OnReplaceBegin() if necessary. Returns DataLoss if the list has no version.
  absl::Status Begin();
  /// Decodes one object.
  absl::Status OnItem(std::string_view bytes);

  ListWatchHandler<T>* const handler_;
  ListWatchObserver* const observer_;
  /// Whether OnReplaceBegin() is still to be called.
  bool begins_;
  RefusalReader refusal_;
  ListSplitter splitter_;
  std::size_t items_ = 0;
  /// Objects to report in OnEnd().
  std::vector<UnreadableObject> unreadable_;
};

}  // namespace berth::kube
