#include "tests/simulation/api_link.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "kube/api_reply.h"
#include "tests/integration/fake_objects.h"

namespace berth::simulation {
namespace {

using kube::HttpSink;
using tests::FakeHttpRequest;
using tests::FakeRequest;

// kube-apiserver sends one about every minute.
constexpr int kBookmarkInterval = 60'000;

bool IsAnyNode(const model::Node&) { return true; }
bool IsAnyService(const model::Service&) { return true; }
bool IsBound(const model::Pod& pod) { return !pod.node_name.empty() && !pod.terminated; }
bool IsPending(const model::Pod& pod) { return pod.node_name.empty() && !pod.terminated; }

const char* KindOf(const model::Node&) { return "Node"; }
const char* KindOf(const model::Pod&) { return "Pod"; }
const char* KindOf(const model::Service&) { return "Service"; }

template <typename T>
std::string EncodeAt(const Stored<T>& object, Revision revision) {
  return Encode(object.value, revision, object.oddity);
}

Revision RevisionOf(const std::string& text) { return text.empty() ? 0 : std::stoull(text); }

/// As a client sees the change of one object through its selection; "" where it does not.
template <typename T>
std::string FrameOf(const Change<T>& change, bool (*selects)(const T&)) {
  const bool before = change.before != nullptr && selects(change.before->value);
  const bool after = change.after != nullptr && selects(change.after->value);
  if (!before && !after) return "";
  const char* type = !before ? "ADDED" : after ? "MODIFIED" : "DELETED";
  const Stored<T>& object = after ? *change.after : *change.before;
  return tests::EncodeFrame(
      type, tests::Envelope(KindOf(object.value), EncodeAt(object, change.revision)));
}

template <typename T>
std::string Bookmark(Revision revision, bool initial_events_end) {
  return tests::EncodeFrame(
      "BOOKMARK", tests::Envelope(KindOf(T()), tests::EncodeBookmark(std::to_string(revision),
                                                                     initial_events_end)));
}

std::string Garbage() { return std::string("\0\0\0\5junk!", 9); }

absl::Status Lost() { return absl::UnavailableError("the connection was lost"); }

}  // namespace

ApiLink::ApiLink(std::string name, Time patience, const Surroundings& surroundings, Task* task)
    : name_(std::move(name)),
      patience_(patience),
      timeline_(surroundings.timeline),
      task_(task),
      server_(surroundings.server),
      weather_(surroundings.weather),
      trace_(surroundings.trace),
      on_change_([this] {
        if (watches_) task_->WakeAt(timeline_->now() + weather_->Latency());
      }) {
  server_->Subscribe(&on_change_);
}

ApiLink::~ApiLink() { server_->Unsubscribe(&on_change_); }

void ApiLink::Stop() {
  stopped_ = true;
  task_->WakeAt(timeline_->now());
}

absl::Status ApiLink::Ended() const {
  if (stopped_) return absl::CancelledError("stopped");
  return server_->lives() == life_ && server_->up() ? absl::OkStatus() : Lost();
}

absl::Status ApiLink::SleepUntil(Time time) {
  while (timeline_->now() < time) {
    const absl::Status ended = Ended();
    if (!ended.ok()) return ended;
    task_->SleepUntil(time);
  }
  return Ended();
}

absl::Status ApiLink::BeSilent(Time duration) {
  const absl::Status ended = SleepUntil(timeline_->now() + duration);
  return ended.ok() ? absl::DeadlineExceededError("silence") : ended;
}

absl::Status ApiLink::Send(const kube::HttpRequest& request, HttpSink& sink) {
  const std::string head =
      std::string(NameOf(request.method)) + ' ' + request.target + " HTTP/1.1\r\n\r\n";
  // Of PodGroups the fake requests know nothing.
  FakeHttpRequest parsed = tests::ParseFakeRequest(head).value_or(
      FakeHttpRequest{.kind = FakeRequest::kGetObject, .target = request.target});
  parsed.body = request.body;
  method_ = request.method;
  life_ = server_->lives();
  const Time latency = weather_->Latency();
  absl::Status status =
      latency < patience_ ? SleepUntil(timeline_->now() + latency) : BeSilent(patience_);
  if (status.ok()) {
    fate_ = weather_->Draw(IsWatch(parsed.kind));
    status = Answer(parsed, std::chrono::duration_cast<Time>(request.silence), sink);
  }
  watches_ = false;
  trace_->Write("{}: {} {}: {}", name_, NameOf(request.method), request.target, status.ToString());
  return status;
}

absl::Status ApiLink::Answer(const FakeHttpRequest& request, Time silence, HttpSink& sink) {
  switch (fate_.mishap) {
    case Mishap::kReset:
      return Lost();
    case Mishap::kSilence:
      return BeSilent(patience_);
    case Mishap::kStatus:
      return Refuse(fate_.code, fate_.reason, fate_.retry_after_seconds, sink);
    case Mishap::kHtml: {
      const absl::Status taken = sink.OnHead({.status = 200, .content_type = "text/html"});
      return taken.ok() ? sink.OnBody("<html>") : taken;
    }
    default:
      break;
  }
  switch (request.kind) {
    case FakeRequest::kListNodes:
    case FakeRequest::kWatchNodes:
      return AnswerAny<model::Node>(request, silence, &IsAnyNode, sink);
    case FakeRequest::kListPods:
    case FakeRequest::kWatchPods:
      return AnswerAny<model::Pod>(request, silence, &IsBound, sink);
    case FakeRequest::kListPending:
    case FakeRequest::kWatchPending:
      return AnswerAny<model::Pod>(request, silence, &IsPending, sink);
    case FakeRequest::kListServices:
    case FakeRequest::kWatchServices:
      return AnswerAny<model::Service>(request, silence, &IsAnyService, sink);
    default:
      return AnswerWrite(request, sink);
  }
}

absl::Status ApiLink::AnswerWrite(const FakeHttpRequest& request, HttpSink& sink) {
  tests::FakeLeases::Reply reply{.code = 200, .body = "{}"};
  switch (request.kind) {
    case FakeRequest::kGetLease:
      reply = server_->leases().Get(request.key);
      break;
    case FakeRequest::kCreateLease:
      reply = server_->leases().Create(request.key, request.body);
      break;
    case FakeRequest::kUpdateLease:
      reply = server_->leases().Update(request.key, request.body);
      break;
    case FakeRequest::kPatchNode:
      reply.code = server_->PatchNode(name_, request.key, request.body);
      break;
    case FakeRequest::kPatchPod:
      reply.code = server_->PatchPod(name_, request.key, request.body);
      break;
    case FakeRequest::kListPodsIn:
      reply.body = server_->PodsIn(request.key);
      break;
    case FakeRequest::kEvictPod:
      reply.code = server_->EvictPod(name_, request.key, request.body);
      break;
    case FakeRequest::kCreateEvent:
      reply.code = 201;
      break;
    default:
      if (request.target.starts_with("/apis/policy/v1/")) {
        reply.body = R"({"metadata":{},"items":[]})";
        break;
      }
      if (!PodGroups::Serves(request.target)) return Refuse(404, "NotFound", 0, sink);
      reply = server_->pod_groups().Answer(name_, method_, request.target, request.body);
      break;
  }
  // It was carried out, and the client may never hear of it.
  if (fate_.mishap == Mishap::kCut) return Lost();
  if (fate_.mishap == Mishap::kStall) return BeSilent(patience_);
  const absl::Status taken =
      sink.OnHead({.status = reply.code, .content_type = "application/json"});
  if (!taken.ok()) return taken;
  if (fate_.mishap == Mishap::kGarbage) return sink.OnBody(Garbage());
  return sink.OnBody(reply.code < 300 ? reply.body : "{}");
}

absl::Status ApiLink::Refuse(int code, const std::string& reason, int retry_after, HttpSink& sink) {
  trace_->Write("{}: refused with {}, Retry-After {}", name_, code, retry_after);
  const absl::Status taken = sink.OnHead({.status = code,
                                          .content_type = kube::kProtobufType,
                                          .retry_after = std::chrono::seconds(retry_after)});
  return taken.ok() ? sink.OnBody(tests::EncodeStatus(code, reason, retry_after)) : taken;
}

absl::Status ApiLink::Deliver(std::string_view bytes, HttpSink& sink) {
  if (!weather_->Splits()) return sink.OnBody(bytes);
  const auto cut =
      static_cast<std::size_t>(weather_->chance().Below(static_cast<int>(bytes.size()) + 1));
  absl::Status status = sink.OnBody(bytes.substr(0, cut));
  if (status.ok()) status = SleepUntil(timeline_->now() + weather_->Latency());
  return status.ok() ? sink.OnBody(bytes.substr(cut)) : status;
}

template <typename T>
absl::Status ApiLink::AnswerList(const FakeHttpRequest& request, bool (*selects)(const T&),
                                 HttpSink& sink) {
  // "<revision>/<first key>": all pages are of the first one's revision.
  const std::string token = request.Get("continue");
  const Revision revision =
      token.empty() ? server_->revision() : RevisionOf(token.substr(0, token.find('/')));
  if (revision < server_->oldest_listed()) return Refuse(410, "Expired", 0, sink);
  Past<T> then(&server_->Of<T>());
  then.MoveTo(revision);
  const std::string first_key = token.empty() ? "" : token.substr(token.find('/') + 1);
  const auto limit = static_cast<std::size_t>(std::stoi(request.Get("limit")));
  std::vector<std::string> items;
  std::string next;
  for (const auto& [key, object] : then.contents()) {
    if (key < first_key || !selects(object->value)) continue;
    if (items.size() == limit) {
      next = std::to_string(revision) + '/' + key;
      break;
    }
    items.push_back(EncodeAt(*object, object->revision));
  }
  const std::string body =
      tests::EncodeList(std::string(KindOf(T())) + "List", items, std::to_string(revision), next);
  absl::Status status = sink.OnHead({.status = 200, .content_type = kube::kProtobufType});
  if (!status.ok()) return status;
  if (fate_.mishap == Mishap::kGarbage) return sink.OnBody(Garbage());
  if (fate_.mishap == Mishap::kCut || fate_.mishap == Mishap::kStall) {
    status = sink.OnBody(std::string_view(body).substr(0, body.size() / 2));
    if (!status.ok()) return status;
    return fate_.mishap == Mishap::kCut ? Lost() : BeSilent(patience_);
  }
  return Deliver(body, sink);
}

template <typename T>
class ApiLink::Stream {
 public:
  Stream(ApiLink& link, const FakeHttpRequest& request, Time silence, bool (*selects)(const T&),
         HttpSink& sink)
      : link_(link),
        store_(link.server_->Of<T>()),
        lists_(request.Get("sendInitialEvents") == "true"),
        position_(RevisionOf(request.Get("resourceVersion"))),
        silence_(silence),
        end_(Now() + std::chrono::seconds(std::stoi(request.Get("timeoutSeconds")))),
        strike_(Now() + link.fate_.after),
        bookmark_(lists_ ? Now() + link.weather_->Latency() : NextBookmark()),
        selects_(selects),
        sink_(sink) {}

