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

/// Takes the reply to one page of a list: decodes its objects for the handler as they come, so that
/// one at a time is held. T is model::Node, model::Pod or model::Service. Not thread-safe.
template <typename T>
class PageSink final : public HttpSink {
 public:
  /// `begins`: it is the first page, so the handler is told that a list begins.
  PageSink(ListWatchHandler<T>* handler, ListWatchObserver* observer, bool begins);

  absl::Status OnHead(const HttpHead& head) override;
  absl::Status OnBody(std::string_view bytes) override;

  /// Why the server refused.
  std::optional<ApiStatus> Refusal() const { return refusal_.Refusal(); }

  /// The reply has come to its end. Tells what could not be read: a page that is asked for again
  /// must not tell it twice. DataLoss where the reply was no whole page.
  absl::Status OnEnd();

  // Of the page, from OnEnd() on.

  std::size_t items() const { return items_; }
  const std::string& resource_version() const { return splitter_.resource_version(); }
  const std::string& continue_token() const { return splitter_.continue_token(); }

 private:
  absl::Status Begin();
  absl::Status OnItem(std::string_view bytes);

  ListWatchHandler<T>* const handler_;
  ListWatchObserver* const observer_;
  bool begins_;
  RefusalReader refusal_;
  ListSplitter splitter_;
  std::size_t items_ = 0;
  std::vector<UnreadableObject> unreadable_;
};

}  // namespace berth::kube
