#include "kube/pod_list.h"

#include <fmt/format.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "kube/api_reply.h"
#include "kube/list_watch.h"
#include "kube/list_watch_observer.h"
#include "kube/page_sink.h"
#include "kube/query.h"

namespace berth::kube {

namespace {

// What a list tells beside its pods.
class Listener final : public ListWatchHandler<model::Pod>, public ListWatchObserver {
 public:
  explicit Listener(const std::function<void(model::Pod pod)>& take) : take_(take) {}

  // The first pod that cannot be read. Empty if all can.
  const std::string& unreadable() const { return unreadable_; }

  void OnUpsert(model::Pod pod) override { take_(std::move(pod)); }
  void OnUnreadable(const UnreadableObject& pod) override {
    if (unreadable_.empty()) unreadable_ = absl::StrCat("pod ", pod.name, " cannot be read");
  }
  void OnReplaceBegin() override {}
  void OnReplaceEnd(const std::string&) override {}
  void OnDelete(model::Pod) override {}
  void OnHeard(const std::string&) override {}
  void OnListed(std::size_t) override {}
  void OnWatchEnd(WatchEnd) override {}
  void OnError(const absl::Status&) override {}
  void OnBackoff(std::chrono::milliseconds) override {}

 private:
  const std::function<void(model::Pod pod)>& take_;
  std::string unreadable_;
};

}  // namespace

absl::Status ListPods(Transport& transport, const std::string& namespace_name,
                      const std::string& field_selector,
                      const std::function<void(model::Pod pod)>& take) {
  const std::string path = fmt::format("/api/v1/namespaces/{}/pods", namespace_name);
  Listener listener(take);
  PageSink<model::Pod> sink(&listener, &listener, true);
  const absl::Status sent =
      transport.Send({.target = Target(path).With("fieldSelector", field_selector).text(),
                      .accept = kProtobufType},
                     sink);
  if (!sent.ok()) return sent;
  if (const auto refusal = sink.Refusal()) {
    const absl::Status why = RefusalOf(path, *refusal).error;
    const bool is_unacceptable = refusal->code == 406;
    return is_unacceptable ? absl::DataLossError(why.message()) : why;
  }
  const absl::Status ended = sink.OnEnd();
  if (!ended.ok()) return ended;
  // Without a limit the API server sends all at once; something in between may not.
  if (!sink.continue_token().empty()) return absl::DataLossError("the list has further pages");
  if (!listener.unreadable().empty()) return absl::DataLossError(listener.unreadable());
  return absl::OkStatus();
}

}  // namespace berth::kube