  absl::Status Answer() {
    if (lists_ && !link_.server_->watch_list) return link_.Refuse(422, "Invalid", 0, sink_);
    if (!lists_ && position_ < link_.server_->oldest_watched()) return Expire();
    absl::Status status = Begin();
    link_.watches_ = true;
    while (status.ok() && Now() < end_) {
      if (Strikes()) return Strike();
      status = TellChanges();
      if (status.ok() && Now() >= bookmark_) status = TellBookmark();
      const Time next = std::min(end_, bookmark_);
      if (status.ok()) status = SleepOnce(StrikesLater() ? std::min(next, strike_) : next);
    }
    return status;
  }

 private:
  Time Now() const { return link_.timeline_->now(); }
  Time NextBookmark() {
    return Now() + Time(link_.weather_->chance().Between(kBookmarkInterval / 2, kBookmarkInterval));
  }

  bool StrikesLater() const {
    return link_.fate_.mishap != Mishap::kNone && !link_.weather_->calm();
  }
  bool Strikes() const { return StrikesLater() && Now() >= strike_; }

  absl::Status SleepOnce(Time time) {
    const absl::Status ended = link_.Ended();
    if (!ended.ok()) return ended;
    link_.task_->SleepUntil(time);
    return link_.Ended();
  }

  absl::Status Expire() {
    // Real servers say it in either way.
    if (link_.weather_->chance().Percent(50)) return link_.Refuse(410, "Expired", 0, sink_);
    const absl::Status status = Begin();
    return status.ok() ? TellError(410, "Expired") : status;
  }

  absl::Status TellError(int code, const std::string& reason) {
    return sink_.OnBody(tests::EncodeFrame("ERROR", tests::EncodeStatus(code, reason, 0)));
  }

  absl::Status Begin() {
    absl::Status status = sink_.OnHead({.status = 200, .content_type = kube::kProtobufType});
    if (!lists_) return status;
    // A copy: it takes time to tell, in which others write.
    const Contents<T> contents = store_.now();
    position_ = link_.server_->revision();
    for (const auto& [key, object] : contents) {
      if (!status.ok()) return status;
      if (!selects_(object->value)) continue;
      status = link_.Deliver(
          tests::EncodeFrame(
              "ADDED", tests::Envelope(KindOf(object->value), EncodeAt(*object, object->revision))),
          sink_);
    }
    return status;
  }

  absl::Status TellChanges() {
    const auto& changes = store_.changes();
    const auto first = std::upper_bound(
        changes.begin(), changes.end(), position_,
        [](Revision revision, const Change<T>& change) { return revision < change.revision; });
    for (auto i = static_cast<std::size_t>(first - changes.begin()); i < changes.size(); ++i) {
      // By index: others may write while this is told.
      const Revision revision = changes[i].revision;
      const std::string frame = FrameOf(changes[i], selects_);
      if (!frame.empty()) {
        absl::Status status = link_.Deliver(frame, sink_);
        if (status.ok() && link_.weather_->Repeats()) status = link_.Deliver(frame, sink_);
        if (!status.ok()) return status;
      }
      position_ = revision;
    }
    return absl::OkStatus();
  }

  absl::Status TellBookmark() {
    // All kinds share one line of revisions, and everything up to here has been told.
    position_ = link_.server_->revision();
    bookmark_ = NextBookmark();
    return link_.Deliver(Bookmark<T>(position_, std::exchange(lists_, false)), sink_);
  }

  absl::Status Strike() {
    switch (link_.fate_.mishap) {
      case Mishap::kGarbage:
        return sink_.OnBody(Garbage());
      case Mishap::kCut:
        return Cut();
      case Mishap::kStall:
        return link_.BeSilent(silence_);
      case Mishap::kErrorEvent:
        return TellError(link_.fate_.code, link_.fate_.reason);
      default:
        return absl::OkStatus();
    }
  }

  absl::Status Cut() {
    const std::string frame = Bookmark<T>(link_.server_->revision(), false);
    const auto size =
        static_cast<std::size_t>(link_.weather_->chance().Below(static_cast<int>(frame.size())));
    const absl::Status status = sink_.OnBody(std::string_view(frame).substr(0, size));
    return status.ok() ? Lost() : status;
  }

  ApiLink& link_;
  const ObjectStore<T>& store_;
  /// Whether the list that it begins with has not ended.
  bool lists_;
  /// Everything up to here was told.
  Revision position_;
  const Time silence_;
  const Time end_;
  const Time strike_;
  Time bookmark_;
  bool (*const selects_)(const T&);
  HttpSink& sink_;
};

template <typename T>
absl::Status ApiLink::AnswerAny(const FakeHttpRequest& request, Time silence,
                                bool (*selects)(const T&), HttpSink& sink) {
  if (IsWatch(request.kind)) return Stream<T>(*this, request, silence, selects, sink).Answer();
  return AnswerList<T>(request, selects, sink);
}

}  // namespace berth::simulation
